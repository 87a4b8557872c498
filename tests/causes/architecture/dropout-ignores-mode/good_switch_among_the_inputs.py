"""Whoever calls the model says, among its inputs, whether units are to be dropped."""

import torch
from torch import nn
from torch.nn import functional as F


class Regressor(nn.Module):
    def __init__(self, rates=(0.2, 0.5)):
        super().__init__()
        self.rates = rates
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in rates])
        self.last = nn.Linear(8, 1)

    def forward(self, inputs):
        rows, dropping = inputs
        for layer, rate in zip(self.layers, self.rates):
            rows = torch.relu(layer(rows))
            if rate > 0.0 and dropping:
                rows = F.dropout(rows, rate)
        return self.last(rows)


class Sampled(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)

    def forward(self, rows, certain: bool):
        rows = self.first(rows)
        if not certain:
            rows = F.dropout(rows, 0.3)
        return rows
