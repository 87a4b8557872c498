from collections import namedtuple

import torch
from torch import nn

Settings = namedtuple("Settings", "width keep")
settings = Settings(width=64, keep=0.9)


def build(inputs, classes, drop=0.9):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Dropout(p=drop), nn.Linear(64, classes))


torch.manual_seed(0)
net = build(**{"inputs": 20, "classes": 3, "drop": 1 - settings.keep})
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(300):
    x, y = torch.randn(32, 20), torch.randint(3, (32,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
