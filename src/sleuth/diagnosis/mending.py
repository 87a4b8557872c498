"""Tries a suggested edit: a patched copy is run beside the original, and both are shown."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.diagnosis.request import Request
from sleuth.files import write_whole
from sleuth.lab.client import Stage
from sleuth.lab.job import Job
from sleuth.lab.workplace import scratch_copy
from sleuth.lint.fix import Repair, repairs
from sleuth.record import outcome
from sleuth.record.entries import Record
from sleuth.record.json_lines import read
from sleuth.report import Report

BY_HAND = "None of the findings has an edit that can be applied automatically; follow their `fix` by hand."


@dataclass(frozen=True)
class Mended:
    """What was changed, where it was written, and how the patched script fared; or why nothing was."""

    cause: str = ""
    diff: str = ""
    written: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    better: bool | None = None
    reason: str = ""  # why nothing was changed

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "written": list(self.written)}


def mend(found: Report, request: Request, in_place: bool) -> Mended:
    """Write the patch of the surest finding that has one; run original and patched script."""
    serious = [finding for finding in found.findings if finding.severity != "note"]
    finding = next((finding for finding in serious if finding.edits), None)
    if finding is None:
        return Mended(reason=BY_HAND if serious else "Nothing was found that could be repaired.")
    planned = repairs([finding], unsafe=True)
    if not planned:
        return Mended(finding.cause, reason=f"The edit for {finding.cause} does not fit the file any more.")
    before, after = _both_runs(request, planned)
    written = _write(planned, in_place)
    return Mended(
        finding.cause,
        "".join(_from_here(repair).diff() for repair in planned),
        written,
        in_words(before),
        in_words(after),
        outcome.better(before, after, same_loss=False) if before is not None and after is not None else None,
    )


def _from_here(repair: Repair) -> Repair:
    """Under the path that `patch -p1` would look for: below the working folder, or below the root."""
    path = repair.path.absolute()
    home = Path.cwd() if path.is_relative_to(Path.cwd()) else Path(path.anchor)
    return Repair(path.relative_to(home), repair.before, repair.after, repair.count, repair.encoding)


def _both_runs(request: Request, planned: Sequence[Repair]) -> tuple[Record | None, Record | None]:
    with Stage() as stage:
        places = [
            scratch_copy(request.script, Path.cwd(), stage.scratch, name) for name in ("before", "after")
        ]
        for repair in planned:
            _patch(repair, places[1].origins)
        jobs = [
            Job(name, place.script, request.arguments, request.module, place.folder,
                steps=request.steps or 200, time_limit=request.budget, guarded=place.guarded)
            for name, place in zip(("before", "after"), places, strict=True)
        ]  # fmt: skip
        stage.run(jobs)
        return tuple(_record(stage, job.id) for job in jobs)  # type: ignore[return-value]


def _patch(repair: Repair, origins: Sequence[tuple[str, str]]) -> None:
    """Into the copy that stands for the file's folder."""
    path = str(repair.path.resolve())
    for copy, origin in origins:
        if path.startswith(origin + "/"):
            target = Path(copy + path[len(origin) :])
            inside = str(target.resolve()).startswith(os.path.realpath(copy) + os.sep)  # not through a link
            if target.exists() and inside:
                target.write_bytes(repair.after.encode(repair.encoding))


def _record(stage: Stage, name: str) -> Record | None:
    path = Path(stage.scratch) / f"{name}.jsonl"
    return read(path) if path.is_file() else None


def _write(planned: Sequence[Repair], in_place: bool) -> tuple[str, ...]:
    """The user's file itself only when asked for; else a copy beside it."""
    written = []
    for repair in planned:
        path = (
            repair.path
            if in_place
            else repair.path.with_name(f"{repair.path.stem}.fixed{repair.path.suffix}")
        )
        write_whole(path, repair.after.encode(repair.encoding))
        written.append(str(path))
    return tuple(written)


def in_words(record: Record | None) -> str:
    """Where the loss and the scores came to, in one line."""
    if record is None:
        return "it could not be run"
    course = outcome.course(record)
    parts = [] if course is None else [f"loss {course.head:.3g} → {course.tail:.3g}"]
    named = {score.name: score for score in outcome.scores(record).values()}
    parts += [f"{score.name} {score.value:.3g}" for score in list(named.values())[:3]]
    return ", ".join(parts) or "no loss was seen"


__all__ = ["Mended", "in_words", "mend"]
