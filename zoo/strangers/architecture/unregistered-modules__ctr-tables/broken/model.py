import torch
from torch import nn


class ClickNet(nn.Module):
    """Embedding per categorical column, concatenated with the numeric columns, then an MLP."""

    def __init__(self, cardinality, n_numeric, dim=3, hidden=(48, 24), dropout=0.05):
        super().__init__()
        self.columns = sorted(cardinality)
        self.tables = {c: nn.Embedding(cardinality[c], dim) for c in self.columns}
        sizes = [dim * len(self.columns) + n_numeric, *hidden]
        layers = []
        for a, b in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU(), nn.Dropout(dropout)]
        self.mlp = nn.Sequential(*layers, nn.Linear(sizes[-1], 1))

    def forward(self, cats, nums):
        parts = [self.tables[c](cats[c]) for c in self.columns]
        return self.mlp(torch.cat([*parts, nums], dim=1)).squeeze(1)
