"""Sequence labelling: tag every reading of a machine log as idle / ramp-up / production / fault.

Regime changes are rare; the regime shows itself in three noisy channels. A dilated 1-D CNN in channels-first layout tags each time step.
"""
import logging
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("tagger")

TAGS = ("idle", "ramp_up", "production", "fault")
TRANSITIONS = np.array([
    [0.994, 0.004, 0.000, 0.002],
    [0.000, 0.993, 0.005, 0.002],
    [0.003, 0.000, 0.994, 0.003],
    [0.004, 0.001, 0.000, 0.995],
])
EMISSIONS = np.array([[0.0, 0.2, 0.0], [0.8, 0.9, -0.4], [1.7, 0.1, 0.3], [1.1, -0.9, 1.1]])


@dataclass
class TaggerConfig:
    n_train: int = 400
    n_test: int = 100
    length: int = 40
    noise: float = 0.9
    width: int = 32
    batch_size: int = 32
    epochs: int = 18
    lr: float = 4e-3
    seed: int = 5


def simulate(n: int, cfg: TaggerConfig, rng: np.random.Generator):
    tags = np.zeros((n, cfg.length), dtype=np.int64)
    for i in range(n):
        state = rng.integers(0, len(TAGS))
        for t in range(cfg.length):
            tags[i, t] = state
            state = rng.choice(len(TAGS), p=TRANSITIONS[state])
    readings = EMISSIONS[tags] + cfg.noise * rng.normal(size=(n, cfg.length, 3))
    return readings.astype(np.float32), tags


class DilatedTagger(nn.Module):
    """(batch, time, channels) -> (batch, tags, time) log-probabilities."""

    def __init__(self, n_channels: int, n_tags: int, width: int):
        super().__init__()
        self.inp = nn.Conv1d(n_channels, width, kernel_size=3, padding=1)
        self.blocks = nn.ModuleList(
            [nn.Conv1d(width, width, kernel_size=3, padding=d, dilation=d) for d in (1, 2, 4)]
        )
        self.out = nn.Conv1d(width, n_tags, kernel_size=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = F.gelu(self.inp(x.transpose(1, 2)))
        for conv in self.blocks:
            h = h + F.gelu(conv(h))
        return F.log_softmax(self.out(h), dim=-1)


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader) -> dict:
    model.eval()
    confusion = torch.zeros(len(TAGS), len(TAGS), dtype=torch.long)
    for x, y in loader:
        pred = model(x).argmax(dim=1)
        confusion += torch.bincount((y * len(TAGS) + pred).flatten(), minlength=len(TAGS) ** 2).view(len(TAGS), -1)
    tp = confusion.diag().float()
    f1 = 2 * tp / (confusion.sum(0) + confusion.sum(1)).clamp(min=1)
    return {"accuracy": (tp.sum() / confusion.sum()).item(), "f1": dict(zip(TAGS, f1.tolist()))}


def fit(model: nn.Module, loader: DataLoader, cfg: TaggerConfig) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.epochs * len(loader))
    criterion = nn.NLLLoss()
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        total, n = 0.0, 0
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item() * len(x)
            n += len(x)
        if epoch % 3 == 0:
            log.info("epoch %2d  nll %.4f", epoch, total / n)


def main() -> None:
    cfg = TaggerConfig()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    x_train, y_train = simulate(cfg.n_train, cfg, rng)
    x_test, y_test = simulate(cfg.n_test, cfg, rng)
    mean, std = x_train.mean(axis=(0, 1)), x_train.std(axis=(0, 1))
    train_ds = TensorDataset(torch.from_numpy((x_train - mean) / std), torch.from_numpy(y_train))
    test_ds = TensorDataset(torch.from_numpy((x_test - mean) / std), torch.from_numpy(y_test))
    model = DilatedTagger(n_channels=3, n_tags=len(TAGS), width=cfg.width)
    fit(model, DataLoader(train_ds, cfg.batch_size, shuffle=True), cfg)
    report = evaluate(model, DataLoader(test_ds, 100))
    log.info("test accuracy %.3f", report["accuracy"])
    for tag, value in report["f1"].items():
        log.info("   F1 %-11s %.3f", tag, value)


if __name__ == "__main__":
    main()
