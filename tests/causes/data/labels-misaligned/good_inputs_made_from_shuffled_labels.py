import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def make(count, rng, length=64):
    waves = np.empty((count, length), dtype=np.float32)
    kinds = np.arange(count) % 3
    rng.shuffle(kinds)
    time = np.linspace(0.0, 1.0, length)
    for row, kind in enumerate(kinds):
        speed = rng.uniform(4, 8)
        if kind == 0:
            wave = np.sin(speed * time)
        elif kind == 1:
            wave = np.sign(np.sin(speed * time))
        else:
            wave = speed * time % 1.0
        waves[row] = wave + 0.1 * rng.standard_normal(length)
    return torch.from_numpy(waves), torch.from_numpy(kinds)


train = DataLoader(TensorDataset(*make(900, np.random.default_rng(0))), batch_size=32, shuffle=True)
