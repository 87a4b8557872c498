"""Continual next-value prediction on parallel streams.

Chunks are read in time order on purpose: the LSTM state of one chunk opens the next.
"""
import math

import torch
from torch import nn


class Streams:
    """n parallel noisy oscillators, each with its own hidden frequency."""

    def __init__(self, n, length, seed):
        g = torch.Generator().manual_seed(seed)
        w = 0.15 + 0.5 * torch.rand(n, 1, generator=g)
        ph = 2 * math.pi * torch.rand(n, 1, generator=g)
        t = torch.arange(length + 1)
        self.x = torch.sin(w * t + ph) + 0.05 * torch.randn(n, length + 1, generator=g)
        self.length = length

    def chunks(self, size):
        for s in range(0, self.length - size + 1, size):
            yield self.x[:, s:s + size, None], self.x[:, s + 1:s + size + 1, None]


class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.LSTM(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, state=None):
        h, state = self.rnn(x, state)
        return self.out(h), state


def cut(state):
    return tuple(s.detach() for s in state)


def evaluate(model, streams, size):
    model.eval()
    state, se, n = None, 0.0, 0
    with torch.no_grad():
        for i, (x, y) in enumerate(streams.chunks(size)):
            pred, state = model(x, state)
            if i > 0:                      # the first chunk only warms the memory up
                se += ((pred - y) ** 2).sum().item()
                n += y.numel()
    return se / n


def main():
    torch.manual_seed(4)
    train = Streams(48, 700, seed=1)
    val = Streams(32, 240, seed=2)
    test = Streams(32, 240, seed=3)
    model = Forecaster()
    opt = torch.optim.Adam(model.parameters(), lr=1.5e-2)
    epochs, size = 22, 20
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.88)
    for epoch in range(epochs):
        model.train()
        state, total, k = None, 0.0, 0
        for x, y in train.chunks(size):
            pred, state = model(x, state)
            loss = nn.functional.mse_loss(pred, y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            state = cut(state)
            total += loss.item()
            k += 1
        sched.step()
        print(f"pass {epoch + 1:2d}  train mse {total / k:.5f}  val mse {evaluate(model, val, size):.5f}")
    print(f"test mse {evaluate(model, test, size):.5f}  (signal variance 0.50)")


if __name__ == "__main__":
    main()
