"""Lint one parsed file: ask every rule, then apply the comments that tell Sleuth to leave something alone."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache

from sleuth import catalog
from sleuth.catalog import Cause
from sleuth.facts.program import read_program
from sleuth.facts.source import Project, Source
from sleuth.finding import Finding
from sleuth.lint.selection import Selection, needs

_IGNORE = re.compile(r"#\s*sleuth:\s*ignore(?P<file>-file)?(?:\[(?P<slugs>[^\]]*)\])?")


def lint_source(
    source: Source,
    selection: Selection | None = None,
    causes: dict[str, Cause] | None = None,
    project: Project | None = None,
    failures: list[str] | None = None,
) -> list[Finding]:
    """The findings of one file, in the order of lines.

    A rule that fails is a bug in Sleuth and raises; with `failures`, it is noted there and the others go on.
    """
    selection = selection or Selection()
    wanted = selection.causes() if causes is None else causes
    found: list[Finding] = []
    with _noting("reading it", failures):
        program = read_program(source, project)
        text = "\n".join(seen.text for seen in program.sources)
        for slug, cause in wanted.items():
            if not _may_apply(cause, text):
                continue
            with _noting(slug, failures):
                found += catalog.ask("lint", program, {slug: cause})
    kept = [finding for finding in found if selection.keeps(finding) and not _ignored(source, finding)]
    return sorted(unique(kept), key=lambda finding: (finding.where.line or 0) if finding.where else 0)


def _may_apply(cause: Cause, text: str) -> bool:
    words = _needs(cause)
    return not words or any(word in text for word in words)


_needs = cache(needs)


@contextmanager
def _noting(what: str, failures: list[str] | None) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if failures is None:
            raise
        failures.append(f"{what} ({type(error).__name__}: {error})")


def unique(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding a cause and place: code reached by several ways is judged several times."""
    best: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        where = finding.where
        place = (finding.cause, where and where.path, where and where.cell, where and where.line)
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
