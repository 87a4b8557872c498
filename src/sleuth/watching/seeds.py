"""The door of random seeds: who seeded which stream, where."""

import random
from typing import Any

from sleuth.facts.step import Seed
from sleuth.watching.state import State


def attach(state: State, patches: Any) -> None:
    import torch

    def watched(what: str) -> Any:
        def make(original: Any) -> Any:
            def seed(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                given = args[0] if args else kwargs.get("seed", kwargs.get("a", 0))
                _seen(state, what, given)
                return result

            return seed

        return make

    patches.replace_everywhere(torch, ["manual_seed"], lambda original, name: watched("torch")(original))
    patches.replace(random, "seed", watched("random"))


def attach_numpy(state: State, patches: Any, numpy: Any) -> None:
    """numpy may be imported later than torch; its seed is watched once it is there."""

    def make(original: Any) -> Any:
        def seed(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            _seen(state, "numpy", args[0] if args else kwargs.get("seed", 0))
            return result

        return seed

    patches.replace(numpy.random, "seed", make)


def _seen(state: State, what: str, value: Any) -> None:
    path, line = state.places.here()
    if state.off or not path:
        return
    number = int(value) if isinstance(value, int) else 0
    if state.seldom(("seed", what, line), 8):
        state.put(Seed(what, number, line, state.n, path))
