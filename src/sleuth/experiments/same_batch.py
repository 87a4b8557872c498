"""Every turn of the training loop gets the data of its first: can it memorise one batch?"""

from typing import TYPE_CHECKING

from sleuth.experiments import Experiment
from sleuth.record import outcome

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record


EXPERIMENT = Experiment(
    "same-batch",
    "Does it fail to memorise one batch?",
    "stalls on one batch",
    "memorises one batch",
    "never",
    "memory",
    place=1,
    when_calm=2,
)


def change(world: "World") -> None:
    world.repeat_first_batch()


def unavailable(world: "Record") -> str:
    return "" if outcome.pinned(world) else "the batch could not be held fixed"


def answer(trials: "Trials", world: "Record") -> bool | None:
    learnt = outcome.memorises(world)
    return None if learnt is None else not learnt
