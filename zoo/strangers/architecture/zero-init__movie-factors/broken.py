"""Biased matrix factorisation for explicit ratings (Koren et al. 2009) in plain PyTorch.

Ratings come from a small simulated catalogue so that the script has no dependencies.
"""
import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_users: int = 600
    n_items: int = 300
    rank_true: int = 4
    density: float = 0.16
    dim: int = 12
    lr: float = 1e-2
    weight_decay: float = 2e-4
    batch_size: int = 512
    epochs: int = 16
    seed: int = 11


def simulate_ratings(cfg):
    rng = np.random.default_rng(cfg.seed)
    taste = rng.normal(size=(cfg.n_users, cfg.rank_true))
    style = rng.normal(size=(cfg.n_items, cfg.rank_true))
    generosity = 0.35 * rng.normal(size=(cfg.n_users, 1))
    quality = 0.40 * rng.normal(size=(1, cfg.n_items))
    affinity = 0.48 * taste @ style.T
    noise = 0.30 * rng.normal(size=affinity.shape)
    full = np.clip(3.4 + generosity + quality + affinity + noise, 0.5, 5.5)
    seen = rng.random(affinity.shape) < cfg.density
    users, items = np.nonzero(seen)
    return users, items, full[users, items].astype("float32")


def split(users, items, ratings, seed):
    order = np.random.default_rng(seed + 1).permutation(len(ratings))
    n_test, n_val = int(0.15 * len(order)), int(0.10 * len(order))
    parts = order[n_test + n_val:], order[n_test:n_test + n_val], order[:n_test]
    return [TensorDataset(torch.as_tensor(users[p]), torch.as_tensor(items[p]),
                          torch.as_tensor(ratings[p])) for p in parts]


class BiasedMF(nn.Module):
    def __init__(self, n_users, n_items, dim, global_mean):
        super().__init__()
        self.user_vec = nn.Embedding(n_users, dim)
        self.item_vec = nn.Embedding(n_items, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.register_buffer("mu", torch.tensor(float(global_mean)))
        self.reset_parameters()

    def reset_parameters(self):
        for table in self.children():
            nn.init.zeros_(table.weight)

    def forward(self, u, i):
        interaction = (self.user_vec(u) * self.item_vec(i)).sum(-1)
        return self.mu + self.user_bias(u).squeeze(-1) + self.item_bias(i).squeeze(-1) + interaction


@torch.no_grad()
def rmse(model, loader):
    model.eval()
    se, n = 0.0, 0
    for u, i, r in loader:
        se += (model(u, i) - r).pow(2).sum().item()
        n += r.numel()
    return math.sqrt(se / n)


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    train_set, val_set, test_set = split(*simulate_ratings(cfg), cfg.seed)
    train_loader = DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=4096)
    test_loader = DataLoader(test_set, batch_size=4096)

    train_ratings = train_set.tensors[2]
    print(f"{len(train_set)} train / {len(val_set)} val / {len(test_set)} test ratings, "
          f"mean {train_ratings.mean():.3f} std {train_ratings.std():.3f}")

    model = BiasedMF(cfg.n_users, cfg.n_items, cfg.dim, train_ratings.mean())
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    loss_fn = nn.MSELoss()

    for epoch in range(1, cfg.epochs + 1):
        model.train()
        total = 0.0
        for u, i, r in train_loader:
            loss = loss_fn(model(u, i), r)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * r.numel()
        print(f"epoch {epoch:2d}  train mse {total / len(train_set):.4f}  val rmse {rmse(model, val_loader):.4f}")

    print(f"test rmse {rmse(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
