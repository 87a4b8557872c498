import numpy as np
import torch


def load_clip(path):
    samples = np.fromfile(path, dtype="int16").reshape(-1, 2).T
    return samples[0] - samples[1]  # input-dtype-overflow


def batches(paths, size=8):
    for start in range(0, len(paths), size):
        yield torch.stack([torch.from_numpy(load_clip(p)).float() for p in paths[start : start + size]])
