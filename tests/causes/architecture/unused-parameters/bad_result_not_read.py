import torch
from torch import nn


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = nn.Embedding(12, 8)
        self.numbers = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 8))
        self.head = nn.Linear(8, 1)

    def forward(self, numbers, kind):
        h = self.numbers(numbers)
        e = self.kind(kind)  # unused-parameters
        return self.head(torch.relu(h)).squeeze(-1)
