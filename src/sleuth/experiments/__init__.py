"""The experiments a diagnosis can make: the same script, run again in a changed world, and one question.

An experiment is a module: its `EXPERIMENT` holds the question and what the answers mean, `change(world)`
makes the world. Where the usual reading does not do, `worth_trying(base)` says whether it can change anything
in this script, `unavailable(world)` why a run of it says nothing, and `answer(trials, world)` reads it. There
is no registry: what stands in the folder can be chosen. What it shows of a cause stands in the cause's file
(`PREDICTS`). One more kind takes a cause back, as `undo(world)` in its file says, and reads as most do.
"""

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from sleuth.quick_dataclass import dataclass, field

UNDO = "undo"  # the kind of those that take one cause back
_UNDO_NAME = re.compile(rf"{UNDO}\((?P<cause>.*)\)")


@dataclass(frozen=True)
class Experiment:
    """The script, run again in a changed world. `cause`: the one it takes back, where it does.

    Of experiments of one `group`, which share a source of error, only the first that answers counts.
    """

    kind: str
    question: str
    yes: str
    no: str
    healthy: str  # how often yes when nothing is wrong
    group: str
    cost: float = 1.0  # runs of the first stretch
    likelihoods: Mapping[str, str] = field(default_factory=dict)  # words for hypotheses written by hand
    cause: str = ""
    place: int = 0  # of several that tell as much, the lowest is made first
    helps: bool = False  # yes: with this changed the script does better
    when_calm: int = 0  # what is asked of a run without a clue and without trouble, in this order; 0: not
    rate: float = 0.0  # times the learning rate, where that is all it changes
    fresh: bool = False  # in a process of its own, a few steps long
    judged_by: str = ""  # what tells whether it helped, before the loss is asked (as `JUDGED_BY` of a cause)

    @property
    def name(self) -> str:
        """What users type and read: "same-batch", "undo(CAUSE)"."""
        return f"{self.kind}({self.cause})" if self.cause else self.kind


@cache
def experiments() -> Mapping[str, Experiment]:
    """Those that need no suspect, by name."""
    found = sorted((module.EXPERIMENT for module in _modules().values()), key=lambda one: one.place)
    return {one.kind: one for one in found}


def part_of(experiment: Experiment, name: str) -> Callable[..., Any] | None:
    """A function of its module; None where it has none, or takes a cause back as that cause's file says."""
    return None if experiment.cause else getattr(_modules()[experiment.kind], name, None)


def undoing(slug: str) -> Experiment:
    """The most telling experiment: take the suspect back and look whether it learns."""
    return Experiment(
        UNDO,
        f"Is it clearly better with {slug} corrected?",
        f"with {slug} corrected it is clearly better",
        f"with {slug} corrected it is no better",
        "never",
        f"{UNDO} {slug}",
        cause=slug,
    )


def named(name: str) -> Experiment | None:
    """The experiment of that name; None for a name that is none's."""
    undo = _UNDO_NAME.fullmatch(name)
    return undoing(undo["cause"]) if undo else experiments().get(name)


def called(name: str) -> Experiment:
    """The experiment of that name, which there is."""
    found = named(name)
    if found is None:
        raise ValueError(f"there is no experiment called {name!r}")
    return found


@cache
def _modules() -> Mapping[str, ModuleType]:
    names = {name[:-3] for folder in __path__ for name in os.listdir(folder) if name.endswith(".py")}
    modules = [import_module(f"sleuth.experiments.{name}") for name in sorted(names) if name[0] != "_"]
    return {module.EXPERIMENT.kind: module for module in modules}
