import torch
import torch.nn as nn


def softmax(x):
    e = torch.exp(x)
    return e / e.sum(dim=-1, keepdim=True)


class Router(nn.Module):
    """Soft mixture of experts."""

    def __init__(self, dim, n_experts=4):
        super().__init__()
        self.gate = nn.Linear(dim, n_experts)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
                                      for _ in range(n_experts)])

    def forward(self, x):
        w = softmax(self.gate(x))
        y = torch.stack([f(x) for f in self.experts], dim=-2)
        return (w.unsqueeze(-1) * y).sum(-2)
