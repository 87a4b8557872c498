import torch
from torch import nn


class Adapted(nn.Module):
    """One set of weights for two domains, each with its own statistics."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3)
        self.norm_source = nn.BatchNorm2d(16)
        self.norm_target = nn.BatchNorm2d(16)
        self.head = nn.Linear(16, 10)

    def forward(self, source, target):
        one = torch.relu(self.norm_source(self.stem(source))).mean((2, 3))
        two = torch.relu(self.norm_target(self.stem(target))).mean((2, 3))
        return self.head(one), self.head(two)


class Twins(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(64, 32)
        self.norm = nn.BatchNorm1d(32)
        self.drop_a, self.drop_b = nn.Dropout(0.1), nn.Dropout(0.1)

    def encode(self, x, drop):
        return drop(torch.relu(self.norm(self.stem(x))))

    def forward(self, a, b):
        return self.encode(a, self.drop_a), self.encode(b, self.drop_b)


class TwoDepths(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(32, 32)
        self.norm1, self.norm2 = nn.BatchNorm1d(32), nn.BatchNorm1d(32)

    def forward(self, x):
        x = torch.relu(self.norm1(self.step(x)))
        return torch.relu(self.norm2(self.step(x)))
