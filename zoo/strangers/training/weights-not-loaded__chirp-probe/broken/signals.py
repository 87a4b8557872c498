"""Synthetic hydrophone snippets: a carrier with one of several modulations."""
import numpy as np

LENGTH = 256


def snippet(rng, freq, kind):
    t = np.arange(LENGTH) / LENGTH
    f = freq * rng.uniform(0.98, 1.02)
    phase = rng.uniform(0, 2 * np.pi)
    if kind == "tone":
        s = np.sin(2 * np.pi * f * t + phase)
    elif kind == "am":
        s = (1 + 0.9 * np.sin(2 * np.pi * 4 * t + rng.uniform(0, 2 * np.pi))) * np.sin(2 * np.pi * f * t + phase)
    elif kind == "fm":
        s = np.sin(2 * np.pi * f * t + phase + 3.0 * np.sin(2 * np.pi * 4 * t + rng.uniform(0, 2 * np.pi)))
    else:
        raise ValueError(kind)
    s = s + 0.6 * rng.standard_normal(LENGTH)
    return (s - s.mean()) / s.std()


def corpus(classes, per_class, seed):
    rng = np.random.default_rng(seed)
    xs = [snippet(rng, f, k) for f, k in classes for _ in range(per_class)]
    ys = np.repeat(np.arange(len(classes)), per_class)
    return np.stack(xs).astype(np.float32)[:, None, :], ys.astype(np.int64)


SOURCE = [(f, k) for f in (8, 14, 22, 32, 44) for k in ("tone", "am", "fm")]
TARGET = [(f, k) for f in (11, 18, 27, 38) for k in ("tone", "am")]
