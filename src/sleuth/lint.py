"""`sleuth lint`: read source files and say what is certainly or probably wrong with the training in them."""

import gc
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sleuth import catalog
from sleuth.catalog import Cause
from sleuth.errors import SleuthError, did_you_mean
from sleuth.facts.program import read_program
from sleuth.facts.source import Project, Source, UnreadableSource, collector_off, read_source
from sleuth.finding import SEVERITIES, Finding, Severity

LINT_SCHEMA = "sleuth.lint/1"

# Folders that hold other people's code or build products.
PASSED_OVER = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist", "venv", "env"})

FILES_A_SWEEP = 50  # how many files go by between two sweeps of the garbage collector

_IGNORE = re.compile(r"#\s*sleuth:\s*ignore(?P<file>-file)?(?:\[(?P<slugs>[^\]]*)\])?")


@dataclass(frozen=True)
class Selection:
    """Which causes to look for and how sure Sleuth must be before it speaks."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    notes: bool = False

    def causes(self) -> dict[str, Cause]:
        """The causes that can be seen in source and were asked for, by slug or family."""
        names = {*catalog.causes(), *catalog.families()}
        for word in (*self.select, *self.ignore):
            if word not in names:
                raise SleuthError(f"There is no cause or family named {word!r}.{did_you_mean(word, names)}")
        return {
            slug: cause
            for slug, cause in lintable().items()
            if (not self.select or slug in self.select or cause.family in self.select)
            and slug not in self.ignore
            and cause.family not in self.ignore
        }

    @property
    def severities(self) -> tuple[Severity, ...]:
        return SEVERITIES if self.notes else ("error", "warning")


@dataclass(frozen=True)
class LintResult:
    """Findings in the order of the files, and the files that could not be read."""

    findings: tuple[Finding, ...] = ()
    unreadable: tuple[UnreadableSource, ...] = ()
    files: int = 0
    sources: dict[str, Source] = field(default_factory=dict)


def lintable() -> dict[str, Cause]:
    """The causes whose module has a `lint`."""
    return {slug: cause for slug, cause in catalog.causes().items() if "lint" in cause.detectors}


def lint(paths: Sequence[Path], selection: Selection | None = None) -> LintResult:
    """Lint files and folders."""
    selection = selection or Selection()
    causes = selection.causes()
    findings: list[Finding] = []
    unreadable: list[UnreadableSource] = []
    sources: dict[str, Source] = {}
    project = Project()
    count = 0
    with collector_off():
        for path in python_files(paths):
            count += 1
            try:
                source = read_source(path)
            except UnreadableSource as trouble:
                unreadable.append(trouble)
                continue
            found = lint_source(source, selection, causes, project)
            if found:
                sources[source.path] = source
                findings += found
            if count % FILES_A_SWEEP == 0:
                gc.collect()
    return LintResult(_unique(findings), tuple(unreadable), count, sources)


def lint_source(
    source: Source,
    selection: Selection | None = None,
    causes: dict[str, Cause] | None = None,
    project: Project | None = None,
) -> list[Finding]:
    """The findings of one parsed file, suppressions applied, in the order of lines."""
    selection = selection or Selection()
    program = read_program(source, project)
    found = catalog.ask("lint", program, selection.causes() if causes is None else causes)
    kept = [
        finding
        for finding in found
        if finding.severity in selection.severities and not _ignored(source, finding)
    ]
    return sorted(_unique(kept), key=lambda finding: (finding.where.line or 0) if finding.where else 0)


def python_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The Python files named or below the folders named, each once; links to folders are not followed."""
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise SleuthError(f"There is no file or folder {str(path)!r}.")
        for file in _below(path) if path.is_dir() else (path,):
            if (real := file.resolve()) not in seen:
                seen.add(real)
                yield file


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER and not name.startswith("."))
        for name in sorted(files):
            if name.endswith(".py"):
                yield Path(here, name)


def _unique(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding a cause and place: code reached by several ways is judged several times."""
    best: dict[tuple[str, str | None, int | None], Finding] = {}
    for finding in findings:
        place = (
            (finding.cause, finding.where.path, finding.where.line)
            if finding.where
            else (finding.cause, None, None)
        )
        if place not in best or finding.credence > best[place].credence:
            best[place] = finding
    return tuple(best.values())


def _ignored(source: Source, finding: Finding) -> bool:
    """Whether a comment on the line, or one for the whole file, says to leave this alone."""
    if "sleuth:" not in source.text:
        return False
    line = finding.where.line if finding.where and finding.where.path == source.path else None
    if line is not None and _names(_IGNORE.search(source.line(line)), finding, for_file=False):
        return True
    return any(_names(mark, finding, for_file=True) for mark in _IGNORE.finditer(source.text))


def _names(mark: re.Match[str] | None, finding: Finding, for_file: bool) -> bool:
    if mark is None or bool(mark["file"]) is not for_file:
        return False
    if mark["slugs"] is None:
        return True
    return not {finding.cause, finding.family}.isdisjoint(re.split(r"[,\s]+", mark["slugs"].strip()))
