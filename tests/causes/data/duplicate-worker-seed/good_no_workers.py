import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __init__(self, n):
        self.n, self.rng = n, np.random.RandomState(0)

    def __getitem__(self, i):
        return self.rng.randn(8)


quiet = DataLoader(Noise(100), batch_size=10)
also = DataLoader(Noise(100), batch_size=10, num_workers=0)
