#!/usr/bin/env python
"""Multi-task regression of polymer properties from composition descriptors."""
import argparse
import math

import torch
from torch import nn

TASKS = ["density", "tg", "modulus", "viscosity", "band_gap"]


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=4000)
    ap.add_argument("--dim", type=int, default=20)
    ap.add_argument("--hidden", type=int, default=96)
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=0)
    return ap.parse_args()


def simulate(n, dim, gen):
    x = torch.rand(n, dim, generator=gen) * 4 - 2
    w = torch.randn(dim, len(TASKS), generator=gen) / math.sqrt(dim)
    v = torch.randn(dim, len(TASKS), generator=gen) / math.sqrt(dim)
    y = x @ w + torch.sin(1.5 * (x @ v)) + 0.4 * (x[:, :5] * x[:, 5:10])
    y = y + 0.1 * torch.randn(n, len(TASKS), generator=gen)
    scale = torch.tensor([0.2, 60.0, 3.0, 1.0, 0.8])
    shift = torch.tensor([1.1, 340.0, 5.0, 2.0, 3.0])
    return x, y * scale + shift


def make_head(width):
    return nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, 1))


class MultiTaskNet(nn.Module):
    def __init__(self, dim, width, n_tasks):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(dim, width), nn.ReLU(),
            nn.Linear(width, width), nn.ReLU(),
        )
        self.heads = nn.ModuleList([make_head(width)] * n_tasks)

    def forward(self, x):
        z = self.trunk(x)
        return torch.cat([h(z) for h in self.heads], dim=1)


def split(x, y, gen):
    perm = torch.randperm(len(x), generator=gen)
    a, b = int(0.7 * len(x)), int(0.85 * len(x))
    return [(x[i], y[i]) for i in (perm[:a], perm[a:b], perm[b:])]


def r2_per_task(model, x, y):
    model.eval()
    with torch.no_grad():
        p = model(x)
    ss_res = ((y - p) ** 2).sum(0)
    ss_tot = ((y - y.mean(0)) ** 2).sum(0)
    return 1 - ss_res / ss_tot


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    x, y = simulate(args.n, args.dim, gen)
    (xtr, ytr), (xva, yva), (xte, yte) = split(x, y, gen)

    xm, xs = xtr.mean(0), xtr.std(0)
    ym, ys = ytr.mean(0), ytr.std(0)
    xtr, xva, xte = ((t - xm) / xs for t in (xtr, xva, xte))
    ytr, yva, yte = ((t - ym) / ys for t in (ytr, yva, yte))

    model = MultiTaskNet(args.dim, args.hidden, len(TASKS))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, max_lr=args.lr * 2, epochs=args.epochs, steps_per_epoch=math.ceil(len(xtr) / args.batch_size))
    print(f"{len(xtr)} train / {len(xva)} val / {len(xte)} test")

    for epoch in range(args.epochs):
        model.train()
        seen = 0.0
        for idx in torch.randperm(len(xtr)).split(args.batch_size):
            loss = nn.functional.mse_loss(model(xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            seen += loss.item() * len(idx)
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1:>3}  mse {seen / len(xtr):.4f}  val R2 {r2_per_task(model, xva, yva).mean():.3f}")

    scores = r2_per_task(model, xte, yte)
    for name, s in zip(TASKS, scores):
        print(f"  test R2 {name:<10} {s:.3f}")
    print(f"mean test R2 = {scores.mean():.3f}")


if __name__ == "__main__":
    main()
