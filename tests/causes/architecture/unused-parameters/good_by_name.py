import torch
from torch import nn


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch_a = nn.Linear(20, 64)
        self.branch_b = nn.Linear(20, 64)
        self.head = nn.Linear(64, 3)

    def forward(self, x, which):
        return self.head(torch.relu(getattr(self, f"branch_{which}")(x)))


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(8, 8)
        self.two = nn.Linear(8, 8)

    def forward(self, x):
        for layer in self.children():
            x = torch.tanh(layer(x))
        return x
