"""Lint many files: what is known from last time is not done again, the rest is shared out to all cores."""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Finding
from sleuth.judge.strength import alone
from sleuth.lint.files import STDIN, left_out, python_files, read_bytes_of
from sleuth.lint.reports import FileReport, Trouble
from sleuth.lint.selection import Selection
from sleuth.quick_dataclass import dataclass, field, replace
from sleuth.source.parsed_file import UnreadableSource

if TYPE_CHECKING:
    from sleuth.lint.cache import Cache

Progress = Callable[[int], Callable[[], None]]

WORTH_A_POOL = 40  # below so many files, starting workers costs more than it saves


@dataclass(frozen=True)
class LintResult:
    """Findings in the order of the files; the files that could not be read, or only in part."""

    evidence: tuple[Evidence, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    files: int = 0
    excerpts: dict[tuple[str | None, int | None, int | None], str] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What follows from it."""
        return tuple(map(alone, self.evidence))

    @property
    def unreadable(self) -> tuple[Trouble, ...]:
        return tuple(trouble for trouble in self.troubles if not trouble.partly)


def lint(
    paths: Sequence[Path],
    selection: Selection | None = None,
    cache: "Cache | None" = None,
    stdin_name: str | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> LintResult:
    """Lint files and folders; `-` is standard input, shown under `stdin_name`.

    `progress` is told how many files there are, and hands back what to call after each.
    """
    from sleuth.lint.check import unique

    selection = selection or Selection()
    files = list(python_files(paths, selection.exclude))
    reports = _reports(files, cache, stdin_name, jobs)
    evidence: list[Evidence] = []
    troubles: list[Trouble] = []
    excerpts: dict[tuple[str | None, int | None, int | None], str] = {}
    done = progress(len(files)) if progress is not None else _nothing
    labels = {str(path.absolute()): str(path) for path in files}
    for report in reports:
        done()
        kept = (finding for finding in report.evidence if selection.keeps(finding))
        named = (_relabelled(finding, labels) for finding in kept)
        evidence += [finding for finding in named if not _left_out(finding, labels, selection.exclude)]
        troubles += [report.trouble] if report.trouble else []
        for (path, cell, line), text in report.excerpts.items():
            excerpts[_shown(path, labels), cell, line] = text
    return LintResult(unique(evidence), tuple(troubles), len(files), excerpts)


def _nothing() -> None:
    pass


def _shown(path: str | None, labels: dict[str, str]) -> str | None:
    """A file under the name that the user gave to it; one that was only imported, as seen from here."""
    if path is None or path in labels:
        return labels.get(path or "")
    if path in labels.values() or not os.path.isabs(path):
        return path
    here = os.path.relpath(path)
    return path if here.startswith(os.pardir) else here


def _relabelled(finding: Evidence, labels: dict[str, str]) -> Evidence:
    """The finding under the names that people know.

    A file that was not named is told of and left as it is: to repair it was not asked for.
    """
    where = finding.where
    if where is None or where.path is None or where.path in labels.values():
        return finding
    name, asked = _shown(where.path, labels), where.path in labels
    edits = tuple(replace(edit, path=_shown(edit.path, labels) or edit.path) for edit in finding.edits)
    return replace(finding, where=replace(where, path=name), edits=edits if asked else ())


def _left_out(finding: Evidence, labels: dict[str, str], exclude: tuple[str, ...]) -> bool:
    """Found on the way, in a file that is not to be looked at."""
    path = finding.where.path if finding.where else None
    return path is not None and path not in labels.values() and left_out(path, exclude)


def _reports(
    files: list[Path], cache: "Cache | None", stdin_name: str | None, jobs: int | None
) -> Iterator[FileReport]:
    """A report a file, in order. Contents are read one at a time: memory does not grow with the tree."""
    known = {path: report for path in files if (report := _recalled(path, cache)) is not None}
    fresh = [path for path in files if path not in known]
    made = _work(fresh, _Task(stdin_name, remembering=cache is not None or len(fresh) > 1), jobs)
    for path in files:
        if path in known:
            yield known[path]
            continue
        report = next(made)
        if cache is not None and path != STDIN and report.trouble is None:
            cache.remember(path, report)
        yield report


def _recalled(path: Path, cache: "Cache | None") -> FileReport | None:
    if cache is None or path == STDIN:
        return None
    try:
        return cache.recall(path, read_bytes_of(path))
    except UnreadableSource:
        return None


@dataclass(frozen=True)
class _Task:
    """What is done with every file, in this process or in a worker."""

    stdin_name: str | None
    remembering: bool

    def __call__(self, path: Path) -> FileReport:
        from sleuth.lint.work import report_of

        try:
            data = read_bytes_of(path)
        except UnreadableSource as error:
            return FileReport(str(path), trouble=Trouble(error.path, error.line, error.reason))
        return report_of(path, data, self.stdin_name if path == STDIN else None, self.remembering)


def _work(fresh: list[Path], task: _Task, jobs: int | None) -> Iterator[FileReport]:
    workers = jobs or os.cpu_count() or 1
    if workers > 1 and len(fresh) >= WORTH_A_POOL and STDIN not in fresh:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(workers, initializer=gc.disable) as pool:
            # Neighbours go to the same worker: they import each other, and each file is parsed once there.
            yield from pool.map(task, fresh, chunksize=max(1, min(32, len(fresh) // (workers * 4))))
        return
    from sleuth.collector import collector_off

    with collector_off():
        yield from map(task, fresh)
