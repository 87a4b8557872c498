"""A simulated plant: twelve sensors, three things to know about a piece, and labels that are often missing."""
import numpy as np
import torch


def make(n, n_features, label_rate, seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, n_features))
    x = z * rng.uniform(0.5, 30, n_features) + rng.uniform(-50, 50, n_features)      # every sensor has units of its own
    wear = np.tanh(z[:, 0] + 0.5 * z[:, 1] * z[:, 2])
    heat = np.sin(1.2 * z[:, 3]) + 0.4 * z[:, 4]
    raw = {
        "defect": (wear + 0.6 * heat + rng.normal(0, 0.25, n) > 0).astype(np.float32),
        "grade": np.digitize(heat + 0.5 * wear + rng.normal(0, 0.1, n), [-0.85, 0.0, 0.85]).astype(np.int64),
        "yield": (70 + 8 * wear - 5 * heat + rng.normal(0, 1.5, n)).astype(np.float32),
    }
    missing = {"defect": np.nan, "grade": -1, "yield": np.nan}
    for t in raw:
        raw[t][rng.random(n) > label_rate[t]] = missing[t]
    order = rng.permutation(n)
    a, b = int(0.7 * n), int(0.85 * n)
    parts = {}
    tr = order[:a]
    mx, sx = x[tr].mean(0), x[tr].std(0)
    my, sy = np.nanmean(raw["yield"][tr]), np.nanstd(raw["yield"][tr])
    raw["yield"] = (raw["yield"] - my) / sy
    for name, idx in {"train": tr, "val": order[a:b], "test": order[b:]}.items():
        parts[name] = (torch.tensor((x[idx] - mx) / sx, dtype=torch.float32), {t: torch.tensor(v[idx]) for t, v in raw.items()})
    return parts
