"""A tape of one training step: recorded as it ran, replayed on the live model with another batch.

Module calls are replayed as calls, so that what happens inside is done anew; what the step's own code did
with their results is replayed operation by operation.
"""

import copy
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

# Device and type of the autocast that was on, if any.
Half = tuple[str, torch.dtype] | None


def mixed_precision() -> Half:
    for device in ("cuda", "cpu"):
        if torch.is_autocast_enabled(device):
            return device, torch.get_autocast_dtype(device)
    return None


@dataclass(frozen=True, eq=False)
class Entry:
    """One recorded call, of a torch function or of an outermost module."""

    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    grad: bool
    where: tuple[str | None, int | None]
    half: Half = None

    @property
    def module(self) -> nn.Module | None:
        return self.call if isinstance(self.call, nn.Module) else None


@dataclass(frozen=True, eq=False)
class Tape:
    """The entries that lead to a loss, and those beside them that ran in the same step."""

    entries: tuple[Entry, ...]
    loss: Tensor

    def replay(self, replaced: Mapping[int, Tensor]) -> Tensor:
        """Run the step again; `replaced` maps ids of recorded tensors to those to use in their place."""
        known: dict[int, Tensor] = dict(replaced)
        with _same_draws():
            for entry in self.entries:
                _run(entry, known)
        return known.get(id(self.loss), self.loss)

    def roots(self) -> list[nn.Module]:
        """The modules called with gradients on, each once, in order."""
        called = [entry.module for entry in self.entries if entry.module is not None and entry.grad]
        return list({id(module): module for module in called}.values())

    def outside(self) -> list[Tensor]:
        """Tensors that came from elsewhere, in the order of their first use: data, parameters, constants."""
        made: set[int] = set()
        found: dict[int, Tensor] = {}
        for entry in self.entries:
            for tensor in entry.inputs:
                if id(tensor) not in made:
                    found.setdefault(id(tensor), tensor)
            made.update(id(tensor) for tensor in entry.outputs)
        return list(found.values())


def cut(entries: list[Entry], loss: Tensor, mark: int = 0) -> Tape:
    """Keep what the loss needs, and everything recorded after the first of those entries.

    What stands before `mark` belongs to an earlier backward pass: of that only what gradient flows through.
    """
    needed, first, older = {id(loss)}, len(entries), []
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        made = [t for t in entry.outputs if id(t) in needed and (index >= mark or t.requires_grad)]
        if not made:
            continue
        needed.update(id(tensor) for tensor in entry.inputs)
        if index >= mark:
            first = index
        else:
            older.append(entry)
    return Tape((*reversed(older), *entries[first:]), loss)


def tensors_in(value: Any, depth: int = 0) -> Iterator[Tensor]:
    """Every tensor in nested containers and, for other objects, in their attributes."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors_in(part, depth)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from tensors_in(part, depth)
    elif depth < 2 and hasattr(value, "__dict__") and not isinstance(value, (nn.Module, type)):
        yield from tensors_in(vars(value), depth + 1)


@contextmanager
def _same_draws() -> Iterator[None]:
    """Coins that the step throws in Python (teacher forcing, stochastic depth) fall alike in every replay."""
    numpy = sys.modules.get("numpy")
    python, of_numpy = random.getstate(), numpy.random.get_state() if numpy is not None else None
    try:
        yield
    finally:
        random.setstate(python)
        if numpy is not None:
            numpy.random.set_state(of_numpy)


def _is_source_of_chance(value: Any) -> bool:
    of_numpy = type(value).__module__.startswith("numpy.random")
    return isinstance(value, random.Random) or (of_numpy and hasattr(value, "bit_generator"))


def _run(entry: Entry, known: dict[int, Tensor]) -> None:
    recorded_at = entry.where  # read by whoever asks for the line of an operation
    arguments = _resolved(entry.arguments, known)
    keywords = {key: _resolved(value, known) for key, value in entry.keywords.items()}
    half = nullcontext() if entry.half is None else torch.autocast(entry.half[0], dtype=entry.half[1])
    with half, nullcontext() if entry.grad else torch.no_grad():
        result = entry.call(*arguments, **keywords)
    del recorded_at
    known.update((id(old), new) for old, new in zip(entry.outputs, tensors_in(result), strict=False))


def _resolved(value: Any, known: Mapping[int, Tensor]) -> Any:
    if isinstance(value, Tensor):
        return known.get(id(value), value)
    if isinstance(value, (tuple, list)):
        parts = [_resolved(part, known) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: _resolved(part, known) for key, part in value.items()}
    if _is_source_of_chance(value):
        return copy.deepcopy(value)  # the script's own goes on where it was
    if isinstance(value, slice):
        return slice(*(_resolved(part, known) for part in (value.start, value.stop, value.step)))
    return value
