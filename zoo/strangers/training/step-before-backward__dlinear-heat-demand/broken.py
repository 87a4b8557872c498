"""Multi-horizon forecasting with a decomposition-linear model (DLinear) on a synthetic heat-demand series.

The look-back window is split into a moving-average trend and a seasonal remainder, each mapped to the
horizon by one linear layer. Scores are compared with the seasonal-naive forecast.
"""
import logging
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

logger = logging.getLogger("dlinear")


@dataclass
class ForecastConfig:
    lookback: int = 72
    horizon: int = 24
    kernel: int = 25
    hours: int = 24 * 200
    batch_size: int = 64
    epochs: int = 12
    lr: float = 0.3
    momentum: float = 0.9
    seed: int = 21


class WindowDataset(Dataset):
    def __init__(self, values: np.ndarray, lookback: int, horizon: int):
        self.values = torch.as_tensor(values, dtype=torch.float32)
        self.lookback, self.horizon = lookback, horizon

    def __len__(self) -> int:
        return len(self.values) - self.lookback - self.horizon + 1

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        mid = i + self.lookback
        return self.values[i:mid], self.values[mid:mid + self.horizon]


class DLinear(nn.Module):
    def __init__(self, cfg: ForecastConfig):
        super().__init__()
        self.kernel = cfg.kernel
        self.trend = nn.Linear(cfg.lookback, cfg.horizon)
        self.season = nn.Linear(cfg.lookback, cfg.horizon)

    def forward(self, x: Tensor) -> Tensor:
        half = self.kernel // 2
        padded = F.pad(x.unsqueeze(1), (half, half), mode="replicate")
        trend = F.avg_pool1d(padded, self.kernel, stride=1).squeeze(1)
        return self.trend(trend) + self.season(x - trend)


def heat_demand(hours: int, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(hours)
    weather = np.zeros(hours)
    for i in range(1, hours):
        weather[i] = 0.98 * weather[i - 1] + rng.normal(scale=0.35)
    day = 3.0 * np.cos(2 * np.pi * (t - 7) / 24) + 1.5 * np.cos(4 * np.pi * (t - 7) / 24)
    return 25 + day + weather + rng.normal(scale=0.3, size=hours)


def train_one_epoch(model: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer, loss_fn: nn.Module) -> float:
    model.train()
    total, seen = 0.0, 0
    for history, future in loader:
        loss = loss_fn(model(history), future)
        optimizer.step()
        optimizer.zero_grad()
        loss.backward()
        total += loss.item() * len(history)
        seen += len(history)
    return total / seen


@torch.no_grad()
def mean_absolute_error(model: nn.Module, loader: DataLoader) -> tuple[float, float]:
    model.eval()
    err = naive = count = 0.0
    for history, future in loader:
        horizon = future.size(1)
        err += (model(history) - future).abs().sum().item()
        naive += (history[:, -horizon:] - future).abs().sum().item()
        count += future.numel()
    return err / count, naive / count


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(name)s | %(message)s")
    cfg = ForecastConfig()
    torch.manual_seed(cfg.seed)
    series = heat_demand(cfg.hours, np.random.default_rng(cfg.seed))
    cut = int(0.8 * len(series))
    mean, std = series[:cut].mean(), series[:cut].std()
    series = (series - mean) / std
    train_ds = WindowDataset(series[:cut], cfg.lookback, cfg.horizon)
    test_ds = WindowDataset(series[cut:], cfg.lookback, cfg.horizon)
    train_loader = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True)
    test_loader = DataLoader(test_ds, batch_size=256)

    model = DLinear(cfg)
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8, gamma=0.5)
    loss_fn = nn.SmoothL1Loss()
    for epoch in range(cfg.epochs):
        train_loss = train_one_epoch(model, train_loader, optimizer, loss_fn)
        scheduler.step()
        logger.info("epoch %2d/%d  smooth-l1 %.4f", epoch + 1, cfg.epochs, train_loss)
    mae, naive = mean_absolute_error(model, test_loader)
    logger.info("test MAE %.3f  (seasonal naive %.3f)", mae, naive)


if __name__ == "__main__":
    main()
