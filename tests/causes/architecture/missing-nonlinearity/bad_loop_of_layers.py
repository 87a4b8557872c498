import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(4, width)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.relu(self.inp(x))
        for layer in self.layers:
            x = layer(x)  # missing-nonlinearity
        return torch.tanh(self.out(x.relu()))


def stacked(dims):
    layers = []
    for a, b in zip(dims, dims[1:]):
        layers.append(nn.Linear(a, b))  # missing-nonlinearity
        layers.append(nn.Dropout(0.1))
    return nn.Sequential(*layers)


net = stacked([4, 64, 64, 1])
