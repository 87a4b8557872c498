import numpy as np
import torch


def spirals(n, arms, turns, noise, rng):
    label = rng.permutation(np.arange(n) % arms)
    radius = np.sqrt(rng.uniform(0.02, 1.0, n))
    angle = 2 * np.pi * (turns * radius + label / arms)
    xy = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    xy += noise * radius[:, None] * rng.normal(size=xy.shape)
    return torch.tensor(xy, dtype=torch.float32), torch.tensor(label)


def splits(n_train, n_val, n_test, rng, **kw):
    parts = [spirals(n, rng=rng, **kw) for n in (n_train, n_val, n_test)]
    mean, std = parts[0][0].mean(0), parts[0][0].std(0)
    return [((x - mean) / std, y) for x, y in parts]
