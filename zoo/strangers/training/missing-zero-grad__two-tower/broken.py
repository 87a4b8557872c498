"""Two-tower rating model on a synthetic marketplace (users x sellers)."""
import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

SEED = 7


def seed_all(s):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


def make_ratings(n_users=300, n_items=200, n=30000, k=4, rng=None):
    u_lat = rng.normal(size=(n_users, k)) / math.sqrt(k)
    i_lat = rng.normal(size=(n_items, k))
    u_bias = 0.3 * rng.normal(size=n_users)
    i_bias = 0.4 * rng.normal(size=n_items)
    flat = rng.choice(n_users * n_items, size=n, replace=False)
    u, i = flat // n_items, flat % n_items
    r = 3.2 + u_bias[u] + i_bias[i] + (u_lat[u] * i_lat[i]).sum(1) + 0.25 * rng.normal(size=n)
    return u, i, np.clip(r, 0.5, 5.5).astype(np.float32)


class Tower(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.table = nn.Embedding(n, dim)
        nn.init.normal_(self.table.weight, std=0.1)

    def forward(self, idx):
        return self.table(idx)


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, dim=16):
        super().__init__()
        self.user = Tower(n_users, dim)
        self.item = Tower(n_items, dim)
        self.scorer = nn.Sequential(
            nn.Linear(3 * dim, 64), nn.ReLU(), nn.Linear(64, 1)
        )

    def forward(self, u, i):
        a, b = self.user(u), self.item(i)
        return self.scorer(torch.cat([a, b, a * b], dim=1)).squeeze(1)

    def embedding_parameters(self):
        return [*self.user.parameters(), *self.item.parameters()]


class Fitter:
    def __init__(self, model, mean_rating, lr_emb=5e-3, lr_net=2e-3):
        self.model = model
        self.mean = mean_rating
        self.opt_emb = torch.optim.Adam(model.embedding_parameters(), lr=lr_emb, weight_decay=1e-5)
        self.opt_net = torch.optim.AdamW(model.scorer.parameters(), lr=lr_net, weight_decay=1e-3)
        self.history = []

    def _update(self, u, i, r):
        pred = self.model(u, i) + self.mean
        loss = F.mse_loss(pred, r)
        self.opt_net.zero_grad()
        loss.backward()
        self.opt_emb.step()
        self.opt_net.step()
        return loss.item() * len(r)

    @torch.no_grad()
    def rmse(self, loader):
        self.model.eval()
        se, n = 0.0, 0
        for u, i, r in loader:
            se += ((self.model(u, i) + self.mean - r) ** 2).sum().item()
            n += len(r)
        return math.sqrt(se / n)

    def fit(self, train, val, epochs):
        for ep in range(1, epochs + 1):
            self.model.train()
            tot = sum(self._update(*b) for b in train)
            row = (ep, math.sqrt(tot / len(train.dataset)), self.rmse(val))
            self.history.append(row)
            print("epoch %02d  train rmse %.3f  val rmse %.3f" % row)


def main():
    seed_all(SEED)
    rng = np.random.default_rng(SEED)
    u, i, r = make_ratings(rng=rng)
    order = rng.permutation(len(r))
    cuts = np.split(order, [24000, 27000])
    sets = [
        TensorDataset(torch.as_tensor(u[c]), torch.as_tensor(i[c]), torch.as_tensor(r[c]))
        for c in cuts
    ]
    train = DataLoader(sets[0], batch_size=256, shuffle=True)
    val, test = (DataLoader(s, batch_size=1024) for s in sets[1:])
    mean_rating = float(r[cuts[0]].mean())
    print("std of ratings: %.3f" % r[cuts[0]].std())

    fitter = Fitter(TwoTower(300, 200), mean_rating)
    fitter.fit(train, val, epochs=10)
    print("test rmse %.3f" % fitter.rmse(test))


if __name__ == "__main__":
    main()
