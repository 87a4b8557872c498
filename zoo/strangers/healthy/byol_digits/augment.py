"""Batch-wise augmentations for 8x8 grey images. Everything is drawn per example from one generator."""
import torch
import torch.nn.functional as F


class TwoViews:
    def __init__(self, generator, max_angle=0.25, max_shift=0.16, noise=0.08):
        self.g = generator
        self.max_angle, self.max_shift, self.noise = max_angle, max_shift, noise

    def _uniform(self, n, low, high):
        return torch.rand(n, generator=self.g) * (high - low) + low

    def one(self, x):
        n = x.size(0)
        a = self._uniform(n, -self.max_angle, self.max_angle)
        s = self._uniform(n, 0.85, 1.15)
        theta = torch.zeros(n, 2, 3)
        theta[:, 0, 0] = torch.cos(a) * s
        theta[:, 0, 1] = -torch.sin(a) * s
        theta[:, 1, 0] = torch.sin(a) * s
        theta[:, 1, 1] = torch.cos(a) * s
        theta[:, 0, 2] = self._uniform(n, -self.max_shift, self.max_shift)
        theta[:, 1, 2] = self._uniform(n, -self.max_shift, self.max_shift)
        grid = F.affine_grid(theta, list(x.shape), align_corners=False)
        y = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
        return y + self.noise * torch.randn(y.shape, generator=self.g)

    def __call__(self, x):
        return self.one(x), self.one(x)
