import torch
from torch import nn


class Ensemble:
    """A plain class: it hands each member's parameters to its own optimizer."""

    def __init__(self, n):
        self.members = [nn.Linear(4, 1) for _ in range(n)]
        self.optimizers = [torch.optim.SGD(m.parameters(), lr=0.1) for m in self.members]

    def step(self, x, y):
        for member, optimizer in zip(self.members, self.optimizers):
            loss = nn.functional.mse_loss(member(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = [nn.Linear(4, 4), nn.Linear(4, 4)]

    def forward(self, x):
        return self.parts[1](self.parts[0](x).relu())

    def parameters(self, recurse=True):
        for part in self.parts:
            yield from part.parameters()
