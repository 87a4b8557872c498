import math

import torch
from torch import nn


def stack(sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers)


def fan_in_normal(module):
    """Gaussian weights with a spread set by the number of inputs; biases at zero."""
    if isinstance(module, nn.Linear):
        fan_in = module.weight.shape[1]
        nn.init.normal_(module.weight, 0.0, math.sqrt(2.0) / fan_in)
        nn.init.zeros_(module.bias)


class ParticleFlow(nn.Module):
    """phi on each constituent, masked mean, rho on the jet."""

    def __init__(self, features, classes, width=64, depth_phi=3, depth_rho=3):
        super().__init__()
        self.phi = stack([features] + [width] * depth_phi)
        self.rho = stack([width] * (depth_rho + 1))
        self.out = nn.Linear(width, classes)
        self.apply(fan_in_normal)

    def forward(self, x, mask):
        h = self.phi(x) * mask.unsqueeze(-1)
        jet = h.sum(1) / mask.sum(1, keepdim=True)
        return self.out(self.rho(jet))
