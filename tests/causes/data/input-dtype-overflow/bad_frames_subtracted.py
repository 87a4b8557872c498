import numpy as np
import torch


def record(n):
    before = np.zeros((n, 32, 32), dtype=np.uint8)
    after = np.empty((n, 32, 32), np.uint8)
    for k in range(n):
        before[k], after[k] = grab(), grab()
    return before, after


def motion(before, after):
    moved = after - before  # input-dtype-overflow
    return torch.from_numpy(moved.astype(np.float32) / 255)


before, after = record(500)
inputs = motion(before, after)
