"""Snippets written before the rules were run on them: what lint finds in them, and what it wrongly says.

All have served to find blind spots, so their numbers flatter; those at first sight stand in docs/lint.md.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.zoo import LINE_SLACK, ZOO
from sleuth.finding import Finding
from sleuth.lint import lint_source
from sleuth.source.parsed_file import Project, Source, UnreadableSource, parse_source

FOLDER = ZOO / "snippets"


@dataclass(frozen=True)
class Snippet:
    """A short program with one known bug; any of `lines` may be named, `also` are fair second names."""

    path: Path
    slug: str
    lines: tuple[int, ...]
    also: tuple[str, ...]


@dataclass(frozen=True)
class Tally:
    """Counts over one set; what is said of a bad snippet beside its bug and fair second names is wrong."""

    bad: int
    found: int
    line: int
    wrong: tuple[str, ...]
    good: int
    accused: tuple[str, ...]
    missed: tuple[str, ...]

    @property
    def precision(self) -> float:
        return self.found / max(self.found + len(self.wrong) + len(self.accused), 1)


def sets() -> list[str]:
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def bad(name: str) -> Iterator[Snippet]:
    manifest = json.loads((FOLDER / name / "bad" / "manifest.json").read_text("utf-8"))
    for file, entry in sorted(manifest.items()):
        lines = (entry["line"], *entry.get("alt_lines", ()))
        yield Snippet(FOLDER / name / "bad" / file, entry["slug"], lines, tuple(entry.get("also", ())))


def good(name: str) -> list[Path]:
    return sorted((FOLDER / name / "good").glob("*.py"))


def tally(name: str) -> Tally:
    snippets = list(bad(name))
    answers = {snippet.path: findings(snippet.path) for snippet in snippets}
    found = [s for s in snippets if any(f.cause == s.slug for f in answers[s.path])]
    wrong = [
        _said(finding)
        for snippet in snippets
        for finding in answers[snippet.path]
        if finding.cause not in (snippet.slug, *snippet.also)
    ]
    accused = [_said(finding) for path in good(name) for finding in findings(path)]
    return Tally(
        bad=len(snippets),
        found=len(found),
        line=sum(_hits(snippet, answers[snippet.path]) for snippet in found),
        wrong=tuple(wrong),
        good=len(good(name)),
        accused=tuple(accused),
        missed=tuple(s.path.stem for s in snippets if s not in found),
    )


def findings(path: Path) -> list[Finding]:
    """Errors and warnings; a snippet that ends in the middle of a line is read as far as it goes."""
    source = _read(path)
    return [] if source is None else lint_source(source, project=Project())


def _read(path: Path) -> Source | None:
    try:
        return parse_source(str(path), path.read_text("utf-8"), repair=True)
    except UnreadableSource:
        return None


def _hits(snippet: Snippet, found: list[Finding]) -> bool:
    places = [f.where.line for f in found if f.cause == snippet.slug and f.where and f.where.line]
    return any(abs(place - line) <= LINE_SLACK for place in places for line in snippet.lines)


def _said(finding: Finding) -> str:
    where = finding.where
    name = Path(where.path or "").name if where else "?"
    return f"{name}:{where.line if where else '?'} {finding.cause}"
