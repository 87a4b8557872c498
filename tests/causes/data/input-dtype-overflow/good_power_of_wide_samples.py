"""The energy of sound after the samples were widened, and small counts that never leave their range."""

import numpy as np
import torch


def energy(pcm, frame=160):
    frames = pcm.reshape(len(pcm), -1, frame).astype(np.float64)
    return (frames * frames).mean(axis=-1)


waves = np.random.randn(10, 1600)
pcm = np.stack([(wave * 30000).clip(-32768, 32767).astype(np.int16) for wave in waves])
loudness = np.sqrt((pcm.astype(np.int64) ** 2).mean(1))
counts = np.random.poisson(3.0, (10, 40)).astype(np.int16)
squares = counts * counts
features = torch.from_numpy(np.stack([energy(pcm), energy(pcm)], 1)).float()
