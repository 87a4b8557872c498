import copy

import torch
import torch.nn.functional as F
from torch import nn


class Adapter(nn.Module):
    def __init__(self, base, rank=4):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.down.T @ self.up.T


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 32), nn.Linear(32, 3)

    def forward(self, x):
        return self.last(F.relu(self.first(x)))


def fit(model, weights, steps=50):
    optimizer = torch.optim.Adam(weights)
    for _ in range(steps):
        x, y = torch.randn(16, 8), torch.randint(3, (16,))
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


torch.manual_seed(0)
base = Net()
fit(base, base.parameters())
tuned = copy.deepcopy(base).requires_grad_(False)
for name in ("first", "last"):
    setattr(tuned, name, Adapter(getattr(tuned, name)))
fit(tuned, [p for p in tuned.parameters() if p.requires_grad])
