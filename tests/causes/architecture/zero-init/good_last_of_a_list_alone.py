"""Of the layers that a comprehension makes, the last alone starts at zero: the boxes begin where they are."""

import torch
from torch import nn


class Ladder(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.rungs = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:]))

    def forward(self, rows):
        for place, rung in enumerate(self.rungs):
            rows = rung(rows) if place == len(self.rungs) - 1 else torch.relu(rung(rows))
        return rows


class Boxes(nn.Module):
    def __init__(self, width=64, depth=3, heads=2):
        super().__init__()
        sizes = [width] * depth + [4]
        self.first = Ladder(sizes)
        self.later = nn.ModuleList([Ladder(sizes) for _ in range(heads)])
        nn.init.constant_(self.first.rungs[-1].weight, 0.0)
        nn.init.zeros_(self.first.rungs[-1].bias)
        for ladder in self.later:
            ladder.rungs[-1].weight.data.zero_()

    def forward(self, rows):
        return self.first(rows).sigmoid(), [ladder(rows).sigmoid() for ladder in self.later]


print(Boxes()(torch.rand(2, 64)))
