"""Keeps what a diagnosis saw: the run in the archive, the observations in a ledger that can be replayed."""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth import archive
from sleuth.diagnosis import ledger as ledgers
from sleuth.diagnosis.case import Case
from sleuth.diagnosis.request import Request
from sleuth.judge.board import configured_priors
from sleuth.report import Report, Verdict


def keep_run(case: Case, request: Request, scratch: str) -> None:
    """The first stretch, as it was recorded. Where nothing can be written, nothing is kept."""
    run = archive.begin([Path(sys.argv[0]).name, *sys.argv[1:]], request.script, kind="diagnose")
    if not run.recording:
        return
    for name, target in (
        ("base.jsonl", run.record_path),
        ("base.stdout", run.stdout_path),
        ("base.stderr", run.stderr_path),
    ):
        with suppress(OSError):
            shutil.copyfile(Path(scratch) / name, target)
    case.run_id = run.id


def finish_run(case: Case, report: Report) -> None:
    """The verdict and the findings into the run."""
    if case.run_id:
        exit_code = case.base.exit_code if case.base is not None else 0
        summary = {"verdict": report.verdict.to_dict()}
        archive.find(case.run_id).finish(exit_code, list(report.findings), summary)


@dataclass(frozen=True)
class Book:
    """A ledger that gets its lines as they are seen: whoever is killed midway has lost none of them."""

    ledger: ledgers.Ledger | None  # None where nothing can be written
    clues: dict[tuple[str, str], float] = field(default_factory=dict)  # as they were told last

    def observed(self, case: Case, name: str) -> None:
        """After the first stretch (no name), and after the answer of each test."""
        self._write([_answer(case, name) if name else _stretch(case), *self._changed(case)])

    def closed(self, verdict: Verdict) -> None:
        self._write([{"kind": "verdict", **verdict.to_dict()}])

    def _write(self, lines: list[Mapping[str, Any]]) -> None:
        if self.ledger is not None:
            with suppress(OSError):
                for line in lines:
                    ledgers.append(self.ledger, line)

    def _changed(self, case: Case) -> Iterator[Mapping[str, Any]]:
        """Clues that are new, or weigh something else now; what an experiment refuted weighs nothing."""
        now: dict[tuple[str, str], float] = {}
        for clue in case.weighed().clues:
            key = (clue.cause, clue.technique)
            now[key] = max(now.get(key, 0.0), clue.strength)
        for key in dict.fromkeys((*now, *self.clues)):
            strength = now.get(key, 0.0)
            if self.clues.get(key) != strength:
                self.clues[key] = strength
                yield {"kind": "clue", "cause": key[0], "technique": key[1], "strength": strength}


def open_book(request: Request) -> Book:
    """A case in the archive's home, begun now, with the shares it is weighed by."""
    shares = configured_priors(request.script.parent) | dict(request.overrides)
    with suppress(OSError):
        return Book(ledgers.open_case(request.script.stem, True, priors=request.prior, shares=shares))
    return Book(None)


def _stretch(case: Case) -> Mapping[str, Any]:
    status = {} if case.base is None else {"status": case.base.status, "steps": case.base.steps}
    return {"kind": "run", "run": case.run_id, **status}


def _answer(case: Case, name: str) -> Mapping[str, Any]:
    trial = case.made[name]
    answer = {True: "yes", False: "no", None: "none"}[trial.yes]
    return {"kind": "observed", "test": name, "answer": answer, "note": trial.detail}
