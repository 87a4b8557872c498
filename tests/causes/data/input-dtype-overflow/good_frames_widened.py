import numpy as np
import torch

before = np.zeros((500, 32, 32), dtype=np.uint8)
after = np.zeros((500, 32, 32), dtype=np.uint8)
seen = np.zeros((500, 32, 32), dtype=np.uint8)
for k in range(500):
    before[k], after[k] = grab(), grab()
    seen[k] = before[k] > 10
inputs = torch.from_numpy(after.astype(np.int16) - before).float() / 255
either = seen + (after > 10)
