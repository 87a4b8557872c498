"""Batch normalisation that a model writes itself: mean and spread of one tensor over the examples."""

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from sleuth.measure.forward import trace
from sleuth.measure.subject import Subject

_STATISTICS = frozenset({"mean", "std", "var", "std_mean", "var_mean"})


def _over_examples(function: Any, given: Any, keywords: dict[str, Any]) -> bool:
    """Whether this call takes a statistic over the first axis and leaves others."""
    if getattr(function, "__name__", "") not in _STATISTICS or not given or given[0].dim() < 2:
        return False
    axes = keywords.get("dim", given[1] if len(given) > 1 else None)
    chosen = axes if isinstance(axes, (tuple, list)) else (axes,)
    return any(axis in (0, -given[0].dim()) and axis is not True for axis in chosen if axis is not None)


def by_hand(subject: Subject, length: int) -> set[int]:
    """Numbers of the statistics that belong to a batch normalisation: mean and spread of one tensor.

    A mean over the examples alone is what a wrong axis looks like, and is left alone.
    """
    with torch.no_grad():
        run = trace(subject, train=None)
    ops = [op for op in run.ops if _over_examples(op.function, op.arguments, op.keywords)]
    kinds: dict[int, set[str]] = {}
    for op in ops:
        if len(op.inputs[0]) == length:
            kinds.setdefault(id(op.inputs[0]), set()).update(op.name.split("_"))
    whole = {key for key, names in kinds.items() if "mean" in names and names & {"std", "var"}}
    return {number for number, op in enumerate(ops) if id(op.inputs[0]) in whole}


class Held(TorchFunctionMode):
    """Some statistics over the examples, by number, are taken for constants."""

    def __init__(self, chosen: set[int]) -> None:
        super().__init__()
        self.chosen, self.count = chosen, 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not _over_examples(func, args, kwargs or {}):
            return result
        self.count += 1
        if self.count - 1 not in self.chosen:
            return result
        return tuple(t.detach() for t in result) if isinstance(result, tuple) else result.detach()
