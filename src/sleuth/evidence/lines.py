"""Prepares a map's text: page remains removed, comments and front matter set aside, line numbers kept."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sleuth.evidence.data import BadData, read_data
from sleuth.evidence.model import Problem

# A code-hosting page leaves `|` and `||` after every line; no map written by hand has a fifth of those.
SCRAPED_SHARE = 0.2
FENCE = re.compile(r"^={3,}\s*$")

_COMMENT = re.compile(r"(?:^|(?<=\s))//.*$")
_BLOCK_OPENERS = {"/*": "*/", "<!--": "-->"}
_OPENER = re.compile(r"/\*|<!--")
_FRONT_ENTRY = re.compile(r"^(\s*)([\w.-]+)\s*:(?:\s+(.*))?$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the file as written, without its comment."""

    number: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())


@dataclass(frozen=True, slots=True)
class Prepared:
    lines: tuple[Line, ...]
    front: dict[str, Any]
    header: tuple[tuple[int, str], ...]
    problems: tuple[Problem, ...]
    scraped: bool


def prepare(text: str) -> Prepared:
    problems: list[Problem] = []
    rows = _numbered(text)
    scraped = _is_scraped(rows)
    if scraped:
        rows = list(_page_rows(rows))
    front, rest = _front_matter(rows, problems)
    comments: list[Line] = []
    lines = tuple(_without_comments(rest, comments, problems))
    first = next((line.number for line in lines if line.text.strip()), 0)
    header = tuple((line.number, line.text) for line in comments if line.number < first)
    return Prepared(lines, front, header, tuple(problems), scraped)


def page_rows(text: str) -> list[Line]:
    """The rows of a file, whether it is given as it is or as a code-hosting page shows it."""
    rows = _numbered(text)
    return list(_page_rows(rows)) if _is_scraped(rows) else rows


def _numbered(text: str) -> list[Line]:
    return [Line(number, row.rstrip()) for number, row in enumerate(_split(text), 1)]


def _split(text: str) -> list[str]:
    """By line ends only: form feeds and their like stay within a line, so that numbers agree with editors."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _is_scraped(rows: Sequence[Line]) -> bool:
    bars = sum(row.text.strip() in ("|", "||") for row in rows)
    return bars >= 4 and bars >= SCRAPED_SHARE * len(rows)


def _page_rows(rows: Sequence[Line]) -> Iterator[Line]:
    """The file's rows: what precedes a `|`, or nothing. What stands above the first belongs to the page."""
    waiting: Line | None = None
    started = False
    for row in rows:
        if row.text.strip() == "|":
            yield waiting or Line(row.number, "")
            waiting, started = None, True
        elif row.text.strip() != "||":
            if waiting is not None and started:
                yield waiting
            waiting = row
    if waiting is not None:
        yield waiting


def _front_matter(rows: Sequence[Line], problems: list[Problem]) -> tuple[dict[str, Any], Sequence[Line]]:
    start = next((place for place, row in enumerate(rows) if row.text.strip()), None)
    if start is None or not FENCE.match(rows[start].text.strip()):
        return {}, rows
    for end in range(start + 1, len(rows)):
        if FENCE.match(rows[end].text.strip()):
            return _front_entries(rows[start + 1 : end], problems), rows[end + 1 :]
    message = "The front matter opens with === and is never closed: add a line === after it."
    problems.append(Problem(rows[start].number, 1, "error", "unclosed-front-matter", message, unread=True))
    end = start + 1
    while end < len(rows) and _FRONT_ENTRY.match(rows[end].text):
        end += 1
    return _front_entries(rows[start + 1 : end], []), rows[end:]


def _front_entries(rows: Sequence[Line], problems: list[Problem]) -> dict[str, Any]:
    """`name: value` lines; deeper lines belong to the name above, where indentation has survived."""
    entries: dict[str, Any] = {}
    parent: dict[str, Any] | None = None
    for row in rows:
        if not row.text.strip() or row.text.lstrip().startswith("#"):
            continue
        match = _FRONT_ENTRY.match(row.text)
        if match is None:
            if not row.text.lstrip().startswith("- "):
                message = f"Front matter is `name: value`, not {row.text.strip()[:40]!r}."
                problems.append(Problem(row.number, 1, "error", "bad-front-matter", message, unread=True))
            continue
        deep, name, value = match[1], match[2], (match[3] or "").strip()
        holder = parent if deep and parent is not None else entries
        holder[name] = _front_value(value)
        if not deep:
            parent = None
            if not value:
                parent = entries[name] = {}
    return entries


def _front_value(value: str) -> Any:
    """A value as YAML's flow style reads it, or as plain text where a title holds a colon or a brace."""
    try:
        return read_data("{x: " + value + "}").get("x") if value else ""
    except BadData:
        return value


def _without_comments(rows: Sequence[Line], comments: list[Line], problems: list[Problem]) -> Iterator[Line]:
    """Rows with comments cut out; a row that held nothing else disappears, so it does not end a paragraph."""
    closer = ""
    for place, row in enumerate(rows):
        text = row.text
        if closer:
            before, found, text = text.partition(closer)
            comments.append(Line(row.number, before))
            if not found:
                continue
            closer = ""
        elif _is_quote(text):
            yield row
            continue
        text, closer = _cut(Line(row.number, text), rows, place + 1, comments, problems)
        if text.strip() or not row.text.strip():
            yield Line(row.number, text.rstrip())


def _cut(
    row: Line, rows: Sequence[Line], after_row: int, comments: list[Line], problems: list[Problem]
) -> tuple[str, str]:
    """The row without its comments, and the sign that ends a comment it leaves open."""
    text = row.text
    if "//" not in text and "/*" not in text and "<!--" not in text:
        return text, ""
    plain = _COMMENT.search(text)
    opener = _OPENER.search(text)
    if plain and "{" not in text[: plain.start()] and not (opener and opener.start() < plain.start()):
        comments.append(Line(row.number, text[plain.start() :].lstrip("/ ")))
        return text[: plain.start()], ""
    if opener is None or "`" in text[: opener.start()] or "{" in text[: opener.start()]:
        return text, ""
    closer = _BLOCK_OPENERS[opener[0]]
    inside, closed, after = text[opener.end() :].partition(closer)
    if closed:
        comments.append(Line(row.number, inside))
        kept = Line(row.number, text[: opener.start()] + after)
        return _cut(kept, rows, after_row, comments, problems)
    if any(closer in line.text for line in islice(rows, after_row, None)):
        comments.append(Line(row.number, inside))
        return text[: opener.start()], closer
    message = f"A comment opens with {opener[0]} and is never closed with {closer}."
    column = opener.start() + 1
    problems.append(Problem(row.number, column, "error", "unclosed-comment", message, unread=True))
    return text[: opener.start()], ""


def _is_quote(text: str) -> bool:
    bare = text.lstrip()
    return bare.startswith(">") and not bare.startswith("><")
