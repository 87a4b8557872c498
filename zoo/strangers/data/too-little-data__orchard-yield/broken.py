"""Orchard yield regression (Friedman's first problem in disguise)."""
from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import torch
from sklearn.datasets import make_friedman1
from torch import Tensor, nn


@dataclass
class DataCfg:
    rows: int = 3000          # surveyed orchards
    fraction: float = 0.016   # share of the survey used for fitting
    dev_rows: int = 400
    test_rows: int = 1000
    noise: float = 1.0


@dataclass
class TrainCfg:
    steps: int = 1800
    batch: int = 32
    lr: float = 2e-3
    weight_decay: float = 0.02
    log_every: int = 150


@dataclass
class Cfg:
    seed: int = 40
    hidden: int = 64
    data: DataCfg = field(default_factory=DataCfg)
    train: TrainCfg = field(default_factory=TrainCfg)


class Standard:
    """Column-wise standardisation, learned from the fitting rows."""

    def __init__(self, a: np.ndarray):
        self.m, self.s = a.mean(0), a.std(0)

    def __call__(self, a: np.ndarray) -> Tensor:
        return torch.tensor((a - self.m) / self.s, dtype=torch.float32)


def survey(cfg: Cfg):
    d = cfg.data
    X, y = make_friedman1(d.rows + d.dev_rows + d.test_rows, n_features=10,
                          noise=d.noise, random_state=cfg.seed)
    test = X[:d.test_rows], y[:d.test_rows]
    dev = X[d.test_rows:d.test_rows + d.dev_rows], y[d.test_rows:d.test_rows + d.dev_rows]
    X, y = X[d.test_rows + d.dev_rows:], y[d.test_rows + d.dev_rows:]
    keep = int(d.fraction * len(X))
    return (X[:keep], y[:keep]), dev, test


def build(hidden: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(10, hidden), nn.Tanh(),
        nn.Linear(hidden, hidden), nn.Tanh(),
        nn.Linear(hidden, 1),
    )


def batches(x: Tensor, y: Tensor, size: int):
    """Endless stream of shuffled minibatches."""
    while True:
        order = torch.randperm(len(x))
        for i in range(0, len(x) - size + 1, size):
            yield x[order[i:i + size]], y[order[i:i + size]]


@torch.no_grad()
def mse(model: nn.Module, x: Tensor, y: Tensor) -> float:
    model.eval()
    out = (model(x).squeeze(1) - y).square().mean().item()
    model.train()
    return out


def main(cfg: Cfg) -> None:
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)

    (X, y), (Xd, yd), (Xt, yt) = survey(cfg)
    sx, sy = Standard(X), Standard(y)
    x, t = sx(X), sy(y)

    model = build(cfg.hidden)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.train.lr, weight_decay=cfg.train.weight_decay)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.train.steps)
    stream = batches(x, t, cfg.train.batch)

    running = 0.0
    for step in range(1, cfg.train.steps + 1):
        xb, tb = next(stream)
        loss = nn.functional.mse_loss(model(xb).squeeze(1), tb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        running += loss.item()
        if step % cfg.train.log_every == 0:
            print(f"step {step:5d}  fit {running / cfg.train.log_every:.4f}  dev {mse(model, sx(Xd), sy(yd)):.4f}")
            running = 0.0

    left = mse(model, sx(Xt), sy(yt)) * float(sy.s) ** 2
    print(f"test RMSE {left ** 0.5:.3f} t/ha   R2 {1 - left / yt.var():.3f}")


if __name__ == "__main__":
    main(Cfg())
