import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class FixedNoise(Dataset):
    def __init__(self, x, seed):
        rng = np.random.default_rng(seed)
        self.x = x[rng.permutation(len(x))]
        self.seed = seed
        self.generator = torch.Generator()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        self.generator.manual_seed(self.seed + i)
        noise = np.random.default_rng(self.seed + i).normal(size=self.x[i].shape)
        return self.x[i] + noise, torch.rand(1, generator=self.generator)


loader = DataLoader(FixedNoise(np.load("x.npy"), 3), num_workers=4)
