import torch
import torch.nn as nn


class AttentionPool(nn.Module):
    """Pools a bag of instances (B, N, D) into (B, D)."""

    def __init__(self, dim, hidden=128):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, bag):
        s = self.score(bag).squeeze(-1)
        s = s - s.amax(dim=1, keepdim=True)
        a = torch.exp(s)
        a /= a.sum(dim=1, keepdim=True)
        return torch.einsum("bn,bnd->bd", a, bag)


class MILClassifier(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Sequential(nn.Linear(dim, 256), nn.ReLU())
        self.pool = AttentionPool(256)
        self.head = nn.Linear(256, 1)

    def forward(self, bag):
        return self.head(self.pool(self.proj(bag))).squeeze(-1)
