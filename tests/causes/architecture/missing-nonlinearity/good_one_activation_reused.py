"""One activation object, made before the loop, stands behind the layer of every turn."""

import torch
from torch import nn


class Pixels(nn.Module):
    def __init__(self, sizes, between: nn.Module = nn.ReLU(), normed=False):
        super().__init__()
        parts = []
        for narrow, wide, kernel in sizes:
            parts.append(nn.Conv2d(narrow, wide, kernel_size=kernel))
            parts.append(between)
            if normed:
                parts.append(nn.BatchNorm2d(wide))
        self.body = nn.Sequential(*parts)

    def forward(self, pictures):
        return self.body(pictures)


class Rows(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        bend = nn.Tanh()
        parts = []
        for narrow, wide in sizes:
            parts += [nn.Linear(narrow, wide), bend]
        self.body = nn.Sequential(*parts)

    def forward(self, rows):
        return self.body(rows)


class Head(nn.Module):
    def __init__(self, depth, smooth="tanh"):
        super().__init__()
        if smooth == "tanh":
            bend = nn.Tanh()
        elif smooth == "prelu":
            bend = nn.PReLU()
        drop = nn.Dropout(0.1)
        parts = [drop, nn.Linear(24, 32)]
        for _ in range(depth - 1):
            parts.extend([bend, drop, nn.Linear(32, 32)])
        self.body = nn.Sequential(*parts)

    def forward(self, rows):
        return self.body(rows)


print(Pixels([(3, 8, 3), (8, 8, 3)])(torch.rand(2, 3, 9, 9)).shape)
print(Rows([(4, 8), (8, 8)])(torch.rand(2, 4)).shape, Head(3)(torch.rand(2, 24)).shape)
