import copy

import torch.nn as nn


class Universal(nn.Module):
    """One layer for all depths, on purpose; LayerNorm keeps no statistics."""

    def __init__(self, width, depth):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 4, batch_first=True)
        squash = nn.Sequential(nn.Linear(width, width), nn.LayerNorm(width), nn.GELU())
        self.layers = nn.ModuleList([layer for _ in range(depth)])
        self.after = nn.Sequential(*[squash for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.after(x)


block = nn.Sequential(nn.Conv1d(8, 8, 3, padding=1), nn.BatchNorm1d(8), nn.ReLU())
tower = nn.Sequential(nn.Conv1d(1, 8, 7), *[copy.deepcopy(block) for _ in range(4)])
made = [nn.Sequential(nn.Conv1d(8, 8, 3), nn.BatchNorm1d(8)) for _ in range(3)]
plain = nn.Sequential(*[made[place] for place in range(3)], *[part for part in tower])
