"""Who keeps tensors alive where they pile up: the list, the attribute or the name that outlives a step."""

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

from sleuth.record.entries import Keeper
from sleuth.watching.state import State

SETTLED = 5  # steps after which what lives is what a run needs
MORE = 300  # tensors than then: a look costs little, and says nothing where memory does not grow
MORE_DEEP = 100  # in the short stretch of a diagnosis, where a look may cost something
MOST, DEEPEST = 4000, 4  # objects looked at, and how far from a frame
SHARE = 0.3  # of the growth: a container that holds less is not the reason
LONG = 5.0  # graphs of one step in a row: an attribute that reaches back so far keeps all of them


def look(state: State, tensors: int) -> None:
    """Once, when the tensors have clearly become more: say who holds most of them."""
    first = state.told.setdefault("tensors", tensors) if state.n >= SETTLED else tensors
    if tensors < first + (MORE_DEEP if state.deep else MORE) or state.told.get("keeper"):
        return
    state.told["keeper"] = True
    with suppress(Exception):  # the user's objects may answer as they like
        frames = state.places.user_frames(sys._getframe(1))
        found = max(_keepers(frames, tensors - first, state), key=lambda keeper: keeper.held, default=None)
        if found is not None:
            state.put(found)


@dataclass(frozen=True)
class _Object:
    name: str  # as one would write it in the function it was reached from
    value: Any
    depth: int


def _keepers(frames: list[FrameType], growth: int, state: State) -> Iterator[Keeper]:
    import torch

    seen: set[int] = set()
    queue = deque(_roots(frames))
    while queue and len(seen) < MOST:
        here = queue.popleft()
        if id(here.value) in seen or type(here.value).__module__.startswith("sleuth."):
            continue
        seen.add(id(here.value))
        if issubclass(type(here.value), torch.Tensor):
            reach = _reach(here.value, state)
            if reach:
                yield Keeper(here.name, "graph", reach, state.n)
        elif (held := _held(here.value)) > SHARE * growth:
            yield Keeper(here.name, type(here.value).__name__, held, state.n)
        elif here.depth < DEEPEST:
            queue.extend(_inside(here))


def _roots(frames: list[FrameType]) -> Iterator[_Object]:
    for frame in frames:
        for name, value in [*frame.f_locals.items(), *frame.f_globals.items()]:
            if not name.startswith("__"):
                yield _Object(name, value, 0)


def _inside(here: _Object) -> Iterator[_Object]:
    """The attributes of objects of the user's own classes, and what stands in small tables."""
    if isinstance(here.value, dict):
        for key, value in [*here.value.items()][:100]:
            yield _Object(f"{here.name}[{key!r}]", value, here.depth + 1)
    elif not type(here.value).__module__.startswith(("torch", "builtins", "numpy")):
        for name, value in [*getattr(here.value, "__dict__", {}).items()]:
            yield _Object(f"{here.name}.{name}", value, here.depth + 1)


def _held(value: Any) -> int:
    """Tensors in a container, among them those one level below."""
    import torch

    if not isinstance(value, (list, tuple, set, deque, dict)):
        return 0
    parts = [*(value.values() if isinstance(value, dict) else value)]
    inner = [part for one in parts for part in (one if isinstance(one, (list, tuple)) else (one,))]
    return sum(issubclass(type(part), torch.Tensor) for part in inner)


def _reach(tensor: Any, state: State) -> int:
    """How far the graph behind a tensor goes, where that is further than a few steps."""
    from sleuth.watching.backwards import nodes

    usual = state.told.get("graph")
    if tensor.grad_fn is None or not usual:
        return 0
    reach = nodes(tensor.grad_fn)
    return reach if reach > LONG * usual else 0
