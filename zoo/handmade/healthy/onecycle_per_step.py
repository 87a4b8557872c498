"""Estimate the frequency of noisy sine snippets with a 1-D conv net and the one-cycle policy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_train: int = 1536
    n_val: int = 400
    length: int = 48
    batch_size: int = 64
    epochs: int = 14
    max_lr: float = 5e-3
    seed: int = 21


def make_split(n: int, length: int) -> TensorDataset:
    freq = torch.empty(n, 1).uniform_(0.15, 0.9)
    phase = 2 * math.pi * torch.rand(n, 1)
    t = torch.arange(length, dtype=torch.float32)
    signal = math.sqrt(2) * torch.sin(freq * t + phase) + 0.2 * torch.randn(n, length)
    center, half_width = 0.525, 0.375
    target = (freq - center) / (half_width / math.sqrt(3))
    return TensorDataset(signal.unsqueeze(1), target)


class Estimator(nn.Module):
    def __init__(self, length: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(1, 16, 7, stride=2, padding=3),
            nn.GELU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2),
            nn.GELU(),
            nn.Flatten(),
            nn.Linear(32 * (length // 4), 64),
            nn.GELU(),
            nn.Linear(64, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x)


class Trainer:
    def __init__(self, cfg: Config) -> None:
        self.cfg = cfg
        self.train_dl = DataLoader(
            make_split(cfg.n_train, cfg.length), batch_size=cfg.batch_size, shuffle=True
        )
        self.val_dl = DataLoader(make_split(cfg.n_val, cfg.length), batch_size=200)
        self.model = Estimator(cfg.length)
        self.loss_fn = nn.MSELoss()
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.max_lr / 25)
        self.sched = OneCycleLR(
            self.opt, max_lr=cfg.max_lr, epochs=cfg.epochs, steps_per_epoch=len(self.train_dl)
        )

    def train_epoch(self) -> float:
        self.model.train()
        total = 0.0
        for signal, target in self.train_dl:
            loss = self.loss_fn(self.model(signal), target)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            self.sched.step()
            total += loss.item() * len(target)
        return total / self.cfg.n_train

    @torch.no_grad()
    def validate(self) -> float:
        self.model.eval()
        total = 0.0
        for signal, target in self.val_dl:
            total += self.loss_fn(self.model(signal), target).item() * len(target)
        return total / self.cfg.n_val

    def run(self) -> None:
        for epoch in range(self.cfg.epochs):
            train_loss = self.train_epoch()
            lr = self.sched.get_last_lr()[0]
            print(
                f"epoch {epoch:2d} lr {lr:.2e} train mse {train_loss:.4f} val {self.validate():.4f}"
            )
        print(f"final rmse {math.sqrt(self.validate()):.4f}")


if __name__ == "__main__":
    config = Config()
    torch.manual_seed(config.seed)
    Trainer(config).run()
