"""Shape classification on synthetic 16x16 images, callback-driven Trainer."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
SHAPES = ("disc", "square", "cross", "stripe")


@dataclass
class TrainConfig:
    n_train: int = 3600
    n_val: int = 600
    batch_size: int = 48
    epochs: int = 6
    peak_lr: float = 0.05
    momentum: float = 0.9
    warmup_frac: float = 0.1
    seed: int = 99


def draw(kind: int, rng: np.random.Generator) -> np.ndarray:
    yy, xx = np.mgrid[0:16, 0:16]
    cy, cx = rng.uniform(6, 10, size=2)
    r = rng.uniform(3.0, 5.0)
    if kind == 0:
        img = ((yy - cy) ** 2 + (xx - cx) ** 2) < r**2
    elif kind == 1:
        img = (abs(yy - cy) < 0.9 * r) & (abs(xx - cx) < 0.9 * r)
    elif kind == 2:
        img = ((abs(yy - cy) < r / 3) | (abs(xx - cx) < r / 3)) & (abs(yy - cy) < r) & (abs(xx - cx) < r)
    else:
        img = (np.sin((yy * rng.choice([-1, 1]) + xx) * rng.uniform(0.9, 1.3)) > 0) & ((yy - cy) ** 2 + (xx - cx) ** 2 < r**2)
    return img.astype(np.float32) * rng.uniform(0.7, 1.3) + rng.normal(0, 0.3, size=(16, 16)).astype(np.float32)


def make_dataset(n: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    labels = np.arange(n) % len(SHAPES)
    images = np.stack([draw(k, rng) for k in labels]).astype(np.float32)
    return torch.from_numpy(images)[:, None], torch.from_numpy(labels).long()


class Callback:
    def on_train_begin(self, trainer: "Trainer") -> None: ...
    def on_batch_end(self, trainer: "Trainer") -> None: ...
    def on_epoch_end(self, trainer: "Trainer") -> None: ...


class LRWarmupCosine(Callback):
    """Linear warmup to the peak, cosine to zero over the whole run."""

    def on_train_begin(self, trainer: "Trainer") -> None:
        total = trainer.cfg.epochs * len(trainer.train_loader)
        warmup = max(1, int(trainer.cfg.warmup_frac * total))

        def factor(t: int) -> float:
            if t < warmup:
                return (t + 1) / warmup
            return 0.5 * (1.0 + math.cos(math.pi * (t - warmup) / max(1, total - warmup)))

        self.scheduler = torch.optim.lr_scheduler.LambdaLR(trainer.optimizer, factor)

    def on_epoch_end(self, trainer: "Trainer") -> None:
        self.scheduler.step()


class ConsoleLogger(Callback):
    def on_epoch_end(self, trainer: "Trainer") -> None:
        s = trainer.stats
        print(
            f"epoch {s['epoch']:2d}  loss {s['train_loss']:.4f}  "
            f"val_loss {s['val_loss']:.4f}  val_acc {s['val_acc']:.3f}"
        )


class ShapeNet(nn.Module):
    def __init__(self, n_classes: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(24, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        )
        self.head = nn.Linear(24 * 4, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).flatten(1))


class Trainer:
    def __init__(self, cfg: TrainConfig, model: nn.Module, train_loader: DataLoader, val_loader: DataLoader,
                 callbacks: Sequence[Callback]) -> None:
        self.cfg, self.model = cfg, model
        self.train_loader, self.val_loader = train_loader, val_loader
        self.callbacks = list(callbacks)
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=cfg.peak_lr, momentum=cfg.momentum)
        self.stats: dict[str, float] = {}

    def emit(self, hook: str) -> None:
        for cb in self.callbacks:
            getattr(cb, hook)(self)

    def fit(self) -> None:
        self.emit("on_train_begin")
        for epoch in range(1, self.cfg.epochs + 1):
            self.model.train()
            total, n = 0.0, 0
            for x, y in self.train_loader:
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(x), y)
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(y)
                n += len(y)
                self.emit("on_batch_end")
            val_loss, val_acc = self.validate()
            self.stats = dict(epoch=epoch, train_loss=total / n, val_loss=val_loss, val_acc=val_acc)
            self.emit("on_epoch_end")

    @torch.no_grad()
    def validate(self) -> tuple[float, float]:
        self.model.eval()
        total, hits, n = 0.0, 0, 0
        for x, y in self.val_loader:
            out = self.model(x)
            total += self.criterion(out, y).item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
        return total / n, hits / n


if __name__ == "__main__":
    cfg = TrainConfig()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    x_tr, y_tr = make_dataset(cfg.n_train, rng)
    x_va, y_va = make_dataset(cfg.n_val, rng)
    mean, std = x_tr.mean(), x_tr.std()
    train = DataLoader(TensorDataset((x_tr - mean) / std, y_tr), cfg.batch_size, shuffle=True)
    val = DataLoader(TensorDataset((x_va - mean) / std, y_va), 256)
    Trainer(cfg, ShapeNet(len(SHAPES)), train, val, [LRWarmupCosine(), ConsoleLogger()]).fit()
