"""Non-IID partition of the breast-cancer data over clinics."""
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split


def federate(n_clinics, alpha, seed):
    rng = np.random.default_rng(seed)
    X, y = load_breast_cancer(return_X_y=True)
    X, Xh, y, yh = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    shards = [[] for _ in range(n_clinics)]
    for label in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == label))
        share = rng.dirichlet(np.full(n_clinics, alpha))
        cuts = (np.cumsum(share)[:-1] * len(members)).astype(int)
        for shard, part in zip(shards, np.split(members, cuts)):
            shard.extend(part.tolist())
    clinics = [(X[s].astype(np.float32), y[s].astype(np.float32)) for s in shards if len(s) >= 8]
    return clinics, (Xh.astype(np.float32), yh.astype(np.float32))


def secure_moments(clinics):
    """Pooled mean/std from per-clinic sums: no raw rows leave a clinic."""
    n = sum(len(x) for x, _ in clinics)
    s1 = sum(x.astype(np.float64).sum(0) for x, _ in clinics)
    s2 = sum((x.astype(np.float64) ** 2).sum(0) for x, _ in clinics)
    mu = s1 / n
    return mu.astype(np.float32), np.sqrt(np.maximum(s2 / n - mu**2, 1e-12)).astype(np.float32)
