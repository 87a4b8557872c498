"""Steps into a world by its name, taking back the suspects that are named along."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from torch import Tensor

from sleuth import catalog
from sleuth.lab.control import Control
from sleuth.lab.worlds.doors import World
from sleuth.lab.worlds.named import WORLDS


def _counted(control: Control) -> Callable[[Tensor], Tensor]:
    def note(loss: Tensor) -> Tensor:
        control.went_backward()
        return loss

    return note


@contextmanager
def entered(name: str, undo: Sequence[str], control: Control) -> Iterator[World]:
    """The world for the length of the `with`."""
    world = World(control)
    with world.open():
        world.backward(_counted(control))
        world.name = name
        WORLDS[name](world)
        for slug in undo:
            world.name = f"undo({slug})"
            catalog.find(slug).module.undo(world)
        yield world
