import torch
from torch import nn


class Thin(nn.Module):
    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, x):
        mask = (torch.rand_like(x) > self.p).float()
        return x * mask / (1 - self.p)  # dropout-ignores-mode


model = nn.Sequential(nn.Linear(10, 100), nn.ReLU(), Thin(0.5), nn.Linear(100, 2))
scores = model(torch.randn(8, 10))
