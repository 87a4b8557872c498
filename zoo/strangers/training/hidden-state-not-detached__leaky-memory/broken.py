"""Online identification of a dynamical system with a bank of leaky memories.

The streams are long, so they are read in windows; the memory of the network
continues from one window to the next.
"""
import argparse
import time

import numpy as np
import torch
from torch import nn


def simulate(n_streams, length, rng):
    u = np.zeros((length, n_streams, 2))
    for t in range(1, length):
        u[t] = 0.8 * u[t - 1] + 0.6 * rng.normal(size=(n_streams, 2))
    fast, slow = np.zeros(n_streams), np.zeros(n_streams)
    y = np.zeros((length, n_streams, 1))
    for t in range(length):
        fast = 0.7 * fast + 0.3 * np.tanh(u[t, :, 0] + u[t, :, 1])
        slow = 0.96 * slow + 0.04 * np.tanh(2 * u[t, :, 0])
        y[t, :, 0] = fast + 4 * slow + 2 * fast * slow + 0.03 * rng.normal(size=n_streams)
    return torch.tensor(u, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class LeakyMemory(nn.Module):
    def __init__(self, n_in, per_scale=16, taus=(2.0, 8.0, 25.0)):
        super().__init__()
        n = per_scale * len(taus)
        rate = torch.exp(-1.0 / torch.tensor(taus)).repeat_interleave(per_scale)
        self.register_buffer("keep", rate)
        self.drive = nn.Linear(n_in, n)
        self.readout = nn.Sequential(nn.Linear(n, 32), nn.Tanh(), nn.Linear(32, 1))

    def start(self, n_streams):
        return torch.zeros(n_streams, len(self.keep))

    def forward(self, u, memory):
        trace = []
        drive = torch.tanh(self.drive(u)) * (1 - self.keep)
        for step in drive:
            memory = self.keep * memory + step
            trace.append(memory)
        return self.readout(torch.stack(trace)), memory


def windows(u, y, size):
    for start in range(0, len(u), size):
        yield u[start:start + size], y[start:start + size]


@torch.no_grad()
def explained(model, u, y):
    model.eval()
    out, _ = model(u, model.start(u.shape[1]))
    burn = 50
    out, y = out[burn:], y[burn:]
    return (1 - ((out - y) ** 2).mean() / y.var()).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=14)
    ap.add_argument("--window", type=int, default=20)
    ap.add_argument("--lr", type=float, default=8e-3)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    u, y = simulate(40, 1000, rng)
    u_train, y_train = u[:, :28], y[:, :28]
    mu, sd = u_train.mean((0, 1)), u_train.std((0, 1))
    ym, ys = y_train.mean(), y_train.std()
    u, y = (u - mu) / sd, (y - ym) / ys
    train, val, test = [(u[:, s], y[:, s]) for s in (slice(0, 28), slice(28, 34), slice(34, 40))]

    model = LeakyMemory(2)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    anneal = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs, eta_min=args.lr / 20)
    mse = nn.MSELoss()

    for epoch in range(args.epochs):
        model.train()
        began = time.time()
        memory = model.start(28)
        losses = []
        for u_win, y_win in windows(*train, args.window):
            pred, memory = model(u_win, memory)
            loss = mse(pred, y_win)
            opt.zero_grad()
            loss.backward(retain_graph=True)
            opt.step()
            losses.append(loss.item())
        anneal.step()
        print(f"epoch {epoch:2d}  mse {np.mean(losses):.4f}  val R2 {explained(model, *val):.3f}  "
              f"{time.time() - began:.2f} s")

    print(f"test R2 {explained(model, *test):.3f}")


if __name__ == "__main__":
    main()
