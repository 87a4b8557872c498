"""Runs the question about a script's metric in a process of its own."""

from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.facts.stage.client import Stage
from sleuth.facts.stage.job import Job


def answered(
    script: Path, arguments: tuple[str, ...], metric: str, steps: int, budget: float
) -> dict[str, Any]:
    """The last look at the metric; an error when the script could not be run."""
    from sleuth.diagnosis.sources import local_sources
    from sleuth.diagnosis.workplace import in_place, scratch_copy, writes_files

    with Stage() as stage:
        writes = writes_files(local_sources(script))
        place = (
            scratch_copy(script, Path.cwd(), stage.scratch, "stuck")
            if writes
            else in_place(script, Path.cwd())
        )
        job = Job(
            "stuck",
            place.script,
            arguments,
            folder=place.folder,
            purpose="stuck",
            metric=metric,
            steps=steps,
            time_limit=budget,
            guarded=place.guarded,
        )
        ending = stage.run([job])[0]
    reports = (ending.report or {}).get("reports") or []
    if not reports:
        raise SleuthError(
            f"{script.name} could not be run: {ending.exception or ending.status} {ending.message}"
        )
    told: dict[str, Any] = reports[0]
    return told
