"""The runs of one archive, held in memory and looked through again only where a folder changed."""

import os
import threading
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sleuth.archive import index
from sleuth.archive.facts import START
from sleuth.archive.home import RUNS
from sleuth.archive.listing import row_of
from sleuth.archive.marks import MARKS, Marks, marks
from sleuth.archive.run import Run
from sleuth.show.charts import Level
from sleuth.ui.cache import FILE, Cache
from sleuth.ui.lines import Line, line
from sleuth.ui.tailing import Tail

SOON = 0.5  # seconds in which the folders are not looked at again
QUICK = 0.03  # seconds of a look that nobody notices
CALM = 10  # times the length of a look until the next
MOST_SPARKS = 2000
MOST_TAILS = 200  # runs followed at once; of more, those asked for longest ago are let go
Extremes = Mapping[str, tuple[float, float, float]]


@dataclass
class Shelf:
    """One archive. Its methods may be called from any thread."""

    home: Path
    place: int = 0
    cache: Cache = field(init=False)
    lines: dict[str, Line] = field(default_factory=dict)
    version: int = 0  # rises with every change of a line
    stored: int = 0  # rises when a line of a run that is over changes: only then the index may
    _tails: dict[str, Tail] = field(default_factory=dict)
    _names: tuple[int, Sequence[str]] | None = None  # and the state of the index that they are of
    _columns: dict[str, tuple[int, Extremes]] = field(default_factory=dict)
    _sparks: dict[tuple[str, str], tuple[str, Level | None]] = field(default_factory=dict)
    _looked: float = -1e9
    _cost: float = 0.0  # seconds that the last look took
    _looking: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.cache = Cache(self.home / FILE if os.access(self.home, os.W_OK) else None)

    def refresh(self) -> Mapping[str, Line]:
        """The lines as they are now, at most half a second ago."""
        with self._lock:
            self._look_again()
            return dict(self.lines)

    def find(self, run_id: str) -> Line | None:
        with self._lock:
            self._look_again()
            return self.lines.get(run_id)

    def again(self) -> None:
        """Look at once when next asked: something was written."""
        with self._lock:
            self._looked = -1e9

    def tail(self, found: Line) -> Tail:
        """A run that is not in the index, as far as it has come."""
        with self._lock:
            tail = self._tails.pop(found.id, None) or Tail(record_of(found.run.folder))
            self._tails[found.id] = tail
            while len(self._tails) > MOST_TAILS:
                self._tails.pop(next(iter(self._tails)))
            tail.follow()
            return tail

    def column(self, name: str) -> Extremes:
        """Run → last, lowest and highest value of a series; for runs that go on, as far as they have come."""
        with self._lock:
            known = self._columns.get(name)
            if known is None or known[0] != self.stored:
                values = {run: told[name] for run, told in index.metrics(self.home, name).items()}
                known = self._columns[name] = (self.stored, values)
        return known[1]

    def names(self) -> Sequence[str]:
        """The series that most runs have."""
        with self._lock:
            if self._names is None or self._names[0] != self.stored:
                self._names = (self.stored, index.common(self.home))
            return self._names[1]

    def spark(self, found: Line, name: str, make: Callable[[], Level | None]) -> Level | None:
        """A small curve of a run that is over, made once."""
        with self._lock:
            held = self._sparks.get((found.id, name))
        if held is None or held[0] != found.stamp:
            held = (found.stamp, make())
            with self._lock:
                while len(self._sparks) >= MOST_SPARKS:
                    self._sparks.pop(next(iter(self._sparks)))
                self._sparks[found.id, name] = held
        return held[1]

    def _look_again(self) -> None:
        """A quick look at once; where there are very many runs, behind the back of whoever asks."""
        if self._looking or time.monotonic() - self._looked < max(SOON, CALM * self._cost):
            return
        if self._cost > QUICK and self._looked > 0:
            self._looking = True
            threading.Thread(target=self._timed, daemon=True).start()
        else:
            self._timed()

    def _timed(self) -> None:
        begun = time.monotonic()
        try:
            stamps = dict(_stamps(self.home, self.lines))
            with self._lock:
                self._look(stamps)
        finally:
            self._looked, self._looking = time.monotonic(), False
            self._cost = self._looked - begun

    def _look(self, stamps: Mapping[str, str]) -> None:
        changed = [key for key, stamp in stamps.items() if not self._same(key, stamp)]
        gone = self.lines.keys() - stamps.keys()
        for run_id in gone:
            del self.lines[run_id]
            self._tails.pop(run_id, None)
        known = index.rows(self.home, None if len(changed) > MANY else changed) if changed else {}
        before = {key: self.lines.get(key) for key in changed}
        for run_id in changed:
            self._put(run_id, stamps[run_id], known)
        moved = [key for key, was in before.items() if self.lines.get(key) != was]
        self.version += bool(gone or moved)
        self.stored += bool(gone or any(not self.lines[key].live for key in moved))

    def _same(self, run_id: str, stamp: str) -> bool:
        held = self.lines.get(run_id)
        return held is not None and held.stamp == stamp and not held.live

    def _put(self, run_id: str, stamp: str, known: Mapping[str, index.Entry]) -> None:
        run = Run(run_id, self.home / RUNS / run_id)
        try:
            made = _line(run, self.place, known, stamp)
        except Exception as error:  # whatever stands in a run's files, the other runs are shown
            told = {
                "summary": {"verdict": {"summary": f"Its files cannot be read ({type(error).__name__})."}}
            }
            made = line(run, self.place, "unfinished", told, None, Marks(), stamp)
        self.lines[run_id] = made
        if not made.live:
            self._tails.pop(run_id, None)


MANY = 500  # changed runs from which all rows of the index are read at once


def _line(run: Run, place: int, known: Mapping[str, index.Entry], stamp: str) -> Line:
    row = row_of(run, known)
    held = marks(run.folder) if (run.folder / MARKS).exists() else Marks()
    return line(run, place, row.status, row.meta, row.steps, held, stamp)


def record_of(folder: Path) -> Path:
    """The plain record; where the script only started others that trained, that of the first of them."""
    from sleuth.archive.record import RECORD, beside

    whole = folder / RECORD
    with suppress(OSError):
        children = beside(folder)
        if children and (not whole.exists() or b'"step"' not in whole.read_bytes()[: 1 << 20]):
            return children[0]
    return whole


def _stamps(home: Path, known: Container[str]) -> Iterator[tuple[str, str]]:
    """Id and time of the last change of every run's folder. A symbolic link is no run: it may lead out."""
    with suppress(OSError), os.scandir(home / RUNS) as entries:
        for entry in entries:
            with suppress(OSError, UnicodeEncodeError):
                entry.name.encode()
                if entry.is_dir(follow_symlinks=False) and (
                    entry.name in known or os.path.isfile(f"{entry.path}/{START}")
                ):
                    yield entry.name, str(entry.stat(follow_symlinks=False).st_mtime_ns)
