"""A case: what is known so far of one script. Credences are replayed from it, never stored."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth import catalog
from sleuth.diagnosis import lines
from sleuth.diagnosis.circumstances import Scene, circumstances, moving
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.trials import Trial, Trials
from sleuth.finding import Evidence
from sleuth.judge.observed import Ended, Guessing, Observed, Outcome
from sleuth.judge.weigh import Weighed, weigh
from sleuth.lab.job import Ending
from sleuth.record import outcome
from sleuth.record.questions import NotRecorded
from sleuth.report import Examined

RESERVE = 0.08  # of the budget, for what comes after the last experiment


@dataclass
class Case:
    """Everything known so far. Credences are never stored: they are replayed from clues and answers."""

    request: Request
    began: float = field(default_factory=time.monotonic)
    evidence: list[Evidence] = field(default_factory=list)  # as the detectors gave them
    trials: Trials | None = None
    made: dict[str, Trial] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    base: Ending | None = None
    examined: list[Examined] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    next_experiment: str = ""
    run_id: str = ""  # in the archive
    sources: list[Path] = field(default_factory=list)
    thaws: bool = False  # the source sets layers free that may rest when they are looked at
    timing: dict[str, float] = field(default_factory=dict)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    @property
    def left(self) -> float:
        """Seconds for further experiments: ending one and weighing all takes a share of the budget, too."""
        return self.request.budget * (1 - RESERVE) - self.elapsed

    def weighed(self) -> Weighed:
        """What follows from everything observed so far."""
        return weigh(self.observed())

    def observed(self) -> Observed:
        """All that a verdict is made of, as plain data."""
        run = {} if self.trials is None else _run_of(self.trials, Scene(self.trials, self.thaws))
        return Observed(
            evidence=tuple(self.evidence),
            from_experiments=tuple(self._of_experiments()),
            outcomes=tuple(map(_outcome, self.made.values())),
            moving=frozenset() if self.trials is None else moving(self.evidence, self.trials.base),
            recorded=self.trials is not None,
            ended=None if self.base is None else _ended(self.base),
            prior=self.request.prior,
            shares=self.request.overrides,
            **run,
        )

    def _of_experiments(self) -> list[Evidence]:
        if self.trials is None:
            return []
        found, _ = catalog.examine("experiment", self.trials, NotRecorded)
        return lines.placed(found, self.trials.base, self.sources)


def _run_of(trials: Trials, scene: Scene) -> dict[str, Any]:
    """How the script's own run went."""
    seen = trials.guesses
    return {
        "circumstances": circumstances(scene),
        "steps": len(trials.base.steps),
        "losses": len(trials.losses),
        "course": trials.course,
        "scores": tuple(outcome.scores(trials.base).values()),
        "guessing": None if seen is None else Guessing(seen.line, seen.correct or 0.0, seen.rows),
        "torch": trials.base.run.versions.get("torch") is not None,
    }


def _outcome(trial: Trial) -> Outcome:
    record = trial.record
    return Outcome(
        trial.experiment,
        trial.yes,
        trial.detail,
        trial.seconds,
        None if record is None else outcome.course(record),
        () if record is None else tuple(outcome.scores(record).values()),
    )


def _ended(base: Ending) -> Ended:
    return Ended(
        base.status,
        base.steps,
        base.seconds,
        base.exception,
        base.message,
        base.frames,
        bool(base.cut),
        base.out_of_time,
        base.unrecorded,
    )


def exceptional(case: Case) -> bool:
    """Whether the script crashed on its own account."""
    return case.base is not None and _ended(case.base).by_itself
