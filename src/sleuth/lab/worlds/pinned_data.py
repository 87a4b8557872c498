"""Every turn of a training loop gets the data of its first, and the random numbers of then."""

import random
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from sleuth.doors import of_torch
from sleuth.lab.control import Pin
from sleuth.lab.worlds.doors import World


def pin(world: World) -> None:
    world.control.pin = Pin(_snapshot, _restore, _copied, _served, _names_rows)
    first: dict[int, tuple[Any, Any, int]] = {}
    hold = world.holder()

    def around(original: Any) -> Any:
        def advance(iterator: Any) -> Any:
            batch = original(iterator)
            key = id(iterator._dataset)
            if key not in first:
                first[key] = (iterator._dataset, _copied(batch), world.control.backwards)
            elif world.control.backwards > first[key][2]:  # a backward followed its first batch: it trains
                hold()
                return _copied(first[key][1])
            return batch

        return advance

    of_torch.batches_served(world.patches, around)


def _snapshot() -> Any:
    state: list[Any] = [torch.get_rng_state(), random.getstate()]
    try:
        import numpy
    except ImportError:
        return state
    return [*state, numpy.random.get_state()]


def _restore(state: Any) -> None:
    torch.set_rng_state(state[0])
    random.setstate(state[1])
    if len(state) > 2:
        import numpy

        numpy.random.set_state(state[2])


def _is_data(value: Any) -> bool:
    return isinstance(value, Tensor) or (type(value).__module__ == "numpy" and hasattr(value, "shape"))


def _holds_data(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_holds_data(part) for part in value)
    if isinstance(value, Mapping):
        return any(_holds_data(part) for part in value.values())
    return _is_data(value)


def _copied(value: Any) -> Any:
    """The same structure with copies of its tensors: the script may write into what it is given."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad) if value.is_leaf else value.clone()
    if _is_data(value):
        return value.copy()
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(_copied(part) for part in value)
    if type(value) is dict:
        return {key: _copied(part) for key, part in value.items()}
    return value


def _names_rows(value: Any) -> bool:
    """Whole numbers and words: an order of rows, tokens, file names."""
    if isinstance(value, Tensor):
        return not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    if _is_data(value):
        return value.dtype.kind in "iuSU"
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_names_rows, value[:4]))
    return isinstance(value, (int, str, bytes)) and not isinstance(value, bool)


def _served(item: Any, first: Any, picks_rows: bool) -> Any:
    """The first turn's data; a counter beside it goes on, unless it picks the rows itself."""
    if not _holds_data(first):
        return first if picks_rows else item
    return _exchanged(item, _copied(first))


def _exchanged(item: Any, first: Any) -> Any:
    if isinstance(item, (int, float, str)):
        return item
    if isinstance(item, (tuple, list)) and not hasattr(item, "_fields") and len(item) == len(first):
        return type(item)(_exchanged(part, other) for part, other in zip(item, first, strict=True))
    return first
