"""Steps into a world by its name, taking back the suspects that are named along."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from torch import Tensor

from sleuth import catalog
from sleuth.experiments import called, part_of, undoing
from sleuth.lab.control import Control
from sleuth.lab.worlds.doors import World


def _counted(control: Control) -> Callable[[Tensor], Tensor]:
    def note(loss: Tensor) -> Tensor:
        control.went_backward()
        return loss

    return note


@contextmanager
def entered(name: str, undo: Sequence[str], control: Control) -> Iterator[World]:
    """The world of that experiment for the length of the `with`; without a name, the script as it is."""
    world = World(control)
    with world.open():
        world.backward(_counted(control))
        if name and (change := part_of(called(name), "change")) is not None:
            world.name = name
            change(world)
        for slug in undo:
            world.name = undoing(slug).name
            catalog.find(slug).module.undo(world)
        yield world
