"""What the pages work out once (levels of detail, maps of layers), in one SQLite file that may be deleted."""

import json
import sqlite3
import threading
import zlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth.archive.record import number
from sleuth.show.charts import Level

FILE = "ui.sqlite"
VERSION = 1
PATIENCE = 5.0  # seconds to wait for another server on the same archive
SCHEMA = """
CREATE TABLE IF NOT EXISTS kept (
  run TEXT, name TEXT, stamp TEXT, content BLOB, PRIMARY KEY (run, name)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Cache:
    """In the archive's folder; in memory where that cannot be written."""

    path: Path | None
    _held: dict[tuple[str, str], tuple[str, bytes]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, run: str, name: str, stamp: str) -> bytes | None:
        """What was kept under that name, if the run has not changed since."""
        with self._lock:
            held = self._held.get((run, name))
        if held is None:
            with suppress(sqlite3.Error), self._open() as db:
                query = "SELECT stamp, content FROM kept WHERE run = ? AND name = ?"
                held = None if db is None else db.execute(query, (run, name)).fetchone()
        return bytes(held[1]) if held is not None and held[0] == stamp else None

    def put(self, run: str, name: str, stamp: str, content: bytes) -> None:
        try:
            with self._open() as db:
                if db is not None:
                    db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", (run, name, stamp, content))
                    return
        except sqlite3.DatabaseError:
            self._set_aside()
        with self._lock:
            while len(self._held) > MOST_HELD:
                self._held.pop(next(iter(self._held)))
            self._held[run, name] = (stamp, content)

    def level(self, run: str, name: str, stamp: str, make: Callable[[], Level]) -> Level:
        """As kept, else made and kept."""
        found = self.get(run, name, stamp)
        with suppress(ValueError, KeyError, TypeError, zlib.error):
            if found is not None:
                return unpacked(found)
        made = make()
        self.put(run, name, stamp, packed(made))
        return made

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        if self.path is None:
            yield None
            return
        with closing(sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(f"DROP TABLE IF EXISTS kept; {SCHEMA} PRAGMA user_version = {VERSION};")
            db.execute("PRAGMA synchronous = OFF")  # a lost cache is made again
            yield db

    def _set_aside(self) -> None:
        """A damaged one goes: it holds nothing that the files do not."""
        if self.path is not None:
            with suppress(OSError), closing(sqlite3.connect(":memory:")):
                if not _sound(self.path):
                    self.path.unlink()


MOST_HELD = 2000  # levels in memory, where no file can be written


def _sound(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as db:
            return bool(db.execute("PRAGMA quick_check").fetchone()[0] == "ok")
    except sqlite3.OperationalError:  # locked, full or read-only: no damage
        return True
    except sqlite3.DatabaseError:
        return False


def packed(level: Level) -> bytes:
    head = {"missing": level.missing, "count": level.count, "first": level.first_missing, "ends": level.ends}
    columns = (level.steps, level.low, level.mean, level.high)
    numbers = b"".join(array("d", column).tobytes() for column in columns)
    return zlib.compress(json.dumps(head).encode() + b"\n" + numbers, 1)


def unpacked(blob: bytes) -> Level:
    head, _, rest = zlib.decompress(blob).partition(b"\n")
    told: dict[str, Any] = json.loads(head)
    whole = array("d", rest)
    size = len(whole) // 4
    steps, low, mean, high = (whole[place * size : (place + 1) * size] for place in range(4))
    return Level(
        steps,
        low,
        mean,
        high,
        int(told["missing"]),
        int(told["count"]),
        number(told["first"]),
        _ends(told["ends"]),
    )


def _ends(told: Any) -> tuple[float, float] | None:
    return None if told is None else (float(told[0]), float(told[1]))
