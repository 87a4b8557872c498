"""Asks an unchanged script why one of its metrics stands still, at a backward call."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from sleuth.facts.stage.control import Control, Limit
from sleuth.facts.stage.job import Job
from sleuth.facts.stage.run import is_users, run_script

LOOKS = (0, 3, 10, 30, 100, 300)  # optimizer steps before which to look; the last look counts
MOST_NODES = 20_000  # of a graph searched for the terms of a loss


@dataclass
class Sight:
    """What the looks have shown so far."""

    metric: str
    answer: Mapping[str, Any] | None = None
    text: str = ""
    step: int = 0
    candidates: set[str] = field(default_factory=set)
    trouble: str = ""


def ask_script(job: Job) -> list[Mapping[str, Any]]:
    """Run the script, look at its metric before some of its steps, and hand back the last answer."""
    import torch

    from sleuth.facts.worlds.doors import World

    control = Control(Limit(job.steps))
    sight = Sight(job.metric)
    world = World(control)

    def look(loss: torch.Tensor) -> torch.Tensor:
        if control.steps in LOOKS and loss.grad_fn is not None:
            _look(sight, loss, control.steps, sys._getframe(2))
        return loss

    with world.open():
        world.backward(look)
        world.after_step(lambda _: control.stepped())
        run_script(Path(job.script), job.arguments, control, job.module)
    return [
        {
            "answer": sight.answer,
            "text": sight.text,
            "step": sight.step,
            "candidates": sorted(sight.candidates),
            "trouble": sight.trouble,
        }
    ]


def _look(sight: Sight, loss: Any, step: int, frame: FrameType | None) -> None:
    from sleuth.errors import SleuthError
    from sleuth.stall.asking import stuck

    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return
    names = {**frame.f_globals, **frame.f_locals}
    sight.candidates |= {name for name, value in names.items() if _has_graph(value) and value is not loss}
    metric = _named(sight.metric, names)
    if metric is None:
        return
    if not _has_graph(metric):
        sight.trouble = f"`{sight.metric}` is a {type(metric).__name__} without a gradient graph at backward"
        return
    try:
        found = stuck(
            metric=metric,
            loss=loss,
            parameters=_parameters(names),
            terms=_terms(names, loss, metric) or None,
            optimizer=_optimizer(names),
        )
    except SleuthError as error:
        sight.trouble = str(error)
        return
    sight.answer, sight.text, sight.step, sight.trouble = found.to_dict(), found.text(), step, ""


def _named(name: str, names: Mapping[str, Any]) -> Any:
    """`metric`, or `self.metric`."""
    first, *rest = name.split(".")
    value = names.get(first)
    for part in rest:
        value = getattr(value, part, None)
    return value


def _has_graph(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.grad_fn is not None


def _parameters(names: Mapping[str, Any]) -> dict[str, Any]:
    """The trainable tensors of the models and optimizers in sight, by the best name there is."""
    import torch

    found: dict[int, tuple[str, Any]] = {}
    for name, value in _objects(names):
        if isinstance(value, torch.nn.Module):
            for inner, tensor in value.named_parameters():
                found.setdefault(id(tensor), (f"{name}.{inner}", tensor))
    for name, value in _objects(names):
        if isinstance(value, torch.optim.Optimizer):
            held = [tensor for group in value.param_groups for tensor in group["params"]]
            for index, tensor in enumerate(held):
                found.setdefault(id(tensor), (f"{name}[{index}]", tensor))
    return {name: tensor for name, tensor in found.values() if tensor.requires_grad}


def _optimizer(names: Mapping[str, Any]) -> Any:
    """The one optimizer in sight, for its momentum; of several, none can be told to be the metric's."""
    import torch

    seen = {id(value): value for _, value in _objects(names) if isinstance(value, torch.optim.Optimizer)}
    return next(iter(seen.values())) if len(seen) == 1 else None


def _objects(names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What is in sight, and the attributes of `self`."""
    yield from names.items()
    holder = names.get("self")
    if holder is not None and hasattr(holder, "__dict__"):
        yield from vars(holder).items()


def _terms(names: Mapping[str, Any], loss: Any, metric: Any) -> dict[str, Any]:
    """Scalars in sight that the loss was made from."""
    behind = _behind(loss)
    return {
        name: value
        for name, value in names.items()
        if _has_graph(value)
        and value.numel() == 1
        and value is not loss
        and value is not metric
        and value.grad_fn in behind
    }


def _behind(loss: Any) -> set[Any]:
    seen: set[Any] = set()
    waiting = [loss.grad_fn]
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [before for before, _ in node.next_functions]
    return seen
