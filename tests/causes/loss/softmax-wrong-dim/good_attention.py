import torch
import torch.nn as nn
import torch.nn.functional as F


class Pooling(nn.Module):
    """Weights over time, one score a step."""

    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, x):
        weights = F.softmax(self.score(x), dim=1)
        return (weights * x).sum(dim=1)


class MIL(nn.Module):
    """A bag of instances is one example; axis 0 holds the instances."""

    def __init__(self, dim):
        super().__init__()
        self.attend = nn.Sequential(nn.Linear(dim, 32), nn.Tanh(), nn.Linear(32, 1))
        self.head = nn.Linear(dim, 2)

    def forward(self, bag):
        weights = torch.softmax(self.attend(bag), dim=0)
        return self.head((weights * bag).sum(dim=0))


def cross(q, k, v):
    similarity = q @ k.transpose(-2, -1)
    forward = similarity.softmax(dim=-1) @ v
    back = similarity.softmax(dim=-2).transpose(-2, -1) @ q
    return forward, back
