"""Where runs are kept."""

import os
from pathlib import Path

RUNS, INDEX, JOURNAL = "runs", "index.sqlite", "journal.md"


def home_folder(home: Path | None = None) -> Path:
    """The folder asked for, else `$SLEUTH_HOME`, else `.sleuth` in the current folder."""
    return (home or Path(os.environ.get("SLEUTH_HOME") or ".sleuth")).absolute()


def make_home(home: Path) -> None:
    """The folder, with a note that keeps it out of the user's own repository."""
    (home / RUNS).mkdir(parents=True, exist_ok=True)
    ignore = home / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")
