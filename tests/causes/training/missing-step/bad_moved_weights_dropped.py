"""Updates by hand whose results nobody takes."""

import torch
from torch.func import functional_call, grad


def momentum_step(params, velocity, slopes, lr):
    for name in params:
        velocity[name].mul_(0.9).add_(slopes[name])
        params[name].sub(lr * velocity[name])  # missing-step


def plain_step(weights, slopes, rate):
    with torch.no_grad():
        for weight, slope in zip(weights, slopes):
            weight.add(slope, alpha=-rate)  # missing-step


def train(model, x, y):
    params = {k: p.detach().clone() for k, p in model.named_parameters()}
    velocity = {k: torch.zeros_like(p) for k, p in params.items()}
    loss = lambda p: torch.mean((functional_call(model, p, (x,)) - y) ** 2)
    for _ in range(100):
        momentum_step(params, velocity, grad(loss)(params), 0.01)
    return params
