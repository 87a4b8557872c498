"""A helper that hands back a number it corrected; nobody needs it a second time."""

import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Linear(width, width)
        self.cache = None

    def refine(self, noise, steps):
        steps = min(steps, len(noise))
        for _ in range(steps):
            noise = noise - 0.1 * self.net(noise)
        return noise, steps


def sample(model, count, steps):
    images = []
    for _ in range(count):
        image, _ = model.refine(torch.randn(4, 32), steps)
        images.append(image)
    return torch.stack(images)
