"""The index: one SQLite file made from the runs' folders, for quick lists and packed series."""

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sleuth.archive.facts import END, START, Facts, sound
from sleuth.archive.home import INDEX, RUNS
from sleuth.archive.packing import Series, pack_steps, pack_values, unpacked
from sleuth.archive.record import Digest
from sleuth.shapes import Count, Damage, from_json, shaped

if TYPE_CHECKING:
    from sleuth.archive.run import Run

VERSION = 2  # 2: the folders' stamps
PATIENCE = 20.0  # seconds to wait for other writers; one of them takes milliseconds
SCHEMA = """
DROP TABLE IF EXISTS runs; DROP TABLE IF EXISTS metrics; DROP TABLE IF EXISTS series;
CREATE TABLE runs (id TEXT PRIMARY KEY, started REAL, meta TEXT, steps INTEGER, stamp TEXT);
CREATE TABLE metrics (
  run TEXT, name TEXT, count INTEGER, step INTEGER, last REAL, lowest REAL, highest REAL, shown TEXT,
  PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE series (run TEXT, name TEXT, steps BLOB, vals BLOB, PRIMARY KEY (run, name));
CREATE INDEX by_start ON runs (started);
"""
COLUMNS = (
    "SELECT id, started, meta, steps, stamp FROM runs",
    "SELECT run, name, count, step, last, lowest, highest, shown FROM metrics",
    "SELECT run, name, steps, vals FROM series",
)
TABLES = (("runs", "id"), ("metrics", "run"), ("series", "run"))
BULKY = ("packages", "code", "environment")  # of a run's facts; they stay in its folder


@dataclass(frozen=True)
class Metric:
    """A row of the index: a metric's last value as text, its finite extremes (null for nan)."""

    run: str
    name: str
    last: float
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, slots=True)
class Extent:
    """How long a series is and how far it goes; None where no value is finite."""

    count: int
    step: int
    last: float
    lowest: float | None
    highest: float | None


@dataclass(frozen=True)
class Entry:
    """A row of the index: what it knows of a finished run."""

    facts: Facts
    steps: int


def stamp(folder: Path) -> str:
    """Changes whenever a run's facts are written: the index is then behind."""
    found = [(folder / name).stat() for name in (START, END)]
    return " ".join(f"{one.st_size}.{one.st_mtime_ns}" for one in found)


def write(run: "Run", meta: Mapping[str, Any], found: Digest) -> None:
    """Put a finished run into its home's index. A damaged one is set aside: the folders hold it all."""
    if run.home is None:
        return
    try:
        _write(run.home, run.id, meta, found)
    except sqlite3.DatabaseError as error:
        if not _damaged(error):  # locked, full or read-only
            raise
        set_aside(run.home)
        _write(run.home, run.id, meta, found)


def set_aside(home: Path) -> None:
    with suppress(FileNotFoundError):
        (home / INDEX).replace(home / f"{INDEX}.damaged")


def _damaged(error: sqlite3.DatabaseError) -> bool:
    """No database, a torn one, or one of other tables than ours (SQLITE_ERROR: "no such table")."""
    return not isinstance(error, sqlite3.OperationalError) or error.sqlite_errorcode == sqlite3.SQLITE_ERROR


def _write(home: Path, run_id: str, meta: Mapping[str, Any], found: Digest) -> None:
    """In one transaction."""
    brief = json.dumps({key: value for key, value in meta.items() if key not in BULKY})
    with _writing(home) as db:
        _delete(db, run_id)
        row = (run_id, meta.get("started"), brief, found.steps, stamp(home / RUNS / run_id))
        db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", row)
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


def rows(home: Path, ids: Sequence[str] | None = None) -> dict[str, Entry]:
    """Id → what the index knows of a finished run; of all runs, or of a few. A row that is junk, or behind
    its folder, is not there."""
    chosen = "" if ids is None else f" WHERE id IN ({','.join('?' * len(ids))})"
    found = _asked(home, f"SELECT id, meta, steps, stamp FROM runs{chosen}", *(ids or ()))
    entries = ((row[0], _entry(home, *row)) for row in found)
    return {run_id: entry for run_id, entry in entries if entry is not None}


def _entry(home: Path, run_id: object, meta: object, steps: object, then: object) -> Entry | None:
    with suppress(OSError, ValueError):
        if isinstance(run_id, str) and isinstance(meta, str) and then == stamp(home / RUNS / run_id):
            facts, count = sound(from_json(meta)), shaped(Count, steps)
            if facts is not None and not isinstance(count, Damage):
                return Entry(facts, count)
    return None


def metrics(home: Path, name: str | None = None) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Id → name → last, lowest and highest value."""
    query = "SELECT run, name, shown, lowest, highest FROM metrics WHERE ? IS NULL OR name = ?"
    table: dict[str, dict[str, tuple[float, float, float]]] = {}
    for row in _asked(home, query, name, name):
        one = _metric(row)
        if isinstance(one, Metric):
            low, high = (float("nan") if bound is None else bound for bound in (one.lowest, one.highest))
            table.setdefault(one.run, {})[one.name] = (one.last, low, high)
    return table


def junk(home: Path) -> frozenset[str]:
    """Runs of which a metric or series in the index is no such thing."""
    found = _asked(home, "SELECT run, name, shown, lowest, highest FROM metrics")
    return frozenset(str(row[0]) for row in found if isinstance(_metric(row), Damage))


def _metric(row: tuple[Any, ...]) -> Metric | Damage:
    run, name, shown, lowest, highest = row
    told = {"run": run, "name": name, "last": _last(shown), "lowest": lowest, "highest": highest}
    return shaped(Metric, told)


def _last(shown: object) -> object:
    """A value that stands as text, since SQLite has no word for nan; what is no number stays what it is."""
    with suppress(TypeError, ValueError):
        return float(shown)  # type: ignore[arg-type]
    return shown


def stored_series(run: "Run") -> dict[str, Series] | None:
    """A run's packed series; None where the index does not hold the run, or holds junk of it."""
    if run.home is None or run.id not in rows(run.home, [run.id]):
        return None
    found = _asked(run.home, "SELECT name, steps, vals FROM series WHERE run = ?", run.id)
    curves = {name: unpacked(name, steps, values) for name, steps, values in found}
    whole = {name: curve for name, curve in curves.items() if curve is not None}
    return whole if len(whole) == len(curves) else None


def _asked(home: Path, query: str, *words: object) -> list[tuple[Any, ...]]:
    """The answer of an index that can be read; one of other tables than ours knows nothing."""
    with _reading(home) as db, suppress(sqlite3.Error):
        return db.execute(query, words).fetchall() if db else []
    return []


def names(run: "Run") -> dict[str, Extent]:
    """What the index holds of a run, without the values; empty where it does not hold the run."""
    if run.home is None:
        return {}
    found = _asked(
        run.home, "SELECT name, count, step, shown, lowest, highest FROM metrics WHERE run = ?", run.id
    )
    extents = {str(name): _extent(*row) for name, *row in found}
    return {name: extent for name, extent in extents.items() if not isinstance(extent, Damage)}


def _extent(count: object, step: object, shown: object, lowest: object, highest: object) -> Extent | Damage:
    told = {"count": count, "step": step, "last": _last(shown), "lowest": lowest, "highest": highest}
    return shaped(Extent, told)


def common(home: Path, most: int = 60) -> list[str]:
    """The names of series that most runs have, commonest first."""
    query = "SELECT name FROM metrics GROUP BY name ORDER BY count(*) DESC, name LIMIT ?"
    return [str(name) for (name,) in _asked(home, query, most)]


def packed(run: "Run", name: str) -> tuple[bytes, bytes] | None:
    """One series as it is stored: steps and values, for readers that unpack them in their own way."""
    if run.home is None:
        return None
    query = "SELECT steps, vals FROM series WHERE run = ? AND name = ?"
    found = next(iter(_asked(run.home, query, run.id, name)), None)
    blobs = found is not None and all(isinstance(blob, bytes) for blob in found)
    return (found[0], found[1]) if found is not None and blobs else None


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
            if not _ours(db):
                db.execute("PRAGMA journal_mode = WAL")
                _make_tables(db)
            db.execute("PRAGMA synchronous = NORMAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _make_tables(db: sqlite3.Connection) -> None:
    """Looked at again when nobody else can write: two that begin at once would drop each other's rows."""
    db.execute("BEGIN IMMEDIATE")
    try:
        if not _ours(db):
            for statement in SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _ours(db: sqlite3.Connection) -> bool:
    """Of this version, with its tables. Waiting for another writer is no reason to say no."""
    if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        return False
    try:
        for query in COLUMNS:
            db.execute(f"{query} LIMIT 0").fetchone()
    except sqlite3.OperationalError as error:
        if not _damaged(error):
            raise
        return False
    return True


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
                db.text_factory = _text
                if _ours(db):
                    return db
            except sqlite3.Error:
                db.close()
                raise
            db.close()
    return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
