"""Implicit-feedback recommender: sparse embedding tables under SparseAdam, the scoring tower under AdamW."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    users: int = 400
    items: int = 300
    dim: int = 16
    batch: int = 256
    negatives: int = 4
    epochs: int = 20
    emb_lr: float = 5e-3
    tower_lr: float = 2e-3
    seed: int = 13


class TwoPart(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.user = nn.Embedding(cfg.users, cfg.dim, sparse=True)
        self.item = nn.Embedding(cfg.items, cfg.dim, sparse=True)
        for table in (self.user, self.item):
            nn.init.normal_(table.weight, std=0.3)
        self.tower = nn.Sequential(nn.Linear(3 * cfg.dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, u, i):
        a, b = self.user(u), self.item(i)
        return (a * b).sum(-1) + self.tower(torch.cat([a, b, a * b], dim=-1)).squeeze(-1)


def interactions(cfg, per_user=40):
    rng = np.random.default_rng(cfg.seed)
    taste = rng.normal(size=(cfg.users, 5))
    trait = rng.normal(size=(cfg.items, 5))
    utility = 1.6 * taste @ trait.T + rng.gumbel(size=(cfg.users, cfg.items))
    top = np.argsort(-utility, axis=1)[:, :per_user]
    top = rng.permuted(top, axis=1)
    train, val, test = top[:, :-2], top[:, -2], top[:, -1]
    users = np.repeat(np.arange(cfg.users), train.shape[1])
    return (torch.from_numpy(users), torch.from_numpy(train.reshape(-1)),
            torch.from_numpy(val.copy()), torch.from_numpy(test.copy()), torch.from_numpy(train.copy()))


@torch.no_grad()
def hit_rate(model, cfg, target, history, k=20):
    model.eval()
    hits = 0
    for rows in torch.arange(cfg.users).split(100):
        u = rows.repeat_interleave(cfg.items)
        i = torch.arange(cfg.items).repeat(len(rows))
        scores = model(u, i).view(len(rows), cfg.items)
        scores.scatter_(1, history[rows], float("-inf"))
        top = scores.topk(k, dim=1).indices
        hits += (top == target[rows].unsqueeze(1)).any(1).sum().item()
    return hits / cfg.users


def main(cfg=Config()):
    torch.manual_seed(cfg.seed)
    users, items, val, test, history = interactions(cfg)
    liked = torch.zeros(cfg.users, cfg.items, dtype=torch.bool)
    liked[users, items] = True
    model = TwoPart(cfg)
    emb_opt = torch.optim.SparseAdam([model.user.weight, model.item.weight], lr=cfg.emb_lr)
    tower_opt = torch.optim.AdamW(model.tower.parameters(), lr=cfg.tower_lr, weight_decay=1e-2)
    for epoch in range(cfg.epochs):
        model.train()
        total = weight = 0.0
        for idx in torch.randperm(len(users)).split(cfg.batch):
            u, pos = users[idx], items[idx]
            neg = torch.randint(0, cfg.items, (len(idx), cfg.negatives))
            uu = u.unsqueeze(1).expand_as(neg)
            keep = ~liked[uu, neg]
            margin = model(u, pos).unsqueeze(1) - model(uu, neg)
            loss = F.softplus(-margin)[keep].mean()
            emb_opt.zero_grad()
            tower_opt.zero_grad()
            loss.backward()
            emb_opt.step()
            tower_opt.step()
            n = keep.sum().item()
            total += loss.item() * n
            weight += n
        print(f"epoch {epoch} bpr loss {total / weight:.4f} val hit@20 {hit_rate(model, cfg, val, history):.3f}")
    print(f"test hit@20 {hit_rate(model, cfg, test, history):.3f}  random {20 / (cfg.items - history.shape[1]):.3f}")


if __name__ == "__main__":
    main()
