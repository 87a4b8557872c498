import logging
import random
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

logging.basicConfig(level=logging.INFO, format="%(levelname).1s %(message)s")
log = logging.getLogger("showers")


@dataclass
class Config:
    n_events: int = 3000
    n_hits: int = 96
    hidden: int = 48
    epochs: int = 14
    batch: int = 64
    lr: float = 2e-3
    seed: int = 3


class ShowerDataset(Dataset):
    """Toy calorimeter: each event is an unordered set of hits (x, y, charge).

    The target is the (standardised) elongation of the shower.
    """

    def __init__(self, cfg):
        rng = np.random.default_rng(cfg.seed)
        stretch = rng.uniform(0.5, 1.5, cfg.n_events)
        angle = rng.uniform(0, np.pi, cfg.n_events)
        hits = rng.normal(size=(cfg.n_events, cfg.n_hits, 2))
        hits[..., 0] *= stretch[:, None]
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        x = c * hits[..., 0] - s * hits[..., 1]
        y = s * hits[..., 0] + c * hits[..., 1]
        charge = rng.normal(size=x.shape) + 0.5 * (np.hypot(x, y) - 1.25)
        self.hits = torch.tensor(np.stack([x, y, charge], -1), dtype=torch.float32)
        # a uniform variable on (0.5, 1.5) has mean 1 and variance 1/12
        self.target = torch.tensor((stretch - 1.0) * 12 ** 0.5, dtype=torch.float32)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return self.hits[i], self.target[i]


class SoftClamp(nn.Module):
    """Smoothly keeps values inside (-limit, limit)."""

    def __init__(self, limit=20.0):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        return self.limit * torch.tanh(x * self.limit)


class DeepSet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(3, hidden), nn.ReLU(), nn.Linear(hidden, hidden), SoftClamp())
        self.rho = nn.Sequential(
            nn.Linear(hidden, hidden), SoftClamp(),
            nn.Linear(hidden, hidden), SoftClamp(),
        )
        self.out = nn.Linear(hidden, 1)

    def forward(self, hits):
        pooled = self.phi(hits).mean(dim=1)
        return self.out(self.rho(pooled)).squeeze(-1)


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        random.seed(cfg.seed)
        np.random.seed(cfg.seed)
        torch.manual_seed(cfg.seed)
        data = ShowerDataset(cfg)
        n_train, n_val = int(0.7 * len(data)), int(0.15 * len(data))
        self.train_set = Subset(data, range(n_train))
        self.val_set = Subset(data, range(n_train, n_train + n_val))
        self.test_set = Subset(data, range(n_train + n_val, len(data)))
        self.model = DeepSet(cfg.hidden)
        self.optim = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.optim, cfg.epochs)
        self.loss_fn = nn.MSELoss()

    def fit(self):
        loader = DataLoader(self.train_set, self.cfg.batch, shuffle=True,
                            generator=torch.Generator().manual_seed(self.cfg.seed))
        for epoch in range(self.cfg.epochs):
            self.model.train()
            total = 0.0
            for hits, target in loader:
                self.optim.zero_grad()
                loss = self.loss_fn(self.model(hits), target)
                loss.backward()
                self.optim.step()
                total += loss.item() * len(target)
            self.sched.step()
            val, _ = self.score(self.val_set)
            log.info("epoch %2d  train mse %.4f  val mse %.4f", epoch, total / len(self.train_set), val)

    @torch.no_grad()
    def score(self, subset):
        self.model.eval()
        pred, true = [], []
        for hits, target in DataLoader(subset, 256):
            pred.append(self.model(hits))
            true.append(target)
        pred, true = torch.cat(pred), torch.cat(true)
        mse = ((pred - true) ** 2).mean().item()
        return mse, 1 - mse / true.var(unbiased=False).item()


if __name__ == "__main__":
    trainer = Trainer(Config())
    trainer.fit()
    mse, r2 = trainer.score(trainer.test_set)
    log.info("test mse %.4f  R2 %.3f", mse, r2)
