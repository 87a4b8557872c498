"""The gradient-flow table: every term against every input, at a few telling points."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from sleuth.loss_surface.axes import Axis, Region
from sleuth.loss_surface.calls import TOTAL, Batched
from sleuth.loss_surface.flats import SATISFIED
from sleuth.loss_surface.grid import Sheet, slopes_at
from sleuth.loss_surface.scale import Scaled, thin

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

SMALL = 0.01  # of an axis's width, away from zero
STEEP, WEAK = 100.0, 1e-3  # against the median slope of the map
OPPOSITE = 1e-6  # how exactly two slopes must cancel to be called antisymmetric


@dataclass(frozen=True)
class FlowRow:
    """One term at one point: its value, its slope along each input, and a word on it."""

    place: str
    point: tuple[float, ...]
    term: str
    loss: float
    slopes: Mapping[str, float]
    flag: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "place": self.place,
            "point": list(self.point),
            "term": self.term,
            "loss": self.loss,
            "slopes": dict(self.slopes),
            "flag": self.flag,
        }


@dataclass(frozen=True)
class Flow:
    rows: tuple[FlowRow, ...]
    notes: tuple[str, ...]


def flow_table(
    sheets: Sequence[Sheet],
    batched: Batched,
    wide: Batched,
    held: Sequence[float],
    want: Region | None = None,
    start: Region | None = None,
) -> Flow:
    """Loss and slopes at zero, small, typical, converged and degenerate inputs, and at the user's own start.

    `wide` is the loss as a function of the axes and of the numbers `held` fixed, so that these show their
    slopes.
    """
    import numpy as np

    points = dict(places(sheets[-1], want, start))
    full = np.array([[*point, *held] for point in points.values()])
    rows = [row for sheet in sheets for row in _rows(sheet, wide, points, full)]
    order = {place: number for number, place in enumerate(points)}
    rows.sort(key=lambda row: order[row.place])
    return Flow(tuple(rows), tuple(antisymmetric(sheets)))


def places(
    sheet: Sheet, want: Region | None, start: Region | None
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The representative points, by name."""
    import numpy as np

    yield "zero", tuple(min(max(0.0, axis.lo), axis.hi) for axis in sheet.axes)
    yield "small", tuple(_small(axis) for axis in sheet.axes)
    finite = Scaled(sheet).finite
    if finite.any():
        loss = np.where(finite, sheet.loss, np.nan)
        yield "typical", _at(sheet, np.abs(loss - np.nanmedian(loss)), lowest=True)
        aim = want.center if want is not None and want.spans else _at(sheet, loss, lowest=True)
        yield "converged", aim
    broken = np.argwhere(~finite)
    worst = sheet.point([int(i) for i in broken[0]]) if len(broken) else _at(sheet, sheet.loss, lowest=False)
    yield "degenerate", worst
    if start is not None and start.spans:
        yield "start", start.center


def antisymmetric(sheets: Sequence[Sheet]) -> Iterator[str]:
    """Inputs whose slopes cancel in a term, and terms whose slopes cancel each other, wherever finite."""
    for sheet in sheets:
        if len(sheet.axes) == 2 and _cancel(sheet.slopes[0], sheet.slopes[1]):
            one, two = (axis.name for axis in sheet.axes)
            yield (
                f"{sheet.term}: {one} and {two} are an antisymmetric pair (opposite slopes everywhere): "
                "the loss sees only their difference, and moving both together changes nothing."
            )
    for left, right in combinations([sheet for sheet in sheets if sheet.term != TOTAL], 2):
        if all(_cancel(a, b, empty=True) for a, b in zip(left.slopes, right.slopes, strict=True)):
            yield (
                f"{left.term} and {right.term} are an antisymmetric pair: their gradients cancel everywhere."
            )


def _rows(
    sheet: Sheet, wide: Batched, points: Mapping[str, tuple[float, ...]], full: "Numbers"
) -> Iterator[FlowRow]:
    scaled = Scaled(thin(sheet))
    values, slopes = slopes_at(wide, sheet.term, full)
    for (place, point), value, slope in zip(points.items(), values, slopes, strict=True):
        flag = _flag(scaled, float(value), slope)
        named = {axis.name: float(one) for axis, one in zip(wide.axes, slope, strict=True)}
        yield FlowRow(place, point, sheet.term, float(value), named, flag)


def _flag(scaled: Scaled, value: float, slope: "Numbers") -> str:
    import numpy as np

    axes = scaled.sheet.axes
    if not np.isfinite(value) or not np.isfinite(slope).all():
        return "not finite"
    steep = float(np.linalg.norm([one * axis.width for one, axis in zip(slope, axes, strict=False)]))
    low = value <= scaled.lowest + SATISFIED * scaled.range
    alive = scaled.finite & ~scaled.flat
    usual = float(np.median(scaled.steepness[alive])) if alive.any() else 0.0
    if not alive.any() or (steep <= WEAK * usual and low):
        return "satisfied" if low and alive.any() else "dead"
    if steep <= 1e-6 * usual:
        return "dead"
    return "weak" if steep <= WEAK * usual else "steep" if steep >= STEEP * usual else "ok"


def _cancel(left: "Numbers", right: "Numbers", empty: bool = False) -> bool:
    """Whether two slopes are opposite everywhere; both zero everywhere counts only where `empty` says so."""
    import numpy as np

    finite = np.isfinite(left) & np.isfinite(right)
    size = np.abs(left[finite]) + np.abs(right[finite])
    if not size.any():
        return empty
    return bool((np.abs(left[finite] + right[finite]) <= OPPOSITE * size.max()).all())


def _small(axis: Axis) -> float:
    near = min(max(0.0, axis.lo), axis.hi)
    return near + SMALL * axis.width if axis.hi - near >= near - axis.lo else near - SMALL * axis.width


def _at(sheet: Sheet, score: "Numbers", lowest: bool) -> tuple[float, ...]:
    import numpy as np

    place = np.nanargmin(score) if lowest else np.nanargmax(score)
    return sheet.point([int(i) for i in np.unravel_index(int(place), sheet.shape)])
