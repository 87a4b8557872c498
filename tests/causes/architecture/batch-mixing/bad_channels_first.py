"""A convolution over time wants the channels in front of the steps."""

import torch
from torch import nn


class TokenConv(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.conv = nn.Conv1d(width, 32, 3, padding=1)
        self.score = nn.Linear(32, 2)

    def forward(self, tokens):
        batch, steps, width = tokens.shape
        seen = torch.relu(self.conv(tokens.view(batch, width, steps)))  # batch-mixing
        return self.score(seen.mean(dim=2))
