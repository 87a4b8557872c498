"""What changed in the code from one run to another, from the copies kept with them alone.

A run may come from anywhere: the repository it names is not asked, since git would run in a folder it chose.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from sleuth.archive import code
from sleuth.ui import facts
from sleuth.ui.lines import Line

LONGEST = 20_000  # lines of a file that is compared: the time grows with their square
SHOWN = 2000  # lines of a difference


@dataclass(frozen=True)
class Changes:
    """Lines of a unified diff, each with its kind, and what could not be compared."""

    rows: tuple[tuple[str, str], ...]
    unseen: str


def changes(before: Line, after: Line) -> Changes:
    left, right = _copies(before.run.folder), _copies(after.run.folder)
    rows = [
        row for name in sorted({*left, *right}) for row in _of_file(name, left.get(name), right.get(name))
    ]
    return Changes(tuple(rows[:SHOWN]), _unseen(before, after, left.keys() ^ right.keys()))


def _copies(folder: Path) -> dict[str, Path]:
    found = code.kept(folder)
    return {name: path for name, path in found.items() if facts.opened(folder, f"{code.CODE}/{name}")}


def _of_file(name: str, left: Path | None, right: Path | None) -> Iterator[tuple[str, str]]:
    """A file that only one of them has is as committed in the other: nothing can be shown of it."""
    if left is None or right is None:
        return
    old, new = (facts.text_of(path).splitlines()[:LONGEST] for path in (left, right))
    for row in unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="") if old != new else ():
        yield _kind(row), row


def _kind(row: str) -> str:
    if row.startswith(("+++ ", "--- ")):
        return "file"
    return {"+": "added", "-": "removed", "@": "place"}.get(row[:1], "")


def _unseen(before: Line, after: Line, alone: set[str]) -> str:
    one, other = (
        str(facts.mapping(line.run.meta.get("code")).get("commit") or "") for line in (before, after)
    )
    parts = []
    if one != other:
        parts.append(f"The commits differ ({one[:12] or 'no git'}, {other[:12] or 'no git'})")
    if alone:
        named = ", ".join(sorted(alone)[:8])
        parts.append(f"only one of the runs kept {named}, the other has it as committed")
    if not parts:
        return ""
    hint = f"`sleuth runs diff {before.id} {after.id}` asks git as well"
    told = "; ".join([*parts, hint])
    return f"{told[0].upper()}{told[1:]}."
