import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, i):
        return torch.tensor(np.random.normal(size=8), dtype=torch.float32)


def starter(config):
    def start(worker_id):
        np.random.seed(config.seed + 1)  # duplicate-worker-seed

    return start


def loader(config):
    return DataLoader(Noisy(), batch_size=20, num_workers=4, worker_init_fn=starter(config))


class Config:
    seed = 7


for batch in loader(Config()):
    print(batch.mean())
