"""Whether the answers of a classifier depend on what it learns, or only how sure it is of them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from sleuth.facts.bench.forward import Run, trace
from sleuth.facts.bench.losses import CLASSES
from sleuth.facts.bench.paths import makers
from sleuth.facts.bench.subject import Subject, shake
from sleuth.finding import Where

ROWS = 16  # examples of which each must keep its answer
DRAWS = 3  # weights at which it must keep it
WEIGHTS = 32  # fewer are a temperature or a scale, fitted to a classifier that is done
SHAKEN = 4.0  # times the spread of the weights: answers that are merely sure do not outlast that
FADED = 1e-4  # of the size of the scores: so close together the largest is chance
MOVED = 0.01  # of the size of the scores: they do change


@dataclass(frozen=True, slots=True)
class Unmoved:
    """So many rows keep the largest of so many scores at any weights; the scores are made at `where`."""

    rows: int
    classes: int
    where: Where


def measure(subject: Subject) -> Unmoved | None:
    """Ask at other weights, several times: scores that change and answers that never do."""
    subject.model.eval()
    weights = subject.parameters()
    if sum(weight.numel() for weight in weights.values()) < WEIGHTS:
        return None
    with torch.no_grad():
        run = trace(subject, train=False)
        scores = _scores(run)
        if scores is None:
            return None
        generator = subject.generator()
        for _ in range(DRAWS):
            shake(weights, generator, SHAKEN)
            other = _scores(trace(subject, train=False))
            if other is None or not _same_answers(scores, other):
                return None
    made = makers(run).get(id(scores))
    return Unmoved(len(scores), scores.shape[1], made.where if made is not None else Where())


def _scores(run: Run) -> Tensor | None:
    """What a loss over classes is given, for rows of which not all have the same answer."""
    for use in run.uses:
        said = use.input
        if use.name in CLASSES and not use.target.is_floating_point() and said.dim() == 2:
            if len(said) >= ROWS and said.shape[1] > 1 and len(torch.unique(said.argmax(1))) > 1:
                return said
    return None


def _same_answers(scores: Tensor, other: Tensor) -> bool:
    """Rows whose scores faded to one value have no answer, and say nothing; most must have one."""
    if other.shape != scores.shape or not bool(other.isfinite().all()):
        return False
    size = float(scores.abs().max())
    told = (other.amax(1) - other.amin(1)) > FADED * size
    moved = float((other - scores).abs().max()) > MOVED * size
    same = bool((other.argmax(1) == scores.argmax(1))[told].all())
    return moved and same and 2 * int(told.sum()) >= len(scores)
