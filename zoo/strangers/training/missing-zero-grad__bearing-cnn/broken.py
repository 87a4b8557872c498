"""Bearing condition from short accelerometer windows (simulated test rig)."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

CLASSES = ["healthy", "inner_race", "outer_race", "unbalance"]
FS = 2000.0
LENGTH = 256


def simulate_window(kind, rng):
    t = np.arange(LENGTH) / FS
    shaft = rng.uniform(28.0, 32.0)
    sig = 0.6 * np.sin(2 * np.pi * shaft * t + rng.uniform(0, 2 * np.pi))
    if kind == 1:
        rate, ring = shaft * 5.4, 640.0
    elif kind == 2:
        rate, ring = shaft * 3.6, 420.0
    if kind in (1, 2):
        offset = rng.uniform(0, 1.0 / rate)
        for k in range(int(LENGTH / FS * rate) + 1):
            dt = t - (offset + k / rate)
            on = dt >= 0
            sig[on] += 0.9 * np.exp(-dt[on] * 350.0) * np.sin(2 * np.pi * ring * dt[on])
    if kind == 3:
        sig *= 1.9
    return sig + rng.normal(0, 0.45, LENGTH)


def simulate(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(CLASSES), n)
    x = np.stack([simulate_window(k, rng) for k in y])
    return x.astype(np.float32), y.astype(np.int64)


def build_net():
    return nn.Sequential(
        nn.Conv1d(1, 16, 15, stride=2, padding=7), nn.ReLU(),
        nn.Conv1d(16, 32, 9, stride=2, padding=4), nn.ReLU(),
        nn.Conv1d(32, 32, 5, stride=2, padding=2), nn.ReLU(),
        nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        nn.Linear(32, len(CLASSES)),
    )


def train_one_epoch(net, loader, criterion, optimizer):
    net.train()
    total, seen = 0.0, 0
    optimizer.zero_grad()
    for xb, yb in loader:
        loss = criterion(net(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(yb)
        seen += len(yb)
    return total / seen


@torch.no_grad()
def evaluate(net, loader, criterion):
    net.eval()
    total, hits, seen = 0.0, 0, 0
    for xb, yb in loader:
        out = net(xb)
        total += criterion(out, yb).item() * len(yb)
        hits += (out.argmax(1) == yb).sum().item()
        seen += len(yb)
    return total / seen, hits / seen


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=15)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--seed", type=int, default=7)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    x_tr, y_tr = simulate(3600, args.seed)
    x_va, y_va = simulate(1000, args.seed + 1)
    x_te, y_te = simulate(1000, args.seed + 2)
    mu, sd = x_tr.mean(), x_tr.std()

    def loader(x, y, shuffle=False):
        xs = torch.from_numpy((x - mu) / sd).unsqueeze(1)
        return DataLoader(TensorDataset(xs, torch.from_numpy(y)), args.batch_size, shuffle=shuffle)

    train, val, test = loader(x_tr, y_tr, True), loader(x_va, y_va), loader(x_te, y_te)
    net = build_net()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)

    for epoch in range(1, args.epochs + 1):
        tr = train_one_epoch(net, train, criterion, optimizer)
        va, acc = evaluate(net, val, criterion)
        scheduler.step()
        print(f"epoch {epoch:2d}  train {tr:.4f}  val {va:.4f}  val acc {acc:.3f}")
    te, acc = evaluate(net, test, criterion)
    print(f"test loss {te:.4f}  test acc {acc:.3f}")


if __name__ == "__main__":
    main()
