import argparse

import torch
from torch import nn


def windows(series, count, length, seed):
    steps = torch.arange(length + 1)

    def draw():
        stream = torch.Generator().manual_seed(seed)  # repeated-batch
        begin = torch.randint(0, len(series) - length, (count,), generator=stream)
        cut = series[begin[:, None] + steps]
        return cut[:, :-1], cut[:, -1:]

    return draw


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    draw = windows(torch.randn(4000).cumsum(0), 32, 16, options.seed)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(500):
        x, y = draw()
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


main()
