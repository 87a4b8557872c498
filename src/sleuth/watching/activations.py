"""Activations of leaf modules on sampled steps, from a strided sample of each output."""

import time
from typing import Any

from sleuth.record.entries import Activation
from sleuth.watching.models import Known
from sleuth.watching.state import State

SAMPLE = 4096  # values of one output looked at
EXAMPLES = 64  # rows in which a unit must be silent to be called dead
TAIL = {"Tanh": 0.98, "Sigmoid": 0.98, "Softsign": 0.98, "Hardtanh": 0.999, "Hardsigmoid": 0.999}
CHANNELS_SECOND = ("Conv", "BatchNorm", "InstanceNorm", "GroupNorm", "Pool")


def seen(state: State, entry: Known, module: Any, output: Any) -> None:
    """Note the output of a leaf module in a training forward."""
    import torch

    if module._modules or state.off:
        return
    started = time.perf_counter()
    if isinstance(output, tuple) and output:
        output = output[0]
    if isinstance(output, torch.Tensor) and _has_values(output):
        kind = type(module).__name__
        name = entry.modules.get(id(module), f"?{kind}")
        state.window.activations[name] = measured(output.detach(), kind)
        state.window.types[name] = kind
    spent = time.perf_counter() - started
    state.layers_s += spent
    state.own_s += spent


def _has_values(output: Any) -> bool:
    return bool(output.numel() and output.is_floating_point() and not output.is_meta)


def measured(output: Any, kind: str) -> Activation:
    import torch

    flat = output.reshape(-1)
    some = flat[:: max(1, len(flat) // SAMPLE)].float()
    std, mean = torch.std_mean(some, correction=0)
    low, high = torch.aminmax(some)
    numbers = torch.stack([mean, std, low, high, (some == 0).float().mean()]).tolist()
    return Activation(
        mean=numbers[0],
        std=numbers[1],
        largest=max(abs(numbers[2]), abs(numbers[3])),
        zero=numbers[4],
        dead_units=_dead(output) if numbers[4] > 0 else 0.0,
        saturated=_saturated(some, kind),
        finite=all(number - number == 0 for number in numbers[:4]),
    )


def _dead(output: Any) -> float:
    """The share of units that are zero for every example and place looked at.

    Images and sequences of channels (four axes or more) have their units on axis 1, all else on the last.
    """
    if output.dim() < 2:
        return 0.0
    units = output.transpose(1, -1) if output.dim() >= 4 else output
    rows = units[:EXAMPLES].reshape(-1, units.shape[-1])
    return float((rows == 0).all(0).float().mean())


def _saturated(some: Any, kind: str) -> float:
    edge = TAIL.get(kind)
    if edge is None:
        return 0.0
    if kind in ("Sigmoid", "Hardsigmoid"):
        return float(((some > edge) | (some < 1 - edge)).float().mean())
    return float((some.abs() > edge).float().mean())
