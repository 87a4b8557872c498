import numpy as np
from torch.utils.data import DataLoader

SEED = 1234


def init(worker_id):
    np.random.seed(SEED)  # duplicate-worker-seed


def make_loader(dataset):
    return DataLoader(dataset, batch_size=16, shuffle=True, num_workers=8, worker_init_fn=init)
