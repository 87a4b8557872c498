import math

import torch

L = 96
N_CLASS = 5


def make_signals(n, seed):
    """Five kinds of pulse trains: class = spacing and asymmetry of the pulses."""
    g = torch.Generator().manual_seed(seed)
    r = lambda *s: torch.rand(*s, generator=g)
    y = torch.arange(n) % N_CLASS
    y = y[torch.randperm(n, generator=g)]
    t = torch.arange(L).float()
    period = torch.tensor([14.0, 17.0, 20.0, 17.0, 20.0])[y] * (1 + 0.05 * (r(n) - 0.5))
    skew = torch.tensor([1.0, 1.0, 1.0, 2.5, 2.5])[y]
    ph = (t[None] / period[:, None] + r(n, 1)) % 1.0
    pulse = ph ** skew[:, None] * torch.exp(-3 * ph)
    x = pulse / pulse.std(-1, keepdim=True)
    drift = 0.4 * torch.sin(2 * math.pi * (t[None] / L * (0.5 + r(n, 1)) + r(n, 1)))
    x = x + drift + 0.35 * torch.randn(n, L, generator=g)
    x = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)
    return x, y


def random_warp(x, strength):
    """Random resampling of the time axis plus a blanked span and noise, per example."""
    n, T = x.shape
    rate = 1 + strength * (2 * torch.rand(n, 1) - 1)
    pos = (torch.arange(T).float()[None] * rate).clamp(0, T - 1)
    lo = pos.floor().long()
    hi = (lo + 1).clamp(max=T - 1)
    w = pos - lo
    x = x.gather(1, lo) * (1 - w) + x.gather(1, hi) * w
    start = torch.randint(0, T - 24, (n, 1))
    idx = torch.arange(T)[None]
    x = x.masked_fill((idx >= start) & (idx < start + 24), 0.0)
    return x + 0.3 * torch.randn_like(x)
