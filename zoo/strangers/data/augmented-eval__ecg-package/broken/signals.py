"""Synthetic single-lead beats with four rhythm classes."""
import numpy as np

LENGTH = 160
RHYTHMS = ("normal", "wide_qrs", "inverted_t", "early_beat")


def _bump(t, centre, width, height):
    return height * np.exp(-0.5 * ((t - centre) / width) ** 2)


def make_beat(kind, rng):
    t = np.arange(LENGTH) / LENGTH
    j = lambda s=0.012: rng.normal(0, s)
    qrs_w = 0.030 if kind == "wide_qrs" else 0.014
    t_h = -0.28 if kind == "inverted_t" else 0.28
    x = _bump(t, 0.25 + j(), 0.03, 0.2)
    x += _bump(t, 0.42 + j(), qrs_w * rng.uniform(0.85, 1.15), rng.uniform(0.8, 1.2))
    x += _bump(t, 0.65 + j(), 0.05, t_h * rng.uniform(0.6, 1.3))
    if kind == "early_beat":
        x += _bump(t, 0.85 + j(0.03), 0.016, rng.uniform(0.4, 0.9))
    return x + rng.normal(0, 0.08, LENGTH)


def build(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(RHYTHMS), n)
    x = np.stack([make_beat(RHYTHMS[k], rng) for k in y]).astype(np.float32)
    return x, y.astype(np.int64)
