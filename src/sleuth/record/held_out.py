"""Losses on held-out data as a run tells them: by its evaluation passes, and by what it prints or logs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.finding import Where
from sleuth.record.questions import at, evaluations, in_each_step
from sleuth.roles import names_held_out

if TYPE_CHECKING:
    from sleuth.record.entries import Evaluation, Record

_COST = re.compile(
    r"loss|nll|mse|mae|rmse|bce|perplexity|ppl|cross.?entropy|(^|[^a-z])(error|ce)$", re.IGNORECASE
)
KNOWN = 0.9  # share of its rows that were trained on: a look at the training set


@dataclass(frozen=True)
class HeldOut:
    """A loss on one held-out set over the run; `steps` are the optimizer steps before each value."""

    losses: tuple[float, ...]
    steps: tuple[int, ...]
    where: Where | None


def held_out(record: "Record") -> list[HeldOut]:
    """One series for each set, in order: what evaluation passes computed, then what was told under a name."""
    return [*_computed(record), *_told(record)]


def _computed(record: "Record") -> Iterator[HeldOut]:
    for passes in evaluations(record).values():
        if in_each_step(passes):
            continue
        known = [seen for seen in passes if seen.loss is not None]
        if known and (known[-1].seen_in_training or 0.0) <= KNOWN:
            losses = tuple(_comparable(record, seen) for seen in known)
            yield HeldOut(losses, tuple(seen.n for seen in known), at(known[0]))


def _comparable(record: "Record", seen: "Evaluation") -> float:
    """The loss as training takes it: a sum over rows as their mean, where training takes the mean."""
    from sleuth.record.entries import LossCall

    means = any(call.phase == "train" and call.reduction == "mean" for call in record.of(LossCall))
    rows = seen.answers or seen.rows
    loss = seen.loss or 0.0
    return loss * seen.calls / rows if seen.loss_summed and means and rows else loss


def _told(record: "Record") -> Iterator[HeldOut]:
    from sleuth.record.entries import Evaluation, Metric

    by_name: dict[str, list[Metric]] = {}
    for metric in record.of(Metric):
        if names_held_out(metric.name) and _COST.search(metric.name):
            by_name.setdefault(metric.name, []).append(metric)
    passes = record.of(Evaluation)
    where = at(passes[0]) if passes else None
    for same in by_name.values():
        yield HeldOut(tuple(m.value for m in same), tuple(m.n for m in same), where)
