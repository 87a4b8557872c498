"""One run of the archive: where its things are, and how they are read back."""

import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from sleuth.archive import record
from sleuth.archive.facts import Facts, facts_of
from sleuth.archive.home import RUNS
from sleuth.archive.packing import Series
from sleuth.finding import Finding

Status = Literal["running", "finished", "failed", "interrupted", "unfinished", "damaged"]
STATUSES: tuple[Status, ...] = get_args(Status)

# As shells and as Python's subprocess tell of SIGINT and SIGTERM.
INTERRUPTIONS = (130, 143, -2, -15)
SILENCE = 60.0  # seconds; a recorder writes once a second, so a longer silence elsewhere means it is gone


@dataclass(frozen=True)
class Run:
    """A run's folder. Where `recording` is false nothing is kept, and its files lead nowhere."""

    id: str
    folder: Path
    recording: bool = True

    @property
    def record_path(self) -> Path:
        """Where a recorder appends events. To read them, use `events`: a long record is packed at the end."""
        return self._file(record.RECORD)

    @property
    def stdout_path(self) -> Path:
        return self._file("stdout.txt")

    @property
    def stderr_path(self) -> Path:
        return self._file("stderr.txt")

    @property
    def home(self) -> Path | None:
        """The archive the run stands in; None for a folder that was moved out of one."""
        return self.folder.parent.parent if self.folder.parent.name == RUNS else None

    @property
    def meta(self) -> dict[str, Any]:
        """What was known at the start and, once the run is over, at the end, as far as it fits its shape."""
        return dict(self.facts.known)

    @property
    def facts(self) -> Facts:
        return facts_of(self.folder)

    @property
    def damage(self) -> tuple[str, ...]:
        """What of the run cannot be read, in sentences; its record is read through for it."""
        return (*map(str, self.facts.damage), *record.damage(self.folder))

    @property
    def status(self) -> Status:
        return status_of(self.facts, self.folder)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(Finding.from_dict(item) for item in self.meta.get("findings", ()))

    def events(self, kind: str | None = None) -> Iterator[record.Event]:
        """The record in order, while the run goes on as well as after it."""
        return record.events(self.folder, kind)

    def series(self, name: str) -> Series:
        """One curve, such as `step/loss`; an empty one where the run has none of that name."""
        return self.all_series().get(name, Series(name, (), ()))

    def all_series(self) -> Mapping[str, Series]:
        from sleuth.archive.closing import indexed_again
        from sleuth.archive.index import stored_series

        stored = stored_series(self)
        return indexed_again(self).series if stored is None else stored

    def finish(
        self, exit_code: int, findings: Sequence[Finding] = (), summary: Mapping[str, Any] | None = None
    ) -> None:
        """Close the run: keep how it ended, index it, pack its record. May be called again, to judge anew."""
        from sleuth.archive.closing import close

        if self.recording:
            close(self, exit_code, findings, summary or {})

    def keep(self, patterns: Sequence[str]) -> tuple[Path, ...]:
        """Copy the files that the script wrote under these patterns into the run's folder."""
        from sleuth.archive.artefacts import keep

        return keep(self, patterns) if self.recording else ()

    def _file(self, name: str) -> Path:
        return self.folder / name if self.recording else Path(os.devnull)


def status_of(facts: Facts, folder: Path) -> Status:
    """A file that is written is whole, also beside its writer: what does not fit is damage."""
    if not facts.over and _alive(facts.known, folder):
        return "running"
    if facts.damage:
        return "damaged"
    if facts.over:
        code = facts.known.get("exit_code")
        return "finished" if code == 0 else "interrupted" if code in INTERRUPTIONS else "failed"
    return "unfinished"


def birth(pid: int) -> str | None:
    """When a process was started, as Linux counts it: a number used again by another process differs."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[19]
    return None


def _alive(meta: Mapping[str, Any], folder: Path) -> bool:
    if meta.get("host") != socket.gethostname():
        return _spoke_lately(folder)
    pid = meta.get("pid")
    if not isinstance(pid, int):
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return meta.get("birth") in (None, birth(pid))


def _spoke_lately(folder: Path) -> bool:
    with suppress(OSError):
        return time.time() - (folder / record.RECORD).stat().st_mtime < SILENCE
    return False
