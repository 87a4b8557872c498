"""Random sensor fields: a smooth background plus a local offset per sensor.

The task is to tell which sensors read above their surroundings.
"""
from dataclasses import dataclass

import numpy as np
import torch


@dataclass
class Graph:
    x: torch.Tensor
    y: torch.Tensor
    adj: torch.Tensor  # row-normalised, sparse
    train: torch.Tensor
    val: torch.Tensor
    test: torch.Tensor


def _knn(points, k):
    d = ((points[:, None, :] - points[None, :, :]) ** 2).sum(-1)
    np.fill_diagonal(d, np.inf)
    return np.argsort(d, axis=1)[:, :k]


def make_graph(cfg):
    rng = np.random.default_rng(cfg.seed)
    pts = rng.uniform(0, 1, (cfg.nodes, 2))
    offset = rng.standard_normal(cfg.nodes) * 0.5
    x = np.empty((cfg.nodes, cfg.channels))
    for c in range(cfg.channels):
        a, b, p = rng.uniform(3, 7), rng.uniform(3, 7), rng.uniform(0, 6.28)
        field = np.sin(a * pts[:, 0] + b * pts[:, 1] + p) * 1.5
        x[:, c] = field + offset + 0.15 * rng.standard_normal(cfg.nodes)
    y = (offset > 0).astype(np.int64)

    nbr = _knn(pts, cfg.neighbours)
    rows = np.repeat(np.arange(cfg.nodes), cfg.neighbours)
    idx = torch.tensor(np.stack([rows, nbr.reshape(-1)]))
    val = torch.full((idx.shape[1],), 1.0 / cfg.neighbours)
    adj = torch.sparse_coo_tensor(idx, val, (cfg.nodes, cfg.nodes), check_invariants=True).coalesce()

    order = rng.permutation(cfg.nodes)
    a, b = int(0.6 * cfg.nodes), int(0.8 * cfg.nodes)
    tr, va, te = (torch.tensor(o) for o in (order[:a], order[a:b], order[b:]))
    mu, sd = x[order[:a]].mean(0), x[order[:a]].std(0)
    return Graph(torch.tensor((x - mu) / sd, dtype=torch.float32), torch.tensor(y), adj, tr, va, te)
