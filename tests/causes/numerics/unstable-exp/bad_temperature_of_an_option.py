import argparse

import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


class InBatch(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, q, d):
        sim = q @ d.T / self.temperature
        spread = torch.exp(sim).sum(dim=1).log()  # unstable-exp
        return (spread - sim.diagonal()).mean()


parser = argparse.ArgumentParser()
parser.add_argument("--temperature", type=float, default=0.01)
args = parser.parse_args()
left, right = Encoder(24), Encoder(24)
optimizer = torch.optim.Adam([*left.parameters(), *right.parameters()], lr=2e-3)
loss_fn = InBatch(args.temperature)
for q, d in loader:
    loss = loss_fn(left(q), right(d))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
