"""Classify short mono recordings into four kinds of sound with a small 1-D CNN.

    python train.py --epochs 8 --lr 0.01
"""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

KINDS = ("hum", "up-chirp", "down-chirp", "tremolo")


def synth(n, rng, length=256):
    t = np.linspace(0.0, 1.0, length, dtype=np.float64)
    waves = np.empty((n, length), dtype=np.float32)
    kinds = np.arange(n) % len(KINDS)
    rng.shuffle(kinds)
    for i, k in enumerate(kinds):
        f0 = rng.uniform(8, 20)
        phase = rng.uniform(0, 2 * np.pi)
        sweep = rng.uniform(8, 16)
        if k == 0:
            w = np.sin(2 * np.pi * f0 * t + phase)
        elif k == 1:
            w = np.sin(2 * np.pi * (f0 * t + sweep * t ** 2 / 2) + phase)
        elif k == 2:
            w = np.sin(2 * np.pi * ((f0 + sweep) * t - sweep * t ** 2 / 2) + phase)
        else:
            w = np.sin(2 * np.pi * f0 * t + phase) * (1 + 0.8 * np.sin(2 * np.pi * 4 * t))
        waves[i] = w + 1.1 * rng.standard_normal(length)
    return torch.from_numpy(waves).unsqueeze(1), torch.from_numpy(kinds).long()


class SoundNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()

        def block(i, o, k):
            return nn.Sequential(nn.Conv1d(i, o, k, stride=2, padding=k // 2, bias=False), nn.BatchNorm1d(o), nn.ReLU())

        self.body = nn.Sequential(block(1, width, 9), block(width, 2 * width, 7), block(2 * width, 2 * width, 5),
                                  block(2 * width, 2 * width, 5))
        self.head = nn.Linear(2 * width * 16, len(KINDS))

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


class Trainer:
    def __init__(self, model, args):
        self.model = model
        self.args = args
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=args.wd)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, gamma=args.gamma)

    def run_epoch(self, loader):
        self.model.train()
        total, seen = 0.0, 0
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(y)
            seen += len(y)
        return total / seen

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        total, right, seen = 0.0, 0, 0
        for x, y in loader:
            out = self.model(x)
            total += self.criterion(out, y).item() * len(y)
            right += (out.argmax(1) == y).sum().item()
            seen += len(y)
        return total / seen, right / seen

    def fit(self, train, val):
        for epoch in range(1, self.args.epochs + 1):
            self.scheduler.step()
            lr = self.optimizer.param_groups[0]["lr"]
            tr = self.run_epoch(train)
            vl, va = self.evaluate(val)
            print(f"[{epoch:02d}/{self.args.epochs}] lr {lr:.5f} train {tr:.4f} val {vl:.4f} acc {va:.3f}")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--gamma", type=float, default=0.55)
    p.add_argument("--wd", type=float, default=1e-3)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--seed", type=int, default=3)
    args = p.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    train = DataLoader(TensorDataset(*synth(4000, rng)), batch_size=args.batch_size, shuffle=True)
    val = DataLoader(TensorDataset(*synth(800, rng)), batch_size=256)
    test = DataLoader(TensorDataset(*synth(800, rng)), batch_size=256)

    trainer = Trainer(SoundNet(), args)
    trainer.fit(train, val)
    loss, acc = trainer.evaluate(test)
    print(f"test loss {loss:.4f}  test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
