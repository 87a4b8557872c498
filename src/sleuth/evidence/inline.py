"""What stands inside a block's text: data, links, tags, escapes; the rest is prose."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sleuth.evidence.blocks import DATA, Block
from sleuth.evidence.data import BadData, block_end, read_data
from sleuth.evidence.model import Link, Problem

_LINK = re.compile(r"(?<![\\!])\[(?P<label>[^\]\n]+)\]\((?P<target>[^)\n]+)\)")
# A tag begins with a letter: "item #12" and "#L120" inside a link are none.
_TAG = re.compile(r"(?<![\w\\&/#])#(?:\((?P<long>[^)\n]+)\)|(?P<short>[^\W\d_][\w-]*))")
_BURIED = re.compile(r"(?<![@\\])\[[^\[\]\n]+\]:(?!\()|\(\d+\)\s*\[[^\[\]\n]+\]")
_BROKEN = re.compile(r"^(?:\[[^\[\]]{1,80}$|\[[^\[\]]{1,80}:\s|<[^<>]{1,80}$|[^\[\]]{1,80}\]:(?:\s|$))")


@dataclass(frozen=True, slots=True)
class Inline:
    text: str
    tags: tuple[str, ...]
    data: Mapping[str, Any]
    links: tuple[Link, ...]
    data_at: tuple[int, int] | None


def read_inline(block: Block, problems: list[Problem]) -> Inline:
    raw = block.text
    data, bare = _take_data(block, raw, problems)
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    prose = bare
    if "](" in bare:
        links, prose = tuple(_links(block, bare)), _LINK.sub(_link_text, bare)
    if "#" in prose:
        found = (match["long"] or match["short"] for match in _TAG.finditer(prose))
        tags, prose = tuple(dict.fromkeys(name.strip() for name in found)), _TAG.sub(" ", prose)
    _look_for_lost_titles(block, bare, prose, problems)
    return Inline(unescaped(prose), tags, data, links, _data_place(block, raw) if data else None)


def _data_place(block: Block, raw: str) -> tuple[int, int] | None:
    match = DATA.search(raw)
    return block.place(match.start()) if match else None


def unescaped(text: str) -> str:
    return " ".join(re.sub(r"\\([^\w\s])", r"\1", text).split())


def _link_text(match: re.Match[str]) -> str:
    """A link within a sentence leaves its label; a line that is only a link leaves nothing."""
    line_start = match.string.rfind("\n", 0, match.start()) + 1
    before = match.string[line_start : match.start()]
    return "" if not before.strip() else match["label"]


def _links(block: Block, bare: str) -> list[Link]:
    return [
        Link(match["label"].strip(), match["target"].strip(), *block.place(match.start()))
        for match in _LINK.finditer(bare)
    ]


def _take_data(block: Block, raw: str, problems: list[Problem]) -> tuple[dict[str, Any], str]:
    """The block's data, and its text with the data blanked out (so that places stay right)."""
    found: list[dict[str, Any]] = []
    place = 0
    while match := DATA.search(raw, place):
        start = match.start()
        end = block_end(raw, start)
        if end is None:
            end = (raw.find("\n", start) + 1 or len(raw) + 1) - 1
            found.append(_salvaged(raw[start:end]))
        else:
            found.append(_read(block, raw, start, end, problems))
        blanks = re.sub(r"[^\n]", " ", raw[start:end])
        raw, place = raw[:start] + blanks + raw[end:], end
        if len(found) == 2:
            message = (
                "A second data block on one statement: a line between the two may have lost its beginning."
            )
            problems.append(Problem(*block.place(start), "error", "second-data", message, unread=True))
    merged: dict[str, Any] = {}
    for entries in reversed(found):
        merged |= entries
    return merged, raw


def _read(block: Block, raw: str, start: int, end: int, problems: list[Problem]) -> dict[str, Any]:
    try:
        return read_data(raw[start:end])
    except BadData as error:
        message = f"This data block cannot be read: {error}."
        problems.append(Problem(*block.place(start + error.at), "error", "bad-data", message, unread=True))
        return _salvaged(raw[start:end])


def _salvaged(text: str) -> dict[str, Any]:
    """Numbers that can still be made out in a broken block; its brace has been reported already."""
    for repair in ("}", '"}', "'}"):
        try:
            return read_data(text + repair)
        except BadData:
            continue
    pairs = re.findall(r"\b(credence|inference)\s*:\s*(\d*\.?\d+)\b", text)
    return {name: float(value) for name, value in pairs}


def _look_for_lost_titles(block: Block, bare: str, prose: str, problems: list[Problem]) -> None:
    """A title that does not begin its line is no title any more; say so rather than lose a statement."""
    if buried := _BURIED.search(_LINK.sub(lambda match: " " * len(match[0]), bare)):
        message = f"{buried[0].strip()[:50]} is within a line; a statement begins a line of its own."
        problems.append(Problem(*block.place(buried.start()), "error", "buried-title", message, unread=True))
    if not block.title and _BROKEN.match(prose.strip()):
        message = f"This looks like a title with a bracket or colon missing: {prose.strip()[:50]!r}."
        problems.append(Problem(block.line, block.column, "error", "broken-title", message, unread=True))
