"""Day-ahead load forecasting for a small plant: MLP over the last 48 hours, keeps the epoch with the best validation."""
import copy
import math
from typing import NamedTuple

import numpy as np
import torch
import torch.nn as nn

HISTORY, HORIZON = 48, 12


class Settings(NamedTuple):
    seed: int = 3
    hidden: int = 128
    lr: float = 3e-3
    max_epochs: int = 150
    patience: int = 20
    batch: int = 64


def make_load_curve(hours: int, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(hours)
    daily = 2.0 * np.sin(2 * np.pi * t / 24) + 0.8 * np.sin(4 * np.pi * t / 24 + 0.7)
    weekly = 0.9 * (((t // 24) % 7) < 5)
    drift = np.zeros(hours)
    for i in range(1, hours):
        drift[i] = 0.95 * drift[i - 1] + 0.25 * rng.normal()
    return (20 + daily + weekly + drift + 0.5 * rng.normal(size=hours)).astype(np.float32)


def windows(series: torch.Tensor, stride: int):
    idx = range(0, len(series) - HISTORY - HORIZON + 1, stride)
    x = torch.stack([series[i:i + HISTORY] for i in idx])
    y = torch.stack([series[i + HISTORY:i + HISTORY + HORIZON] for i in idx])
    return x, y


class Keeper:
    """Remembers the weights of the best epoch and says when to stop."""

    def __init__(self, patience: int):
        self.patience = patience
        self.best = math.inf
        self.best_epoch = -1
        self.state = None

    def update(self, epoch: int, score: float, model: nn.Module) -> bool:
        if score < self.best:
            self.best, self.best_epoch = score, epoch
            self.state = copy.copy(model.state_dict())
        return epoch - self.best_epoch >= self.patience

    def restore(self, model: nn.Module) -> None:
        model.load_state_dict(self.state)


def build(hidden: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(HISTORY, hidden), nn.ReLU(),
        nn.Linear(hidden, hidden), nn.ReLU(),
        nn.Linear(hidden, HORIZON),
    )


@torch.no_grad()
def score(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    model.eval()
    return nn.functional.mse_loss(model(x), y).item()


def run(s: Settings) -> None:
    torch.manual_seed(s.seed)
    rng = np.random.default_rng(s.seed)
    raw = torch.from_numpy(make_load_curve(24 * 120, rng))
    a, b = 24 * 60, 24 * 90
    mean, std = raw[:a].mean(), raw[:a].std()
    series = (raw - mean) / std
    x_train, y_train = windows(series[:a], stride=1)
    x_val, y_val = windows(series[a:b], stride=1)
    x_test, y_test = windows(series[b:], stride=1)

    model = build(s.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=s.lr)
    keeper = Keeper(s.patience)

    for epoch in range(s.max_epochs):
        model.train()
        total = 0.0
        for pick in torch.randperm(len(x_train)).split(s.batch):
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(model(x_train[pick]), y_train[pick])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(pick)
        val = score(model, x_val, y_val)
        stop = keeper.update(epoch, val, model)
        if epoch % 5 == 0 or stop:
            print(f"epoch {epoch:3d}  train mse {total / len(x_train):.4f}  val mse {val:.4f}")
        if stop:
            break

    keeper.restore(model)
    print(f"best epoch {keeper.best_epoch} (val mse {keeper.best:.4f})")
    print(f"restored model: val mse {score(model, x_val, y_val):.4f}  test mse {score(model, x_test, y_test):.4f}")


if __name__ == "__main__":
    run(Settings())
