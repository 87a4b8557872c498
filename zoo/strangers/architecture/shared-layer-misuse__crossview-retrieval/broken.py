"""Cross-modal patch retrieval: match a visible-light patch to its thermal counterpart.

A siamese encoder embeds both modalities; training uses a symmetric InfoNCE loss, testing recall@k.
"""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    size: int = 24
    n_train: int = 2400
    n_test: int = 200
    batch_size: int = 64
    epochs: int = 12
    lr: float = 2e-3
    weight_decay: float = 1e-4
    temperature: float = 0.1
    embed_dim: int = 64
    seed: int = 0


def make_scene(rng, size):
    """A few warm and cold objects with outlines; returns (visible, thermal)."""
    yy, xx = np.mgrid[0:size, 0:size] / size
    vis = np.full((size, size), 0.35)
    heat = np.full((size, size), 0.75)
    for _ in range(rng.integers(3, 6)):
        cx, cy = rng.uniform(0.1, 0.9, 2)
        a, b, th = rng.uniform(0.06, 0.22), rng.uniform(0.06, 0.22), rng.uniform(0, np.pi)
        u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
        v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
        soft = 1 / (1 + np.exp(18 * ((u / a) ** 2 + (v / b) ** 2 - 1).clip(-2, 2)))
        level = rng.uniform(0.3, 1.0)
        vis = vis * (1 - soft) + level * soft
        heat = heat * (1 - soft) + (1.6 - 0.5 * level) * soft
    vis = vis + rng.normal(0, 0.04, vis.shape)
    heat = heat + rng.normal(0, 0.04, heat.shape)
    return vis.astype(np.float32), heat.astype(np.float32)


class PairedPatches(Dataset):
    def __init__(self, n, size, rng, stats=None):
        scenes = [make_scene(rng, size) for _ in range(n)]
        vis = torch.from_numpy(np.stack([s[0] for s in scenes])).unsqueeze(1)
        heat = torch.from_numpy(np.stack([s[1] for s in scenes])).unsqueeze(1)
        if stats is None:
            both = torch.cat([vis, heat])
            stats = (both.mean(), both.std())
        self.stats = stats
        self.vis, self.heat = (vis - stats[0]) / stats[1], (heat - stats[0]) / stats[1]

    def __len__(self):
        return len(self.vis)

    def __getitem__(self, i):
        return self.vis[i], self.heat[i]


class Encoder(nn.Module):
    def __init__(self, dim, width=16):
        super().__init__()
        layers, cin = [], 1
        for cout in (width, 2 * width, 4 * width):
            layers += [nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(),
                       nn.MaxPool2d(2)]
            cin = cout
        self.conv = nn.Sequential(*layers)
        self.proj = nn.Sequential(nn.Flatten(), nn.Linear(cin * 9, 128, bias=False), nn.BatchNorm1d(128), nn.ReLU(),
                                  nn.Linear(128, dim))

    def forward(self, x):
        return F.normalize(self.proj(self.conv(x)), dim=-1)


class SiameseMatcher(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = Encoder(cfg.embed_dim)
        self.temperature = cfg.temperature

    def embed(self, x):
        return self.encoder(x)

    def forward(self, vis, heat):
        za, zb = self.embed(vis), self.embed(heat)
        logits = za @ zb.t() / self.temperature
        target = torch.arange(len(logits), device=logits.device)
        return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


@torch.no_grad()
def recall(model, dataset, ks=(1, 5)):
    model.eval()
    vis, heat = zip(*(map(model.embed, batch) for batch in DataLoader(dataset, 100)))
    sim = torch.cat(vis) @ torch.cat(heat).t()
    rank = (sim > sim.diag().unsqueeze(1)).sum(1)
    return {k: (rank < k).float().mean().item() for k in ks}


def train(cfg):
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train_set = PairedPatches(cfg.n_train, cfg.size, rng)
    test_set = PairedPatches(cfg.n_test, cfg.size, rng, stats=train_set.stats)
    loader = DataLoader(train_set, cfg.batch_size, shuffle=True, drop_last=True)
    model = SiameseMatcher(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, total_steps=cfg.epochs * len(loader))
    for epoch in range(cfg.epochs):
        model.train()
        losses = []
        for vis, heat in loader:
            opt.zero_grad(set_to_none=True)
            loss = model(vis, heat)
            loss.backward()
            opt.step()
            sched.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1:2d}/{cfg.epochs}  info-nce {np.mean(losses):.4f}")
    r = recall(model, test_set)
    print(f"test recall@1 {r[1]:.3f}  recall@5 {r[5]:.3f}  (gallery of {cfg.n_test})")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--epochs", type=int, default=Config.epochs)
    a = p.parse_args()
    train(Config(seed=a.seed, epochs=a.epochs))
