"""Weights as values that come back to the caller, or whose change is meant to be forgotten."""

import torch
from torch.func import functional_call, grad


def error(params, model, x, y):
    return torch.mean((functional_call(model, params, (x,)) - y) ** 2)


def run_epoch(model, params, batches, rate):
    for x, y in batches:
        slopes = grad(error)(params, model, x, y)
        params = {k: p - rate * slopes[k] for k, p in params.items()}
    return params


def adapted_error(model, params, task, rate):
    """What a few steps on a task would give; the weights themselves stay."""
    for x, y in task.support:
        slopes = grad(error)(params, model, x, y)
        params = {k: p - rate * slopes[k] for k, p in params.items()}
    return error(params, model, *task.query)


def curve_of_task(params, model, task, rate):
    """How fast a task would be learnt from here; every task starts from the same weights."""
    heights = []
    for x, y in task.support:
        heights.append(float(error({k: p.clone() for k, p in model.named_parameters()}, model, x, y)))
        slopes = grad(error)(params, model, x, y)
        params = {k: p - rate * slopes[k] for k, p in params.items()}
    return heights


def in_place(params, batches, model, rate):
    for x, y in batches:
        slopes = grad(error)(params, model, x, y)
        for k, p in params.items():
            p -= rate * slopes[k]


def fit(model, batches, tasks):
    weights = {k: p.detach() for k, p in model.named_parameters()}
    for epoch in range(20):
        weights = run_epoch(model, weights, batches, 0.01)
        in_place(weights, batches, model, 0.01)
        print(epoch, [float(adapted_error(model, weights, task, 0.1)) for task in tasks])
    for task in tasks:
        print(curve_of_task(weights, model, task, 0.1))
    return weights
