"""Lint one parsed file: ask every rule, then apply the comments that tell Sleuth to leave something alone."""

import re
from collections.abc import Iterable

from sleuth import catalog
from sleuth.catalog import Cause
from sleuth.finding import Edit, Finding
from sleuth.lint.selection import Selection
from sleuth.quick_dataclass import replace
from sleuth.source.parsed_file import Project, Source
from sleuth.source.program import read_program
from sleuth.source.word_search import Pattern

_IGNORE = Pattern(r"#\s*sleuth:\s*ignore(?P<file>-file)?(?:\[(?P<slugs>[^\]]*)\])?")


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
    try:
        program = read_program(source, project)
    except Exception as error:
        _note("reading it", error, failures)
        return []
    for slug, cause in wanted.items():
        if not _may_apply(cause, program.sources):
            continue
        try:
            found += catalog.ask("lint", program, {slug: cause})
        except Exception as error:
            _note(slug, error, failures)
    sources = {one.path: one for one in (source, *program.sources)}
    kept = [
        finding
        for finding in found
        if selection.keeps(finding) and not _ignored(sources, source, finding) and _is_whole(source, finding)
    ]
    return sorted(unique(kept), key=lambda finding: (finding.where.line or 0) if finding.where else 0)


def _may_apply(cause: Cause, sources: tuple[Source, ...]) -> bool:
    return not cause.needs or any(source.holds_one_of(cause.needs) for source in sources)


def _note(what: str, error: Exception, failures: list[str] | None) -> None:
    if failures is None:
        raise error
    failures.append(f"{what} ({type(error).__name__}: {error})")


def unique(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding a cause and place: code reached by several ways is judged several times.

    Two faults of one kind on one line are one finding, with the repairs of both.
    """
    best: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        where = finding.where
        place = (finding.cause, where and where.path, where and where.cell, where and where.line)
        known = best.get(place)
        if known is None:
            best[place] = finding
        else:
            first, second = (finding, known) if finding.credence > known.credence else (known, finding)
            best[place] = replace(first, edits=_together(first.edits, second.edits))
    return tuple(best.values())


def _together(edits: tuple[Edit, ...], more: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits of two findings, where they do not get into each other's way."""
    new = tuple(edit for edit in more if edit not in edits)
    apart = not any(overlap(one, other) for one in new for other in edits)
    return (*edits, *new) if edits and apart else edits


def overlap(one: Edit, other: Edit) -> bool:
    first = ((one.line, one.column), (one.end_line, one.end_column))
    second = ((other.line, other.column), (other.end_line, other.end_column))
    return first[0] < second[1] and second[0] < first[1]


def _is_whole(source: Source, finding: Finding) -> bool:
    """What is said to be lacking may stand on a line that could not be read."""
    return not source.gaps or not getattr(catalog.find(finding.cause).module, "IS_AN_ABSENCE", False)


def _ignored(sources: dict[str, Source], linted: Source, finding: Finding) -> bool:
    """Whether a comment on the lines it is about, or one for their whole file, says to leave this alone."""
    where = finding.where
    source = sources.get(where.path or "", linted) if where else linted
    if "sleuth:" not in source.text:
        return False
    marks = {line: mark for line, text in source.comments.items() if (mark := _IGNORE.search(text))}
    if any(_names(mark, finding, for_file=True) for mark in marks.values()):
        return True
    first = where.line if where else None
    lines = range(first, (where.end_line or first) + 1) if where and first is not None else ()
    return any(line in marks and _names(marks[line], finding, for_file=False) for line in lines)


def _names(mark: re.Match[str] | None, finding: Finding, for_file: bool) -> bool:
    if mark is None or bool(mark["file"]) is not for_file:
        return False
    if mark["slugs"] is None:
        return True
    return not {finding.cause, finding.family}.isdisjoint(re.split(r"[,\s]+", mark["slugs"].strip()))
