"""Files that a script wrote, kept with its run where the user asks for it."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sleuth.archive.saying import say

if TYPE_CHECKING:
    from sleuth.archive.run import Run

ARTEFACTS = "artefacts"


def keep(run: "Run", patterns: Sequence[str]) -> tuple[Path, ...]:
    """Copies of the files under the run's working folder that fit and were written since it began."""
    meta = run.meta
    if "cwd" not in meta or "started" not in meta:
        say(f"Nothing is kept with run {run.id}: its meta.json was damaged meanwhile.")
        return ()
    cwd, started = Path(meta["cwd"]), float(meta["started"])
    written = [path for pattern in patterns for path in sorted(cwd.glob(pattern)) if _new(path, started)]
    kept = []
    for path in dict.fromkeys(written):
        copy = run.folder / ARTEFACTS / path.relative_to(cwd)
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            kept.append(Path(shutil.copy2(path, copy)))
        except OSError as error:
            say(f"{path} is not kept with the run: {error.strerror}.")
            with suppress(OSError):
                copy.unlink(missing_ok=True)
    return tuple(kept)


def _new(path: Path, started: float) -> bool:
    with suppress(OSError):
        return path.is_file() and path.stat().st_mtime >= started - 1  # file clocks may tick in seconds
    return False
