"""Self-supervised digits: SimCLR-style pretraining, then a linear probe on frozen features.

Augmentations act on 8x8 images (shift, noise, cut-out). Labels are not touched before the probe.
"""
import logging
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(message)s", datefmt="%M:%S")
log = logging.getLogger("simclr")


@dataclass
class Config:
    temperature: float = 0.2
    pretrain_epochs: int = 25
    probe_steps: int = 250
    batch_size: int = 128
    lr: float = 2e-3
    seed: int = 42


def augment(x: torch.Tensor) -> torch.Tensor:
    """One-pixel jitter, additive noise and a random 3x3 hole, drawn per image."""
    b = x.size(0)
    padded = F.pad(x, (1, 1, 1, 1), value=x.min().item())
    dy, dx = torch.randint(0, 3, (2, b))
    rows = dy[:, None] + torch.arange(8)
    cols = dx[:, None] + torch.arange(8)
    out = padded[torch.arange(b)[:, None, None], 0, rows[:, :, None], cols[:, None, :]]
    out = out + 0.25 * torch.randn_like(out)
    r, c = torch.randint(0, 7, (2, b))
    grid = torch.arange(8)
    hole = ((grid[None, :] - r[:, None]).abs() < 2)[:, :, None] & ((grid[None, :] - c[:, None]).abs() < 2)[:, None, :]
    return out.masked_fill(hole, 0.0).unsqueeze(1)


class Encoder(nn.Module):
    def __init__(self, dim: int = 64):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 16, dim), nn.ReLU(),
        )

    def forward(self, x):
        return self.features(x)


def nt_xent(z1: torch.Tensor, z2: torch.Tensor, temperature: float) -> torch.Tensor:
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    n = z1.size(0)
    sim = (z @ z.T) / temperature
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
    partner = torch.arange(2 * n).roll(n)
    return F.cross_entropy(sim, partner)


def pretrain(encoder: nn.Module, images: torch.Tensor, cfg: Config) -> None:
    projector = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32))
    params = [*encoder.parameters(), *projector.parameters()]
    optimizer = torch.optim.AdamW(params, lr=cfg.lr, weight_decay=1e-4)
    for epoch in range(cfg.pretrain_epochs):
        encoder.train(), projector.train()
        total, batches = 0.0, 0
        for idx in torch.randperm(len(images)).split(cfg.batch_size):
            if len(idx) < cfg.batch_size:
                continue
            v1, v2 = augment(images[idx]), augment(images[idx])
            loss = nt_xent(projector(encoder(v1)), projector(encoder(v2)), cfg.temperature)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, batches = total + loss.item(), batches + 1
        if (epoch + 1) % 5 == 0:
            log.info("pretrain epoch %d: nt-xent %.3f", epoch + 1, total / batches)


def linear_probe(encoder: nn.Module, train, test, cfg: Config) -> float:
    encoder.eval().requires_grad_(False)
    f_train, f_test = encoder(train[0]), encoder(test[0])
    mean, std = f_train.mean(0), f_train.std(0) + 1e-6
    f_train, f_test = (f_train - mean) / std, (f_test - mean) / std
    probe = nn.Linear(f_train.size(1), 10)
    optimizer = torch.optim.Adam(probe.parameters(), lr=1e-2, weight_decay=1e-4)
    for _ in range(cfg.probe_steps):
        loss = F.cross_entropy(probe(f_train), train[1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    log.info("probe train loss %.4f", loss.item())
    with torch.no_grad():
        return (probe(f_test).argmax(1) == test[1]).float().mean().item()


def main() -> None:
    cfg = Config()
    torch.manual_seed(cfg.seed)
    digits = load_digits()
    x_tr, x_te, y_tr, y_te = train_test_split(
        digits.images, digits.target, test_size=0.3, stratify=digits.target, random_state=cfg.seed
    )
    mean, std = x_tr.mean(), x_tr.std()
    to_images = lambda a: torch.tensor((a - mean) / std, dtype=torch.float32).unsqueeze(1)
    train, test = (to_images(x_tr), torch.tensor(y_tr)), (to_images(x_te), torch.tensor(y_te))
    encoder = Encoder()
    pretrain(encoder, train[0], cfg)
    log.info("linear-probe test accuracy: %.3f", linear_probe(encoder, train, test, cfg))


if __name__ == "__main__":
    main()
