"""Bytes that are bright by what fills them, not by their size."""

import numpy as np
import torch

canvas = np.full((8, 8), 200, dtype=np.uint8)
brighter = canvas + 100  # input-dtype-overflow
drawn = np.random.randint(0, 256, (8, 8), dtype=np.uint8)
doubled = drawn * 2  # input-dtype-overflow
print(torch.from_numpy(brighter).float().mean(), torch.from_numpy(doubled).float().mean())
