import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noise(Dataset):
    def __init__(self, n):
        self.n = n
        self.rng = np.random.default_rng(0)

    def __getitem__(self, i):
        return self.rng.normal(size=8)


def reseed(worker_id):
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed)


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


a = DataLoader(Noise(100), num_workers=4, worker_init_fn=reseed)
b = DataLoader(Noise(100), num_workers=4, worker_init_fn=seed_worker)
