import logging
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("mf")


@dataclass
class Config:
    users: int = 300
    items: int = 200
    rank: int = 8
    ratings: int = 30000
    batch: int = 64
    epochs: int = 4
    lr: float = 4.0
    gamma: float = 0.25
    seed: int = 3


def make_ratings(cfg):
    rng = np.random.default_rng(cfg.seed)
    taste = rng.normal(size=(cfg.users, 4))
    traits = rng.normal(size=(cfg.items, 4))
    pairs = rng.choice(cfg.users * cfg.items, size=cfg.ratings, replace=False)
    u, i = pairs // cfg.items, pairs % cfg.items
    score = (taste[u] * traits[i]).sum(1) / 2.0
    score = score + 0.2 * rng.normal(size=len(score))
    return torch.as_tensor(u), torch.as_tensor(i), torch.as_tensor(score, dtype=torch.float32)


class Factorization(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.user = nn.Embedding(cfg.users, cfg.rank)
        self.item = nn.Embedding(cfg.items, cfg.rank)
        self.user_bias = nn.Embedding(cfg.users, 1)
        self.item_bias = nn.Embedding(cfg.items, 1)
        for emb in (self.user, self.item):
            nn.init.normal_(emb.weight, std=0.3)
        for emb in (self.user_bias, self.item_bias):
            nn.init.zeros_(emb.weight)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(-1)
        return dot + self.user_bias(u).squeeze(-1) + self.item_bias(i).squeeze(-1)


def rmse(model, data):
    model.eval()
    with torch.no_grad():
        u, i, r = data
        return (model(u, i) - r).pow(2).mean().sqrt().item()


def train(cfg):
    torch.manual_seed(cfg.seed)
    u, i, r = make_ratings(cfg)
    order = torch.randperm(len(r))
    n_test, n_val = len(r) // 10, len(r) // 10
    te, va, tr = order[:n_test], order[n_test:n_test + n_val], order[n_test + n_val:]
    mean = r[tr].mean()
    r = r - mean

    model = Factorization(cfg)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=cfg.gamma)

    for epoch in range(cfg.epochs):
        scheduler.step()
        model.train()
        running = 0.0
        shuffled = tr[torch.randperm(len(tr))]
        for idx in shuffled.split(cfg.batch):
            optimizer.zero_grad()
            loss = criterion(model(u[idx], i[idx]), r[idx])
            loss.backward()
            optimizer.step()
            running += loss.item() * len(idx)
        log.info("epoch %d  train mse %.4f  val rmse %.4f", epoch + 1, running / len(tr),
                 rmse(model, (u[va], i[va], r[va])))
    baseline = r[te].pow(2).mean().sqrt().item()
    log.info("test rmse %.4f  (global mean baseline %.4f)", rmse(model, (u[te], i[te], r[te])), baseline)


if __name__ == "__main__":
    train(Config())
