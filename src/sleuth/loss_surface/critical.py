"""Critical points: found on the grid, refined by Newton steps, sorted by the Hessian's signs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from sleuth.loss_surface.calls import Batched
from sleuth.loss_surface.flats import say_point
from sleuth.loss_surface.flaw import Flaw, Spot
from sleuth.loss_surface.grid import curvature_at, slopes_at
from sleuth.loss_surface.product import LogForm
from sleuth.loss_surface.scale import Scaled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MOST = (
    200  # candidates that are refined; a valley of critical points has more, and one is as good as the next
)
NEWTON_STEPS = 30
SETTLED = 1e-6  # the slope left after refinement, as a share of the median slope
BOTH_SIGNS = 1e-3  # the smaller curvature counts from this share of the larger


def critical_points(scaled: Scaled, batched: Batched) -> tuple[Spot, ...]:
    """Points inside the map where the gradient vanishes, with curvatures in units of the map."""
    import numpy as np

    start = _candidates(scaled)
    if not len(start):
        return ()
    widths = np.array([axis.width for axis in scaled.sheet.axes])
    places = _refined(batched, scaled, start, widths)
    if not len(places):
        return ()
    values, _ = slopes_at(batched, scaled.sheet.term, places)
    curves = curvature_at(batched, scaled.sheet.term, places) * widths[:, None] * widths[None, :]
    found: list[Spot] = []
    for place, value, curve in zip(places, values, curves, strict=True):
        what = _sort(np.linalg.eigvalsh(curve))
        if what and not any(_near(place, spot, widths, scaled) for spot in found):
            bends = tuple(float(bend) for bend in np.linalg.eigvalsh(curve))
            found.append(Spot(what, tuple(map(float, place)), float(value), bends))
    return tuple(found)


def saddles(scaled: Scaled, spots: tuple[Spot, ...], log_form: LogForm | None) -> Iterator[Flaw]:
    for spot in spots:
        if spot.what != "saddle":
            continue
        down, up = spot.curvatures[0], spot.curvatures[-1]
        product = f" {log_form.advice}" if log_form else ""
        yield Flaw(
            "saddle",
            f"There is a saddle at {say_point(scaled.sheet.axes, spot.at)}: the loss is {spot.loss:.3g} and "
            "level "
            f"there, and curves up one way ({up:.3g}) and down another ({down:.3g}, in units of the map). "
            f"Starting near it, descent first stalls and then goes where chance sends it.{product}",
            "Write the product as a sum of logarithms."
            if log_form
            else "Start away from it, and break the symmetry.",
            at=spot.at,
            box=tuple((value, value) for value in spot.at),
            numbers={"loss": spot.loss, "curvature_down": down, "curvature_up": up},
        )


def _candidates(scaled: Scaled) -> "Numbers":
    """Centres of the cells across which every slope changes sign: a zero of the gradient may lie inside."""
    import numpy as np

    crosses = np.ones([count - 1 for count in scaled.sheet.shape], dtype=bool)
    for slope in scaled.unit_slopes:
        corners = _corners(np.where(scaled.finite & ~scaled.flat | (slope == 0), slope, np.nan))
        crosses &= (corners.min(axis=0) <= 0) & (corners.max(axis=0) >= 0)
    crosses &= ~_corners(scaled.flat).all(axis=0)
    cells = np.argwhere(crosses)
    calm = _corners(scaled.steepness).mean(axis=0)[crosses].argsort()[:MOST]
    middles = [(line[1:] + line[:-1]) / 2 for line in scaled.sheet.ticks]
    return np.stack([middle[cells[calm, axis]] for axis, middle in enumerate(middles)], axis=1)


def _corners(values: "NDArray[Any]") -> "NDArray[Any]":
    """The values at the corners of every cell, stacked first."""
    import numpy as np

    stacked = [values]
    for axis in range(values.ndim):
        stacked = [
            part[tuple(slice(None) if place != axis else side for place in range(values.ndim))]
            for part in stacked
            for side in (slice(0, -1), slice(1, None))
        ]
    return np.stack(stacked)


def _refined(batched: Batched, scaled: Scaled, start: "Numbers", widths: "Numbers") -> "Numbers":
    """Newton steps on the gradient, none longer than a cell; those that settle near their cell remain."""
    import numpy as np

    cell = 1.0 / (np.array(scaled.sheet.shape) - 1)
    lows = np.array([axis.lo for axis in scaled.sheet.axes])
    term, places = scaled.sheet.term, start.copy()
    for _ in range(NEWTON_STEPS):
        _, slopes = slopes_at(batched, term, places)
        curves = curvature_at(batched, term, places) * widths[:, None] * widths[None, :]
        usable = np.isfinite(slopes).all(axis=1) & np.isfinite(curves).all(axis=(1, 2))
        step = np.zeros_like(places)
        step[usable] = -np.einsum("pij,pj->pi", np.linalg.pinv(curves[usable]), slopes[usable] * widths)
        step = np.clip(step, -cell, cell)
        places = np.clip(places + step * widths, lows, lows + widths)
        if np.abs(step).max() < 1e-12:
            break
    _, slopes = slopes_at(batched, term, places)
    alive = scaled.finite & ~scaled.flat
    typical = float(np.median(scaled.steepness[alive])) if alive.any() else 0.0
    left = np.linalg.norm(slopes * widths, axis=1)
    stayed = (np.abs(places - start) <= 2 * cell * widths).all(axis=1)
    inside = ((places > lows) & (places < lows + widths)).all(axis=1)
    return np.asarray(places[(left <= SETTLED * typical) & stayed & inside])


def _sort(bends: "Numbers") -> Literal["saddle", "minimum", "maximum", ""]:
    """By the signs of the curvatures; with one of them near zero a point may be a valley, but no saddle."""
    import numpy as np

    if not np.isfinite(bends).all() or not bends.any():
        return ""
    clear = bends[np.abs(bends) >= BOTH_SIGNS * np.abs(bends).max()]
    if (clear > 0).any() and (clear < 0).any():
        return "saddle"
    return "minimum" if (clear > 0).all() else "maximum"


def _near(place: "Numbers", spot: Spot, widths: "Numbers", scaled: Scaled) -> bool:
    import numpy as np

    cell = widths / (np.array(scaled.sheet.shape) - 1)
    return bool((np.abs(place - np.array(spot.at)) <= cell).all())
