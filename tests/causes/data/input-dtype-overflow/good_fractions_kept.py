"""Arrays of floats that take fractions, and arrays of whole numbers that take whole numbers."""

import numpy as np
import torch

samples = np.load("samples.npy").astype(np.int16)
scaled = np.empty(samples.shape, dtype=np.float32)
for row in range(len(samples)):
    scaled[row] = samples[row] / np.abs(samples[row]).max()

like = np.zeros_like(scaled)
for row in range(len(scaled)):
    like[row] = scaled[row] / 2

rounded = np.zeros_like(samples)
halves = np.zeros(len(samples), dtype=int)
for row in range(len(samples)):
    rounded[row] = np.round(samples[row] / 2)
    halves[row] = samples[row].sum() // 2

inputs = torch.from_numpy(np.concatenate([scaled, like], 1)).float()
