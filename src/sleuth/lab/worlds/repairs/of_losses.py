"""What goes into a loss and what comes out of it, put right."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from sleuth.lab.worlds.doors import LossCall, World

TINY = 1e-7


def probabilities_as_logs(world: World) -> None:
    """A softmax before a loss that has its own is taken back by a logarithm: softmax(log p) = p."""

    def change(call: LossCall) -> None:
        if call.function == "cross_entropy":
            if _sums_to_one(call.input):
                world.hold()
                call.input = call.input.clamp_min(TINY).log()
        elif _within_unit(call.input):
            world.hold()
            call.input = call.input.clamp(TINY, 1 - TINY).logit()

    world.losses(change, "cross_entropy", "binary_cross_entropy_with_logits")


def logits_as_log_probabilities(world: World) -> None:
    """What a loss on (log-)probabilities is fed becomes some."""

    def change(call: LossCall) -> None:
        if call.function == "binary_cross_entropy":
            if not _within_unit(call.input):
                world.hold()
                call.input = call.input.sigmoid()
        elif call.input.dim() > 1 and not _logs_sum_to_one(call.input):
            world.hold()
            call.input = call.input.log_softmax(1 if call.function == "nll_loss" else -1)

    world.losses(change, "nll_loss", "kl_div", "binary_cross_entropy")


def last_axis_softmax(world: World) -> None:
    """Every softmax normalises over the last axis."""
    hold = world.holder()

    def around(original: Any) -> Any:
        def softmax(given: Tensor, dim: Any = None, *args: Any, **keywords: Any) -> Any:
            if isinstance(dim, int) and given.dim() > 1 and dim not in (-1, given.dim() - 1):
                hold()
                dim = -1
            return original(given, dim, *args, **keywords)

        return softmax

    for owner in (torch, functional, Tensor):
        for name in ("softmax", "log_softmax"):
            world.replace(owner, name, around)


def turned_sign(world: World) -> None:
    def change(loss: Tensor) -> Tensor:
        world.hold()
        return -loss

    world.backward(change)


def mean_instead_of_sum(world: World) -> None:
    def change(call: LossCall) -> None:
        if call.keywords.get("reduction") == "sum":
            world.hold()
            call.keywords["reduction"] = "mean"

    world.losses(change)


def matching_shapes(world: World) -> None:
    """A target with as many values as the prediction takes its shape."""

    def change(call: LossCall) -> None:
        target = call.target
        if isinstance(target, Tensor) and target.shape != call.input.shape:
            if target.numel() == call.input.numel():
                world.hold()
                call.target = target.reshape(call.input.shape)

    world.losses(change, *"mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy kl_div".split())


def weighted_classes(world: World) -> None:
    """Cross-entropy weighs classes by how rare they were so far."""
    counts: dict[int, Tensor] = {}

    def change(call: LossCall) -> None:
        target = call.target
        if (
            call.keywords.get("weight") is not None
            or not isinstance(target, Tensor)
            or target.is_floating_point()
        ):
            return
        classes = call.input.shape[1] if call.input.dim() > 1 else 0
        if not classes:
            return
        seen = torch.bincount(target.flatten().clamp(0, classes - 1), minlength=classes).float()
        counts[classes] = counts.get(classes, torch.ones(classes)) + seen
        weight = counts[classes].sum() / (classes * counts[classes])
        world.hold()
        call.keywords["weight"] = weight.to(call.input)

    world.losses(change, "cross_entropy", "nll_loss")


def away_from_poles(world: World) -> None:
    """Logarithm, square root and reciprocal never see what they cannot bear."""
    hold = world.holder()

    def kept_above(least: float) -> Callable[[Any], Any]:
        def around(original: Any) -> Any:
            def function(given: Any, *args: Any, **keywords: Any) -> Any:
                if isinstance(given, Tensor) and given.is_floating_point() and bool((given < least).any()):
                    hold()
                    given = given.clamp_min(least)
                return original(given, *args, **keywords)

            return function

        return around

    for owner in (torch, Tensor):
        world.replace(owner, "log", kept_above(TINY))
        world.replace(owner, "sqrt", kept_above(TINY**2))


def bounded_exponents(world: World) -> None:
    """`exp` never sees what overflows."""
    hold = world.holder()

    def around(original: Any) -> Any:
        def exp(given: Any, *args: Any, **keywords: Any) -> Any:
            if isinstance(given, Tensor) and bool((given > 60).any()):
                hold()
                given = given.clamp_max(60)
            return original(given, *args, **keywords)

        return exp

    for owner in (torch, Tensor):
        world.replace(owner, "exp", around)


def _within_unit(values: Tensor) -> bool:
    return bool(((values >= 0) & (values <= 1)).all())


def _sums_to_one(values: Tensor) -> bool:
    if values.dim() < 2 or not _within_unit(values):
        return False
    total = values.detach().sum(1)
    return bool(torch.allclose(total, torch.ones_like(total), atol=1e-3))


def _logs_sum_to_one(values: Tensor) -> bool:
    total = values.detach().logsumexp(1)
    return bool(torch.allclose(total, torch.zeros_like(total), atol=1e-2))
