#!/usr/bin/env python
"""Hourly bike-rental demand with a Poisson neural regression.

    python bike.py --epochs 14 --lr 0.02
"""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


def synth_year(rng, days=300):
    hour = np.tile(np.arange(24), days)
    day = np.repeat(np.arange(days), 24)
    weekend = (day % 7 >= 5).astype(float)
    temp = 12 + 10 * np.sin(2 * np.pi * (day - 100) / 365) + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + rng.normal(0, 2, len(day))
    rain = (rng.random(len(day)) < 0.12).astype(float)
    commute = np.exp(-((hour - 8) ** 2) / 4) + np.exp(-((hour - 18) ** 2) / 5)
    leisure = np.exp(-((hour - 14) ** 2) / 18)
    log_rate = 0.4 + 1.5 * np.where(weekend > 0, leisure, commute) + 0.03 * (temp - 12) - 0.8 * rain
    count = rng.poisson(np.exp(log_rate))
    feats = np.stack([np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24),
                      np.sin(4 * np.pi * hour / 24), np.cos(4 * np.pi * hour / 24),
                      weekend, temp, rain], axis=1)
    return feats.astype(np.float32), count.astype(np.float32), day


class HourlyDemand(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"x": self.x[i], "count": self.y[i]}


def collate(rows):
    return {k: torch.as_tensor(np.stack([r[k] for r in rows])) for k in rows[0]}


def build(n_in, hidden):
    return nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1))


def criterion(log_rate, count):
    return F.poisson_nll_loss(log_rate, count, log_input=True, reduction="sum")


def deviance(log_rate, y):
    mu = log_rate.exp()
    return (2 * (torch.xlogy(y, y / mu) - (y - mu))).mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=14)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--hidden", type=int, default=48)
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--momentum", type=float, default=0.9)
    ap.add_argument("--seed", type=int, default=3)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    x, y, day = synth_year(np.random.default_rng(args.seed))
    cut = 240
    train, test = day < cut, day >= cut
    mu, sd = x[train].mean(0), x[train].std(0)
    x = (x - mu) / sd

    loader = DataLoader(HourlyDemand(x[train], y[train]), batch_size=args.batch_size, shuffle=True, collate_fn=collate)
    xt, yt = torch.from_numpy(x[test]), torch.from_numpy(y[test])

    net = build(x.shape[1], args.hidden)
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=args.momentum)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=args.epochs * len(loader))

    base = torch.full_like(yt, float(np.log(y[train].mean())))
    print(f"{train.sum()} training hours, {test.sum()} test hours; constant-rate deviance {deviance(base, yt):.3f}")
    for epoch in range(args.epochs):
        net.train()
        total, batches = 0.0, 0
        for batch in loader:
            opt.zero_grad()
            log_rate = net(batch["x"]).squeeze(-1)
            loss = criterion(log_rate, batch["count"])
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
            batches += 1
        net.eval()
        with torch.no_grad():
            pred = net(xt).squeeze(-1)
        if epoch % 4 == 0 or epoch == args.epochs - 1:
            print(f"[{epoch:02d}] loss {total / batches:9.4f} | test deviance {deviance(pred, yt):7.3f} | "
                  f"test MAE {(pred.exp() - yt).abs().mean():.3f}")


if __name__ == "__main__":
    main()
