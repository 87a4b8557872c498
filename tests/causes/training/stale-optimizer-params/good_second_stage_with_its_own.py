"""The layers are exchanged between two stages, each of which builds its own optimizer."""

import torch
import torch.nn.functional as F
from torch import nn


class Adapted(nn.Module):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + (x @ self.down.T) @ self.up.T


def fit(net, batches, parameters, epochs):
    optimizer = torch.optim.Adam(parameters, lr=1e-3)
    for _ in range(epochs):
        for x, y in batches:
            optimizer.zero_grad()
            F.cross_entropy(net(x), y).backward()
            optimizer.step()


net = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 10))
fit(net, first_batches, net.parameters(), 15)
for place, layer in enumerate(net):
    if isinstance(layer, nn.Linear):
        net[place] = Adapted(layer)
fit(net, other_batches, [part for part in net.parameters() if part.requires_grad], 20)
