"""Simulated intensive-care stays: hourly vitals and laboratory values, deterioration label."""
import numpy as np
import torch
from torch.utils.data import TensorDataset

CHANNELS = {  # typical level, spread between patients, hourly noise
    "heart_rate": (84.0, 12.0, 4.0),
    "mean_abp": (82.0, 9.0, 4.0),
    "spo2": (96.5, 0.9, 0.5),
    "temperature": (37.0, 0.35, 0.12),
    "platelets": (240.0, 60.0, 12.0),
    "lactate": (1.6, 0.5, 0.15),
}


def simulate(settings, rng):
    n, t = settings.n_stays, settings.hours
    level, between, hourly = (np.array(v) for v in zip(*CHANNELS.values()))
    base = level + between * rng.standard_normal((n, 1, len(level)))
    walk = np.cumsum(rng.standard_normal((n, t, len(level))), axis=1) * 0.4 * hourly
    noise = hourly * rng.standard_normal((n, t, len(level)))
    x = base + walk + noise
    ramp = np.linspace(-1, 1, t)
    drift = rng.standard_normal((n, 3))
    for k, channel in enumerate((2, 3, 5)):
        x[:, :, channel] += drift[:, k:k + 1] * ramp * 2.5 * hourly[channel]
    score = (-1.6 * drift[:, 0] + 1.2 * drift[:, 1] + 1.6 * drift[:, 2]
             + 0.9 * (base[:, 0, 5] - level[5]) / between[5])
    y = score + 0.5 * rng.standard_normal(n) > 0.4
    return x.astype(np.float32), y.astype(np.float32)


class Standardizer:
    def fit(self, x):
        self.mean = x.mean(axis=(0, 1), keepdims=True)
        self.std = x.std(axis=(0, 1), keepdims=True)
        return self

    def __call__(self, x):
        return (x - self.mean) / self.std


def build_splits(settings, seed):
    rng = np.random.default_rng(seed)
    x, y = simulate(settings, rng)
    order = rng.permutation(len(x))
    n_test, n_val = int(settings.test_fraction * len(x)), int(settings.val_fraction * len(x))
    parts = {"test": order[:n_test], "val": order[n_test:n_test + n_val], "train": order[n_test + n_val:]}
    prepare = Standardizer().fit(x[parts["train"]]) if settings.standardize else (lambda a: a)
    return {k: TensorDataset(torch.from_numpy(prepare(x[i])), torch.from_numpy(y[i])) for k, i in parts.items()}
