"""Amortised parameter inference for ring-down recordings.

    python train.py --epochs 40 --workers 2
"""
import argparse
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from data import benchmark_set, train_loader
from simulator import from_unit


class TraceNet(nn.Module):
    def __init__(self, width=24, n_out=3):
        super().__init__()

        def block(i, o, k):
            return nn.Sequential(nn.Conv1d(i, o, k, stride=2, padding=k // 2), nn.GELU())

        self.features = nn.Sequential(
            block(1, width, 9), block(width, 2 * width, 7), block(2 * width, 2 * width, 5), block(2 * width, 2 * width, 5)
        )
        self.regressor = nn.Sequential(nn.Flatten(), nn.Linear(2 * width * 10, 96), nn.GELU(), nn.Linear(96, n_out))

    def forward(self, x):
        return self.regressor(self.features(x))


@torch.no_grad()
def report(net, loader):
    net.eval()
    pred, true = [], []
    for x, z in loader:
        pred.append(net(x))
        true.append(z)
    net.train()
    pred, true = torch.cat(pred), torch.cat(true)
    mse = (pred - true).pow(2).mean().item()
    r2 = 1 - (pred - true).pow(2).sum(0) / (true - true.mean(0)).pow(2).sum(0)
    mae = np.abs(from_unit(pred.numpy()) - from_unit(true.numpy())).mean(0)
    return mse, r2, mae


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--sims-per-epoch", type=int, default=896)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    loader = train_loader(args.sims_per_epoch, args.batch_size, args.workers, args.seed)
    bench = DataLoader(benchmark_set(1500, seed=90210), batch_size=250)

    net = TraceNet()
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, epochs=args.epochs, steps_per_epoch=len(loader))
    criterion = nn.MSELoss()

    for epoch in range(1, args.epochs + 1):
        t0, running = time.time(), 0.0
        for x, z in loader:
            opt.zero_grad()
            loss = criterion(net(x), z)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item() * len(x)
        if epoch % 5 == 0 or epoch == 1:
            mse, r2, _ = report(net, bench)
            print(f"epoch {epoch:3d}  sim loss {running / args.sims_per_epoch:.4f}  bench mse {mse:.4f}  "
                  f"r2 {r2.mean():.3f}  ({time.time() - t0:.1f}s)")

    mse, r2, mae = report(net, bench)
    print("benchmark  r2 f0/decay/ratio: " + " / ".join(f"{v:.3f}" for v in r2))
    print(f"benchmark  mae f0 {mae[0]:.2f} Hz, decay {mae[1]:.2f} 1/s, ratio {mae[2]:.3f}")
    print(f"final bench mse {mse:.4f}")


if __name__ == "__main__":
    main()
