"""A case: what is known so far of one script. Credences are replayed from it, never stored."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth import catalog
from sleuth.diagnosis import clues, lines, reading
from sleuth.diagnosis.circumstances import Scene, circumstances, moving
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.trials import Trial, Trials
from sleuth.facts.seen import NotRecorded
from sleuth.facts.stage.job import Ending
from sleuth.finding import Finding
from sleuth.judge.board import Answer, Clue, credences, priors
from sleuth.judge.experiments import NOTHING, OTHER, TESTS, Test, can_be_undone, undo_test
from sleuth.judge.observed import Ended, Guessing, Observed, Outcome

HELPING = ("lr×10", "lr×0.1", "no-regularisation", "no-momentum", "float64")
RESERVE = 0.08  # of the budget, for what comes after the last experiment


@dataclass
class Case:
    """Everything known so far. Credences are never stored: they are replayed from clues and answers."""

    request: Request
    began: float = field(default_factory=time.monotonic)
    findings: list[Finding] = field(default_factory=list)  # as the detectors gave them
    trials: Trials | None = None
    made: dict[str, Trial] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    base: Ending | None = None
    examined: list[Mapping[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    next_test: str = ""
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

    @property
    def answers(self) -> list[Answer]:
        return [Answer(_test(name), self.made[name].yes) for name in self.order]

    def board(self) -> dict[str, float]:
        """Credences, replayed from what was observed."""
        request = self.request
        return credences(priors(request.prior, request.overrides), self.clues(), self.answers)

    def clues(self) -> list[Clue]:
        return clues.as_clues(self.ranked())

    def ranked(self) -> list[Finding]:
        """Findings of detectors and of experiments, roots before symptoms."""
        found = clues.of_libraries([*self.findings, *self.from_experiments()])
        if self.trials is not None:
            found = clues.of_a_stage(found, self.trials.base, self.thaws)
        if self.trials is not None and self.trials.plays:
            found = clues.without_the_course(found)
        if self.learns and self.trials is not None and self.trials.guesses is None:
            found = clues.harmless_where_it_learns(found, self.made)
        return clues.roots_before_symptoms(clues.refuted(found, self.made))

    @property
    def learns(self) -> bool:
        """The loss came down far, and no change from outside brought it further."""
        return (
            self.trials is not None
            and self.trials.learns
            and not self.helped()
            and not self.learns_a_constant()
        )

    def learns_a_constant(self) -> bool:
        """Noise for inputs and labels drawn at random bring the loss as far down as the real ones."""
        return all(
            (trial := self.made.get(name)) and trial.yes for name in ("noise-inputs", "shuffled-labels")
        )

    def doubts(self) -> list[str]:
        """What a calm run leaves open and an experiment can close: hindrances that it seems to have overcome,
        what its numbers make likely and do not show, and what the source shows that is often meant so."""
        seen = [f for f in self.findings if f.technique == "lint" and f.severity == "note"]
        seen += [f for f in self.findings if clues.undecided(f)]
        if self.learns:
            seen += [f for f in self.findings if clues.hindering(f)]
        return sorted({f.cause for f in seen if can_be_undone(f.cause)})

    def from_experiments(self) -> list[Finding]:
        if self.trials is None:
            return []
        found, _ = catalog.examine("experiment", self.trials, NotRecorded)
        confirmed = clues.confirmed(self.findings, self.made)
        return lines.placed([*found, *confirmed], self.trials.base, self.sources)

    def observed(self) -> Observed:
        """All that a verdict is made of, as plain data."""
        run = {} if self.trials is None else _run_of(self.trials, Scene(self.trials, self.thaws))
        return Observed(
            evidence=tuple(self.findings),
            from_experiments=tuple(self._of_experiments()),
            outcomes=tuple(_outcome(self.made[name]) for name in self.order),
            moving=frozenset() if self.trials is None else moving(self.findings, self.trials.base),
            recorded=self.trials is not None,
            ended=None if self.base is None else _ended(self.base),
            prior=self.request.prior,
            shares=self.request.overrides,
            **run,
        )

    def _of_experiments(self) -> list[Finding]:
        if self.trials is None:
            return []
        found, _ = catalog.examine("experiment", self.trials, NotRecorded)
        return lines.placed(found, self.trials.base, self.sources)

    def helped(self) -> bool:
        """Some change from outside made the script do clearly better."""
        return any(
            trial.yes for name, trial in self.made.items() if name in HELPING or name.startswith("undo(")
        )

    def suspects(self) -> list[str]:
        board = self.board()
        return sorted((h for h in board if h not in (NOTHING, OTHER)), key=lambda h: -board[h])


def _run_of(trials: Trials, scene: Scene) -> dict[str, Any]:
    """How the script's own run went."""
    seen = trials.guesses
    return {
        "circumstances": circumstances(scene),
        "steps": len(trials.base.steps),
        "course": trials.course,
        "scores": tuple(reading.scores(trials.base).values()),
        "guessing": None if seen is None else Guessing(seen.line, seen.correct or 0.0, seen.rows),
        "torch": trials.base.run.versions.get("torch") is not None,
    }


def _outcome(trial: Trial) -> Outcome:
    record = trial.record
    return Outcome(
        trial.test,
        trial.yes,
        trial.detail,
        trial.seconds,
        None if record is None else reading.course(record),
        () if record is None else tuple(reading.scores(record).values()),
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
    )


def _test(name: str) -> Test:
    return TESTS[name] if name in TESTS else undo_test(name[5:-1])


def exceptional(case: Case) -> bool:
    """Whether the script crashed on its own account."""
    return case.base is not None and (
        case.base.status == "died" or (case.base.status in ("raised", "exited") and not case.base.cut)
    )
