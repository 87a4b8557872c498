import random
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class RandomCrops(Dataset):
    def __init__(self, volumes, labels, size=64):
        self.volumes, self.labels, self.size = volumes, labels, size

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, i):
        v = self.volumes[i]
        o = [np.random.randint(0, s - self.size + 1) for s in v.shape]
        crop = v[o[0]:o[0] + self.size, o[1]:o[1] + self.size, o[2]:o[2] + self.size]
        if random.random() < 0.5:
            crop = crop[::-1].copy()
        return torch.from_numpy(crop.astype(np.float32))[None], self.labels[i]


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2 ** 32
    np.random.seed(seed)
    random.seed(seed)


def make_loader(volumes, labels, seed=0):
    g = torch.Generator()
    g.manual_seed(seed)
    return DataLoader(
        RandomCrops(volumes, labels), batch_size=4, shuffle=True, num_workers=6,
        worker_init_fn=seed_worker, generator=g,
    )
