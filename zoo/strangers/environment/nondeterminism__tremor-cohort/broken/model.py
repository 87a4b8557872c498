import torch
from torch import nn


class WindowAttention(nn.Module):
    """Windows of one visit -> weights -> pooled representation -> score."""

    def __init__(self, bands, width=48, p=0.2):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(bands, width), nn.GELU(), nn.Dropout(p), nn.Linear(width, width), nn.GELU())
        self.relevance = nn.Linear(width, 1)
        self.read = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, x):
        h = self.embed(x)
        a = torch.softmax(self.relevance(h), dim=1)
        return self.read((a * h).sum(1)).squeeze(-1)
