"""Runs of a tracker, kept as parquet: asked for again only from a day before the newest that is known."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.files import write_whole
from sleuth.needs import need
from sleuth.shapes import from_json
from sleuth.sweeping.store import home, read_json

SAFETY = 24 * 3600.0  # seconds: clocks differ, and runs that were logged late still count
Row = Mapping[str, Any]
# Asks a tracker for all runs since a moment (0: from the beginning).
Fetch = Callable[[float], Sequence[Row]]


@dataclass(frozen=True)
class Kept:
    """Rows of a tracker and what to say about them."""

    rows: tuple[Row, ...]
    said: tuple[str, ...]


def place(source: str) -> Path:
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    return home() / "cache" / "trackers" / f"{source.partition(':')[0]}-{digest}.parquet"


def cached(source: str, fetch: Fetch, refresh: bool | None) -> Kept:
    """The tracker's runs: the cache alone (False), all anew (True), or the cache brought up to date
    (None).
    """
    need("polars", "sweep", "The cache of a tracker")
    path = place(source)
    known, told = _load(path, source)
    age = time.time() - float(told.get("fetched", 0.0))
    if refresh is False:
        if not known:
            raise SleuthError(f"There is no cache of {source} yet: leave --no-refresh out.")
        return Kept(known, (f"{len(known)} runs of {source} from a cache that is {_age(age)} old.",))
    since = 0.0 if refresh or not known else max(0.0, float(told.get("newest", 0.0)) - SAFETY)
    try:
        fresh = fetch(since)
    except SleuthError as error:
        if not known:
            raise
        return Kept(known, (f"{error} Using the cache, which is {_age(age)} old and may be stale.",))
    rows = merged((), fresh) if refresh else merged(known, fresh)
    _save(path, source, rows)
    said = f"{source}: {len(fresh)} runs fetched, {len(rows)} in all."
    return Kept(rows, (said,))


def merged(known: Sequence[Row], fresh: Sequence[Row]) -> tuple[Row, ...]:
    """One row a run id; what was fetched last wins."""
    by_id = {str(row["run_id"]): row for row in (*known, *fresh)}
    return tuple(by_id.values())


def _load(path: Path, source: str) -> tuple[tuple[Row, ...], dict[str, Any]]:
    told = read_json(path.with_suffix(".json"))
    if not path.is_file() or not told:
        return (), {}
    if told.get("source") != source:
        raise SleuthError(
            f"The cache {path} belongs to {told.get('source')!r}, not to {source!r}: delete it, or set "
            "SLEUTH_HOME."
        )
    import polars

    try:
        frame = polars.read_parquet(path)
    except (polars.exceptions.PolarsError, OSError):
        return (), {}  # a cache may be forgotten
    found = map(from_json, frame["row"].to_list() if "row" in frame.columns else ())
    return tuple(row for row in found if isinstance(row, dict) and "run_id" in row), told


def _save(path: Path, source: str, rows: Sequence[Row]) -> None:
    """One JSON text a row: runs of one project rarely have the same keys, nor the same types under one
    key.
    """
    import io

    import polars

    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [json.dumps(row, default=str) for row in rows]
    ids = [str(row["run_id"]) for row in rows]
    buffer = io.BytesIO()
    polars.DataFrame(
        {"run_id": ids, "row": texts}, schema={"run_id": polars.String, "row": polars.String}
    ).write_parquet(buffer, compression="zstd")
    write_whole(path, buffer.getvalue())
    newest = max((float(row.get("end_time") or row.get("start_time") or 0) for row in rows), default=0.0)
    write_whole(
        path.with_suffix(".json"),
        json.dumps({"source": source, "fetched": time.time(), "newest": newest}) + "\n",
    )


def _age(seconds: float) -> str:
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{int(seconds)} seconds"
