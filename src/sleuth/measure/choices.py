"""Whether the answers of a classifier depend on what it learns, or only how sure it is of them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from sleuth.finding import Where
from sleuth.measure.forward import Run, Use, trace
from sleuth.measure.subject import Subject, shake
from sleuth.measure.tensor_paths import makers
from sleuth.torch_losses import OVER_CLASSES

ROWS = 16  # examples of which each must keep its answer
DRAWS, TRIES = 3, 8  # weights at which it must keep it, of so many that are tried
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
        if scores is None or not _always_the_same(subject, scores):
            return None
    made = makers(run).get(id(scores))
    return Unmoved(len(scores), scores.shape[1], made.where if made is not None else Where())


def _always_the_same(subject: Subject, scores: Tensor) -> bool:
    weights, generator = subject.parameters(), subject.generator()
    start = {name: weight.clone() for name, weight in weights.items()}
    telling = 0
    for _ in range(TRIES):
        for name, weight in weights.items():
            weight.copy_(start[name])
        shake(weights, generator, SHAKEN)
        same = _same_answers(scores, _scores(trace(subject, train=False), any_answers=True))
        if same is False:
            return False
        telling += same is True
        if telling == DRAWS:
            return True
    return False


def _scores(run: Run, any_answers: bool = False) -> Tensor | None:
    """What a loss over classes is given, for rows of which not all have the same answer."""
    for use in run.uses:
        said = use.input
        if use.name in OVER_CLASSES and not use.target.is_floating_point() and said.dim() == 2:
            differ = any_answers or len(torch.unique(said.argmax(1))) > 1
            if len(said) >= ROWS and said.shape[1] > 1 and differ and not _names_itself(use):
                return said
    return None


def _names_itself(use: Use) -> bool:
    """Each row is to find itself among the others, as views and captions do: no class is answered."""
    count = len(use.target)
    return use.input.shape[1] == count and bool((use.target == torch.arange(count).to(use.target)).all())


def _same_answers(scores: Tensor, other: Tensor | None) -> bool | None:
    """None where other weights say nothing: most rows have no largest score any more, or no finite one."""
    if other is None or other.shape != scores.shape:
        return False
    if not bool(other.isfinite().all()):
        return None
    size = float(scores.abs().max())
    told = (other.amax(1) - other.amin(1)) > FADED * size
    moved = float((other - scores).abs().max()) > MOVED * size
    if not bool((other.argmax(1) == scores.argmax(1))[told].all()):
        return False
    return True if moved and 2 * int(told.sum()) >= len(scores) else None
