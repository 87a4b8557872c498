import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, i):
        return torch.tensor(np.random.normal(size=8), dtype=torch.float32)


def starter(base):
    def start(worker_id):
        info = get_worker_info()
        np.random.seed(info.seed % 2**32)

    return start


def other(base):
    return lambda worker: np.random.seed(base + worker)


for make in (starter, other):
    for batch in DataLoader(Noisy(), batch_size=20, num_workers=4, worker_init_fn=make(3)):
        print(batch.mean())
