"""The function that trains is not shown; that it trains, its name says."""

import torch

best, kept = float("inf"), None
for turn in range(turns):
    train_one_epoch(net, batches, optimizer, turn)
    error = validate(net, held_out)
    if error < best:
        best = error
        kept = {"net": net.state_dict(), "turn": turn}  # checkpoint-aliased
net.load_state_dict(kept["net"])
torch.save(kept, "best.pt")
