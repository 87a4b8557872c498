"""How long a pass over the batch will take, foreseen from passes over a few examples."""

import time

import torch

from sleuth.measure import batches
from sleuth.measure.not_examined import OutOfTime
from sleuth.measure.subject import FORWARD, Subject

FEW = 2
LOOK = 0.2  # of the time that is left, at most, goes into one further look


def need_room_for_the_first(subject: Subject) -> None:
    """The first pass cannot be stopped midway: it is not begun when it would end after the budget.

    A step that does not take fewer examples than the batch has cannot be foreseen, and is begun.
    """
    if subject.examples < 4 * FEW:
        return
    try:
        seconds = _foreseen(subject)
    except Exception:  # fixed shapes, or a normalisation that wants more: nothing is known
        return
    if seconds > subject.seconds_left:
        raise OutOfTime(
            f"one pass over the batch would take about {seconds:.2g} s, and the time budget is "
            f"{subject.budget:g} s: give more time or a smaller batch"
        )


def _foreseen(subject: Subject) -> float:
    """Seconds forward and backward. What a call costs whatever the size is told apart only if it matters."""
    examples = FEW
    once = _timed(subject, examples)
    if once * subject.examples / examples / FORWARD <= subject.seconds_left:
        return once
    once = _timed(subject, examples)  # the very first call also warms up
    while True:
        twice = _timed(subject, 2 * examples)
        each = max(twice - once, 0.0) / examples
        whole = (twice + each * (subject.examples - 2 * examples)) / FORWARD
        # More examples tell more truly; the look ahead shall not eat up what it measures.
        if 8 * examples > subject.examples or 4 * twice > LOOK * subject.seconds_left:
            return whole
        once, examples = twice, 2 * examples


def _timed(subject: Subject, examples: int) -> float:
    batch = batches.take(subject.batch, torch.arange(examples))
    started = time.perf_counter()
    with torch.no_grad():
        subject.loss(batch)
    return time.perf_counter() - started
