"""Toy jets: light quark, gluon and boosted W, as padded lists of constituents (log pT, d_eta, d_phi, log dR)."""
import numpy as np
import torch

MAX_CONSTITUENTS = 32
NAMES = ["quark", "gluon", "W"]


def shower(kind, rng):
    if kind == 0:
        n, width, alpha = rng.poisson(13), 0.075, 0.9
    elif kind == 1:
        n, width, alpha = rng.poisson(19), 0.115, 1.3
    else:
        n, width, alpha = rng.poisson(16), 0.055, 1.0
    n = int(np.clip(n, 4, MAX_CONSTITUENTS))
    z = rng.dirichlet(np.full(n, alpha * 0.7))
    pt = rng.uniform(350, 450) * z + 0.3
    core = rng.standard_t(4, (n, 2)) * width * rng.lognormal(0, 0.25)
    if kind == 2:
        half = 0.5 * rng.uniform(0.3, 0.5)
        phi = rng.uniform(0, np.pi)
        axis = np.array([np.cos(phi), np.sin(phi)]) * half
        core += np.where(rng.random(n)[:, None] < rng.uniform(0.35, 0.65), axis, -axis)
    core -= (pt[:, None] * core).sum(0) / pt.sum()
    order = np.argsort(-pt)
    return pt[order], core[order]


def generate(n, rng):
    x = np.zeros((n, MAX_CONSTITUENTS, 4), dtype=np.float32)
    mask = np.zeros((n, MAX_CONSTITUENTS), dtype=np.float32)
    y = rng.integers(0, len(NAMES), n)
    for i, kind in enumerate(y):
        pt, d = shower(kind, rng)
        k = len(pt)
        x[i, :k, 0] = np.log(pt)
        x[i, :k, 1:3] = d
        x[i, :k, 3] = np.log(np.hypot(d[:, 0], d[:, 1]) + 1e-3)
        mask[i, :k] = 1.0
    return x, mask, y


class Jets:
    """Holds the splits; constituents are standardised with the training jets' moments (padding left out)."""

    def __init__(self, sizes, seed):
        rng = np.random.default_rng(seed)
        raw = {name: generate(n, rng) for name, n in sizes.items()}
        x, m, _ = raw["train"]
        real = x[m > 0]
        mu, sd = real.mean(0), real.std(0)
        self.parts = {
            name: (torch.from_numpy((x - mu) / sd * m[..., None]), torch.from_numpy(m), torch.from_numpy(y))
            for name, (x, m, y) in raw.items()
        }

    def batches(self, part, size, generator=None):
        x, m, y = self.parts[part]
        order = torch.arange(len(y)) if generator is None else torch.randperm(len(y), generator=generator)
        for pick in order.split(size):
            yield x[pick], m[pick], y[pick]
