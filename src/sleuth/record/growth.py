"""What grows or moves over a run: the graph behind the loss, the terms of a loss, the layers' numbers."""

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from sleuth.finding import Where
from sleuth.quick_dataclass import dataclass, replace
from sleuth.record import curves
from sleuth.record.questions import Course, adversarial, by_line, raised

if TYPE_CHECKING:
    from sleuth.record.entries import LossCall, Record, Step

TWICE = 2.0  # times the nodes of the first graph
CLIMB = 4  # measurements in a row
EVEN = 1.5  # largest over smallest growth a step
RECURRENT = ("RNN", "LSTM", "GRU")


@dataclass(frozen=True)
class Growth:
    """The size of the graph behind the loss at the first and the last step where it was counted."""

    first: int
    last: int
    steps: int


def growing_graph(course: Course) -> Growth | None:
    """The graph behind the loss grows by about the same with every step: it is chained to earlier iterations.

    A state that is set to zero at each epoch makes a saw-tooth, so one climb of several steps is enough.
    """
    counted = [(step.n, step.graph) for step in course.steps if step.graph]
    climb: list[tuple[int, int]] = []
    longest: list[tuple[int, int]] = []
    for n, size in counted:
        climb = [*climb, (n, size)] if climb and size > climb[-1][1] else [(n, size)]
        longest = max(longest, climb, key=len)
    if len(longest) < CLIMB or longest[-1][1] < TWICE * longest[0][1]:
        return None
    paces = [(b[1] - a[1]) / max(1, b[0] - a[0]) for a, b in pairwise(longest[:CLIMB])]
    if max(paces) > EVEN * min(paces):
        return None  # texts of different length
    return Growth(longest[0][1], longest[-1][1], longest[-1][0] - longest[0][0])


def twice_backward(record: "Record") -> Where | None:
    return raised(record, "backward through the graph a second time")


def recurrent(record: "Record") -> bool:
    from sleuth.record.entries import Model

    return any(layer.type.startswith(RECURRENT) for model in record.of(Model) for layer in model.layers)


@dataclass(frozen=True)
class Term:
    """One loss call of the training code and its values over the run."""

    call: "LossCall"
    values: list[float]
    weight: float = 1.0  # in the loss that is minimised, where that can be told


def terms(calls: "Iterable[LossCall]") -> list[Term]:
    """The loss calls that are computed together, with gradients: one for each line."""
    attached = [call for call in calls if call.requires_grad and call.value is not None]
    return [
        Term(same[0], curves.finite(call.value for call in same))
        for same in by_line(attached).values()
        if len(curves.finite(call.value for call in same)) >= 2
    ]


EXACT = 1e-3  # of the loss: a sum that fits so well at every sampled step is the sum
FEWEST = 3  # samples beyond the number of terms, so that no sum fits by chance


def weighed(record: "Record", found: list[Term]) -> list[Term]:
    """Terms with the weights they have in the loss that is minimised: those with which they add up to it.

    As they are where no weights do: with a term that no function of torch computes, or weights that change.
    """
    totals = {step.n: step.loss for step in record.steps if step.loss is not None and step.backwards == 1}
    columns = [_by_step(record, term.call) for term in found]
    common = [n for n in totals if all(n in column for column in columns)]
    if len(found) < 2 or len(common) < len(found) + FEWEST:
        return found
    rows = [[column[n] for column in columns] for n in common]
    wanted = [totals[n] for n in common]
    weights = curves.least_squares(rows, wanted)
    if weights is None or any(
        abs(sum(w * x for w, x in zip(weights, row, strict=True)) - total) > EXACT * abs(total)
        for row, total in zip(rows, wanted, strict=True)
    ):
        return found
    return [replace(term, weight=weight) for term, weight in zip(found, weights, strict=True)]


def _by_step(record: "Record", of: "LossCall") -> dict[int, float]:
    """The value of a loss call at each step where it was made once."""
    from sleuth.record.entries import LossCall

    values: dict[int, list[float]] = {}
    for call in record.of(LossCall):
        same = (call.path, call.line, call.function) == (of.path, of.line, of.function)
        if same and call.phase == of.phase and call.value is not None and call.requires_grad:
            values.setdefault(call.n, []).append(call.value)
    return {n: one[0] for n, one in values.items() if len(one) == 1}


def never_moved(record: "Record") -> set[str]:
    """Parameters whose actual change was measured, at three steps or more, and was zero each time."""
    from sleuth.record.entries import Layers

    seen: dict[str, list[float]] = {}
    for layers in record.of(Layers):
        for name, change in layers.updates.items():
            seen.setdefault(name, []).append(change)
    return {name for name, changes in seen.items() if len(changes) >= 3 and not any(changes)}


def never_reached(record: "Record") -> set[str]:
    """Parameters that had no gradient at any of three sampled steps or more."""
    from sleuth.record.entries import Layers

    seen: dict[str, list[float | None]] = {}
    for layers in record.of(Layers):
        for name, norm in layers.gradients.items():
            seen.setdefault(name, []).append(norm)
    return {name for name, norms in seen.items() if len(norms) >= 3 and all(norm is None for norm in norms)}


def called_modules(record: "Record") -> set[str]:
    """Modules that took part in a sampled training forward."""
    from sleuth.record.entries import Layers

    return {name for layers in record.of(Layers) for name in layers.activations}


def diverging(record: "Record", course: Course) -> int | None:
    """The step at which the loss leaves its range for good by growth, not at one blow; None for games."""
    if adversarial(record):
        return None
    place = curves.exploded(course.losses)
    if place is None:
        return None
    before = curves.finite(course.losses[max(0, place - 5) : place + 1])
    return place if len(before) >= 2 and before[-1] > 1.5 * before[0] > 0 else None


def steps_by_number(record: "Record") -> "dict[int, Step]":
    return {step.n: step for step in record.steps}
