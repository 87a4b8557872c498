"""
Homework 5 - Siamese network: do two accelerometer snippets come from the same walker?

Every walker has a stride frequency, a harmonic mix and an asymmetry; snippets start at a random phase.
Test walkers are people the network has never seen.
"""
from dataclasses import dataclass
import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Config:
    seed: int = 0
    length: int = 96
    train_walkers: int = 240
    val_walkers: int = 40
    test_walkers: int = 60
    snippets: int = 12
    steps: int = 900
    batch: int = 64
    lr: float = 1e-3


def make_walkers(n, cfg, rng):
    """(walker, snippet, 1, time)"""
    t = np.arange(cfg.length) / 32.0
    out = np.zeros((n, cfg.snippets, 1, cfg.length), dtype=np.float32)
    for w in range(n):
        f = rng.uniform(1.2, 2.6)
        amp = rng.dirichlet(np.ones(3)) * 2
        rel = rng.uniform(0, 2 * np.pi, 3)
        for s in range(cfg.snippets):
            phase = rng.uniform(0, 2 * np.pi)
            speed = f * rng.normal(1, 0.01)
            sig = sum(a * np.sin((k + 1) * (2 * np.pi * speed * t + phase) + r)
                      for k, (a, r) in enumerate(zip(amp, rel)))
            out[w, s, 0] = sig + rng.normal(0, 0.15, cfg.length)
    return torch.from_numpy(out)


def sample_pairs(walkers, n, rng):
    """half of the pairs are the same walker (label 0), half two different ones (label 1)"""
    n_w, n_s = walkers.shape[:2]
    label = rng.integers(0, 2, n)
    first = rng.integers(0, n_w, n)
    other = (first + rng.integers(1, n_w, n)) % n_w
    second = np.where(label == 1, other, first)
    s1 = rng.integers(0, n_s, n)
    s2 = (s1 + rng.integers(1, n_s, n)) % n_s
    return walkers[first, s1], walkers[second, s2], torch.from_numpy(label).float()


class Encoder(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 24, 9, stride=2, padding=4), nn.BatchNorm1d(24), nn.ReLU(),
            nn.Conv1d(24, 48, 7, stride=2, padding=3), nn.BatchNorm1d(48), nn.ReLU(),
            nn.Conv1d(48, 48, 5, padding=2), nn.BatchNorm1d(48), nn.ReLU(),
        )
        self.out = nn.Linear(96, dim)

    def forward(self, x):
        h = self.conv(x)
        return self.out(torch.cat([h.mean(-1), h.amax(-1)], dim=1))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, a, b):
        gap = self.encoder(a) - self.encoder(b)
        dist = torch.sqrt((gap ** 2).sum(dim=1) + 1e-6)
        return F.softplus(self.scale) * dist


@torch.no_grad()
def evaluate(model, pairs):
    model.eval()
    a, b, y = pairs
    logit = model(a, b)
    loss = F.binary_cross_entropy_with_logits(logit, y).item()
    acc = ((logit > 0).float() == y).float().mean().item()
    return loss, acc


def main(cfg):
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)

    train = make_walkers(cfg.train_walkers, cfg, rng)
    val = make_walkers(cfg.val_walkers, cfg, rng)
    test = make_walkers(cfg.test_walkers, cfg, rng)
    mean, std = train.mean(), train.std()
    train, val, test = [(d - mean) / std for d in (train, val, test)]
    val_pairs = sample_pairs(val, 600, rng)
    test_pairs = sample_pairs(test, 2000, rng)

    model = Siamese()
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.steps)

    running = 0.0
    for step in range(1, cfg.steps + 1):
        model.train()
        a, b, y = sample_pairs(train, cfg.batch, rng)
        loss = F.binary_cross_entropy_with_logits(model(a, b), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        running += loss.item()
        if step % 100 == 0:
            vl, va = evaluate(model, val_pairs)
            print(f"step {step:4d}  loss {running / 100:.4f}  val loss {vl:.4f}  val acc {va:.3f}")
            running = 0.0

    tl, ta = evaluate(model, test_pairs)
    print(f"test loss {tl:.4f}  test acc {ta:.3f}")


if __name__ == "__main__":
    import sys
    main(Config(seed=int(sys.argv[1]) if len(sys.argv) > 1 else 0))
