"""Two-tower retrieval with in-batch negatives: sparse embedding tables and dense towers have their own optimizers."""
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Hyper:
    n_users: int = 600
    n_items: int = 300
    n_groups: int = 12
    per_user: int = 24
    dim: int = 12
    temperature: float = 0.1
    batch: int = 128
    epochs: int = 8
    seed: int = 1234


def interactions(h: Hyper):
    """Each user likes two item groups; item popularity is uniform inside a group."""
    rng = np.random.default_rng(h.seed)
    group_of_item = np.arange(h.n_items) % h.n_groups
    train, held_out = [], []
    for u in range(h.n_users):
        liked = rng.choice(h.n_groups, size=2, replace=False)
        pool = np.flatnonzero(np.isin(group_of_item, liked))
        items = rng.choice(pool, size=h.per_user, replace=False)
        train += [(u, i) for i in items[2:]]
        held_out.append(items[:2])
    return torch.tensor(np.array(train)), torch.tensor(np.array(held_out))


class Tower(nn.Module):
    def __init__(self, n: int, dim: int):
        super().__init__()
        self.table = nn.Embedding(n, dim, sparse=True)
        nn.init.normal_(self.table.weight, std=0.1)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, ids):
        e = self.table(ids)
        return F.normalize(e + self.mlp(e), dim=-1)


@contextmanager
def evaluating(*modules):
    for m in modules:
        m.eval()
    with torch.no_grad():
        yield
    for m in modules:
        m.train()


def recall_at(k, users, items, train_pairs, held_out):
    n_users, n_items = len(held_out), items.table.num_embeddings
    with evaluating(users, items):
        scores = users(torch.arange(n_users)) @ items(torch.arange(n_items)).T
        scores[train_pairs[:, 0], train_pairs[:, 1]] = -torch.inf
        top = scores.topk(k, dim=1).indices
    return (top.unsqueeze(2) == held_out.unsqueeze(1)).any(dim=1).float().mean().item()


def main():
    h = Hyper()
    torch.manual_seed(h.seed)
    pairs, held_out = interactions(h)
    valid, test = held_out[:, :1], held_out[:, 1:]
    users, items = Tower(h.n_users, h.dim), Tower(h.n_items, h.dim)
    opt_sparse = torch.optim.SparseAdam([users.table.weight, items.table.weight], lr=1e-2)
    opt_dense = torch.optim.AdamW([*users.mlp.parameters(), *items.mlp.parameters()], lr=2e-3)

    for epoch in range(h.epochs):
        total, n = 0.0, 0
        for rows in torch.randperm(len(pairs)).split(h.batch):
            u, i = pairs[rows].unbind(1)
            logits = users(u) @ items(i).T / h.temperature
            collision = (i.unsqueeze(0) == i.unsqueeze(1)) & ~torch.eye(len(i), dtype=torch.bool)
            logits = logits.masked_fill(collision, -1e9)
            loss = F.cross_entropy(logits, torch.arange(len(u)))
            for opt in (opt_sparse, opt_dense):
                opt.zero_grad()
            loss.backward()
            for opt in (opt_sparse, opt_dense):
                opt.step()
            total, n = total + loss.item() * len(u), n + len(u)
        print(f"epoch {epoch:2d}  loss {total / n:.4f}  valid recall@30 {recall_at(30, users, items, pairs, valid):.3f}")
    print(f"test recall@30 {recall_at(30, users, items, pairs, test):.3f}  (random: {30 / (h.n_items - h.per_user + 2):.3f})")


if __name__ == "__main__":
    main()
