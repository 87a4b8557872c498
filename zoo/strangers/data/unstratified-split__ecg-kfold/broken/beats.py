"""Synthetic single-lead heartbeats (AAMI-like groups) and the cross-validation folds."""
import numpy as np
import torch
from sklearn.model_selection import KFold
from torch.utils.data import Dataset

# (centre, width, amplitude) of the P, Q, R, S and T waves
TEMPLATES = {
    "N": [(0.25, 0.025, 0.18), (0.42, 0.010, -0.14), (0.45, 0.012, 1.00), (0.48, 0.012, -0.25), (0.68, 0.045, 0.30)],
    "S": [(0.17, 0.018, 0.26), (0.36, 0.010, -0.14), (0.39, 0.012, 0.95), (0.42, 0.012, -0.25), (0.62, 0.045, 0.30)],
    "V": [(0.25, 0.025, 0.00), (0.38, 0.030, -0.25), (0.45, 0.045, 1.05), (0.55, 0.035, -0.45), (0.74, 0.055, -0.30)],
    "F": [(0.25, 0.025, 0.12), (0.40, 0.018, -0.18), (0.45, 0.026, 1.00), (0.51, 0.020, -0.35), (0.70, 0.050, 0.02)],
    "Q": [(0.22, 0.006, 0.60), (0.42, 0.020, -0.20), (0.45, 0.034, 0.85), (0.52, 0.025, -0.20), (0.72, 0.050, 0.25)],
}
CLASSES = list(TEMPLATES)


def synth_beat(kind, cfg, rng):
    t = np.linspace(0, 1, cfg.length)
    x = np.zeros_like(t)
    shift = rng.normal(0, 0.015)
    for mu, width, amp in TEMPLATES[kind]:
        mu = mu + shift + rng.normal(0, 0.008)
        width = width * np.exp(rng.normal(0, 0.15))
        x += amp * (1 + rng.normal(0, 0.15)) * np.exp(-0.5 * ((t - mu) / width) ** 2)
    x += 0.15 * np.sin(2 * np.pi * (rng.uniform(0.3, 1.0) * t + rng.uniform()))
    return x * np.exp(rng.normal(0, 0.1)) + cfg.noise * rng.standard_normal(cfg.length)


def load_corpus(cfg, seed):
    """Reads the corpus group by group, the way it is stored on disk."""
    rng = np.random.default_rng(seed)
    signals, labels = [], []
    for kind, n in cfg.counts.items():
        signals += [synth_beat(kind, cfg, rng) for _ in range(n)]
        labels += [CLASSES.index(kind)] * n
    return np.stack(signals).astype(np.float32), np.asarray(labels)


def make_folds(y, n_folds, seed):
    splitter = KFold(n_splits=n_folds)
    for train_idx, test_idx in splitter.split(np.zeros(len(y)), y):
        yield train_idx, test_idx


class BeatDataset(Dataset):
    def __init__(self, x, y, mean, std):
        self.x = torch.from_numpy((x - mean) / std).unsqueeze(1)
        self.y = torch.from_numpy(y).long()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]
