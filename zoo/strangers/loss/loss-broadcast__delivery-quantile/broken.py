"""Promise times for a parcel service: predict the 90% quantile of the delivery time (hours)
so that about nine parcels in ten arrive before the promised hour."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Config:
    seed: int = 7
    parcels: int = 8000
    quantile: float = 0.9
    hidden: int = 40
    batch: int = 80
    epochs: int = 25
    lr: float = 3e-3


def simulate(cfg: Config):
    rng = np.random.default_rng(cfg.seed)
    n = cfg.parcels
    km = rng.gamma(2.0, 120.0, n)
    kg = rng.exponential(4.0, n)
    hour = rng.uniform(0, 24, n)
    weekend = (rng.random(n) < 2 / 7).astype(float)
    rural = (rng.random(n) < 0.3).astype(float)
    base = 6 + km / 28 + 5 * rural + 14 * weekend + 4 * (hour > 16) + 0.3 * kg
    spread = 1.0 + km / 160 + 2.5 * rural
    hours = base + spread * rng.gamma(1.5, 1.0, n)
    x = np.stack([km, kg, np.sin(hour / 24 * 2 * np.pi), np.cos(hour / 24 * 2 * np.pi), hour > 16, weekend, rural], 1)
    return x.astype(np.float32), hours.astype(np.float32)


class PromiseNet(nn.Module):
    def __init__(self, n_in: int, hidden: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_in, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
        )
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.body(x))


def pinball(pred, target, q):
    diff = target - pred
    return torch.maximum(q * diff, (q - 1) * diff).mean()


def batches(x, y, size, generator):
    order = torch.randperm(len(x), generator=generator)
    for part in order.split(size):
        yield x[part], y[part]


def main(cfg: Config):
    torch.manual_seed(cfg.seed)
    g = torch.Generator().manual_seed(cfg.seed)

    x, y = simulate(cfg)
    n_train = int(0.75 * len(x))
    mean, std = x[:n_train].mean(0), x[:n_train].std(0)
    y_mean, y_std = float(y[:n_train].mean()), float(y[:n_train].std())
    x = torch.from_numpy((x - mean) / std)
    y = torch.from_numpy((y - y_mean) / y_std)
    x_train, y_train, x_test, y_test = x[:n_train], y[:n_train], x[n_train:], y[n_train:]

    model = PromiseNet(x.shape[1], cfg.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs)

    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for xb, yb in batches(x_train, y_train, cfg.batch, g):
            pred = model(xb)
            loss = pinball(pred, yb, cfg.quantile)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        sched.step()
        print(f"epoch {epoch + 1:>2}: pinball {total / n_train:.4f}")

    model.eval()
    with torch.no_grad():
        promised = model(x_test).squeeze(1)
    score = pinball(promised, y_test, cfg.quantile).item() * y_std
    constant = pinball(torch.quantile(y_train, cfg.quantile), y_test, cfg.quantile).item() * y_std
    kept = (y_test <= promised).float().mean().item()
    print(f"held-out pinball loss {score:.3f} h (one promise for all: {constant:.3f} h)")
    print(f"promises kept: {kept:.1%}")


if __name__ == "__main__":
    main(Config())
