"""Halves the path input → modules → loss → gradients until the first place where values go wrong is found."""

import math
from collections.abc import Callable, Sequence

from sleuth.record.entries import Activation, Layers, Model, NonFinite, Record
from sleuth.report import PartSeen

HUGE = 1e4  # times the spread of the first layer's output
MOSTLY = 0.95


def bisect(record: Record) -> list[PartSeen]:
    """One entry a kind of wrong that was seen: non-finite, exploding, dead, constant."""
    found = [_nonfinite(seen) for seen in record.of(NonFinite) if seen.replayed][:1]
    for what, wrong in _WRONG.items():
        for layers in record.of(Layers):
            guilty = _first(what, layers, wrong)
            if guilty is not None:
                found.append(_located(guilty, record))
                break
    return found


def first_true(count: int, holds: Callable[[int], bool]) -> int | None:
    """The first index from which it holds, by halving; None when it does not hold at the end."""
    if not count or not holds(count - 1):
        return None
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _first(what: str, layers: Layers, wrong: Callable[[Activation, Activation], bool]) -> PartSeen | None:
    # A loss made inside `forward` is one number: all alike, and no layer of the path.
    path: Sequence[str] = [name for name in layers.activations if not _is_loss(name)]
    if not path:
        return None
    start = layers.activations[path[0]]
    asked: list[str] = []

    def holds(index: int) -> bool:
        asked.append(path[index])
        return wrong(layers.activations[path[index]], start)

    index = first_true(len(path), holds)
    if index is None and what in _PASSING:
        index = next((place for place in range(len(path)) if holds(place)), None)
    return None if index is None else PartSeen(what, path[index], step=layers.n, asked=tuple(asked))


def _is_loss(name: str) -> bool:
    """A module that belongs to no model goes by its class, behind a question mark."""
    return name.startswith("?") and name.endswith("Loss")


_WRONG: dict[str, Callable[[Activation, Activation], bool]] = {
    "non-finite": lambda out, start: not out.finite,
    "exploding": lambda out, start: math.isfinite(out.std) and out.std > HUGE * max(start.std, 1e-6),
    "constant": lambda out, start: out.finite and out.std == 0.0 and out.zero < MOSTLY,
    "dead": lambda out, start: out.finite and out.zero >= 1.0,
}


# What a later layer may hide: a bias makes something of silent units, a norm of anything.
_PASSING = frozenset(("dead", "exploding"))


def _nonfinite(seen: NonFinite) -> PartSeen:
    module = seen.module or seen.operation
    return PartSeen("non-finite", module, seen.line, seen.path, seen.n, (seen.where_seen, seen.operation))


def _located(guilty: PartSeen, record: Record) -> PartSeen:
    for model in record.of(Model):
        for layer in model.layers:
            if layer.name == guilty.module:
                return PartSeen(guilty.what, guilty.module, layer.line, layer.path, guilty.step, guilty.asked)
    return guilty
