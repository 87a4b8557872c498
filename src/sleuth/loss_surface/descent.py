"""Where descent goes from every point of the map: basins, minima nobody asked for, and ways off the map."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from sleuth.loss_surface.axes import Region
from sleuth.loss_surface.calls import Batched
from sleuth.loss_surface.flats import AS_GOOD, say_point, zones
from sleuth.loss_surface.flaw import Flaw, Spot
from sleuth.loss_surface.grid import slopes_at
from sleuth.loss_surface.scale import Scaled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Whole = NDArray[np.int64]
    Mask = NDArray[np.bool_]

Fate = Literal["arrives", "minimum", "exit", "stuck"]

REACH = 1  # the nearest neighbours; what a slanted valley hides from them, the closer look at each end finds
BEYOND = 0.1  # a soft margin goes on falling past the wanted place; by so much of the range it may
CLOSE = 0.025  # so does one this near the wanted place (share of each axis)
BASIN = 0.01  # a minimum that catches less of the map than this is not worth a word
AWAY = 0.05  # nor is a way off the map that takes less than this
POLISHED = 60  # ends that are looked at more closely; the largest basins first


@dataclass(frozen=True)
class End:
    """Where descent ends, and how that is to be judged."""

    spot: Spot
    fate: Fate


@dataclass(frozen=True)
class Basins:
    """Where descent ends, and from which share of the map: `fates` sums to one over the finite points."""

    ends: tuple[End, ...]
    fates: Mapping[Fate, float]
    goal: float  # the loss at the wanted place, or the lowest one when none is wanted

    @property
    def arrives(self) -> float:
        return self.fates["arrives"]


def basins(scaled: Scaled, batched: Batched, want: Region | None) -> Basins:
    """Follow the loss downhill from every grid point, look closer at each end, and say what it is."""
    goal = _goal(scaled, batched, want)
    fates: dict[Fate, float] = dict.fromkeys(get_args(Fate), 0.0)
    spots: list[Spot] = []
    for spot, flat in _stops(scaled):
        if flat:
            fates["arrives" if _arrived(scaled, spot, want, goal) else "stuck"] += spot.basin
        else:
            close = _polished(scaled, batched, spot) if len(spots) < POLISHED else spot
            spots = _merged(scaled, spots, close)
    if want is None:
        goal = min([goal, *(spot.loss for spot in spots)])
    ends = tuple(_judged(scaled, batched, spot, want, goal) for spot in spots)
    for end in ends:
        fates[end.fate] += end.spot.basin
    return Basins(ends, fates, goal)


def strays(scaled: Scaled, basins: Basins, want: Region | None, whole: bool) -> Iterator[Flaw]:
    """Minima nobody asked for, and descent that leaves the map instead of arriving."""
    wrong = [end.spot for end in basins.ends if end.fate == "minimum"]
    for valley in _valleys(scaled, wrong):
        if sum(spot.basin for spot in valley) >= BASIN:
            yield _spurious(scaled, valley, want, whole)
    away = [end.spot for end in basins.ends if end.fate == "exit"]
    if want is not None and sum(spot.basin for spot in away) >= AWAY:
        yield _away(scaled, basins, away, want, whole)


def _valleys(scaled: Scaled, spots: list[Spot]) -> list[list[Spot]]:
    """Ends of one level that low ground connects are one valley."""
    import numpy as np
    from scipy import ndimage  # type: ignore[import-untyped]

    groups: dict[tuple[int, int], list[Spot]] = {}
    loss = np.where(scaled.finite, scaled.sheet.loss, np.inf)
    for spot in spots:
        level = round(spot.loss / (AS_GOOD * scaled.range))
        low = loss <= spot.loss + AS_GOOD * scaled.range
        labels, _ = ndimage.label(low, structure=np.ones((3,) * loss.ndim))
        nearest = [
            int(np.abs(line - value).argmin())
            for line, value in zip(scaled.sheet.ticks, spot.at, strict=True)
        ]
        groups.setdefault((level, int(labels[tuple(nearest)])), []).append(spot)
    return list(groups.values())


def _spurious(scaled: Scaled, valley: list[Spot], want: Region | None, whole: bool) -> Flaw:
    spot, share = max(valley, key=lambda one: one.basin), sum(one.basin for one in valley)
    aim = f"the wanted {want}" if want is not None else "the lowest point"
    also = f" (and {len(valley) - 1} more places along the same valley)" if len(valley) > 1 else ""
    return Flaw(
        "spurious-minimum",
        f"From {share:.0%} of the map descent ends at {say_point(scaled.sheet.axes, spot.at)}{also} with "
        f"loss {spot.loss:.3g}, and not at {aim}: a minimum other than the wanted one.",
        "Find the part of the loss that is small there and change it so that it is not, or start in the "
        "other basin.",
        "likely" if whole else "aside",
        at=spot.at,
        box=tuple((min(ends), max(ends)) for ends in zip(*(one.at for one in valley), strict=True)),
        share=share,
        numbers={"basin": share, "loss": spot.loss},
    )


def _away(scaled: Scaled, basins: Basins, away: list[Spot], want: Region, whole: bool) -> Flaw:
    share, main = sum(spot.basin for spot in away), max(away, key=lambda spot: spot.basin)
    return Flaw(
        "leads-away",
        f"From {share:.0%} of the map the arrows lead away from the wanted {want} and off the map, most "
        f"of them at {say_point(scaled.sheet.axes, main.at)} (loss {main.loss:.3g}); descent arrives from "
        f"{basins.arrives:.0%}.",
        "Check the sign of each term and the loss at the wanted point: it must be lower there than around "
        "it.",
        "likely" if whole else "aside",
        at=main.at,
        box=tuple((value, value) for value in main.at),
        share=share,
        numbers={"share": share, "arrives": basins.arrives},
    )


def _stops(scaled: Scaled) -> Iterator[tuple[Spot, bool]]:
    """The grid points at which descent stops, largest basin first, and whether for want of a slope."""
    import numpy as np

    target, stuck = _steepest(scaled)
    while not np.array_equal(following := target[target], target):
        target = following
    roots, counts = np.unique(target[scaled.finite.ravel()], return_counts=True)
    for place in np.argsort(-counts, kind="stable"):
        index = tuple(int(i) for i in np.unravel_index(int(roots[place]), scaled.sheet.shape))
        share = float(counts[place] / counts.sum())
        loss = float(scaled.sheet.loss[index])
        yield Spot("minimum", scaled.sheet.point(index), loss, basin=share), bool(stuck[index])


def _steepest(scaled: Scaled) -> tuple["Whole", "Mask"]:
    """For each point the neighbour with the largest drop a distance, or itself; and where a slope is missing.

    A point without a slope is stuck in a flat zone, or when there is lower ground that it does not see; alone
    and lowest, it is a minimum.
    """
    import itertools

    import numpy as np

    shape = scaled.sheet.shape
    loss = np.where(scaled.finite, scaled.sheet.loss, np.inf)
    padded = np.pad(loss, REACH, constant_values=np.inf)
    own = np.arange(loss.size).reshape(shape)
    target, best = own.copy(), np.zeros(shape)
    strides = [int(np.prod(shape[place + 1 :])) for place in range(len(shape))]
    for offset in itertools.product(range(-REACH, REACH + 1), repeat=len(shape)):
        distance = float(np.hypot.reduce([float(step) for step in offset])) if any(offset) else 0.0
        if not distance:
            continue
        window = tuple(
            slice(REACH + step, REACH + step + count) for step, count in zip(offset, shape, strict=True)
        )
        with np.errstate(invalid="ignore"):
            drop = (loss - padded[window]) / distance
        better = scaled.finite & (drop > best)
        best[better] = drop[better]
        shift = sum(step * stride for step, stride in zip(offset, strides, strict=True))
        target[better] = own[better] + shift
    stuck = scaled.flat & (
        np.logical_or.reduce([np.zeros(shape, dtype=bool), *zones(scaled.flat)]) | (best > 0)
    )
    target[stuck] = own[stuck]
    return target.ravel(), stuck


def _polished(scaled: Scaled, batched: Batched, spot: Spot) -> Spot:
    """The end of descent to full precision, inside the map: what the grid shows is only near it."""
    import numpy as np
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    lows = np.array([axis.lo for axis in scaled.sheet.axes])
    widths = np.array([axis.width for axis in scaled.sheet.axes])
    unit = scaled.range or 1.0

    def objective(place: "Numbers") -> tuple[float, "Numbers"]:
        value, slope = slopes_at(batched, scaled.sheet.term, (lows + place * widths)[None])
        if not np.isfinite(value[0]) or not np.isfinite(slope).all():
            return 1e30, np.zeros_like(place)
        return float(value[0]) / unit, slope[0] * widths / unit

    start = (np.array(spot.at) - lows) / widths
    done = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0)] * len(lows),
        options={"maxiter": 100},
    )
    if not np.isfinite(done.fun) or done.fun * unit >= spot.loss:
        return spot
    return replace(spot, at=tuple(map(float, lows + done.x * widths)), loss=float(done.fun) * unit)


def _merged(scaled: Scaled, spots: list[Spot], spot: Spot) -> list[Spot]:
    """Two ends within two cells of each other are one."""
    for place, other in enumerate(spots):
        gaps = [
            abs(a - b) * (count - 1) / axis.width
            for a, b, axis, count in zip(
                spot.at, other.at, scaled.sheet.axes, scaled.sheet.shape, strict=True
            )
        ]
        if max(gaps) <= 2:
            lower = spot if spot.loss < other.loss else other
            return [*spots[:place], replace(lower, basin=spot.basin + other.basin), *spots[place + 1 :]]
    return [*spots, spot]


def _goal(scaled: Scaled, batched: Batched, want: Region | None) -> float:
    """The loss that was asked for: the lowest in the wanted region, or on the whole map."""
    import numpy as np

    if want is None:
        return scaled.lowest
    cells = [
        axis.width / (2 * (count - 1))
        for axis, count in zip(scaled.sheet.axes, scaled.sheet.shape, strict=True)
    ]
    values = scaled.sheet.loss[want.holds(scaled.sheet.places(), cells) & scaled.finite]
    if want.test is None:
        exact, _ = slopes_at(batched, scaled.sheet.term, np.array([want.center]))
        if np.isfinite(exact[0]) and all(lo == hi for lo, hi in want.spans):
            return float(exact[0])
        values = np.append(values, exact[np.isfinite(exact)])
    return float(values.min()) if values.size else float("nan")


def _arrived(scaled: Scaled, spot: Spot, want: Region | None, goal: float) -> bool:
    """In the wanted place, or at a loss that is as good; much lower than what was asked is elsewhere too."""
    import numpy as np

    if -BEYOND * scaled.range <= spot.loss - goal <= AS_GOOD * scaled.range:
        return True
    if want is None:
        return False
    pad = [CLOSE * axis.width for axis in scaled.sheet.axes]
    return bool(want.holds([np.array([value]) for value in spot.at], pad)[0])


def _judged(scaled: Scaled, batched: Batched, spot: Spot, want: Region | None, goal: float) -> End:
    if _arrived(scaled, spot, want, goal):
        return End(spot, "arrives")
    if _leaves(scaled, batched, spot):
        return End(replace(spot, what="exit"), "exit")
    return End(spot, "minimum")


def _leaves(scaled: Scaled, batched: Batched, spot: Spot) -> bool:
    """Whether the loss still falls across the border at which descent was stopped."""
    import numpy as np

    _, slopes = slopes_at(batched, scaled.sheet.term, np.array([spot.at]))
    for value, slope, axis in zip(spot.at, slopes[0], scaled.sheet.axes, strict=True):
        place = (value - axis.lo) / axis.width
        outward = -slope if place > 1 - 1e-9 else slope if place < 1e-9 else 0.0
        if outward * axis.width > 1e-3 * scaled.range:
            return True
    return False
