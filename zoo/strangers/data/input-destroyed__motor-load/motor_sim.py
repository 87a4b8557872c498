"""Simulated phase-current windows of an induction motor at different shaft loads."""
import numpy as np

FS = 1600
LENGTH = 128


def current_window(load, rng):
    t = np.arange(LENGTH) / FS
    amp = 4.0 + 9.0 * load
    freq = rng.normal(50, 0.3)
    phase = rng.uniform(0, 2 * np.pi)
    wave = np.sin(2 * np.pi * freq * t + phase) + 0.12 * np.sin(10 * np.pi * freq * t + rng.uniform(0, 6.28))
    wave = wave + rng.normal(0, 0.15, LENGTH)
    return amp * rng.normal(1.0, 0.03) * wave


def collect(n, seed):
    rng = np.random.default_rng(seed)
    load = rng.uniform(0.0, 1.0, n)
    x = np.stack([current_window(v, rng) for v in load])
    return x.astype(np.float32), load.astype(np.float32)
