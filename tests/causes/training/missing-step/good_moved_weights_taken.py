"""Updates by hand in place, or bound anew; and sets, which `add` changes."""

import torch
from torch.func import functional_call, grad


def momentum_step(params, velocity, slopes, lr):
    for name in params:
        velocity[name].mul_(0.9).add_(slopes[name])
        params[name].sub_(lr * velocity[name])


def plain_step(params, slopes, rate):
    return {k: p.add(slopes[k], alpha=-rate) for k, p in params.items()}


def train(model, x, y):
    params = {k: p.detach().clone() for k, p in model.named_parameters()}
    velocity = {k: torch.zeros_like(p) for k, p in params.items()}
    rates = set()
    loss = lambda p: torch.mean((functional_call(model, p, (x,)) - y) ** 2)
    for step in range(100):
        lr = 0.01 if step < 50 else 0.001
        rates.add(lr)
        momentum_step(params, velocity, grad(loss)(params), lr)
        params = plain_step(params, grad(loss)(params), lr)
    return params, rates
