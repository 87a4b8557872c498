import torch
from torch import nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, n_ids, n_cat, n_dense, dim):
        super().__init__()
        self.ident = nn.Embedding(n_ids, dim)
        self.cat = nn.Embedding(n_cat, dim)
        nn.init.normal_(self.ident.weight, std=0.05)
        nn.init.normal_(self.cat.weight, std=0.05)
        self.dense = nn.Linear(n_dense, dim) if n_dense else None
        self.mix = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, ids, cats, dense=None):
        h = self.ident(ids) + self.cat(cats)
        if self.dense is not None:
            h = h + self.dense(dense)
        return F.normalize(h + self.mix(h), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, n_users, n_ages, n_items, n_genres, dim=32, temperature=0.15):
        super().__init__()
        self.user = Tower(n_users, n_ages, 0, dim)
        self.item = Tower(n_items, n_genres, 1, dim)
        self.temperature = temperature

    def in_batch_loss(self, u, i, ids, log_q):
        """Sampled softmax over the batch with logQ correction; repeats of the positive item are masked."""
        logits = u @ i.T / self.temperature - log_q[ids][None, :]
        same = (ids[:, None] == ids[None, :]) & ~torch.eye(len(ids), dtype=torch.bool)
        return F.cross_entropy(logits.masked_fill(same, -1e9), torch.arange(len(ids)))
