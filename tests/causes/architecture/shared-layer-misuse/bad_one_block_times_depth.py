"""A block made once, its list multiplied: four depths, one set of weights and of statistics."""

from torch import nn


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layer = nn.Sequential(nn.Conv1d(width, width, 3, padding=1), nn.BatchNorm1d(width), nn.SiLU())
        self.tower = nn.Sequential(*[layer] * depth)  # shared-layer-misuse

    def forward(self, x):
        return self.tower(x)
