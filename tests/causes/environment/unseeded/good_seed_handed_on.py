import torch
from torch import nn


def fresh(seed):
    torch.manual_seed(seed)
    return nn.Linear(3, 2)


def run(x, y, seed):
    net = fresh(seed)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    return net


def compare(x, y):
    return [run(x, y, seed) for seed in (1, 2, 3)]
