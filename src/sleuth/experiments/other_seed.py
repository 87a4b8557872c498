"""Every seed is another one, so data, start and order are drawn anew: was it luck?"""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sleuth.experiments import Experiment
from sleuth.record import outcome

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

SHIFT = 1009  # added to every seed in another world


EXPERIMENT = Experiment(
    "other-seed",
    "Does another seed end with a different loss?",
    "another seed ends with a different loss",
    "another seed ends with the same loss",
    "rarely",
    "seed",
    place=6,
)


def change(world: "World") -> None:
    import torch

    hold = world.holder()

    def shifted(original: Any) -> Any:
        def seed(*args: Any, **keywords: Any) -> Any:
            hold()
            named = {
                key: _another(value) if key in ("seed", "a") else value for key, value in keywords.items()
            }
            return original(*map(_another, args[:1]), *args[1:], **named)

        return seed

    for owner, name in ((torch, "manual_seed"), (torch.random, "manual_seed"), (random, "seed")):
        world.replace(owner, name, shifted)
    world.replace(torch, "Generator", lambda original: _shifted_generator(original, hold))
    try:
        import numpy
    except ImportError:
        return
    for name in ("seed", "default_rng"):
        world.replace(numpy.random, name, shifted)
    world.replace(numpy.random, "RandomState", lambda original: _shifted_class(original, shifted))


def _shifted_generator(original: Any, hold: Callable[[], None]) -> Any:
    class Generator(original):  # type: ignore[misc]
        def manual_seed(self, seed: int) -> Any:
            hold()
            return super().manual_seed(_another(seed))

    return Generator


def _another(seed: Any) -> Any:
    return seed + SHIFT if isinstance(seed, int) else seed


def _shifted_class(original: Any, shifted: Callable[[Any], Any]) -> Any:
    """A class still: libraries ask whether something is an instance of it."""

    class Kind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, original)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, original)

        def __call__(cls, *args: Any, **keywords: Any) -> Any:
            return shifted(original)(*args, **keywords)

    return Kind(original.__name__, (original,), {"__module__": original.__module__})


def answer(trials: "Trials", world: "Record") -> bool | None:
    return outcome.ends_elsewhere(trials.base, world)
