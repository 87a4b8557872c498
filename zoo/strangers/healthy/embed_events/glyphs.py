"""Procedural glyphs: a class is a random polyline on a 20x20 canvas, an example is that
polyline jittered, rotated a little, drawn with soft ink and given sensor noise."""
import numpy as np
import torch
from torch.utils.data import Dataset, Sampler

SIDE = 20


def make_class(rng):
    return rng.uniform(-0.75, 0.75, size=(5, 2))


def draw(points, rng):
    angle = rng.normal(0, 0.2)
    rot = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    pts = (points + rng.normal(0, 0.075, points.shape)) @ rot.T * rng.uniform(0.85, 1.1)
    t = np.linspace(0, 1, 12)[:, None]
    ink = np.concatenate([a * (1 - t) + b * t for a, b in zip(pts[:-1], pts[1:])])
    axis = np.linspace(-1, 1, SIDE)
    yy, xx = np.meshgrid(axis, axis, indexing="ij")
    grid = np.stack([xx, yy], -1).reshape(-1, 1, 2)
    dist = ((grid - ink[None]) ** 2).sum(-1).min(1)
    img = np.exp(-dist / 0.012).reshape(SIDE, SIDE)
    return img + rng.normal(0, 0.1, img.shape)


class GlyphSet(Dataset):
    def __init__(self, n_classes, per_class, seed):
        rng = np.random.default_rng(seed)
        shapes = [make_class(rng) for _ in range(n_classes)]
        imgs = [draw(s, rng) for s in shapes for _ in range(per_class)]
        self.x = torch.tensor(np.stack(imgs), dtype=torch.float32).unsqueeze(1)
        self.y = torch.arange(n_classes).repeat_interleave(per_class)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class PKBatches(Sampler):
    """P classes x K examples of each, redrawn for every batch."""

    def __init__(self, labels, p, k, batches, seed):
        self.by_class = [torch.nonzero(labels == c).flatten() for c in labels.unique()]
        self.p, self.k, self.batches = p, k, batches
        self.gen = torch.Generator().manual_seed(seed)

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            out = []
            for c in torch.randperm(len(self.by_class), generator=self.gen)[: self.p].tolist():
                pool = self.by_class[c]
                out += pool[torch.randperm(len(pool), generator=self.gen)[: self.k]].tolist()
            yield out
