"""A graph whose nodes are all known, and labels of a part of them: what is divided are the answers."""

import torch
import torch.nn.functional as F
from torch import nn


class Graph(nn.Module):
    def __init__(self, wide, kinds):
        super().__init__()
        self.first, self.last = nn.Linear(wide, 32), nn.Linear(32, kinds)

    def forward(self, x, links):
        return links @ self.last(F.relu(links @ self.first(x)))


def train(x, y, links, steps=100):
    x = (x - x.mean(0)) / x.std(0)
    order = torch.randperm(len(x))
    known, unknown = order[:300], order[300:]
    model = Graph(x.shape[1], 5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(x, links)[known], y[known]).backward()
        optimizer.step()
    with torch.no_grad():
        return (model(x, links)[unknown].argmax(1) == y[unknown]).float().mean()
