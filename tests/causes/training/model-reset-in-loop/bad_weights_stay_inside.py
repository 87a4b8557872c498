"""Weights as values, in two libraries: the function trains its own, and the caller keeps the first."""

import jax
import optax
import torch
from torch.func import functional_call, grad


def run_epoch(model, params, batches, rate):
    total = 0.0
    for x, y in batches:
        slopes = grad(lambda p, x=x, y=y: torch.mean((functional_call(model, p, (x,)) - y) ** 2))(params)
        params = {k: p - rate * slopes[k] for k, p in params.items()}  # model-reset-in-loop
        total += float(sum(s.abs().sum() for s in slopes.values()))
    return total


def fit(model, batches):
    weights = {k: p.detach() for k, p in model.named_parameters()}
    for epoch in range(20):
        print(epoch, run_epoch(model, weights, batches, 0.01))
    return weights


def one_epoch(params, opt_state, optimizer, loss, batches):
    values = []
    for batch in batches:
        value, slopes = jax.value_and_grad(loss)(params, batch)
        updates, opt_state = optimizer.update(slopes, opt_state)
        params = optax.apply_updates(params, updates)  # model-reset-in-loop
        values.append(value)
    return sum(values) / len(values)


def fit_jax(params, loss, batches):
    optimizer = optax.adam(1e-3)
    opt_state = optimizer.init(params)
    for epoch in range(20):
        print(epoch, one_epoch(params, opt_state, optimizer, loss, batches))
    return params
