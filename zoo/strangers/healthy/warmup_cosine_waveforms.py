"""Waveform classifier, linear warm-up followed by cosine decay (per step)."""
import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_train: int = 2000
    n_test: int = 500
    length: int = 100
    noise: float = 0.25
    batch_size: int = 50
    epochs: int = 15
    peak_lr: float = 4e-3
    warmup_steps: int = 60
    weight_decay: float = 1e-2
    seed: int = 8


cfg = Config()
torch.manual_seed(cfg.seed)
rng = np.random.default_rng(cfg.seed)


def waves(n):
    kind = rng.integers(0, 4, n)
    freq = rng.uniform(2, 5, (n, 1))
    phase = rng.uniform(0, 1, (n, 1))
    cyc = (freq * np.linspace(0, 1, cfg.length)[None] + phase) % 1.0
    sine = np.sin(2 * np.pi * cyc) * 1.41
    square = np.where(cyc < 0.5, 1.0, -1.0)
    saw = (2 * cyc - 1) * 1.73
    tri = (4 * np.abs(cyc - 0.5) - 1) * 1.73
    x = np.stack([sine, square, saw, tri])[kind, np.arange(n)]
    x = x + cfg.noise * rng.standard_normal(x.shape)
    return torch.tensor(x, dtype=torch.float32).unsqueeze(1), torch.tensor(kind)


train_ds = TensorDataset(*waves(cfg.n_train))
test_x, test_y = waves(cfg.n_test)
loader = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True)

model = nn.Sequential(
    nn.Conv1d(1, 16, 9, stride=2), nn.GroupNorm(4, 16), nn.GELU(),
    nn.Conv1d(16, 32, 7, stride=2), nn.GroupNorm(4, 32), nn.GELU(),
    nn.Conv1d(32, 32, 5), nn.GELU(),
    nn.AdaptiveMaxPool1d(1), nn.Flatten(),
    nn.Linear(32, 4),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.peak_lr, weight_decay=cfg.weight_decay)
total_steps = cfg.epochs * len(loader)


def lr_factor(step):
    if step < cfg.warmup_steps:
        return (step + 1) / cfg.warmup_steps
    progress = (step - cfg.warmup_steps) / max(1, total_steps - cfg.warmup_steps)
    return 0.5 * (1 + math.cos(math.pi * progress))


scheduler = LambdaLR(optimizer, lr_factor)
criterion = nn.CrossEntropyLoss()

for epoch in range(1, cfg.epochs + 1):
    model.train()
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item() * len(y)
    print(f"epoch {epoch:2d}  lr {scheduler.get_last_lr()[0]:.2e}  loss {total / cfg.n_train:.4f}")

model.eval()
with torch.no_grad():
    accuracy = (model(test_x).argmax(1) == test_y).float().mean().item()
print(f"test accuracy {accuracy:.4f}")
