import torch
from torch import nn


class LowRankHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Linear(512, 16)
        self.up = nn.Linear(16, 1000)

    def forward(self, x):
        return self.up(self.down(x))


class Adapter(nn.Module):
    def __init__(self, dim, rank):
        super().__init__()
        self.a = nn.Linear(dim, rank, bias=False)
        self.b = nn.Linear(rank, dim, bias=False)

    def forward(self, x):
        return x + self.b(self.a(x))


class LinearAutoencoder(nn.Module):
    """PCA by gradient descent."""

    def __init__(self, n, k):
        super().__init__()
        self.encode = nn.Linear(n, k)
        self.decode = nn.Linear(k, n)

    def forward(self, x):
        return self.decode(self.encode(x))


def reconstruction(model, x):
    return torch.mean((model(x) - x) ** 2)
