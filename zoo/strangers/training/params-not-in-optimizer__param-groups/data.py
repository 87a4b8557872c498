from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass
class Ratings:
    user: Tensor
    item: Tensor
    score: Tensor

    def __len__(self) -> int:
        return len(self.score)

    def take(self, idx: Tensor) -> "Ratings":
        return Ratings(self.user[idx], self.item[idx], self.score[idx])


def simulate_ratings(n_users: int, n_items: int, per_user: int, seed: int) -> Ratings:
    """Every user rates `per_user` distinct items; score is standardised affinity plus noise."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(n_users, 3))
    q = rng.normal(size=(n_items, 3))
    users = np.repeat(np.arange(n_users), per_user)
    items = np.concatenate([rng.choice(n_items, per_user, replace=False) for _ in range(n_users)])
    raw = (p[users] * q[items]).sum(1) / np.sqrt(3) + 0.2 * rng.normal(size=len(users))
    order = rng.permutation(len(users))
    as_t = lambda a, dt: torch.as_tensor(a[order], dtype=dt)
    return Ratings(as_t(users, torch.long), as_t(items, torch.long), as_t(raw, torch.float32))


def split(r: Ratings, val: float, test: float) -> tuple[Ratings, Ratings, Ratings]:
    n = len(r)
    a, b = int(n * (1 - val - test)), int(n * (1 - test))
    idx = torch.arange(n)
    return r.take(idx[:a]), r.take(idx[a:b]), r.take(idx[b:])


def batches(r: Ratings, size: int, generator: torch.Generator | None = None):
    order = torch.randperm(len(r), generator=generator) if generator is not None else torch.arange(len(r))
    for chunk in order.split(size):
        yield r.take(chunk)
