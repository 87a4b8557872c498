"""Simulated motor-imagery trials: left/right hand shows as mu-rhythm suppression over C4 or C3."""
import numpy as np
import torch
from torch.utils.data import TensorDataset

CHANNELS, SAMPLES, FS = 8, 160, 80.0
C3, C4 = 2, 5
SLIPS = 0.15  # share of trials in which the subject imagined the other hand than the cue asked for


def simulate_trials(n, rng):
    t = np.arange(SAMPLES) / FS
    cue = rng.integers(0, 2, size=n)
    hand = np.where(rng.random(n) < SLIPS, 1 - cue, cue)
    white = rng.normal(size=(n, CHANNELS, SAMPLES + 8))
    kernel = np.exp(-np.arange(9) / 3.0)
    kernel /= np.linalg.norm(kernel)
    pink = np.stack([np.apply_along_axis(np.convolve, -1, trial, kernel, "valid") for trial in white])

    strength = rng.gamma(3.0, 0.50, size=n)
    freq = rng.uniform(9.0, 13.0, size=n)
    phase = rng.uniform(0, 2 * np.pi, size=(n, 2))
    drop = rng.uniform(0.0, 0.6, size=n)
    for k, ch in enumerate((C3, C4)):
        suppressed = hand == (1 - k)
        amp = strength * np.where(suppressed, drop, 1.0)
        pink[:, ch] += amp[:, None] * np.sin(2 * np.pi * freq[:, None] * t + phase[:, k, None])
    return pink.astype(np.float32), cue


def build_splits(n_train, n_val, n_test, seed):
    rng = np.random.default_rng(seed)
    x, y = simulate_trials(n_train + n_val + n_test, rng)
    mean = x[:n_train].mean(axis=(0, 2), keepdims=True)
    std = x[:n_train].std(axis=(0, 2), keepdims=True)
    x, y = torch.from_numpy((x - mean) / std), torch.from_numpy(y)
    cuts = [0, n_train, n_train + n_val, n_train + n_val + n_test]
    return [TensorDataset(x[a:b], y[a:b]) for a, b in zip(cuts, cuts[1:])]
