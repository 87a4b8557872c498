import torch.nn.functional as F
from torch import nn


class Gated(nn.Module):
    def forward(self, x):
        x, gates = x.chunk(2, dim=-1)
        return x * F.gelu(gates)


def unit(name):
    if name == "relu":
        return nn.ReLU(inplace=True)
    elif name == "leaky":
        return nn.LeakyReLU(inplace=True)
    elif name == "gated":
        return Gated()
    raise ValueError(name)


class Block(nn.Module):
    def __init__(self, width, name):
        super().__init__()
        self.lin = nn.Linear(width, 2 * width if name == "gated" else width)
        self.unit = unit(name)

    def forward(self, x):
        return self.unit(self.lin(x))


class Net(nn.Module):
    def __init__(self, width, name):
        super().__init__()
        self.blocks = nn.ModuleList([Block(width, name) for _ in range(3)])
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)
