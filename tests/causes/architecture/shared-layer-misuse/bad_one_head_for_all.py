"""Heads and blocks that are one object, listed several times."""

from torch import nn


def head(width):
    return nn.Sequential(nn.Linear(width, 16), nn.ReLU(), nn.Linear(16, 1))


class Tasks(nn.Module):
    def __init__(self, width=32, tasks=5, depth=3):
        super().__init__()
        self.body = nn.Sequential(*[nn.Linear(width, width)] * depth)  # shared-layer-misuse
        self.heads = nn.ModuleList([head(width)] * tasks)  # shared-layer-misuse

    def forward(self, x):
        x = self.body(x).relu()
        return [one(x) for one in self.heads]
