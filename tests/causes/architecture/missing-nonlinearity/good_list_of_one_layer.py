"""Each block holds a list of a single linear layer; only the blocks are made in a loop."""

import torch
from torch import nn
from torch.nn import functional as F


class Edges(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.models = nn.ModuleList()
        self.models.append(nn.Linear(2 * width, width))

    def forward(self, left, right):
        both = torch.cat([left, right], dim=1)
        for model in self.models:
            both = model(both)
        return F.softplus(both)


class Graph(nn.Module):
    def __init__(self, blocks=3, width=16):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(blocks):
            self.blocks.append(Edges(width))

    def forward(self, left, right):
        for block in self.blocks:
            left = block(left, right)
        return left


print(Graph()(torch.rand(5, 16), torch.rand(5, 16)).shape)
