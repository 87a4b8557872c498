"""What people mark a run with afterwards: a star, tags, a note. One small file in the run's folder."""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from sleuth.errors import SleuthError
from sleuth.files import write_whole

MARKS = "marks.json"
LONGEST_NOTE = 10_000  # letters; what is longer belongs into the journal
MOST_TAGS, LONGEST_TAG = 20, 40


@dataclass(frozen=True, slots=True)
class Marks:
    star: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""


def marks(folder: Path) -> Marks:
    """Those of a run; none where there is no file or a torn one."""
    with suppress(OSError, ValueError, RecursionError):
        told = json.loads((folder / MARKS).read_text("utf-8"))
        if isinstance(told, dict):
            tags = told.get("tags")
            return made(told.get("star") is True, tags if isinstance(tags, list) else (), told.get("note"))
    return Marks()


def mark(folder: Path, wanted: Marks) -> None:
    if len(wanted.note) > LONGEST_NOTE:
        raise SleuthError(f"A note has at most {LONGEST_NOTE} letters; a longer text belongs in the journal.")
    write_whole(folder / MARKS, json.dumps(asdict(wanted), indent=1, ensure_ascii=False) + "\n")


def made(star: bool, tags: Iterable[object], note: object) -> Marks:
    """Tags are single words, each once."""
    words = (word for tag in tags if isinstance(tag, str) for word in tag.replace(",", " ").split())
    kept = tuple(dict.fromkeys(word[:LONGEST_TAG] for word in words))[:MOST_TAGS]
    return Marks(star, kept, note.strip() if isinstance(note, str) else "")
