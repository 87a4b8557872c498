"""From a case to a report: ranked causes, what confirmed them, what was ruled out, and what to do next."""

import math
from collections.abc import Iterator, Mapping

from sleuth import catalog
from sleuth.diagnosis.bisect import bisect
from sleuth.diagnosis.case import Case
from sleuth.experiments import undoing
from sleuth.judge.board import Answer
from sleuth.judge.experiments import NOTHING, OTHER, can_be_undone, predicted
from sleuth.judge.verdict import findings, verdict
from sleuth.judge.weigh import Weighed
from sleuth.judge.words import likelihood
from sleuth.record import outcome
from sleuth.record.entries import Record
from sleuth.report import (
    BudgetSpent,
    Curve,
    Hypothesis,
    LossSeen,
    Observation,
    Ran,
    Remark,
    Report,
    ScoreSeen,
    Tried,
)

CURVE_POINTS = 200  # of a curve in a report
FEWEST_HYPOTHESES = 3
WORTH_SHOWING = 0.02  # credence
CLOSED = 0.01  # credence below which a hypothesis is closed, if something spoke against it


def report(case: Case) -> Report:
    """The case as it stands."""
    weighed = case.weighed()
    found = findings(weighed)
    end = verdict(weighed.observed, found)
    return Report(
        verdict=end,
        findings=found,
        observations=tuple(_observations(case)),
        experiments=tuple(_experiments(case)),
        hypotheses=tuple(_hypotheses(weighed, trouble=end.status == "inconclusive")),
        examined=tuple(case.examined),
        timing=case.timing,
    )


def _observations(case: Case) -> Iterator[Observation]:
    if case.base is not None:
        ended = case.base
        yield Ran(ended.status, ended.steps, tuple(sorted(ended.cut)), round(ended.seconds, 3))
    if case.trials is not None and (course := case.trials.course) is not None:
        yield LossSeen(_n(course.head), _n(course.tail), _n(course.lowest))
        for name, score in outcome.scores(case.trials.base).items():
            yield ScoreSeen(name, _n(score.value))
    if case.trials is not None:
        yield from bisect(case.trials.base)
    if case.next_experiment:
        yield BudgetSpent(case.next_experiment)
    yield from map(Remark, case.notes)


def _experiments(case: Case) -> Iterator[Tried]:
    base = () if case.trials is None else curve(case.trials.base)
    for name in case.order:
        trial = case.made[name]
        recorded = trial.record is not None
        yield Tried(
            name,
            "none" if trial.yes is None else "yes" if trial.yes else "no",
            trial.detail,
            round(trial.seconds, 3),
            base if recorded else (),
            curve(trial.record) if trial.record is not None else (),
        )


def curve(record: Record) -> Curve:
    """The loss in at most so many points; None where it was not finite."""
    losses = outcome.main_losses(record)
    stride = max(1, math.ceil(len(losses) / CURVE_POINTS))
    return tuple(_n(value) for value in losses[::stride])


def _hypotheses(weighed: Weighed, trouble: bool) -> list[Hypothesis]:
    """The board: the likeliest first, at least three, each with what would refute it. A crash has none."""
    if weighed.observed.ended is not None and weighed.observed.ended.by_itself:
        return []
    board = weighed.board
    if trouble:
        board = _in_trouble(board)
    ranked = sorted(board, key=lambda h: -board[h])
    shown = {*[h for h in ranked if board[h] >= WORTH_SHOWING][:10], NOTHING, OTHER}
    shown |= set([h for h in ranked if h not in shown][: max(0, FEWEST_HYPOTHESES - len(shown))])
    return [_hypothesis(h, board, weighed) for h in ranked if h in shown]


def _hypothesis(name: str, board: Mapping[str, float], weighed: Weighed) -> Hypothesis:
    closed = _closed_by(name, board, weighed)
    return Hypothesis(name, round(board[name], 4), _falsifier(name), bool(closed), tuple(closed))


def _in_trouble(board: Mapping[str, float]) -> dict[str, float]:
    """Of a run that does not learn as it should, that nothing is wrong is the one thing hard to believe."""
    odds = {h: share * (likelihood("never" if h == NOTHING else "even")) for h, share in board.items()}
    return {h: share / sum(odds.values()) for h, share in odds.items()}


def _closed_by(hypothesis: str, board: Mapping[str, float], weighed: Weighed) -> list[str]:
    """What spoke against a hypothesis of which next to nothing is left: experiments that came out otherwise
    than it foretold; of the two standing ones, what confirmed a cause."""
    if board[hypothesis] >= CLOSED:
        return []
    spoke = [a.experiment.name for a in weighed.answers if a.yes is not None and _against(hypothesis, a)]
    if not spoke and hypothesis in (NOTHING, OTHER):
        spoke = [f"{f.technique} ({f.cause})" for f in weighed.evidence if f.telling == "proven"][:1]
    return spoke


def _against(hypothesis: str, answer: Answer) -> bool:
    yes = predicted(hypothesis, answer.experiment)
    return (yes if answer.yes else 1 - yes) <= likelihood("rarely")


def _falsifier(hypothesis: str) -> str:
    if hypothesis == NOTHING:
        return "any check that fails"
    if hypothesis == OTHER:
        return "a cause of the catalog that an experiment confirms"
    told = catalog.find(hypothesis).page.tells.get("refuted by", "")
    if told:
        return " ".join(told.split())
    return undoing(hypothesis).no if can_be_undone(hypothesis) else ""


def _n(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None
