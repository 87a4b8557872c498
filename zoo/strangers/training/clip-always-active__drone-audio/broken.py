from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    seed: int = 3
    classes: int = 6
    sample_rate: int = 2000
    seconds: float = 0.25
    n_train: int = 1800
    n_valid: int = 600
    batch_size: int = 50
    epochs: int = 8
    peak_lr: float = 0.05
    momentum: float = 0.9
    weight_decay: float = 1e-4
    max_grad_norm: float = 0.01


def make_clips(n, cfg, rng):
    """Propeller noise: a blade-pass frequency, a few harmonics, and background hiss."""
    t = np.arange(int(cfg.sample_rate * cfg.seconds)) / cfg.sample_rate
    y = rng.integers(0, cfg.classes, size=n)
    base = 60 + 35 * y + rng.normal(0, 5, size=n)
    clips = np.zeros((n, len(t)), dtype=np.float32)
    for k in range(1, 5):
        amp = rng.uniform(0.3, 1.0, size=(n, 1)) / k
        phase = rng.uniform(0, 2 * np.pi, size=(n, 1))
        clips += amp * np.sin(2 * np.pi * k * base[:, None] * t + phase)
    clips += rng.normal(0, 0.6, size=clips.shape)
    clips /= clips.std(axis=1, keepdims=True)
    return torch.from_numpy(clips.astype(np.float32)).unsqueeze(1), torch.from_numpy(y)


def block(c_in, c_out, kernel, stride):
    return nn.Sequential(
        nn.Conv1d(c_in, c_out, kernel, stride=stride, padding=kernel // 2, bias=False),
        nn.BatchNorm1d(c_out),
        nn.ReLU(),
    )


class ClipNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(
            block(1, 16, 41, 4),
            block(16, 32, 9, 2),
            block(32, 48, 5, 2),
        )
        self.head = nn.Linear(48, classes)

    def forward(self, x):
        return self.head(self.features(x).mean(dim=-1))


class Trainer:
    def __init__(self, cfg, model, train_loader, valid_loader):
        self.cfg = cfg
        self.model = model
        self.train_loader = train_loader
        self.valid_loader = valid_loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(
            model.parameters(), lr=cfg.peak_lr, momentum=cfg.momentum, weight_decay=cfg.weight_decay
        )
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, max_lr=cfg.peak_lr, total_steps=cfg.epochs * len(train_loader), pct_start=0.2
        )

    def train_epoch(self):
        self.model.train()
        total, seen = 0.0, 0
        for x, y in self.train_loader:
            loss = self.criterion(self.model(x), y)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.max_grad_norm)
            self.optimizer.step()
            self.scheduler.step()
            total += loss.item() * len(y)
            seen += len(y)
        return total / seen

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        total, hits, seen = 0.0, 0, 0
        for x, y in self.valid_loader:
            logits = self.model(x)
            total += self.criterion(logits, y).item() * len(y)
            hits += (logits.argmax(1) == y).sum().item()
            seen += len(y)
        return total / seen, hits / seen

    def fit(self):
        for epoch in range(1, self.cfg.epochs + 1):
            train_loss = self.train_epoch()
            valid_loss, acc = self.validate()
            print(f"[{epoch:2d}/{self.cfg.epochs}] train {train_loss:.3f} | valid {valid_loss:.3f} | acc {acc:.3f}")
        return acc


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train = TensorDataset(*make_clips(cfg.n_train, cfg, rng))
    valid = TensorDataset(*make_clips(cfg.n_valid, cfg, rng))
    train_loader = DataLoader(train, batch_size=cfg.batch_size, shuffle=True)
    valid_loader = DataLoader(valid, batch_size=200)
    trainer = Trainer(cfg, ClipNet(cfg.classes), train_loader, valid_loader)
    acc = trainer.fit()
    print(f"held-out accuracy: {acc:.3f}")


if __name__ == "__main__":
    main()
