"""Pen gestures: each class is a smooth closed-form stroke, each sample a wobbly repetition of it."""
import numpy as np
import torch
from torch.utils.data import Dataset, Sampler

LENGTH = 32


def draw_class(rng):
    # x(t), y(t) from three harmonics each
    return rng.normal(size=(2, 3, 2)) / np.array([1.0, 1.6, 2.2])[None, :, None]


def draw_sample(coef, rng):
    t = np.linspace(0, 1, LENGTH) + rng.uniform(-0.04, 0.04)
    warped = t + rng.normal(0, 0.015) * np.sin(2 * np.pi * t)
    xy = np.zeros((2, LENGTH))
    for h in range(3):
        a = 2 * np.pi * (h + 1) * warped
        xy += coef[:, h, :1] * np.sin(a) + coef[:, h, 1:] * np.cos(a)
    turn = rng.normal(0, 0.25)                              # the tablet lies a little askew
    rot = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    drift = rng.normal(0, 0.8, (2, 1)) * (t - 0.5) + rng.normal(0, 0.5, (2, 1))
    return rot @ xy * rng.uniform(0.8, 1.25) + drift + rng.normal(0, 0.4, xy.shape)


class GestureSet(Dataset):
    def __init__(self, n_classes, per_class, seed):
        rng = np.random.default_rng(seed)
        classes = [draw_class(rng) for _ in range(n_classes)]
        self.x = torch.tensor(np.stack([draw_sample(c, rng) for c in classes for _ in range(per_class)]), dtype=torch.float32)
        self.y = torch.arange(n_classes).repeat_interleave(per_class)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class PKSampler(Sampler):
    """every batch: P random classes, K random members of each"""

    def __init__(self, labels, p, k, batches, seed):
        self.rows = [torch.where(labels == c)[0] for c in labels.unique()]
        self.p, self.k, self.batches = p, k, batches
        self.gen = torch.Generator().manual_seed(seed)

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            batch = []
            for c in torch.randperm(len(self.rows), generator=self.gen)[:self.p].tolist():
                r = self.rows[c]
                batch += r[torch.randperm(len(r), generator=self.gen)[:self.k]].tolist()
            yield batch
