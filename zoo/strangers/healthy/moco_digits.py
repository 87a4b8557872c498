"""Momentum-contrast (v3 style) pre-training on handwritten digits, followed by a linear probe.

The key encoder is an exponential moving average of the query encoder and never sees the optimizer.
"""
import argparse
import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class MoCoConfig:
    dim: int = 32
    momentum: float = 0.98
    temperature: float = 0.2
    batch: int = 128
    epochs: int = 40
    lr: float = 2e-3
    probe_steps: int = 300
    seed: int = 0


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1), nn.GroupNorm(4, 24), nn.ReLU(),
            nn.Conv2d(24, 48, 3, stride=2, padding=1), nn.GroupNorm(4, 48), nn.ReLU(),
            nn.Conv2d(48, 64, 3, stride=2, padding=1), nn.GroupNorm(4, 64), nn.ReLU(), nn.Flatten())
        self.proj = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, dim))

    def forward(self, x):
        return F.normalize(self.proj(self.trunk(x)), dim=1)


def augment(x, gen):
    """Random shift, slight rotation / scale, contrast and noise; works on a whole batch."""
    n = len(x)
    ang = torch.empty(n).uniform_(-0.25, 0.25, generator=gen)
    scale = torch.empty(n).uniform_(0.85, 1.15, generator=gen)
    shift = torch.empty(n, 2).uniform_(-0.2, 0.2, generator=gen)
    rot = torch.stack([torch.cos(ang), -torch.sin(ang), torch.sin(ang), torch.cos(ang)], 1).view(n, 2, 2)
    theta = torch.cat([rot * scale.view(n, 1, 1), shift.unsqueeze(-1)], 2)
    grid = F.affine_grid(theta, list(x.shape), align_corners=False)
    out = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
    gain = torch.empty(n, 1, 1, 1).uniform_(0.7, 1.3, generator=gen)
    return out * gain + 0.1 * torch.randn(out.shape, generator=gen)


class MoCo(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.query = Encoder(cfg.dim)
        self.predictor = nn.Sequential(nn.Linear(cfg.dim, 64), nn.ReLU(), nn.Linear(64, cfg.dim))
        self.key = copy.deepcopy(self.query)
        for p in self.key.parameters():
            p.requires_grad = False

    @torch.no_grad()
    def ema_update(self):
        m = self.cfg.momentum
        for pk, pq in zip(self.key.parameters(), self.query.parameters()):
            pk.data.mul_(m).add_(pq.data, alpha=1 - m)

    def contrast(self, q, k):
        logits = q @ k.t() / self.cfg.temperature
        return F.cross_entropy(logits, torch.arange(len(q)))

    def forward(self, a, b):
        qa = F.normalize(self.predictor(self.query(a)), dim=1)
        qb = F.normalize(self.predictor(self.query(b)), dim=1)
        with torch.no_grad():
            ka, kb = self.key(a), self.key(b)
        return 0.5 * (self.contrast(qa, kb.detach()) + self.contrast(qb, ka.detach()))


def linear_probe(trunk, xtr, ytr, xte, yte, steps):
    trunk.eval()
    with torch.no_grad():
        ftr, fte = trunk(xtr), trunk(xte)
    mu, sd = ftr.mean(0), ftr.std(0) + 1e-5
    ftr, fte = (ftr - mu) / sd, (fte - mu) / sd
    head = nn.Linear(ftr.shape[1], 10)
    opt = torch.optim.AdamW(head.parameters(), lr=1e-2, weight_decay=1e-2)
    for _ in range(steps):
        opt.zero_grad()
        F.cross_entropy(head(ftr), ytr).backward()
        opt.step()
    with torch.no_grad():
        return (head(fte).argmax(1) == yte).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    cfg = MoCoConfig(seed=ap.parse_args().seed)
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed + 1)

    d = load_digits()
    xtr, xte, ytr, yte = train_test_split(d.images, d.target, test_size=0.25, stratify=d.target, random_state=cfg.seed)
    mean, std = xtr.mean(), xtr.std()
    prep = lambda a: torch.tensor((a - mean) / std, dtype=torch.float32).unsqueeze(1)
    xtr, xte = prep(xtr), prep(xte)
    ytr, yte = torch.tensor(ytr), torch.tensor(yte)
    # one label in ten is available to the probe
    few, _ = train_test_split(np.arange(len(ytr)), train_size=130, stratify=ytr.numpy(), random_state=cfg.seed)

    model = MoCo(cfg)
    before = linear_probe(model.query.trunk, xtr[few], ytr[few], xte, yte, cfg.probe_steps)
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=cfg.lr, weight_decay=1e-3)
    per_epoch = len(xtr) // cfg.batch
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs * per_epoch)
    for epoch in range(cfg.epochs):
        model.train()
        perm, total = torch.randperm(len(xtr)), 0.0
        for i in range(per_epoch):
            x = xtr[perm[i * cfg.batch:(i + 1) * cfg.batch]]
            loss = model(augment(x, gen), augment(x, gen))
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            model.ema_update()
            total += loss.item()
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:3d}  contrastive loss {total / per_epoch:.4f}")
    after = linear_probe(model.query.trunk, xtr[few], ytr[few], xte, yte, cfg.probe_steps)
    print(f"linear probe on 130 labels: random trunk {before:.3f}, pre-trained trunk {after:.3f}")


if __name__ == "__main__":
    main()
