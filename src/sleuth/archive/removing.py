"""Taking runs out of the archive. Nothing goes without being named first."""

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sleuth.archive import index
from sleuth.archive.listing import Row, listed
from sleuth.archive.run import Run, Status
from sleuth.errors import SleuthError


def size(run: Run) -> int:
    """Bytes in the run's folder."""
    return sum(
        os.lstat(Path(folder, name)).st_size for folder, _, names in os.walk(run.folder) for name in names
    )


def to_prune(
    home: Path, older_than: float | None, keep: int | None, status: Status | None
) -> tuple[Run, ...]:
    """Runs that fit all that was asked: begun before a time, not among the latest, of a status."""
    if older_than is None and keep is None and status is None:
        raise SleuthError("Say what to prune: --older-than 30d, --keep 100 or --status unfinished.")
    rows = [row for row in listed(home) if row.status != "running"]
    latest = {row.run.id for row in (rows[-keep:] if keep else [])}
    return tuple(row.run for row in rows if row.run.id not in latest and _fits(row, older_than, status))


def remove(home: Path, runs: Sequence[Run]) -> None:
    """Folder first: what the index alone still names is not listed."""
    for run in runs:
        if run.status == "running":
            raise SleuthError(f"Run {run.id} is still running; stop it first.")
        if run.home != home:
            raise SleuthError(f"Run {run.folder} is not in the archive {home}; delete its folder yourself.")
        if run.folder.is_symlink():
            raise SleuthError(
                f"Run {run.folder} is a link to {os.readlink(run.folder)}; delete the link yourself."
            )
    for run in runs:
        try:
            shutil.rmtree(run.folder)
        except OSError as error:
            raise SleuthError(f"Cannot remove {run.folder}: {error.strerror or error}.") from None
    with suppress(sqlite3.Error):  # only a cache: what it alone still names is not listed
        index.remove(home, [run.id for run in runs])


def _fits(row: Row, older_than: float | None, status: Status | None) -> bool:
    return (older_than is None or row.started < older_than) and status in (None, row.status)
