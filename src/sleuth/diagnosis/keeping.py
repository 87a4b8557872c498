"""Keeps what a diagnosis saw: the run in the archive, the observations in a ledger that can be replayed."""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sleuth import archive
from sleuth.diagnosis import ledger as ledgers
from sleuth.diagnosis.case import Case
from sleuth.diagnosis.request import Request
from sleuth.finding import Report


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


def keep_case(case: Case, request: Request, report: Report) -> None:
    """Findings into the run, observations into the ledger."""
    if not case.run_id:
        return
    exit_code = case.base.exit_code if case.base is not None else 0
    summary = {"verdict": report.verdict.to_dict()}
    archive.find(case.run_id).finish(exit_code, list(report.findings), summary)
    with suppress(OSError):
        ledger = ledgers.open_case(request.script.stem, True, priors=request.prior, run=case.run_id)
        for line in _observed(case):
            ledger = ledgers.append(ledger, line)


def _observed(case: Case) -> Iterator[Mapping[str, Any]]:
    for clue in case.clues():
        yield {"kind": "clue", "cause": clue.cause, "technique": clue.technique, "strength": clue.strength}
    for name in case.order:
        trial = case.made[name]
        answer = {True: "yes", False: "no", None: "none"}[trial.yes]
        yield {"kind": "observed", "test": name, "answer": answer, "note": trial.detail}
