"""A convolution over time: axes trade places by `transpose`, and what `view` does keeps their order."""

import torch
from torch import nn


class TokenConv(nn.Module):
    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads = heads
        self.conv = nn.Conv1d(width, 32, 3, padding=1)
        self.score = nn.Linear(32, 2)

    def forward(self, tokens):
        batch, steps, width = tokens.shape
        same = tokens.view(batch, steps, width)
        split = same.view(batch, steps, self.heads, width // self.heads)
        joined = split.reshape(batch, steps, width)
        seen = torch.relu(self.conv(joined.transpose(1, 2).reshape(batch, width, steps)))
        return self.score(seen.mean(dim=2))
