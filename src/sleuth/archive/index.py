"""The index: one SQLite file made from the runs' folders, for quick lists and packed series."""

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sleuth.archive.home import INDEX
from sleuth.archive.packing import Series, pack_steps, pack_values, unpack_steps, unpack_values
from sleuth.archive.record import Digest

if TYPE_CHECKING:
    from sleuth.archive.run import Run

VERSION = 1
PATIENCE = 20.0  # seconds to wait for other writers; one of them takes milliseconds
SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, started REAL, meta TEXT, steps INTEGER);
CREATE TABLE IF NOT EXISTS metrics (
  run TEXT, name TEXT, count INTEGER, step INTEGER, last REAL, lowest REAL, highest REAL, shown TEXT,
  PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS series (run TEXT, name TEXT, steps BLOB, vals BLOB, PRIMARY KEY (run, name));
CREATE INDEX IF NOT EXISTS by_start ON runs (started);
"""
TABLES = (("runs", "id"), ("metrics", "run"), ("series", "run"))
BULKY = ("packages", "code", "environment")  # of a run's facts; they stay in its folder


@dataclass(frozen=True, slots=True)
class Extent:
    """How long a series is and how far it goes; None where no value is finite."""

    count: int
    step: int
    last: float
    lowest: float | None
    highest: float | None


def write(run: "Run", meta: Mapping[str, Any], found: Digest) -> None:
    """Put a finished run into its home's index. A damaged one is set aside: the folders hold it all."""
    if run.home is None:
        return
    try:
        _write(run.home, run.id, meta, found)
    except sqlite3.OperationalError:  # locked, full or read-only: no damage
        raise
    except sqlite3.DatabaseError:
        (run.home / INDEX).replace(run.home / f"{INDEX}.damaged")
        _write(run.home, run.id, meta, found)


def _write(home: Path, run_id: str, meta: Mapping[str, Any], found: Digest) -> None:
    """In one transaction."""
    brief = json.dumps({key: value for key, value in meta.items() if key not in BULKY})
    with _writing(home) as db:
        _delete(db, run_id)
        db.execute("INSERT INTO runs VALUES (?, ?, ?, ?)", (run_id, meta.get("started"), brief, found.steps))
        db.executemany(
            "INSERT INTO series VALUES (?, ?, ?, ?)",
            [
                (run_id, name, pack_steps(one.steps), pack_values(one.values))
                for name, one in found.series.items()
            ],
        )
        rows = [(run_id, *_extremes(one)) for one in found.series.values()]
        db.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def remove(home: Path, ids: Sequence[str]) -> None:
    if (home / INDEX).exists():
        with _writing(home) as db:
            for run_id in ids:
                _delete(db, run_id)


def rows(home: Path, ids: Sequence[str] | None = None) -> dict[str, tuple[dict[str, Any], int]]:
    """Id → what the index knows of a finished run, and its number of steps; of all runs, or of a few."""
    chosen = "" if ids is None else f" WHERE id IN ({','.join('?' * len(ids))})"
    with _reading(home) as db:
        query = f"SELECT id, meta, steps FROM runs{chosen}"
        found = db.execute(query, tuple(ids or ())).fetchall() if db else []
    return {run_id: (json.loads(meta), steps) for run_id, meta, steps in found}


def metrics(home: Path, name: str | None = None) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Id → name → last, lowest and highest value."""
    query = "SELECT run, name, shown, lowest, highest FROM metrics WHERE ? IS NULL OR name = ?"
    with _reading(home) as db:
        found = db.execute(query, (name, name)).fetchall() if db else []
    table: dict[str, dict[str, tuple[float, float, float]]] = {}
    for run_id, metric, last, lowest, highest in found:
        low, high = (float("nan") if bound is None else bound for bound in (lowest, highest))
        table.setdefault(run_id, {})[metric] = (float(last), low, high)
    return table


def stored_series(run: "Run", names: Sequence[str] | None = None) -> dict[str, Series] | None:
    """A run's packed series; None where the index does not hold the run."""
    if run.home is None:
        return None
    with _reading(run.home) as db:
        if not db or not db.execute("SELECT 1 FROM runs WHERE id = ?", (run.id,)).fetchone():
            return None
        found = db.execute("SELECT name, steps, vals FROM series WHERE run = ?", (run.id,)).fetchall()
    return {
        name: Series(name, unpack_steps(steps), unpack_values(values))
        for name, steps, values in found
        if names is None or name in names
    }


def names(run: "Run") -> dict[str, Extent]:
    """What the index holds of a run, without the values; empty where it does not hold the run."""
    if run.home is None:
        return {}
    query = "SELECT name, count, step, shown, lowest, highest FROM metrics WHERE run = ?"
    with _reading(run.home) as db:
        found = db.execute(query, (run.id,)).fetchall() if db else []
    return {name: Extent(count, step, float(last), low, high) for name, count, step, last, low, high in found}


def common(home: Path, most: int = 60) -> list[str]:
    """The names of series that most runs have, commonest first."""
    with _reading(home) as db:
        query = "SELECT name FROM metrics GROUP BY name ORDER BY count(*) DESC, name LIMIT ?"
        return [name for (name,) in db.execute(query, (most,))] if db else []


def packed(run: "Run", name: str) -> tuple[bytes, bytes] | None:
    """One series as it is stored: steps and values, for readers that unpack them in their own way."""
    if run.home is None:
        return None
    with _reading(run.home) as db:
        query = "SELECT steps, vals FROM series WHERE run = ? AND name = ?"
        found = db.execute(query, (run.id, name)).fetchone() if db else None
    return None if found is None else (bytes(found[0]), bytes(found[1]))


def _extremes(one: Series) -> tuple[str, int, int, float, float | None, float | None, str]:
    """SQLite stores NaN as NULL, hence the last value as text beside it; extremes are of finite values."""
    ordered = [value for value in one.values if value - value == 0]
    lowest, highest = (min(ordered), max(ordered)) if ordered else (None, None)
    last = one.values[-1]
    return one.name, len(one), one.steps[-1], last, lowest, highest, repr(last)


def _delete(db: sqlite3.Connection, run_id: str) -> None:
    for table, column in TABLES:
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (run_id,))


@contextmanager
def _writing(home: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(home / INDEX, timeout=PATIENCE, isolation_level=None)) as db:
        _prepare(db)
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def _prepare(db: sqlite3.Connection) -> None:
    """Tables and write-ahead mode. SQLite refuses a change of mode at once, without waiting: so we wait."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] < VERSION:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
            db.execute("PRAGMA synchronous = NORMAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextmanager
def _reading(home: Path) -> Iterator[sqlite3.Connection | None]:
    """The index where there is a readable one. The folders hold the same, so a damaged one is passed over."""
    path = home / INDEX
    if not path.exists():
        yield None
        return
    db = _readable(path)
    if db is None:
        yield None
        return
    with closing(db):
        yield db


def _readable(path: Path) -> sqlite3.Connection | None:
    """In a folder that cannot be written, write-ahead mode needs to be told that nobody writes."""
    for mode in ("mode=ro", "immutable=1"):
        with suppress(sqlite3.Error):
            db = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=PATIENCE)
            try:
                if db.execute("PRAGMA user_version").fetchone()[0] == VERSION:
                    db.execute("SELECT count(*) FROM runs").fetchone()
                    return db
            except sqlite3.Error:
                db.close()
                raise
            db.close()
    return None
