"""Synthetic pulse recordings from a wearable.

The study group wore a chest strap as well, so the true beat times are known there; only a
small clinical set carries a rhythm label.
"""
import numpy as np
import torch

LENGTH = 160
FRAME = 4
RHYTHMS = ["regular", "premature", "irregular", "dropped"]


def _beat(t, centre, width):
    return np.exp(-((t - centre) / width) ** 2) - 0.35 * np.exp(-((t - centre - 3.2 * width) / (1.6 * width)) ** 2)


def _record(kind, rng):
    t = np.arange(LENGTH, dtype=np.float64)
    gap = rng.uniform(17, 26)
    width = rng.uniform(1.6, 2.4)
    beats = np.arange(rng.uniform(0, gap) - gap, LENGTH + 2 * gap, gap)
    if kind == 1:
        beats[rng.integers(3, len(beats) - 3)] -= 0.4 * gap
    elif kind == 2:
        beats = np.sort(beats + rng.normal(0, 0.13 * gap, len(beats)))
    elif kind == 3:
        beats = np.delete(beats, rng.integers(3, len(beats) - 3))
    x = sum(_beat(t, c, width) for c in beats) * rng.uniform(0.8, 1.2)
    x = x + 0.4 * np.sin(2 * np.pi * t / rng.uniform(60, 160) + rng.uniform(0, 6))
    frames = np.arange(FRAME / 2, LENGTH, FRAME)
    nxt = np.searchsorted(beats, frames)
    return x + 0.25 * rng.normal(size=LENGTH), beats[nxt] - beats[nxt - 1]


def make_records(n, rng):
    """Signals, rhythm labels and per-frame beat intervals (in samples)."""
    y = rng.integers(0, len(RHYTHMS), n)
    x, gaps = zip(*(_record(k, rng) for k in y))
    to = lambda a, dtype: torch.from_numpy(np.asarray(a, dtype=dtype))
    return to(x, np.float32), to(y, np.int64), to(gaps, np.float32)


class Standardize:
    def fit(self, x):
        self.mean, self.std = x.mean(), x.std()
        return self

    def __call__(self, x):
        return (x - self.mean) / self.std
