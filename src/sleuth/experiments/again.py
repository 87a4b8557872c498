"""The same script in a process of its own, for a few steps: do two runs of it differ?"""

from typing import TYPE_CHECKING

from sleuth.experiments import Experiment
from sleuth.record import outcome

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record


EXPERIMENT = Experiment(
    "again",
    "Do two runs with the same seed differ?",
    "two runs differ",
    "two runs agree",
    "never",
    "repeat",
    place=10,
    when_calm=1,
    fresh=True,
)


def change(world: "World") -> None:
    """The script as it is."""


def unavailable(world: "Record") -> str:
    return ""  # nothing is changed, so nothing need take hold


def answer(trials: "Trials", world: "Record") -> bool | None:
    return outcome.parts(trials.base, world)


def figures(base: "Record", world: "Record") -> str:
    apart = outcome.parting(base, world)
    if apart is None:
        return ""
    number, ours, theirs = apart
    return f"loss {outcome.short(ours)} and {outcome.short(theirs)} at step {number}"
