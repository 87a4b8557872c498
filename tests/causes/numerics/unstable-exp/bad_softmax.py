import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1)
        e = torch.exp(scores)
        weights = e / e.sum(dim=-1, keepdim=True)  # unstable-exp
        return weights @ self.v(x)
