"""Synthetic 16x16 leaf scans with four kinds of markings."""
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

KINDS = ["healthy", "rust", "mildew", "miner"]


def _scan(kind, rng):
    yy, xx = np.mgrid[0:16, 0:16]
    img = 0.5 + 0.15 * np.sin((xx + rng.uniform(0, 6)) / rng.uniform(2, 4)) * rng.uniform(0.3, 1)
    if kind == 1:  # small dark dots
        for _ in range(rng.integers(4, 8)):
            r, c = rng.integers(1, 15, 2)
            img[r, c] -= 0.5
    elif kind == 2:  # one broad pale blotch
        r, c = rng.integers(4, 12, 2)
        img += 0.45 * np.exp(-((yy - r) ** 2 + (xx - c) ** 2) / 12.0)
    elif kind == 3:  # a winding dark track
        r = rng.integers(3, 13)
        for c in range(2, 14):
            r = int(np.clip(r + rng.integers(-1, 2), 0, 15))
            img[r, c] -= 0.35
    return img + rng.normal(0, 0.08, img.shape)


def _make(n, rng):
    y = rng.permutation(np.arange(n) % len(KINDS))
    x = np.stack([_scan(k, rng) for k in y])
    return torch.tensor(x, dtype=torch.float32).unsqueeze(1), torch.tensor(y)


def loaders(batch_size, seed):
    rng = np.random.default_rng(seed)
    (xtr, ytr), (xva, yva), (xte, yte) = _make(1600, rng), _make(400, rng), _make(600, rng)
    mu, sd = xtr.mean(), xtr.std()
    g = torch.Generator().manual_seed(seed)
    train = DataLoader(TensorDataset((xtr - mu) / sd, ytr), batch_size, shuffle=True, generator=g)
    valid = DataLoader(TensorDataset((xva - mu) / sd, yva), 200)
    test = DataLoader(TensorDataset((xte - mu) / sd, yte), 200)
    return train, valid, test
