"""Synthetic radio bursts: which of six modulations produced this noisy I/Q window?"""
import numpy as np

NAMES = ["tone", "bpsk", "qpsk", "fsk", "chirp", "am"]
LENGTH = 64


def _symbols(rng, values, n, per):
    return np.repeat(rng.choice(values, size=(n, LENGTH // per)), per, axis=1)


def make_bursts(n, seed, noise=0.35):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(NAMES), size=n)
    t = np.arange(LENGTH)[None, :]
    freq = rng.uniform(0.02, 0.06, size=(n, 1))
    phase0 = rng.uniform(-0.4, 0.4, size=(n, 1))
    carrier = 2 * np.pi * freq * t + phase0
    amp = np.ones((n, LENGTH))
    phase = carrier.copy()

    phase += np.where(y[:, None] == 1, _symbols(rng, [0.0, np.pi], n, 8), 0.0)
    phase += np.where(y[:, None] == 2, _symbols(rng, np.pi / 4 * np.array([1, 3, 5, 7]), n, 8), 0.0)
    steps = _symbols(rng, [-0.35, 0.35], n, 8)
    phase += np.where(y[:, None] == 3, np.cumsum(steps, axis=1), 0.0)
    phase += np.where(y[:, None] == 4, 0.006 * t ** 2, 0.0)
    amp = np.where(y[:, None] == 5, 1 + 0.7 * np.sin(2 * np.pi * t / 16), amp)

    iq = np.stack([amp * np.cos(phase), amp * np.sin(phase)], axis=1)
    iq += rng.normal(0, noise, size=iq.shape)
    return iq.astype(np.float32), y.astype(np.int64)
