"""One-step-ahead forecast of hourly heat demand from the last day of readings."""
import argparse
import copy
import math

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def simulate_demand(n_hours, rng):
    t = np.arange(n_hours)
    daily = 9.0 * np.sin(2 * np.pi * (t - 7) / 24) + 4.0 * np.sin(4 * np.pi * t / 24)
    weekly = np.where((t // 24) % 7 >= 5, -4.0, 0.0)
    ar = np.zeros(n_hours)
    eps = rng.normal(0, 4.0, n_hours)
    for k in range(2, n_hours):
        ar[k] = 0.75 * ar[k - 1] - 0.2 * ar[k - 2] + eps[k]
    return (60.0 + daily + weekly + ar).astype(np.float32)


class DemandWindows(Dataset):
    """Item i: the previous `lookback` readings and the clock -> the reading of that hour."""

    def __init__(self, values, hours, lookback, mean, std):
        self.values = torch.from_numpy((values - mean) / std)
        self.hours = torch.from_numpy(hours.astype(np.float32))
        self.lookback = lookback

    def __len__(self):
        return len(self.values) - self.lookback

    def __getitem__(self, i):
        t = i + self.lookback
        history = self.values[t - self.lookback + 1:t + 1]
        angle = 2 * math.pi * self.hours[t] / 24
        clock = torch.stack([torch.sin(angle), torch.cos(angle)])
        return torch.cat([history, clock]), self.values[t]


class Forecaster(nn.Module):
    def __init__(self, lookback, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(lookback + 2, width),
            nn.GELU(),
            nn.Linear(width, width // 2),
            nn.GELU(),
            nn.Linear(width // 2, 1),
        )

    def forward(self, x):
        return self.body(x).squeeze(-1)


class Trainer:
    def __init__(self, model, args):
        self.model = model
        self.args = args
        self.opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=args.epochs)
        self.criterion = nn.MSELoss()
        self.best = (float("inf"), None)

    def fit(self, train_loader, val_loader):
        for epoch in range(1, self.args.epochs + 1):
            self.model.train()
            total, count = 0.0, 0
            for x, y in train_loader:
                self.opt.zero_grad()
                loss = self.criterion(self.model(x), y)
                loss.backward()
                self.opt.step()
                total += loss.item() * len(y)
                count += len(y)
            self.sched.step()
            pred, true = self.predict(val_loader)
            val = self.criterion(pred, true).item()
            if val < self.best[0]:
                self.best = (val, copy.deepcopy(self.model.state_dict()))
            print(f"epoch {epoch:2d}  train mse {total / count:.4f}  val mse {val:.4f}")
        self.model.load_state_dict(self.best[1])

    @torch.no_grad()
    def predict(self, loader):
        self.model.eval()
        out = [(self.model(x), y) for x, y in loader]
        return torch.cat([p for p, _ in out]), torch.cat([y for _, y in out])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--hours", type=int, default=8000)
    ap.add_argument("--lookback", type=int, default=24)
    ap.add_argument("--width", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=15)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--weight-decay", type=float, default=1e-2)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    demand = simulate_demand(args.hours, rng)
    hours = np.arange(args.hours) % 24

    # chronological blocks; windows never cross a border
    a, b = int(0.7 * args.hours), int(0.85 * args.hours)
    mean, std = demand[:a].mean(), demand[:a].std()
    parts = [DemandWindows(demand[s], hours[s], args.lookback, mean, std)
             for s in (slice(0, a), slice(a, b), slice(b, None))]
    train_loader = DataLoader(parts[0], batch_size=args.batch_size, shuffle=True,
                              generator=torch.Generator().manual_seed(args.seed))
    val_loader = DataLoader(parts[1], batch_size=256)
    test_loader = DataLoader(parts[2], batch_size=256)

    trainer = Trainer(Forecaster(args.lookback, args.width), args)
    trainer.fit(train_loader, val_loader)

    pred, true = trainer.predict(test_loader)
    rmse = float(std) * (pred - true).pow(2).mean().sqrt().item()
    r2 = 1 - ((pred - true).pow(2).sum() / (true - true.mean()).pow(2).sum()).item()
    naive = float(std) * (true[1:] - true[:-1]).pow(2).mean().sqrt().item()
    print(f"test rmse {rmse:.2f} MW (last-value forecast {naive:.2f} MW)   R2 {r2:.3f}")


if __name__ == "__main__":
    main()
