"""From a case to a report: ranked causes, what confirmed them, what was ruled out, and what to do next."""

import math
from collections.abc import Mapping
from typing import Any

from sleuth import catalog
from sleuth.diagnosis import reading
from sleuth.diagnosis.bisect import bisect
from sleuth.diagnosis.case import Case
from sleuth.finding import Report
from sleuth.judge.board import Answer
from sleuth.judge.experiments import NOTHING, OTHER, can_be_undone, predicted, undoing
from sleuth.judge.verdict import findings, verdict
from sleuth.judge.weigh import Weighed
from sleuth.judge.words import likelihood
from sleuth.record.entries import Record

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


def _observations(case: Case) -> list[Mapping[str, Any]]:
    seen: list[Mapping[str, Any]] = []
    if case.base is not None:
        seen.append(
            {
                "name": "run",
                "status": case.base.status,
                "steps": case.base.steps,
                "shortened": sorted(case.base.cut),
                "seconds": round(case.base.seconds, 3),
            }
        )
    if case.trials is not None and (course := case.trials.course) is not None:
        seen.append(
            {"name": "loss", "first": _n(course.head), "last": _n(course.tail), "lowest": _n(course.lowest)}
        )
        seen += [
            {"name": name, "value": _n(score.value)}
            for name, score in reading.scores(case.trials.base).items()
        ]
    if case.trials is not None:
        seen += [guilty.to_dict() for guilty in bisect(case.trials.base)]
    if case.next_experiment:
        seen.append({"name": "budget", "spent": True, "next": case.next_experiment})
    seen += [{"name": "note", "text": text} for text in case.notes]
    return seen


def _experiments(case: Case) -> list[Mapping[str, Any]]:
    base = [] if case.trials is None else curve(case.trials.base)
    return [
        {
            "name": name,
            "answer": {True: "yes", False: "no", None: "none"}[trial.yes],
            "seen": trial.detail,
            "seconds": round(trial.seconds, 3),
            "base_curve": base if trial.record is not None else [],
            "curve": [] if trial.record is None else curve(trial.record),
        }
        for name in case.order
        for trial in (case.made[name],)
    ]


def curve(record: Record) -> list[float | None]:
    """The loss in at most so many points; None where it was not finite."""
    losses = reading.main_losses(record)
    stride = max(1, math.ceil(len(losses) / CURVE_POINTS))
    return [_n(value) for value in losses[::stride]]


def _hypotheses(weighed: Weighed, trouble: bool) -> list[Mapping[str, Any]]:
    """The board: the likeliest first, at least three, each with what would refute it. A crash has none."""
    if weighed.observed.ended is not None and weighed.observed.ended.by_itself:
        return []
    board = weighed.board
    if trouble:
        board = _in_trouble(board)
    ranked = sorted(board, key=lambda h: -board[h])
    shown = {*[h for h in ranked if board[h] >= WORTH_SHOWING][:10], NOTHING, OTHER}
    shown |= set([h for h in ranked if h not in shown][: max(0, FEWEST_HYPOTHESES - len(shown))])
    return [
        {
            "hypothesis": h,
            "credence": round(board[h], 4),
            "refuted_by": _falsifier(h),
            "closed": bool(closed := _closed_by(h, board, weighed)),
            "closed_by": closed,
        }
        for h in ranked
        if h in shown
    ]


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
        spoke = [f"{f.technique} ({f.cause})" for f in weighed.ranked if f.severity == "error"][:1]
    return spoke


def _against(hypothesis: str, answer: Answer) -> bool:
    yes = predicted(hypothesis, answer.experiment)
    return (yes if answer.yes else 1 - yes) <= likelihood("rarely")


def _falsifier(hypothesis: str) -> str:
    if hypothesis == NOTHING:
        return "any check that fails"
    if hypothesis == OTHER:
        return "a cause of the catalog that is confirmed by experiment"
    told = catalog.find(hypothesis).page.tells.get("refuted by", "")
    if told:
        return " ".join(told.split())
    return undoing(hypothesis).no if can_be_undone(hypothesis) else ""


def _n(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None
