"""The guilty line, where a detector could only say which numbers are wrong.

Numbers point at a module; the line to change stands elsewhere: where its weights were given their values,
where its mask is made. A cause whose file has a `place` knows where to look, in the record and the sources.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sleuth.finding import Finding
from sleuth.judge.relations import says
from sleuth.places.scene import Place, Scene, from_here
from sleuth.record.entries import Record


def placed(findings: Iterable[Finding], record: Record | None, sources: list[Path]) -> list[Finding]:
    """Findings with a better line, where there is one. Lint knows its own."""
    scene = Scene(record, tuple(sources))
    return [finding if finding.technique == "lint" else _placed(finding, scene) for finding in findings]


def _placed(finding: Finding, scene: Scene) -> Finding:
    place: Place | None = says(finding.cause, "place")
    where = place(finding, scene) if place is not None else None
    return finding if where is None else replace(finding, where=from_here(where))
