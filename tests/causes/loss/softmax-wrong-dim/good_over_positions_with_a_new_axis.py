"""Scores get an axis for the product; the softmax runs over the positions."""
import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)

    def forward(self, query, keys, memory):
        scores = torch.einsum("bd,bsd->bs", self.q(query), self.k(keys))
        weights = torch.softmax(scores.unsqueeze(-1), dim=1)
        return (weights * memory).sum(dim=1)


class Pool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, x):
        s = self.score(x).squeeze(-1)
        s = s.unsqueeze(2)
        return (s.softmax(1) * x).sum(1)


print(Reader(4)(torch.randn(2, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 4)).shape, Pool(4)(torch.randn(2, 5, 4)).shape)
