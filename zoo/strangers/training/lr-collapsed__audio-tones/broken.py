import logging
import random
from dataclasses import dataclass, field
from typing import Tuple

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("tones")

CLASSES = ["sine", "square", "saw", "chirp_up", "chirp_down", "tremolo"]


@dataclass
class Config:
    seed: int = 2024
    per_class: Tuple[int, int, int] = (260, 80, 120)   # train, val, test
    length: int = 256
    noise: float = 0.6
    channels: Tuple[int, ...] = field(default_factory=lambda: (12, 24, 24))
    batch_size: int = 64
    epochs: int = 14
    lr: float = 3e-3
    factor: float = 0.1
    patience: int = 1


def synth(kind: str, n: int, cfg: Config, rng: np.random.Generator) -> np.ndarray:
    t = np.linspace(0, 1, cfg.length, endpoint=False)[None, :]
    f = rng.uniform(8, 16, (n, 1))
    phase = rng.uniform(0, 1, (n, 1))
    cycle = f * t + phase
    if kind == "sine":
        y = np.sin(2 * np.pi * cycle)
    elif kind == "square":
        y = np.sign(np.sin(2 * np.pi * cycle))
    elif kind == "saw":
        y = 2 * (cycle % 1.0) - 1
    elif kind == "chirp_up":
        y = np.sin(2 * np.pi * (cycle + 0.6 * f * t ** 2))
    elif kind == "chirp_down":
        y = np.sin(2 * np.pi * (1.6 * f * t + phase - 0.6 * f * t ** 2))
    else:
        y = np.sin(2 * np.pi * cycle) * (0.55 + 0.45 * np.sin(2 * np.pi * 3 * t + 6 * phase))
    y = y / y.std(axis=1, keepdims=True)
    return y + rng.normal(0, cfg.noise, y.shape)


def make_split(n: int, cfg: Config, rng: np.random.Generator) -> TensorDataset:
    xs = np.concatenate([synth(k, n, cfg, rng) for k in CLASSES]).astype(np.float32)
    ys = np.repeat(np.arange(len(CLASSES)), n)
    return TensorDataset(torch.from_numpy(xs).unsqueeze(1), torch.from_numpy(ys))


class ToneNet(nn.Module):
    def __init__(self, channels, n_classes):
        super().__init__()
        layers, c_in = [], 1
        for c in channels:
            layers += [nn.Conv1d(c_in, c, 9, padding=4, bias=False), nn.BatchNorm1d(c), nn.ReLU(), nn.MaxPool1d(2)]
            c_in = c
        self.features = nn.Sequential(*layers)
        self.pool = nn.AdaptiveAvgPool1d(4)
        self.head = nn.Linear(4 * c_in, n_classes)

    def forward(self, x):
        return self.head(self.pool(self.features(x)).flatten(1))


@torch.no_grad()
def accuracy(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    hits = total = 0
    for x, y in loader:
        hits += (model(x).argmax(1) == y).sum().item()
        total += y.numel()
    return hits / total


def run(cfg: Config) -> None:
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)

    train_set, val_set, test_set = (make_split(n, cfg, rng) for n in cfg.per_class)
    train_loader = DataLoader(train_set, cfg.batch_size, shuffle=True)
    val_loader, test_loader = DataLoader(val_set, 256), DataLoader(test_set, 256)

    model = ToneNet(cfg.channels, len(CLASSES))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=cfg.factor, patience=cfg.patience)

    for epoch in range(1, cfg.epochs + 1):
        model.train()
        running, seen = 0.0, 0
        for x, y in train_loader:
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            running += loss.item() * y.size(0)
            seen += y.size(0)
        val_acc = accuracy(model, val_loader)
        scheduler.step(val_acc)
        log.info("epoch %02d  loss %.4f  val acc %.3f", epoch, running / seen, val_acc)

    log.info("test accuracy %.3f", accuracy(model, test_loader))


if __name__ == "__main__":
    run(Config())
