import torch
from torch import nn


class TwoViews(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        z = self.net(x)
        z = (z - z.mean(0)) / z.std(0)
        half = len(z) // 2
        a, b = z[:half], z[half:]
        return a.T @ b / half


def redundancy(z, n):
    z = (z - z.mean(0)) / (z.std(0) + 1e-6)
    first, second = z[:n], z[n:]
    return (first * second).sum()
