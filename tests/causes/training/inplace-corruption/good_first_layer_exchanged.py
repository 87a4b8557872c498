"""The first activation of the branch would overwrite the shortcut, and is exchanged for one that copies."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, repeats, bent_first=True):
        super().__init__()
        parts = [nn.ReLU(inplace=True), nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)]
        for _ in range(repeats - 1):
            parts.append(nn.ReLU(inplace=True))
            parts.append(nn.Conv2d(width, width, 3, padding=1))
        if bent_first:
            parts[0] = nn.ReLU(inplace=False)
        else:
            parts = parts[1:]
        self.branch = nn.Sequential(*parts)

    def forward(self, pictures):
        return self.branch(pictures) + pictures


print(Block(4, 2)(torch.rand(2, 4, 8, 8)).shape)
