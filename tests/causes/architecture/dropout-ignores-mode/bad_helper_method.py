import torch
from torch import nn
from torch.nn import functional as fn


def noisy(x, p):
    return fn.dropout(torch.tanh(x), p)  # dropout-ignores-mode


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(3)])
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        for layer in self.layers:
            x = noisy(layer(x), 0.3)
        return self.out(x)
