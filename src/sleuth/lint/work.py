"""The work on one file, in whatever process it is done."""

import gc
from pathlib import Path

from sleuth.catalog import Cause
from sleuth.finding import Finding
from sleuth.lint.check import lint_source
from sleuth.lint.files import read_any
from sleuth.lint.reports import FileReport, Trouble
from sleuth.lint.selection import Selection
from sleuth.quick_dataclass import replace
from sleuth.source.notebook import cell_of, in_cell, in_cells
from sleuth.source.parsed_file import (
    ABSENT,
    Project,
    Source,
    UnreadableSource,
    decode,
    fingerprint,
    lines_of,
    read_bytes,
)

FILES_A_SWEEP = 50  # how many files go by between two sweeps of the garbage collector
ALL = Selection(notes=True)  # everything is worked out and remembered; what is shown is decided later


class Workshop:
    """What one process keeps between files: the rules, and the local files that others import."""

    def __init__(self) -> None:
        self.causes: dict[str, Cause] = ALL.causes()
        self.project = Project()
        self.files = 0

    def sweep(self) -> None:
        """Collect garbage now and then: the collector is off, or it would look at every parsed file."""
        self.files += 1
        if self.files % FILES_A_SWEEP == 0:
            gc.collect()


_workshop: Workshop | None = None


def workshop() -> Workshop:
    global _workshop  # one a process: workers of a pool have nobody to hand it to them
    if _workshop is None:
        _workshop = Workshop()
    return _workshop


def report_of(path: Path, data: bytes, name: str | None = None, remembering: bool = True) -> FileReport:
    """Everything that lint can say of one file; without `remembering`, its content gets no fingerprint."""
    here = workshop()
    here.sweep()
    label = name or str(path)
    digest = fingerprint(data) if remembering else ABSENT
    try:
        source = (here.project.known(path, digest) if remembering else None) or read_any(path, data, name)
    except UnreadableSource as error:
        return FileReport(label, digest, trouble=Trouble(error.path, error.line, error.reason))
    source.path = label  # imported files are known by their full path; people get to see the one they named
    if path.suffix == ".py" and remembering:
        here.project.add(source, digest)
    here.project.consulted.clear()
    failures: list[str] = []
    found = lint_source(source, ALL, here.causes, here.project, failures)
    placed = tuple(_in_cell(source, finding) for finding in found)
    return FileReport(
        path=label,
        fingerprint=digest,
        findings=placed,
        trouble=_partly(source, failures),
        consulted=dict(here.project.consulted),
        excerpts={_key(new): _excerpt(source, old) for old, new in zip(found, placed, strict=True)},
    )


def _in_cell(source: Source, finding: Finding) -> Finding:
    if not source.cells or finding.where is None:
        return finding
    where = in_cell(source, finding.where)
    message, fix = (in_cells(source, text, where.cell) for text in (finding.message, finding.fix))
    return replace(finding, where=where, message=message, fix=fix)


def _partly(source: Source, failures: list[str]) -> Trouble | None:
    if failures:
        reason = f"Sleuth's own rule failed on it: {', '.join(failures)}. Please report that."
        return Trouble(source.path, None, reason, partly=True)
    if source.repaired is None:
        return None
    line, reason = source.repaired
    ended = reason if reason.endswith(("?", ".", "!")) else f"{reason}."
    if source.cells:
        cell, inner = cell_of(source, line)
        return Trouble(source.path, None, f"cell {cell}, line {inner}: {ended}", partly=True)
    return Trouble(source.path, line, ended, partly=True)


def _key(finding: Finding) -> tuple[str | None, int | None, int | None]:
    where = finding.where
    return (where.path, where.cell, where.line) if where else (None, None, None)


def _excerpt(source: Source, finding: Finding) -> str:
    """The line a finding is about; for one in another file of the project, read from there."""
    where = finding.where
    if where is None or where.line is None or where.path is None:
        return ""
    if where.path == source.path:
        return source.line(where.line)
    try:
        lines = lines_of(decode(where.path, read_bytes(Path(where.path))))
    except UnreadableSource:
        return ""
    return lines[where.line - 1] if where.line <= len(lines) else ""
