"""Vibration snippets of four bearing conditions, and the spectrum used as model input."""
import numpy as np

CONDITIONS = ["sound", "inner race", "outer race", "ball"]
FAULT_HZ = [0.0, 31.0, 22.0, 14.0]
N = 256


def record(n, rng):
    t = np.arange(N) / N
    labels = rng.permutation(np.arange(n) % len(CONDITIONS))
    waves = np.empty((n, N), dtype=np.float32)
    for i, c in enumerate(labels):
        gain = rng.lognormal(0.0, 0.6)
        w = 3.0 * np.sin(2 * np.pi * (5 * t + rng.uniform()))
        w += 1.5 * np.sin(2 * np.pi * (10 * t + rng.uniform()))
        if c:
            f = FAULT_HZ[c] + rng.normal(0, 0.7)
            for h in (1, 2, 3):
                w += 0.8 / h * np.sin(2 * np.pi * (h * f * t + rng.uniform()))
        waves[i] = gain * (w + 0.8 * rng.standard_normal(N))
    return waves, labels.astype(np.int64)


def spectrum(waves):
    window = np.hanning(waves.shape[1])
    return np.abs(np.fft.rfft(waves * window, axis=1)).astype(np.float32)


def log_spectrum(waves):
    return np.log1p(spectrum(waves))
