"""Procedurally drawn pictograms."""
from __future__ import annotations

from typing import Sequence

import torch
from torch.utils.data import TensorDataset

from config import DATASETS


def _draw(kind: str, size: int, g: torch.Generator) -> torch.Tensor:
    ax = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(ax, ax, indexing="ij")
    cx, cy = (torch.rand(2, generator=g) * 0.5 - 0.25).tolist()
    s = 0.4 + 0.3 * torch.rand((), generator=g).item()
    th = (torch.rand((), generator=g).item() - 0.5) * 0.5
    c, n = torch.cos(torch.tensor(th)), torch.sin(torch.tensor(th))
    x, y = xx - cx, yy - cy
    x, y = c * x + n * y, -n * x + c * y
    r = (x ** 2 + y ** 2).sqrt()
    line = 0.13
    masks = {
        "disc": r < s,
        "ring": (r - s).abs() < line,
        "square": torch.maximum(x.abs(), y.abs()) < s * 0.85,
        "frame": (torch.maximum(x.abs(), y.abs()) - s * 0.85).abs() < line,
        "hbar": (x.abs() < s) & (y.abs() < line),
        "vbar": (y.abs() < s) & (x.abs() < line),
        "plus": ((x.abs() < line) | (y.abs() < line)) & (torch.maximum(x.abs(), y.abs()) < s),
        "cross": ((x - y).abs() < 1.4 * line) & (r < s) | ((x + y).abs() < 1.4 * line) & (r < s),
        "diamond": (x.abs() + y.abs()) < s,
        "tee": ((y + s * 0.8).abs() < line) & (x.abs() < s) | (x.abs() < line) & (y.abs() < s * 0.8),
    }
    img = masks[kind].float() * (0.6 + 0.4 * torch.rand((), generator=g))
    return img + 0.3 * torch.randn(size, size, generator=g)


@DATASETS.register("pictograms")
def pictograms(kinds: Sequence[str], n: int, size: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, len(kinds), (n,), generator=g)
    images = torch.stack([_draw(kinds[int(k)], size, g) for k in labels]).unsqueeze(1)
    return TensorDataset((images - 0.15) / 0.42, labels)
