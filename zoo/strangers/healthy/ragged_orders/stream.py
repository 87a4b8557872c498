"""An IterableDataset over customers' event histories of unequal length, and what is needed to batch them."""
import numpy as np
import torch
from torch.nn.utils.rnn import pack_sequence
from torch.utils.data import IterableDataset, get_worker_info

KINDS = ("view", "cart", "buy", "return")
N_KINDS = len(KINDS)


def simulate(rng):
    """A history (kind, hours since the event before) and the worth of the customer after it.

    Worth is a leaky memory: purchases add, returns take away twice, time lets it fade.
    """
    n = int(rng.integers(4, 31))
    kinds = rng.choice(N_KINDS, size=n, p=(0.4, 0.25, 0.2, 0.15))
    gaps = rng.exponential(1.0, size=n)
    worth = 0.0
    for kind, gap in zip(kinds, gaps):
        worth = worth * np.exp(-0.15 * gap) + (0.0, 0.2, 1.0, -1.2)[kind]
    return kinds, gaps, worth + rng.normal(0, 0.1)


class Histories(IterableDataset):
    """`n` histories, a different set for every epoch unless frozen. Shards itself over workers."""

    def __init__(self, n, seed, frozen=False, pool=256, batch=32):
        self.n, self.seed, self.frozen, self.pool, self.batch = n, seed, frozen, pool, batch
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        w, W = (info.id, info.num_workers) if info else (0, 1)
        rng = np.random.default_rng([self.seed, 0 if self.frozen else self.epoch, w])
        todo = self.n // W + (w < self.n % W)
        while todo > 0:
            pool = [simulate(rng) for _ in range(min(self.pool, todo))]
            todo -= len(pool)
            pool.sort(key=lambda h: len(h[0]))                  # neighbours of like length share a batch...
            groups = [pool[i:i + self.batch] for i in range(0, len(pool), self.batch)]
            for g in rng.permutation(len(groups)):              # ...and the batches come in any order
                yield groups[g]


def collate(groups):
    (rows,) = groups                     # the data set already makes batches; the loader is given batch_size=1
    rows = sorted(rows, key=lambda h: -len(h[0]))
    kinds = pack_sequence([torch.from_numpy(k) for k, _, _ in rows])
    gaps = pack_sequence([torch.from_numpy(np.log1p(g)).float() for _, g, _ in rows])
    return kinds, gaps, torch.tensor([w for _, _, w in rows], dtype=torch.float32)
