"""Classify the shape of 2-D point sets with a small set transformer."""
import logging
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

logging.basicConfig(level=logging.INFO, format="%(name)s | %(message)s")
log = logging.getLogger("settrans")

SHAPES = ("ring", "square", "cross", "blob")


@dataclass
class Config:
    seed: int = 0
    n_sets: int = 2000
    n_points: int = 24
    dim: int = 32
    heads: int = 4
    depth: int = 2
    epochs: int = 18
    batch_size: int = 50
    lr: float = 2e-3
    clip: float = 5.0
    amp: bool = torch.cuda.is_available()
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


def sample_shape(kind, n, rng):
    t = rng.random(n)
    if kind == 0:
        pts = np.stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)], 1)
    elif kind == 1:
        side = rng.integers(0, 4, n)
        u = 2 * t - 1
        pts = np.where((side % 2 == 0)[:, None], np.stack([u, np.sign(side - 0.5)], 1), np.stack([np.sign(side - 1.5), u], 1))
    elif kind == 2:
        arm = rng.integers(0, 2, n)[:, None]
        u = (2 * t - 1)[:, None]
        pts = np.concatenate([u * arm, u * (1 - arm)], 1)
    else:
        pts = rng.normal(0, 0.55, (n, 2))
    pts = pts + rng.normal(0, 0.06, (n, 2))
    return (pts - pts.mean(0)) / pts.std()


def build_dataset(cfg):
    rng = np.random.default_rng(cfg.seed)
    labels = rng.integers(0, len(SHAPES), cfg.n_sets)
    points = np.stack([sample_shape(k, cfg.n_points, rng) for k in labels]).astype(np.float32)
    return TensorDataset(torch.from_numpy(points), torch.from_numpy(labels))


class SetTransformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(2, cfg.dim), nn.ReLU(), nn.Linear(cfg.dim, cfg.dim), nn.ReLU())
        block = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 2 * cfg.dim, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(block, cfg.depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, len(SHAPES))

    def forward(self, pts):
        h = self.encoder(self.embed(pts))
        return self.head(self.norm(h.mean(dim=1)))


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        gen = torch.Generator().manual_seed(cfg.seed)
        train, val, test = random_split(build_dataset(cfg), [0.7, 0.15, 0.15], generator=gen)
        self.train_loader = DataLoader(train, cfg.batch_size, shuffle=True, generator=gen)
        self.val_loader = DataLoader(val, 100)
        self.test_loader = DataLoader(test, 100)
        self.model = SetTransformer(cfg).to(cfg.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, weight_decay=1e-4)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=cfg.epochs, eta_min=1e-4)
        self.criterion = nn.CrossEntropyLoss()
        self.scaler = torch.amp.GradScaler(cfg.device) if cfg.amp else None

    def update(self, loss):
        self.optimizer.zero_grad()
        if self.scaler is not None:
            self.scaler.scale(loss).backward()
            self.scaler.unscale_(self.optimizer)
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip)
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip)
            self.optimizer.step()

    def train_epoch(self):
        self.model.train()
        total, count = 0.0, 0
        for pts, y in self.train_loader:
            pts, y = pts.to(self.cfg.device), y.to(self.cfg.device)
            with torch.autocast(self.cfg.device, enabled=self.cfg.amp):
                loss = self.criterion(self.model(pts), y)
            self.update(loss)
            total += loss.item() * len(y)
            count += len(y)
        return total / count

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        correct, count = 0, 0
        for pts, y in loader:
            pred = self.model(pts.to(self.cfg.device)).argmax(-1).cpu()
            correct += (pred == y).sum().item()
            count += len(y)
        return correct / count

    def fit(self):
        for epoch in range(self.cfg.epochs):
            loss = self.train_epoch()
            self.schedule.step()
            log.info("epoch %02d loss %.4f val_acc %.3f", epoch, loss, self.evaluate(self.val_loader))
        log.info("test_acc %.3f", self.evaluate(self.test_loader))


if __name__ == "__main__":
    torch.set_num_threads(1)
    Trainer(Config()).fit()
