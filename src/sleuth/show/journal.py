"""The work log, day by day: notes and runs in the order they happened."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from sleuth.archive import Row
from sleuth.archive.journal import Note
from sleuth.show.runs import COLOURS, near

Entry = tuple[str, str, Note | Row]  # day, time, what


def entries(notes: Sequence[Note], rows: Sequence[Row]) -> list[Entry]:
    """Both kinds by day and minute; notes without a time follow the note they were written under."""
    found: list[Entry] = []
    latest = ""
    for note in notes:
        latest = note.time or latest
        found.append((note.day, latest, note))
    for row in rows:
        began = datetime.fromtimestamp(row.started)
        found.append((f"{began:%Y-%m-%d}", f"{began:%H:%M}", row))
    return sorted(found, key=lambda entry: entry[:2])


def text(found: Sequence[Entry], here: Path) -> str:
    if not found:
        return 'Nothing yet. `sleuth journal add "what you saw"` writes a note; runs appear by themselves.'
    blocks = [
        "\n".join([click.style(day, bold=True), *(_line(entry, here) for entry in members)])
        for day, members in groupby(found, key=lambda entry: entry[0])
    ]
    return "\n\n".join(blocks)


def as_json(found: Sequence[Entry]) -> dict[str, Any]:
    return {"schema": "sleuth.journal/1", "entries": [_json(*entry) for entry in found]}


def _line(entry: Entry, here: Path) -> str:
    _, time, what = entry
    if isinstance(what, Note):
        about = f" {click.style(f'[{what.run}]', dim=True)}" if what.run else ""
        return f"  {what.time or '     '}{about} {what.text}"
    causes = ", ".join(what.damage or filter(None, what.causes))
    status = click.style(what.status, fg=COLOURS[what.status])
    return f"  {time} {what.run.id}  {near(what.script, here)}  {status}{'  ' + causes if causes else ''}"


def _json(day: str, time: str, what: Note | Row) -> dict[str, Any]:
    if isinstance(what, Note):
        return {"day": day, "time": what.time, "note": what.text, "run": what.run or None}
    return {"day": day, "time": time, "run": what.run.id, "status": what.status, "script": what.script}
