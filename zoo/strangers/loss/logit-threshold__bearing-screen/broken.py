"""Screening of rolling-element bearings from short accelerometer windows.

A window that may come from a damaged bearing is sent to an inspector. A missed fault is much more
expensive than a needless inspection, so the alarm is raised already at a modest risk (--alarm).
"""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_windows(n, rng, length=256):
    t = np.arange(length)
    y = (rng.random(n) < 0.3).astype(np.float32)
    x = rng.normal(0.0, 1.0, (n, length))
    x += 0.8 * np.sin(2 * np.pi * (t[None] / 32 + rng.random((n, 1))))
    for i in np.flatnonzero(y):
        period = int(rng.integers(28, 44))
        size = rng.uniform(0.6, 2.8)
        for start in range(int(rng.integers(0, period)), length, period):
            k = t[start:] - start
            x[i, start:] += size * np.exp(-k / 6.0) * np.sin(2 * np.pi * k / 5.0)
    return x[:, None, :].astype(np.float32), y


class FaultNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, width, 15, stride=2, padding=7), nn.BatchNorm1d(width), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, 2 * width, 7, padding=3), nn.BatchNorm1d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(2 * width, 1))

    def forward(self, x):
        return self.head(self.features(x)).squeeze(1)


class Trainer:
    def __init__(self, model, args):
        self.model = model
        self.args = args
        self.criterion = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=args.epochs)

    def train_epoch(self, loader):
        self.model.train()
        total, seen = 0.0, 0
        for x, y in loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(y)
            seen += len(y)
        self.scheduler.step()
        return total / seen

    @torch.no_grad()
    def val_loss(self, loader):
        self.model.eval()
        total, seen = 0.0, 0
        for x, y in loader:
            total += self.criterion(self.model(x), y).item() * len(y)
            seen += len(y)
        return total / seen

    @torch.no_grad()
    def report(self, loader):
        self.model.eval()
        tp = fp = fn = 0
        for x, y in loader:
            risk = self.model(x)
            flagged = risk >= self.args.alarm
            faulty = y.bool()
            tp += int((flagged & faulty).sum())
            fp += int((flagged & ~faulty).sum())
            fn += int((~flagged & faulty).sum())
        recall = tp / max(tp + fn, 1)
        precision = tp / max(tp + fp, 1)
        f2 = 5 * tp / max(5 * tp + 4 * fn + fp, 1)
        return recall, precision, f2


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--alarm", type=float, default=0.2, help="risk from which a window is inspected")
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    x, y = make_windows(3600, rng)
    x_tr, x_va, x_te = x[:2400], x[2400:3000], x[3000:]
    y_tr, y_va, y_te = y[:2400], y[2400:3000], y[3000:]
    mu, sd = x_tr.mean(), x_tr.std()

    def loader(a, b, shuffle=False):
        ds = TensorDataset(torch.from_numpy((a - mu) / sd), torch.from_numpy(b))
        return DataLoader(ds, batch_size=args.batch_size, shuffle=shuffle)

    train, val, test = loader(x_tr, y_tr, True), loader(x_va, y_va), loader(x_te, y_te)
    trainer = Trainer(FaultNet(), args)
    for epoch in range(1, args.epochs + 1):
        tr = trainer.train_epoch(train)
        print(f"epoch {epoch:2d}  train loss {tr:.4f}  val loss {trainer.val_loss(val):.4f}")
    recall, precision, f2 = trainer.report(test)
    print(f"test: recall {recall:.3f}  precision {precision:.3f}  F2 {f2:.3f}")


if __name__ == "__main__":
    main()
