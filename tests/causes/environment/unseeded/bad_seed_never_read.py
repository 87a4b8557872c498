import torch
from torch import nn


def run(x, y, seed):  # unseeded
    net = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    return net


def compare(x, y):
    return [run(x, y, seed) for seed in (1, 2, 3)]
