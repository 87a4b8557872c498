import torch
from torch import nn


class Stages(nn.Module):
    def __init__(self, count, kept):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(count)])
        self.side = nn.Linear(8, 8)
        self.kept = kept

    def forward(self, x):
        held = []
        for place, layer in enumerate(self.layers):
            x = layer(x)
            if place in self.kept:
                held.append(x)
            if place == 2:
                x += self.side(x.clone())
        return torch.cat([*held, x], dim=-1)
