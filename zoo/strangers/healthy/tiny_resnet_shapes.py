"""Shapes on noisy paper. Tiny residual net trained with gradient accumulation because the
Pi only takes 16 pictures at once; the effective batch is 64."""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

S = 20
NAMES = ["circle", "square", "cross", "ring", "bars"]


def paint(kind, rng):
    y, x = np.mgrid[0:S, 0:S] + 0.0
    cx, cy, r = rng.uniform(7, S - 8), rng.uniform(7, S - 8), rng.uniform(3.5, 6)
    dx, dy = x - cx, y - cy
    d = np.hypot(dx, dy)
    if kind == 0:
        m = d < r
    elif kind == 1:
        m = np.maximum(abs(dx), abs(dy)) < 0.85 * r
    elif kind == 2:
        m = ((abs(dx) < 1.2) | (abs(dy) < 1.2)) & (np.maximum(abs(dx), abs(dy)) < r)
    elif kind == 3:
        m = abs(d - r) < 1.1
    else:
        m = (np.maximum(abs(dx), abs(dy)) < r) & (np.floor(x / 2) % 2 == 0)
    ink = rng.uniform(0.4, 0.9)
    paper = rng.normal(0, 0.22, (S, S)) + 0.01 * (x - S / 2) * rng.normal()
    return (paper + ink * m).astype(np.float32)


def make(n, rng):
    y = rng.integers(0, len(NAMES), n)
    x = np.stack([paint(k, rng) for k in y])[:, None]
    return torch.from_numpy(x), torch.from_numpy(y)


class Residual(nn.Module):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.a = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)
        self.na = nn.BatchNorm2d(c_out)
        self.b = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False)
        self.nb = nn.BatchNorm2d(c_out)
        self.skip = nn.Identity() if (c_in, stride) == (c_out, 1) else nn.Conv2d(c_in, c_out, 1, stride, bias=False)
        # every block starts as its shortcut
        nn.init.zeros_(self.nb.weight)

    def forward(self, x):
        h = F.relu(self.na(self.a(x)), inplace=True)
        return F.relu(self.skip(x) + self.nb(self.b(h)), inplace=True)


def build():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, 1, 1, bias=False), nn.BatchNorm2d(12), nn.ReLU(inplace=True),
        Residual(12, 12, 1), Residual(12, 24, 2), Residual(24, 32, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, len(NAMES)),
    )


def param_groups(net, wd):
    flat = [p for p in net.parameters() if p.ndim <= 1]
    rest = [p for p in net.parameters() if p.ndim > 1]
    return [{"params": rest, "weight_decay": wd}, {"params": flat, "weight_decay": 0.0}]


@torch.no_grad()
def accuracy(net, x, y):
    was = net.training
    net.eval()
    hits = sum((net(a).argmax(1) == b).sum().item() for a, b in zip(x.split(250), y.split(250)))
    net.train(was)
    return hits / len(y)


def main(a):
    random.seed(a.seed)
    np.random.seed(a.seed)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    (xt, yt), (xv, yv), (xe, ye) = make(1830, rng), make(300, rng), make(800, rng)
    mu, sd = xt.mean(), xt.std()
    xt, xv, xe = ((x - mu) / sd for x in (xt, xv, xe))

    net = build()
    net.train()
    opt = torch.optim.AdamW(param_groups(net, 1e-2), lr=a.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.epochs)
    for epoch in range(a.epochs):
        order = torch.randperm(len(xt))
        total = 0.0
        for big in order.split(a.batch):
            opt.zero_grad()
            for small in big.split(a.micro):
                # mirror each micro batch at random; labels do not change
                x = xt[small].flip(-1) if random.random() < 0.5 else xt[small]
                loss = F.cross_entropy(net(x), yt[small], reduction="sum")
                (loss / len(big)).backward()
                total += loss.item()
            opt.step()
        sched.step()
        print(f"epoch {epoch + 1:2d}  loss {total / len(xt):.4f}  val {accuracy(net, xv, yv):.3f}")
    print(f"test accuracy {accuracy(net, xe, ye):.3f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--epochs", type=int, default=11)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--micro", type=int, default=16)
    p.add_argument("--lr", type=float, default=3e-3)
    main(p.parse_args())
