import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, x, seed=0):
        self.x = x
        self.rng = np.random.default_rng(seed)  # duplicate-worker-seed

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self._jitter(self.x[i])

    def _jitter(self, row):
        return row + self.rng.normal(size=row.shape)


loader = DataLoader(Noisy(torch.load("x.pt")), batch_size=32, shuffle=True, num_workers=4)
