"""Synthetic parts-on-a-tray scenes: discs, bars and rings with per-pixel class maps."""
import numpy as np
import torch
from torch.utils.data import Dataset

CLASSES = ("tray", "disc", "bar", "ring")


def _draw(rng, size):
    yy, xx = np.mgrid[:size, :size].astype(np.float32)
    image = np.empty((size, size, 3), np.float32)
    image[:] = rng.uniform(60, 120) + rng.normal(0, 6, 3)
    image += rng.uniform(-0.6, 0.6) * (xx - size / 2)[..., None]
    label = np.zeros((size, size), np.uint8)
    for _ in range(rng.integers(2, 5)):
        cx, cy = rng.uniform(8, size - 8, 2)
        dx, dy = xx - cx, yy - cy
        kind = int(rng.integers(1, 4))
        if kind == 1:
            region = dx ** 2 + dy ** 2 < rng.uniform(4, 7) ** 2
        elif kind == 2:
            a = rng.uniform(0, np.pi)
            u, v = dx * np.cos(a) + dy * np.sin(a), -dx * np.sin(a) + dy * np.cos(a)
            region = (np.abs(u) < rng.uniform(8, 12)) & (np.abs(v) < 2.2)
        else:
            r = rng.uniform(6, 8)
            d = np.sqrt(dx ** 2 + dy ** 2)
            region = (d < r) & (d > r - 2.8)
        image[region] = rng.uniform(150, 230) + rng.normal(0, 8, 3)
        label[region] = kind
    image += rng.normal(0, 8, image.shape)
    return image.clip(0, 255).astype(np.uint8), label


def generate(n, size=40, seed=0):
    rng = np.random.default_rng(seed)
    pics, maps = zip(*(_draw(rng, size) for _ in range(n)))
    return np.stack(pics), np.stack(maps)


def as_tensor(pic):
    """HxW or HxWxC uint8 picture to a CxHxW float tensor."""
    if pic.ndim == 2:
        pic = pic[:, :, None]
    return torch.from_numpy(pic).permute(2, 0, 1).float().div(255)


class TrayScenes(Dataset):
    def __init__(self, pics, maps, mirror=False):
        self.pics, self.maps = pics, maps
        self.mirror = mirror

    def __len__(self):
        return len(self.pics)

    def __getitem__(self, i):
        x = as_tensor(self.pics[i])
        y = as_tensor(self.maps[i])[0].long()
        if self.mirror and torch.rand(()) < 0.5:
            x, y = x.flip(-1), y.flip(-1)
        return (x - 0.45) / 0.2, y
