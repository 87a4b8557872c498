"""Endless batch feeder that gathers into pinned-style staging memory.

Fancy indexing allocates a fresh array for every batch; with large captures that
dominated our profile, so rows are gathered straight into preallocated slots.
"""
import numpy as np
import torch


class Feeder:
    def __init__(self, inputs, labels, batch_size, seed=0, slots=1):
        self.inputs = inputs
        self.labels = labels
        self.batch_size = batch_size
        self.rng = np.random.default_rng(seed)
        self.staging = [np.empty((batch_size,) + inputs.shape[1:], dtype=inputs.dtype) for _ in range(slots)]
        self.turn = 0
        self._order = np.empty(0, dtype=np.int64)
        self.epoch = 0

    def _indices(self):
        if len(self._order) < self.batch_size:
            self._order = self.rng.permutation(len(self.inputs))
            self.epoch += 1
        take, self._order = self._order[:self.batch_size], self._order[self.batch_size:]
        return take

    def next(self):
        """Next (inputs, labels) pair as tensors."""
        idx = self._indices()
        slot = self.staging[self.turn]
        self.turn = (self.turn + 1) % len(self.staging)
        np.take(self.inputs, idx, axis=0, out=slot)
        return torch.from_numpy(slot), torch.from_numpy(self.labels[idx])
