"""Levels of detail: a curve of any length as wide as a drawing, the extremes of every place kept."""

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sleuth.show.charts import Level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Real = NDArray[np.floating[Any]]

WIDE = 1600  # places of the level kept in the cache: what a large screen shows
EASY = 1.5  # values a place that are still drawn one by one
LARGEST = 2**28  # bytes an unpacked series may take; a forged blob could claim more


@dataclass(frozen=True, eq=False)
class Curve:
    """All values of a series, by rising step."""

    steps: "Whole"
    values: "Real"


def curve(steps: "Whole", values: "Real") -> Curve:
    """Written in another order than that of their steps, as a logger may do, they are sorted."""
    if len(steps) > 1 and (steps[1:] < steps[:-1]).any():
        order = np.argsort(steps, kind="stable")
        return Curve(steps[order], values[order])
    return Curve(steps, values)


def unpacked(blobs: tuple[bytes, bytes]) -> Curve:
    """A series as the archive packs it (see `archive.packing`): same numbers, as arrays."""
    steps = np.cumsum(_loosened(blobs[0], "<i8"))
    code = blobs[1][:1]
    if code not in (b"f", b"d"):
        raise ValueError(f"unknown packing {code!r}")
    values = _loosened(blobs[1][1:], "<f4" if code == b"f" else "<f8")
    if len(steps) != len(values):
        raise ValueError("steps and values differ in number")
    return curve(steps, values)


def _loosened(blob: bytes, kind: str) -> "NDArray[Any]":
    size = np.dtype(kind).itemsize
    engine = zlib.decompressobj()
    raw = engine.decompress(blob, LARGEST)
    if engine.unconsumed_tail or len(raw) % size:
        raise ValueError("a packed series is too long or cut short")
    return np.frombuffer(raw, np.uint8).reshape(size, -1).T.copy().view(kind).ravel()


def part(whole: Curve, first: float | None, last: float | None) -> Curve:
    """The steps from first to last, and one on either side, so that lines go on to the edge."""
    if first is None and last is None:
        return whole
    begin = 0 if first is None else max(0, int(np.searchsorted(whole.steps, first)) - 1)
    end = len(whole.steps) if last is None else int(np.searchsorted(whole.steps, last, "right")) + 1
    return Curve(whole.steps[begin:end], whole.values[begin:end])


def level(whole: Curve, places: int = WIDE) -> Level:
    """Every value where they fit; else lowest, mean and highest of the values at each place."""
    finite = np.isfinite(whole.values)
    missing = int(len(finite) - finite.sum())
    first = None if not missing else float(whole.steps[~finite][0])
    steps, values = whole.steps[finite], whole.values[finite].astype(np.float64)
    if len(steps) <= EASY * places:
        told = values.tolist()
        return Level(steps.tolist(), told, told, told, missing, len(finite), first)
    ends = (float(values[0]), float(values[-1]))
    return Level(*_placed(steps, (values, values, values), places), missing, len(finite), first, ends)


def _placed(
    steps: "Whole", columns: "tuple[Real, Real, Real]", places: int
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Steps, lowest, mean and highest of each place; the outermost places stand at the outermost steps."""
    low, mean, high = columns
    begins = _begins(steps, places)
    sizes = np.diff(np.append(begins, len(steps)))
    middles = steps[begins + sizes // 2].copy()
    middles[0], middles[-1] = steps[0], steps[-1]
    return (
        middles.tolist(),
        np.minimum.reduceat(low, begins).tolist(),
        _means(mean, begins, sizes).tolist(),
        np.maximum.reduceat(high, begins).tolist(),
    )


def _begins(steps: "Whole", places: int) -> "Whole":
    """Where each place begins, cut by step; a place without a value is left out."""
    edges = np.linspace(float(steps[0]), float(steps[-1]), places, endpoint=False)
    return np.unique(np.searchsorted(steps, edges))


def _means(values: "Real", begins: "Whole", sizes: "Whole") -> "Real":
    """Scaled before the sum: large finite values shall not sum to infinity."""
    scale = float(np.abs(values).max()) or 1.0
    return np.add.reduceat(values / scale, begins) / sizes * scale


def coarser(fine: Level, places: int) -> Level:
    """A level made from a finer one."""
    if len(fine.steps) <= EASY * places:
        return fine
    columns = np.asarray(fine.low), np.asarray(fine.mean), np.asarray(fine.high)
    placed = _placed(np.asarray(fine.steps, np.int64), columns, places)
    ends = fine.ends or (fine.mean[0], fine.mean[-1])
    return Level(*placed, fine.missing, fine.count, fine.first_missing, ends)


def ratio(above: Curve, below: Curve) -> Curve:
    """One series over another, at the steps that both have."""
    steps, ours, theirs = np.intersect1d(above.steps, below.steps, return_indices=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = above.values[ours].astype(np.float64) / below.values[theirs]
    fine = np.isfinite(values)
    return Curve(steps[fine], values[fine])


def blend(curves: list[Curve], places: int) -> Level | None:
    """Lowest, mean and highest over several runs at each step that all of them have."""
    steps = curves[0].steps
    for other in curves[1:]:
        steps = np.intersect1d(steps, other.steps)
    if not len(steps):
        return None
    rows = [one.values[np.searchsorted(one.steps, steps)].astype(np.float64) for one in curves]
    table = np.where(np.isfinite(rows), rows, np.nan)
    whole = ~np.isnan(table).any(axis=0)
    steps, table = steps[whole], table[:, whole]
    if not len(steps):
        return None
    low, mean, high = table.min(axis=0), table.mean(axis=0), table.max(axis=0)
    fine = Level(steps.tolist(), low.tolist(), mean.tolist(), high.tolist(), 0, table.size)
    return coarser(fine, places)
