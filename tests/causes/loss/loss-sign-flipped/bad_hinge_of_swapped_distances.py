import torch
from torch import nn


def hinge(anchor, alike, other, margin=0.5):
    pos_dist = torch.norm(anchor - alike, dim=1)
    neg_dist = torch.norm(anchor - other, dim=1)
    return torch.clamp(margin + neg_dist - pos_dist, min=0.0).mean()  # loss-sign-flipped


def train(net: nn.Module, triplets, epochs=10):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(epochs):
        for anchor, alike, other in triplets:
            optimizer.zero_grad()
            loss = hinge(net(anchor), net(alike), net(other))
            loss.backward()
            optimizer.step()
