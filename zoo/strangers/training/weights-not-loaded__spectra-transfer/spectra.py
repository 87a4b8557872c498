"""Synthetic absorption spectra: a few substances, overlapping peaks, drifting baseline."""
import torch

BINS = 96
SUBSTANCES = 5


def library(seed):
    gen = torch.Generator().manual_seed(seed)
    grid = torch.linspace(0, 1, BINS)
    peaks = torch.zeros(SUBSTANCES, BINS)
    for s in range(SUBSTANCES):
        for _ in range(3):
            c = torch.rand(1, generator=gen)
            w = 0.015 + 0.02 * torch.rand(1, generator=gen)
            peaks[s] += (0.5 + torch.rand(1, generator=gen)) * torch.exp(-((grid - c) / w) ** 2)
    return peaks


def measure(n, peaks, gen):
    """Mixtures: the label is the substance with the largest share."""
    share = torch.rand(n, SUBSTANCES, generator=gen) ** 2
    label = share.argmax(1)
    grid = torch.linspace(-1, 1, BINS)
    path = 0.3 + 2.0 * torch.rand(n, 1, generator=gen)
    drift = torch.randn(n, 3, generator=gen)
    baseline = drift[:, :1] + drift[:, 1:2] * grid + drift[:, 2:] * torch.sin(3 * grid)
    x = path * (share @ peaks) + 0.8 * baseline + 0.05 * torch.randn(n, BINS, generator=gen)
    return (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True), label, share / share.sum(1, keepdim=True)
