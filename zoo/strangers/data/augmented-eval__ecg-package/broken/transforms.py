import torch


class Compose:
    def __init__(self, ts):
        self.ts = ts

    def __call__(self, x):
        for t in self.ts:
            x = t(x)
        return x


class Standardize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, x):
        return (x - self.mean) / self.std


class RandomScale:
    def __init__(self, spread):
        self.spread = spread

    def __call__(self, x):
        return x * (1 + self.spread * (2 * torch.rand(1) - 1))


class RandomMask:
    """Blank one stretch of the beat (electrode drop-out)."""

    def __init__(self, width):
        self.width = width

    def __call__(self, x):
        x = x.clone()
        start = int(torch.randint(0, len(x) - self.width, (1,)))
        x[start:start + self.width] = 0.0
        return x


class Jitter:
    def __init__(self, std):
        self.std = std

    def __call__(self, x):
        return x + self.std * torch.randn_like(x)
