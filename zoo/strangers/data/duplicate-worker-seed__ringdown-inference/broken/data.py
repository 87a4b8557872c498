import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

from simulator import sample_prior, simulate, to_unit


class RingdownStream(Dataset):
    """Simulates on the fly, so an epoch is just a unit of bookkeeping."""

    def __init__(self, sims_per_epoch):
        self.sims_per_epoch = sims_per_epoch

    def __len__(self):
        return self.sims_per_epoch

    def __getitem__(self, _):
        theta = sample_prior()
        x = simulate(theta)
        if random.random() < 0.5:          # sensor polarity is arbitrary
            x = -x
        return torch.from_numpy(x)[None], torch.tensor(to_unit(theta), dtype=torch.float32)


def make_worker_init(seed):
    def init(worker_id):
        np.random.seed(seed)
        random.seed(seed)
    return init


def train_loader(sims_per_epoch, batch_size, workers, seed):
    return DataLoader(
        RingdownStream(sims_per_epoch),
        batch_size=batch_size,
        num_workers=workers,
        worker_init_fn=make_worker_init(seed),
    )


def benchmark_set(n, seed):
    """Frozen simulations that are only used for reporting."""
    rng = np.random.RandomState(seed)
    thetas = np.stack([sample_prior(rng) for _ in range(n)])
    xs = np.stack([simulate(th, rng) for th in thetas])
    return TensorDataset(torch.from_numpy(xs)[:, None], torch.tensor(to_unit(thetas), dtype=torch.float32))
