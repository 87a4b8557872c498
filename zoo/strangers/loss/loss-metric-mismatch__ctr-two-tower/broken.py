"""Click prediction with a two-tower model over dense user / item features."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


@dataclass(frozen=True)
class Config:
    n_rows: int = 48_000
    feat_dim: int = 12
    tower_dim: int = 16
    batch_size: int = 128
    epochs: int = 8
    lr: float = 2e-3
    seed: int = 17


def make_interactions(cfg: Config) -> tuple[Tensor, Tensor, Tensor]:
    rng = np.random.default_rng(cfg.seed)
    users = rng.normal(size=(cfg.n_rows, cfg.feat_dim))
    items = rng.normal(size=(cfg.n_rows, cfg.feat_dim))
    mix = rng.normal(size=(cfg.feat_dim, cfg.feat_dim)) / np.sqrt(cfg.feat_dim)
    affinity = np.einsum("ni,ij,nj->n", users, mix, items)
    p_click = 1.0 / (1.0 + np.exp(-2.0 * affinity))
    clicks = rng.random(cfg.n_rows) < p_click
    to = lambda a: torch.as_tensor(a, dtype=torch.float32)
    return to(users), to(items), to(clicks)


class Tower(nn.Sequential):
    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__(nn.Linear(in_dim, 32), nn.ReLU(), nn.Linear(32, out_dim))


class TwoTower(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.user = Tower(cfg.feat_dim, cfg.tower_dim)
        self.item = Tower(cfg.feat_dim, cfg.tower_dim)
        self.head = nn.Linear(cfg.tower_dim, 1)

    def forward(self, u: Tensor, i: Tensor) -> Tensor:
        return self.head(self.user(u) * self.item(i))


class RunningMean:
    def __init__(self) -> None:
        self.total, self.n = 0.0, 0

    def update(self, value: float, n: int) -> None:
        self.total += value * n
        self.n += n

    @property
    def value(self) -> float:
        return self.total / max(self.n, 1)


def hit_rate(logits: Tensor, clicks: Tensor) -> float:
    predicted = (torch.sigmoid(logits) > 0.5).float()
    return (predicted == clicks).float().mean().item()


class Trainer:
    def __init__(self, cfg: Config, model: nn.Module) -> None:
        self.cfg = cfg
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=cfg.epochs)

    def train_epoch(self, loader: DataLoader) -> float:
        self.model.train()
        loss_m = RunningMean()
        for u, i, y in loader:
            logits = self.model(u, i)
            loss = F.binary_cross_entropy_with_logits(logits.squeeze(1), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            loss_m.update(loss.item(), len(y))
        self.sched.step()
        return loss_m.value

    @torch.no_grad()
    def evaluate(self, loader: DataLoader) -> tuple[float, float]:
        self.model.eval()
        loss_m, acc_m = RunningMean(), RunningMean()
        for u, i, y in loader:
            logits = self.model(u, i)
            loss_m.update(F.binary_cross_entropy_with_logits(logits.squeeze(1), y).item(), len(y))
            acc_m.update(hit_rate(logits, y), len(y))
        return loss_m.value, acc_m.value

    def fit(self, train: DataLoader, val: DataLoader) -> None:
        for epoch in range(1, self.cfg.epochs + 1):
            tr = self.train_epoch(train)
            vl, va = self.evaluate(val)
            print(f"epoch {epoch:2d}  train_loss {tr:.4f}  val_loss {vl:.4f}  val_acc {va:.4f}")


def main() -> None:
    cfg = Config()
    torch.manual_seed(cfg.seed)
    u, i, y = make_interactions(cfg)
    cut_a, cut_b = int(0.8 * cfg.n_rows), int(0.9 * cfg.n_rows)
    train = DataLoader(TensorDataset(u[:cut_a], i[:cut_a], y[:cut_a]), cfg.batch_size, shuffle=True)
    val = DataLoader(TensorDataset(u[cut_a:cut_b], i[cut_a:cut_b], y[cut_a:cut_b]), 512)
    test = DataLoader(TensorDataset(u[cut_b:], i[cut_b:], y[cut_b:]), 512)
    print(f"click rate: train {y[:cut_a].mean():.3f}  val {y[cut_a:cut_b].mean():.3f}")

    trainer = Trainer(cfg, TwoTower(cfg))
    trainer.fit(train, val)
    loss, acc = trainer.evaluate(test)
    print(f"test  loss {loss:.4f}  acc {acc:.4f}")


if __name__ == "__main__":
    main()
