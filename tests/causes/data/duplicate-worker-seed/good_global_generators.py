import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Flips(Dataset):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i] + np.random.normal(size=self.x[i].shape)
        return x[::-1] if random.random() < 0.5 else x * torch.rand(1).item()


loader = DataLoader(Flips(np.load("x.npy")), num_workers=4, shuffle=True)
