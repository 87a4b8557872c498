"""In which circumstances a script was seen: each has a name, and keeps some evidence from counting.

A detector sees its own numbers. Whether they matter may hang on what else the run shows: frozen layers that
are set free later, labels that are all alike in the one batch a probe saw, a loss that falls all the same.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sleuth.diagnosis.trials import Trials
from sleuth.finding import Evidence
from sleuth.record.entries import Evaluation, Layers, Record
from sleuth.record.questions import ended, loss_calls, one_backward_for_all, thawed_later


@dataclass(frozen=True)
class Scene:
    """What circumstances are read from: the script's own run, and what its source says."""

    trials: Trials
    thaws: bool = False  # the source sets layers free that may rest when they are looked at


def circumstances(scene: Scene) -> frozenset[str]:
    """The names of those that hold."""
    return frozenset(name for name, holds in NAMED.items() if holds(scene))


def moving(evidence: Iterable[Evidence], record: Record) -> frozenset[str]:
    """Of the parts of a model that evidence points at, those in which something moved during the run."""
    named = {f.where.module for f in evidence if f.where is not None and f.where.module}
    moved = {name for layers in record.of(Layers) for name, change in layers.updates.items() if change}
    return frozenset(part for part in named if any(name.startswith(f"{part}.") for name in moved))


def _sets_free_after_the_end(scene: Scene) -> bool:
    """The source thaws layers, and the run was cut short before."""
    return scene.thaws and not ended(scene.trials.base)


def _classes_differ(scene: Scene) -> bool:
    """Classes that one task has and the next has not."""
    return len({call.classes for call in loss_calls(scene.trials.base) if call.classes}) > 1


def _labels_vary(scene: Scene) -> bool:
    """Labels that are all alike at one step differ at another: those of one client, day or file."""
    calls = loss_calls(scene.trials.base)
    return len({bound for call in calls for bound in (call.target_min, call.target_max)}) > 1


SAMPLED = 5  # further calls on the same rows


def _asked_again(scene: Scene) -> bool:
    """Who asks a model several times about the same rows wants answers to differ."""
    return any(seen.again >= SAMPLED for seen in scene.trials.base.of(Evaluation))


def _several_losses(scene: Scene) -> bool:
    return len({(step.loss_path, step.loss_line) for step in scene.trials.base.steps}) > 1


NAMED: Mapping[str, Callable[[Scene], bool]] = {
    # How the run goes.
    "learns": lambda scene: scene.trials.learns,
    "came-far": lambda scene: scene.trials.came_far,
    "poor": lambda scene: scene.trials.poor,
    "stuck": lambda scene: scene.trials.went_nowhere,
    "unstable": lambda scene: scene.trials.unstable,
    "had-its-time": lambda scene: scene.trials.had_its_time,
    "told-by-its-loss": lambda scene: scene.trials.told_by_its_loss,
    "whole": lambda scene: scene.trials.whole,
    # What kind of training it is.
    "plays": lambda scene: scene.trials.plays,
    "several-losses": _several_losses,
    "one-backward-for-all": lambda scene: one_backward_for_all(scene.trials.base),
    # What one look at a batch or a step may have missed.
    "thawed-later": lambda scene: thawed_later(scene.trials.base),
    "sets-free-after-the-end": _sets_free_after_the_end,
    "classes-differ": _classes_differ,
    "labels-vary": _labels_vary,
    "asked-again": _asked_again,
}
