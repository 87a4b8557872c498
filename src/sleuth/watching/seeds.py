"""The door of random seeds: who seeded which stream, where."""

import random
from collections.abc import Callable
from typing import Any

from sleuth.record.entries import Seed
from sleuth.watching.state import State


def attach(state: State, patches: Any) -> None:
    import torch

    watched = _watched(state, "torch")
    patches.replace_everywhere(torch, ["manual_seed"], lambda original, name: watched(original))
    patches.replace(random, "seed", _watched(state, "random"))


def attach_numpy(state: State, patches: Any, numpy: Any) -> None:
    """numpy may be imported later than torch; its seeds are watched once it is there."""
    patches.replace(numpy.random, "seed", _watched(state, "numpy"))
    patches.replace(numpy.random, "default_rng", _watched(state, "generator"))


def _watched(state: State, what: str) -> Callable[[Any], Any]:
    def make(original: Any) -> Any:
        def seed(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            given = args[0] if args else kwargs.get("seed", kwargs.get("a"))
            if given is not None:  # without one, a stream begins anywhere
                _seen(state, what, given)
            return result

        return seed

    return make


def _seen(state: State, what: str, value: Any) -> None:
    path, line = state.places.here()
    if state.off or not path:
        return
    number = int(value) if isinstance(value, int) else 0
    if state.seldom(("seed", what, line), 8):
        state.put(Seed(what, number, line, state.n, path))
