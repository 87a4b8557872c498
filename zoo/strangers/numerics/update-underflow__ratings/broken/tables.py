"""Lookup tables. In production these hold tens of millions of rows, so their footprint matters."""
import torch
import torch.nn as nn


class Table(nn.Module):
    """A vector and a scalar offset per id."""

    def __init__(self, rows, dim, dtype=torch.bfloat16):
        super().__init__()
        self.vec = nn.Embedding(rows, dim, dtype=dtype)
        self.off = nn.Embedding(rows, 1, dtype=dtype)
        nn.init.zeros_(self.off.weight)

    def forward(self, ids):
        return self.vec(ids).float(), self.off(ids).float().squeeze(-1)

    def megabytes(self):
        return sum(p.numel() * p.element_size() for p in self.parameters()) / 2**20
