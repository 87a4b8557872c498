"""Synthetic bird calls: short mono clips, each one species-specific motif in field noise."""
import math

import numpy as np
import torch
from torch.utils.data import Dataset

SR = 4000
CLIP = 1024
SPECIES = ["wren", "tit", "robin", "crow", "owl", "finch"]


def _motif(species, rng):
    t = np.arange(CLIP) / SR
    f = {"wren": 900.0, "tit": 650.0, "robin": 480.0, "crow": 260.0, "owl": 180.0, "finch": 820.0}[species]
    f = f * rng.uniform(0.88, 1.12)
    if species == "wren":          # trill
        inst = f + 140 * np.sign(np.sin(2 * math.pi * 30 * t))
    elif species == "tit":         # two alternating notes
        inst = np.where((t * 12).astype(int) % 2 == 0, f, f * 1.3)
    elif species == "robin":       # rising sweep
        inst = f + 1500 * t
    elif species == "finch":       # falling sweep
        inst = f - 1400 * t
    else:                          # crow, owl: flat, rough or pure
        inst = np.full_like(t, f)
    wave = np.sin(2 * math.pi * np.cumsum(inst) / SR + rng.uniform(0, 2 * math.pi))
    if species == "crow":
        wave = np.sign(wave) * np.abs(wave) ** 0.4
    start = rng.uniform(0.0, 0.08)
    env = np.exp(-0.5 * ((t - 0.12 - start) / 0.055) ** 2)
    return wave * env


class BirdCalls(Dataset):
    def __init__(self, n, seed, snr=1.1):
        rng = np.random.default_rng(seed)
        self.y = torch.from_numpy(rng.integers(0, len(SPECIES), n))
        clips = [snr * _motif(SPECIES[k], rng) + 0.75 * rng.standard_normal(CLIP) for k in self.y.tolist()]
        x = torch.tensor(np.stack(clips), dtype=torch.float32)
        self.x = x / x.std(dim=1, keepdim=True)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i].unsqueeze(0), self.y[i]
