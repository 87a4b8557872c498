#!/usr/bin/env python
"""Grade the vibration severity of a pump (ISO zones A-D) from raw accelerometer windows."""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

ZONES = "ABCD"
ZONE_RMS = (0.7, 1.4, 2.8, 5.6)  # mm/s


def simulate(n, rng, width=128):
    zone = rng.integers(0, len(ZONES), n)
    t = np.arange(width)[None] / width
    shaft = rng.uniform(6, 14, (n, 1))
    signal = np.sin(2 * np.pi * (shaft * t + rng.random((n, 1))))
    signal = signal + 0.4 * np.sin(2 * np.pi * (2 * shaft * t + rng.random((n, 1))))
    signal = signal + 0.3 * rng.standard_normal((n, width))
    signal = signal / np.sqrt((signal ** 2).mean(1, keepdims=True))
    rms = np.take(ZONE_RMS, zone)[:, None] * np.exp(0.13 * rng.standard_normal((n, 1)))
    return torch.tensor(rms * signal, dtype=torch.float32), torch.tensor(zone)


class Normalizer:
    def __call__(self, windows):
        mean = windows.mean(1, keepdim=True)
        std = windows.std(1, keepdim=True)
        return ((windows - mean) / std).unsqueeze(1)


class SeverityNet(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv1d(1, channels, 9, stride=2, padding=4)
        self.conv2 = nn.Conv1d(channels, channels, 5, stride=2, padding=2)
        self.fc1 = nn.Linear(channels, 32)
        self.fc2 = nn.Linear(32, len(ZONES))

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = x.mean(-1)
        return self.fc2(F.relu(self.fc1(x)))


class Trainer:
    def __init__(self, model, args):
        self.model = model
        self.args = args
        self.optim = torch.optim.Adam(model.parameters(), lr=args.lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.optim, args.epochs)

    def run_epoch(self, x, y):
        self.model.train()
        order = torch.randperm(len(x))
        total = 0.0
        for chunk in order.split(self.args.batch_size):
            loss = F.cross_entropy(self.model(x[chunk]), y[chunk])
            self.optim.zero_grad(set_to_none=True)
            loss.backward()
            self.optim.step()
            total += loss.item() * len(chunk)
        self.sched.step()
        return total / len(x)

    @torch.no_grad()
    def score(self, x, y):
        self.model.eval()
        logits = self.model(x)
        return F.cross_entropy(logits, y).item(), (logits.argmax(-1) == y).float().mean().item()

    def fit(self, train, val):
        for epoch in range(self.args.epochs):
            loss = self.run_epoch(*train)
            if (epoch + 1) % 3 == 0:
                val_loss, val_acc = self.score(*val)
                print(f"[{epoch + 1:3d}/{self.args.epochs}] loss={loss:.4f} "
                      f"val_loss={val_loss:.4f} val_acc={val_acc:.3f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=24)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--channels", type=int, default=16)
    p.add_argument("--seed", type=int, default=5)
    args = p.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    xtr, ytr = simulate(2400, rng)
    xva, yva = simulate(400, rng)
    xte, yte = simulate(800, rng)
    norm = Normalizer()

    trainer = Trainer(SeverityNet(args.channels), args)
    trainer.fit((norm(xtr), ytr), (norm(xva), yva))
    loss, acc = trainer.score(norm(xte), yte)
    print(f"test loss={loss:.4f} accuracy={acc:.3f} over zones {ZONES}")


if __name__ == "__main__":
    main()
