"""Gradients, clipping, rates and who is stepped, put right."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from sleuth.lab.worlds.doors import World

RAMP = 30  # steps of a warmup that is put in


def clear_after_step(world: World) -> None:
    """Gradients are cleared as soon as they were used."""

    def act(optimizer: torch.optim.Optimizer) -> None:
        for parameter in _held(optimizer):
            if parameter.grad is not None:
                world.hold()
                parameter.grad = None

    world.after_step(act)


def keep_until_step(world: World) -> None:
    """Gradients live from backward to step, whoever clears them between."""
    hold = world.holder()
    filled = {"by backward": False}

    def around_clear(original: Any) -> Any:
        def zero_grad(owner: Any, *args: Any, **keywords: Any) -> None:
            if filled["by backward"]:
                hold()
            else:
                original(owner, *args, **keywords)

        return zero_grad

    def note(loss: Tensor) -> Tensor:
        filled["by backward"] = True
        return loss

    def act(optimizer: torch.optim.Optimizer) -> None:
        filled["by backward"] = False
        for parameter in _held(optimizer):
            parameter.grad = None

    world.replace(torch.optim.Optimizer, "zero_grad", around_clear)
    world.replace(nn.Module, "zero_grad", around_clear)
    world.backward(note)
    world.after_step(act)


def step_after_backward(world: World) -> None:
    """Every optimizer takes its step when backward has filled the gradients, and clears them."""
    hold = world.holder()
    optimizers: list[torch.optim.Optimizer] = []

    def around_init(original: Any) -> Any:
        def init(optimizer: Any, *args: Any, **keywords: Any) -> None:
            original(optimizer, *args, **keywords)
            optimizers.append(optimizer)

        return init

    def around_backward(original: Any) -> Any:
        def backward(loss: Tensor, *args: Any, **keywords: Any) -> Any:
            result = original(loss, *args, **keywords)
            for optimizer in optimizers:
                hold()
                optimizer.step()
                optimizer.zero_grad()
            return result

        return backward

    world.replace(torch.optim.Optimizer, "__init__", around_init)
    world.replace(Tensor, "backward", around_backward)


def rate_held(world: World) -> None:
    """The rate stays what it was at the start, whatever a schedule says."""
    world.groups(lambda group: {"lr": group["initial_lr"]} if "initial_lr" in group else {})


def rate_ramped(world: World) -> None:
    """The rate grows to its value over the first steps."""

    def change(group: dict[str, Any]) -> dict[str, Any]:
        share = (world.control.steps + 1) / RAMP
        return {"lr": group["lr"] * share} if share < 1 else {}

    world.groups(change)


def every_parameter_held(world: World) -> None:
    """Parameters of the models in use that no optimizer holds are handed to the one that steps."""
    models: list[nn.Module] = []
    world.first_call(models.append)

    def act(optimizer: torch.optim.Optimizer) -> None:
        held = {id(parameter) for parameter in _held(optimizer)}
        missing = [
            parameter
            for model in models
            for parameter in model.parameters()
            if parameter.requires_grad and id(parameter) not in held and parameter.grad is not None
        ]
        if missing:
            world.hold()
            optimizer.add_param_group({"params": list({id(p): p for p in missing}.values())})

    world.before_step(act)


def thawed(world: World) -> None:
    """What is frozen learns."""

    def thaw(model: nn.Module) -> None:
        for parameter in model.parameters():
            if not parameter.requires_grad:
                world.hold()
                parameter.requires_grad_(True)

    world.first_call(thaw)
    every_parameter_held(world)


def gradients_on(world: World) -> None:
    """`no_grad` and `inference_mode` do nothing."""
    hold = world.holder()

    def around(_: Any) -> Any:
        def enter(__: Any) -> None:
            hold()

        return enter

    def leave(_: Any) -> Any:
        return lambda *_: None

    for context in (torch.no_grad, torch.inference_mode):
        world.replace(context, "__enter__", around)
        world.replace(context, "__exit__", leave)


def divided_by_accumulation(world: World) -> None:
    """The loss is divided by the number of backward calls that the step before took."""
    count = {"now": 0, "before": 1}

    def change(loss: Tensor) -> Tensor:
        count["now"] += 1
        if count["before"] > 1:
            world.hold()
        return loss / count["before"]

    def act(_: Any) -> None:
        count["before"], count["now"] = max(1, count["now"]), 0

    world.backward(change)
    world.after_step(act)


def no_clipping(world: World) -> None:
    hold = world.holder()

    def around(_: Any) -> Any:
        def clip(parameters: Any, max_norm: float = 0.0, *args: Any, **keywords: Any) -> Tensor:
            hold()
            given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            norms = [p.grad.norm() for p in given if p.grad is not None]
            return torch.stack(norms).norm() if norms else torch.zeros(())

        return clip

    world.replace(nn.utils, "clip_grad_norm_", around)


def clipped_before_step(world: World, largest: float = 1.0) -> None:
    """Gradients are clipped where it counts: after backward, before the step."""

    def act(optimizer: torch.optim.Optimizer) -> None:
        parameters = [p for p in _held(optimizer) if p.grad is not None]
        if parameters and float(nn.utils.clip_grad_norm_(parameters, largest)) > largest:
            world.hold()

    world.before_step(act)


def evened_out(world: World) -> None:
    """Every weight matrix gets a gradient as large, for its own size, as the best served of the last ones.

    Directions stay as they are: what the early layers are told is heard, however faint it came in.
    """

    def act(optimizer: torch.optim.Optimizer) -> None:
        slopes = [
            (p.grad, float(p.detach().norm())) for p in _held(optimizer) if p.grad is not None and p.dim() > 1
        ]
        steep = [float(grad.norm()) / size for grad, size in slopes if size > 0]
        if len(steep) < len(slopes) or len(steep) < 3 or not all(map(math.isfinite, steep)):
            return
        goal = max(steep[-2:])
        for (grad, _), own in zip(slopes, steep, strict=True):
            if 0 < own < goal:
                grad.mul_(goal / own)
                world.hold()

    world.before_step(act)


def _held(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]
