"""The page on the architecture speaks of files that are there."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
SOURCES = ROOT / "src" / "sleuth"


def missing(page: str) -> Iterator[str]:
    """Files and rooms that the page names and nobody can open."""
    for name in re.findall(r"`([\w/<>]+(?:\.py|/))`", page):
        if "<" not in name and not (SOURCES / name).exists():
            yield name


def test_every_file_and_room_named_is_there() -> None:
    assert list(missing(PAGE)) == []


def test_a_file_that_is_gone_is_seen() -> None:
    assert list(missing("see `judge/weigh.py`, `judge/gone.py` and `rooms/`")) == ["judge/gone.py", "rooms/"]


def test_every_room_is_named() -> None:
    named = set(re.findall(r"`(\w+)/", PAGE))
    rooms = {path.name for path in SOURCES.iterdir() if (path / "__init__.py").is_file()}
    assert rooms - named == set()
