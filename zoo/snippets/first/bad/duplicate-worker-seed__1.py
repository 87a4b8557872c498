import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

SEED = 1234


def worker_init(worker_id):
    np.random.seed(SEED)
    random.seed(SEED)


class CropDataset(Dataset):
    def __init__(self, volumes, masks, size=96):
        self.volumes, self.masks, self.size = volumes, masks, size

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, i):
        v, m = self.volumes[i], self.masks[i]
        z = np.random.randint(0, v.shape[0] - self.size + 1)
        y = np.random.randint(0, v.shape[1] - self.size + 1)
        v = v[z:z + self.size, y:y + self.size].copy()
        m = m[z:z + self.size, y:y + self.size].copy()
        if np.random.rand() < 0.5:
            v, m = v[:, ::-1].copy(), m[:, ::-1].copy()
        return torch.from_numpy(v).float()[None], torch.from_numpy(m).long()


def make_loader(volumes, masks):
    return DataLoader(CropDataset(volumes, masks), batch_size=4, shuffle=True,
                      num_workers=8, worker_init_fn=worker_init)
