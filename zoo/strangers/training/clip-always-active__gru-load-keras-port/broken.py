"""Hourly load forecasting with a GRU (one-step-ahead), ported from an older Keras project."""
import logging
import math
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger(__name__)


@dataclass
class OptimizerConfig:
    learning_rate: float = 0.1
    momentum: float = 0.9
    clipnorm: float = 0.005


@dataclass
class Config:
    lookback: int = 24
    hours: int = 24 * 120
    units: int = 24
    batch_size: int = 64
    epochs: int = 14
    seed: int = 2024
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)


def simulate_load(hours: int, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(hours)
    daily = 12 * np.sin(2 * math.pi * t / 24 - 1.1) + 5 * np.sin(4 * math.pi * t / 24)
    weekly = 4 * np.cos(2 * math.pi * t / 168)
    ar = np.zeros(hours)
    for i in range(1, hours):
        ar[i] = 0.85 * ar[i - 1] + rng.normal(scale=1.0)
    return 80 + daily + weekly + ar


def windows(series: np.ndarray, lookback: int) -> TensorDataset:
    view = np.lib.stride_tricks.sliding_window_view(series, lookback + 1).astype(np.float32)
    x = torch.from_numpy(view[:, :-1].copy()).unsqueeze(-1)
    y = torch.from_numpy(view[:, -1:].copy())
    return TensorDataset(x, y)


class LoadForecaster(nn.Module):
    def __init__(self, units: int):
        super().__init__()
        self.gru = nn.GRU(input_size=1, hidden_size=units, batch_first=True)
        self.dense = nn.Linear(units, 1)

    def forward(self, x):
        _, h_n = self.gru(x)
        return self.dense(h_n[-1])


def fit_one_epoch(model, loader, optimizer, loss_fn, clipnorm):
    model.train()
    total, seen = 0.0, 0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=clipnorm)
        optimizer.step()
        total += loss.item() * len(xb)
        seen += len(xb)
    return total / seen


@torch.no_grad()
def evaluate(model, dataset):
    model.eval()
    x, y = dataset.tensors
    return nn.functional.mse_loss(model(x), y).item()


def main():
    logging.basicConfig(level=logging.INFO, format="%(levelname)s | %(message)s")
    cfg = Config()
    torch.manual_seed(cfg.seed)
    series = simulate_load(cfg.hours, np.random.default_rng(cfg.seed))

    # chronological split: 70 % train, 15 % validation, 15 % test
    i_val, i_test = int(0.70 * cfg.hours), int(0.85 * cfg.hours)
    mu, sigma = series[:i_val].mean(), series[:i_val].std()
    scaled = (series - mu) / sigma
    train_ds = windows(scaled[:i_val], cfg.lookback)
    val_ds = windows(scaled[i_val:i_test], cfg.lookback)
    test_ds = windows(scaled[i_test:], cfg.lookback)

    loader = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True)
    model = LoadForecaster(cfg.units)
    opt_cfg = cfg.optimizer
    optimizer = torch.optim.SGD(model.parameters(), lr=opt_cfg.learning_rate, momentum=opt_cfg.momentum)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.3)
    loss_fn = nn.MSELoss()

    for epoch in range(1, cfg.epochs + 1):
        train_mse = fit_one_epoch(model, loader, optimizer, loss_fn, opt_cfg.clipnorm)
        scheduler.step()
        log.info("epoch %02d  loss: %.4f  val_loss: %.4f", epoch, train_mse, evaluate(model, val_ds))

    test_mse = evaluate(model, test_ds)
    x_test, y_test = test_ds.tensors
    persistence = nn.functional.mse_loss(x_test[:, -1], y_test).item()
    log.info("test MSE %.4f (persistence %.4f), test RMSE %.2f MW", test_mse, persistence, math.sqrt(test_mse) * sigma)


if __name__ == "__main__":
    main()
