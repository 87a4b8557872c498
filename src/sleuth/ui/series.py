"""The curves of a run, finished or not: which there are, and each of them as wide as it is drawn."""

import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from sleuth.archive import index
from sleuth.archive.index import Extent
from sleuth.archive.record import PACKED_RECORD
from sleuth.show.charts import Level
from sleuth.ui import levels
from sleuth.ui.levels import Curve
from sleuth.ui.lines import Line
from sleuth.ui.shelf import Shelf
from sleuth.ui.tailing import Bins, Tail

Span = tuple[float | None, float | None]
EVERYTHING: Span = (None, None)


def extents(shelf: Shelf, found: Line) -> Mapping[str, Extent]:
    """Name → how long and how far; in the order in which they were first seen, where that is known."""
    if not found.live and (stored := index.names(found.run)):
        return stored
    tail = _tail(shelf, found)
    return {name: _extent(bins) for name, bins in tail.series.items() if not name.startswith("eval/")}


def level(shelf: Shelf, found: Line, name: str, places: int, span: Span = EVERYTHING) -> Level | None:
    """One curve; None where the run has none of that name."""
    if not found.live and (stored := _stored(shelf, found, name, span)) is not None:
        return levels.coarser(stored, places) if span == EVERYTHING else _fitted(stored, places)
    bins = _tail(shelf, found).series.get(name)
    return None if bins is None else _within(levels.coarser(bins.level(), levels.WIDE), places, span)


def whole(shelf: Shelf, found: Line, name: str) -> Curve | None:
    """All values, as far as they are kept: of a run that goes on, the means of a level."""
    if not found.live and (blobs := index.packed(found.run, name)) is not None:
        with suppress(ValueError, zlib.error, MemoryError):
            return levels.unpacked(blobs)
    bins = _tail(shelf, found).series.get(name)
    return None if bins is None else _as_curve(bins.level())


def _stored(shelf: Shelf, found: Line, name: str, span: Span) -> Level | None:
    """Out of the index. The widest level is made once; a part of a curve is cut from all of its values."""
    if span == EVERYTHING:
        kept = shelf.cache.get(found.id, f"level {name}", found.stamp)
        if kept is None and index.packed(found.run, name) is None:
            return None
        return shelf.cache.level(found.id, f"level {name}", found.stamp, lambda: _widest(found, name))
    blobs = index.packed(found.run, name)
    if blobs is None:
        return None
    with suppress(ValueError, zlib.error, MemoryError):
        return levels.level(levels.part(levels.unpacked(blobs), *span), levels.WIDE)
    return Level((), (), (), ())


def _widest(found: Line, name: str) -> Level:
    blobs = index.packed(found.run, name)
    with suppress(ValueError, zlib.error, MemoryError):
        if blobs is not None:
            return levels.level(levels.unpacked(blobs))
    return Level((), (), (), ())


def _fitted(fine: Level, places: int) -> Level:
    return fine if len(fine.steps) <= places else levels.coarser(fine, places)


def _within(fine: Level, places: int, span: Span) -> Level:
    first, last = span
    kept = [
        at
        for at, step in enumerate(fine.steps)
        if (first is None or step >= first) and (last is None or step <= last)
    ]
    if len(kept) < len(fine.steps):
        steps, low, mean, high = (
            [column[at] for at in kept] for column in (fine.steps, fine.low, fine.mean, fine.high)
        )
        fine = replace(fine, steps=steps, low=low, mean=mean, high=high, ends=None)
    return _fitted(fine, places)


def _as_curve(told: Level) -> Curve:
    return levels.curve(np.asarray(told.steps, np.int64), np.asarray(told.mean, np.float64))


def _extent(bins: Bins) -> Extent:
    low, high = (min(bins.low), max(bins.high)) if bins.steps else (None, None)
    return Extent(bins.count, bins.steps[-1] if bins.steps else 0, bins.last, low, high)


def _tail(shelf: Shelf, found: Line) -> Tail:
    """A packed record is read through the archive; it is over, so once is enough."""
    tail = shelf.tail(found)
    if not tail.place and (found.run.folder / PACKED_RECORD).is_file():
        for event in found.run.events():
            tail.take(event)
        tail.place = -1
    return tail
