"""The work log: a markdown file of dated notes, which people may also edit by hand."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sleuth.archive.home import JOURNAL, make_home
from sleuth.errors import SleuthError

_DAY = re.compile(r"^## (\d{4}-\d{2}-\d{2})\s*$")
_NOTE = re.compile(r"^- (\d{2}:\d{2}) (?:\[([\w-]+)\] )?(.*)$")


@dataclass(frozen=True)
class Note:
    """One entry; `time` is empty where somebody wrote without one, `run` where it belongs to none."""

    day: str
    time: str
    text: str
    run: str = ""


def add(home: Path, text: str, now: datetime, run: str = "") -> Note:
    """Append a note, under a heading of its day. Several writers may append at once."""
    words = " ".join(text.split())
    if not words:
        raise SleuthError("A note needs some words.")
    note = Note(f"{now:%Y-%m-%d}", f"{now:%H:%M}", words, run)
    path = home / JOURNAL
    try:
        make_home(home)
        _append(path, note)
    except OSError as error:
        raise SleuthError(f"Cannot write {path}: {error.strerror}.") from None
    return note


def notes(home: Path) -> tuple[Note, ...]:
    """In the order of the file; a day's second heading, as people may write one, changes nothing."""
    try:
        text = (home / JOURNAL).read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SleuthError(f"Cannot read {home / JOURNAL}: {error.strerror}.") from None
    return tuple(_parsed(text))


def by_day(found: tuple[Note, ...]) -> Mapping[str, list[Note]]:
    days: dict[str, list[Note]] = {}
    for note in found:
        days.setdefault(note.day, []).append(note)
    return dict(sorted(days.items()))


def _parsed(text: str) -> Iterator[Note]:
    """Lines without a time are kept as notes of their day; those before the first day are the title."""
    day = ""
    for line in text.splitlines():
        if heading := _DAY.match(line):
            day = heading[1]
        elif entry := _NOTE.match(line):
            yield Note(day, entry[1], entry[3], entry[2] or "")
        elif day and line.strip():
            yield Note(day, "", line.strip())


def _head(text: str, day: str) -> str:
    """What must stand between the file so far and a note of the day."""
    if not text:
        return f"# Journal\n\n## {day}\n\n"
    gap = "" if text.endswith("\n") else "\n"
    return gap if _DAY_LINES.findall(text)[-1:] == [day] else f"{gap}\n## {day}\n\n"


_DAY_LINES = re.compile(_DAY.pattern, re.MULTILINE)


def _line(note: Note, head: str) -> bytes:
    about = f"[{note.run}] " if note.run else ""
    return f"{head}- {note.time} {about}{note.text}\n".encode()


def _append(path: Path, note: Note) -> None:
    """Look at the end of the file and write to it under one lock, lest two writers both begin the day."""
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    with open(handle, "rb") as file:
        fcntl.flock(handle, fcntl.LOCK_EX)
        text = file.read().decode("utf-8", errors="replace")
        os.write(handle, _line(note, _head(text, note.day)))
