"""Files that a script wrote, kept with its run where the user asks for it."""

import os
import shutil
from collections.abc import Container, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from sleuth.archive.home import RUNS
from sleuth.archive.saying import say

if TYPE_CHECKING:
    from sleuth.archive.run import Run

ARTEFACTS = "artefacts"


def keep(run: "Run", patterns: Sequence[str]) -> tuple[Path, ...]:
    """Copies of the files that fit and were written since the run began, below one folder of the run.

    Patterns start at the run's working folder. What lies elsewhere is kept under its own name.
    """
    meta = run.meta
    if "cwd" not in meta or "started" not in meta:
        say(f"Nothing is kept with run {run.id}: its meta.json was damaged meanwhile.")
        return ()
    cwd, started = Path(meta["cwd"]), float(meta["started"])
    fitting = (Path(os.path.normpath(path)) for pattern in patterns for path in _fitting(cwd, pattern))
    written = [path for path in fitting if _new(path, started) and not _own(path, run, cwd)]
    places: dict[Path, Path] = {}  # where a copy stands → of what
    for path in dict.fromkeys(written):
        places[_free(run.folder / ARTEFACTS, _name(path, cwd), places)] = path
    return tuple(copy for copy, path in places.items() if _copied(path, copy))


def _fitting(cwd: Path, pattern: str) -> list[Path]:
    try:
        top = Path(pattern).anchor
        return sorted(Path(top).glob(pattern[len(top) :]) if top else cwd.glob(pattern))
    except (ValueError, IndexError, OSError) as error:
        say(f"No file is kept under the pattern {pattern!r}: {error}.")
        return []


def _name(path: Path, cwd: Path) -> Path:
    return path.relative_to(cwd) if path.is_relative_to(cwd) else Path(path.name)


def _free(folder: Path, name: Path, taken: Container[Path]) -> Path:
    """Two files of one name from two folders elsewhere: the second gets a number."""
    tries = (name if number == 1 else name.with_name(f"{number}-{name.name}") for number in count(1))
    return next(place for one in tries if (place := folder / one) not in taken)


def _own(path: Path, run: "Run", cwd: Path) -> bool:
    """What Sleuth itself wrote. A project that is its archive's folder, too, still has files of its own."""
    if run.home is None:
        return path.is_relative_to(run.folder)
    return path.is_relative_to(run.home / RUNS if cwd.is_relative_to(run.home) else run.home)


def _copied(path: Path, copy: Path) -> bool:
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    except OSError as error:
        say(f"{path} is not kept with the run: {error.strerror}.")
        with suppress(OSError):
            copy.unlink(missing_ok=True)
        return False
    return True


def _new(path: Path, started: float) -> bool:
    with suppress(OSError):
        return path.is_file() and path.stat().st_mtime >= started - 1  # file clocks may tick in seconds
    return False
