import torch
from torch import nn


class Switch(nn.Module):
    """One norm, two layers, of which one is used."""

    def __init__(self, deep):
        super().__init__()
        self.deep = deep
        self.small, self.large = nn.Linear(8, 16), nn.Linear(8, 16)
        self.norm = nn.BatchNorm1d(16)
        self.layer_norm = nn.LayerNorm(16)
        self.mix1, self.mix2 = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x):
        if self.deep:
            x = self.norm(self.large(x))
        else:
            x = self.norm(self.small(x))
        x = self.layer_norm(self.mix1(torch.relu(x)))
        return self.layer_norm(self.mix2(torch.relu(x)))
