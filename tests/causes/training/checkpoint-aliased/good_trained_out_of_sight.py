"""Copied before training goes on, or taken from a model that each turn makes anew."""

import copy

import torch

best, kept = float("inf"), None
for turn in range(turns):
    train_one_epoch(net, batches, optimizer, turn)
    error = validate(net, held_out)
    if error < best:
        best, kept = error, copy.deepcopy(net.state_dict())
net.load_state_dict(kept)

winner = None
for width in widths:
    rival = build(width)
    fit(rival, batches)
    if validate(rival, held_out) < best:
        winner = rival.state_dict()
torch.save(winner, "winner.pt")
