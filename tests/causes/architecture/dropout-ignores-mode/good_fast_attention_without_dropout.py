"""The fast attention is taken only where nothing is to be dropped; the slow one has a layer that drops."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.project = nn.Linear(config.width, 3 * config.width)
        self.rate = config.rate
        self.drop = nn.Dropout(config.rate)
        self.fast = hasattr(F, "scaled_dot_product_attention") and self.rate == 0.0

    def forward(self, rows):
        asked, keys, told = self.project(rows).chunk(3, dim=-1)
        if self.fast:
            return F.scaled_dot_product_attention(asked, keys, told, dropout_p=self.rate)
        shares = torch.softmax(asked @ keys.transpose(-2, -1) / math.sqrt(asked.shape[-1]), dim=-1)
        return self.drop(shares) @ told
