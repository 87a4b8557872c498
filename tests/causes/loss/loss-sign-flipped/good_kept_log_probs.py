"""Negative somewhere on the way: before the sum, in the name, or a cost that shall be small."""

import torch


def per_step(optimizer, log_probs, returns):
    losses = []
    for chance, gain in zip(log_probs, returns):
        losses.append(-chance * gain)
    optimizer.zero_grad()
    torch.stack(losses).sum().backward()
    optimizer.step()


def by_its_name(optimizer, neg_log_probs, advantages):
    loss = (neg_log_probs * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def of_a_cost(optimizer, log_probs, tour_cost):
    loss = (log_probs * (tour_cost - tour_cost.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def gain_of_policy_loss(log_probs, advantages):
    """Its caller turns it round."""
    return (log_probs * advantages).mean()
