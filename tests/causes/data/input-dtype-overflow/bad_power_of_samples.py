"""The energy of sound, from samples of 16 bits."""

import numpy as np
import torch


def recording(wave):
    return (wave * 30000).clip(-32768, 32767).astype(np.int16)


def energy(pcm, frame=160):
    frames = pcm.reshape(len(pcm), -1, frame)
    return (frames * frames).mean(axis=-1)  # input-dtype-overflow


waves = np.random.randn(10, 1600)
pcm = np.stack([recording(wave) for wave in waves])
loudness = np.sqrt((pcm**2).mean(1))  # input-dtype-overflow
features = torch.from_numpy(np.stack([energy(pcm), energy(pcm)], 1)).float()
