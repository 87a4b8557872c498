#!/usr/bin/env python
"""Sound source bearing from a four-microphone ring.

Inputs: the cross-correlation curves of the six microphone pairs.  Output: a unit vector toward the source; the
loss is the angle between the estimated and the true direction.
"""
import argparse
import itertools
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

MICS = np.array([[0.2, 0.0], [0.0, 0.2], [-0.2, 0.0], [0.0, -0.2]])
PAIRS = list(itertools.combinations(range(4), 2))
LAGS = np.linspace(-0.45, 0.45, 15)


def record(n, seed):
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-np.pi, np.pi, n)
    direction = np.stack([np.cos(theta), np.sin(theta)], 1)
    arrival = direction @ MICS.T
    curves = []
    for a, b in PAIRS:
        delay = arrival[:, a] - arrival[:, b]
        curves.append(np.exp(-0.5 * ((LAGS[None] - delay[:, None]) / 0.08) ** 2))
    x = np.concatenate(curves, 1) + 0.15 * rng.standard_normal((n, len(PAIRS) * len(LAGS)))
    return x.astype(np.float32), direction.astype(np.float32)


class BearingNet(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.fc1 = nn.Linear(n_in, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 2)

    def forward(self, x):
        h = torch.relu(self.fc1(x))
        h = torch.relu(self.fc2(h))
        return F.normalize(self.out(h), dim=-1)


def angle_between(u, v):
    cos = (u * v).sum(-1)
    return torch.acos(cos.clamp(-1.0, 1.0))


def mean_angle(net, x, d):
    net.eval()
    with torch.no_grad():
        est = net(x)
        cross = est[:, 0] * d[:, 1] - est[:, 1] * d[:, 0]
        return torch.rad2deg(torch.atan2(cross, (est * d).sum(-1)).abs()).mean().item()


def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--hidden", type=int, default=96)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=31)
    a = p.parse_args(argv)

    torch.manual_seed(a.seed)
    sets = [record(n, a.seed + k) for k, n in enumerate((6000, 1000, 1000))]
    mu, sd = sets[0][0].mean(0), sets[0][0].std(0)
    (x_tr, d_tr), (x_va, d_va), (x_te, d_te) = [
        (torch.from_numpy((x - mu) / sd), torch.from_numpy(d)) for x, d in sets]

    net = BearingNet(x_tr.shape[1], a.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.epochs)
    for epoch in range(a.epochs):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(x_tr)).split(a.batch):
            loss = angle_between(net(x_tr[idx]), d_tr[idx]).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        sys.stdout.write(f"epoch {epoch:02d}: loss {total / len(x_tr):.4f} rad, "
                         f"validation {mean_angle(net, x_va, d_va):.2f} deg\n")
    sys.stdout.write(f"held-out bearing error {mean_angle(net, x_te, d_te):.2f} deg (guessing: 90)\n")


if __name__ == "__main__":
    main()
