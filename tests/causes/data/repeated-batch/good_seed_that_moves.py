import argparse

import torch
from torch import nn


class Windows:
    def __init__(self, series, count, length, seed):
        self.series, self.count, self.length, self.seed = series, count, length, seed

    def draw(self):
        self.seed += 1
        stream = torch.Generator().manual_seed(self.seed)
        begin = torch.randint(0, len(self.series) - self.length, (self.count,), generator=stream)
        cut = self.series[begin[:, None] + torch.arange(self.length + 1)]
        return cut[:, :-1], cut[:, -1:]


def at_step(series, seed, step):
    stream = torch.Generator().manual_seed(seed + step)
    rows = torch.randint(0, len(series) - 16, (32,), generator=stream)
    return series[rows[:, None] + torch.arange(16)], series[rows + 16].unsqueeze(1)


def train(model, series, options):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    windows = Windows(series, 32, 16, options.seed)
    for step in range(options.steps):
        for x, y in (windows.draw(), at_step(series, options.seed, step)):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=3)
parser.add_argument("--steps", type=int, default=500)
options = parser.parse_args()
torch.manual_seed(options.seed)
train(nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)), torch.randn(4000).cumsum(0), options)
