"""Slopes that do not match: axes a thousand times apart, and cliffs that throw a step off the map."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.loss_surface.axes import Axis
from sleuth.loss_surface.calls import Batched
from sleuth.loss_surface.flats import box_of, say_point
from sleuth.loss_surface.flaw import Flaw
from sleuth.loss_surface.grid import slopes_at
from sleuth.loss_surface.scale import Scaled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Mask = NDArray[np.bool_]

IMBALANCE = 1000.0  # one learning rate cannot serve two axes this far apart
# A step that moves one percent of the map on the gentle side leaves it tenfold on the steep one. Less is
# ordinary: a hinge with a weak penalty changes its slope a hundredfold.
JUMP = 1000.0
RATE = 0.01  # and an ordinary learning rate must throw a step off the map: a gradient of 1 blows up nothing
SUSPECT = 20.0  # from this change between neighbours on, a closer look is taken
LEAP = 10.0  # the loss moves this many times more between two points than both their slopes explain
LEAP_SHARE = 0.05  # and by at least this part of its range
SPIKE = 100.0  # a gradient this many times larger between two points than at both of them
FINER, MOST = 16, 40  # how closely a jump is looked at, and how many along each axis


def imbalance(scaled: Scaled, whole: bool) -> Iterator[Flaw]:
    """Gradient magnitudes along the two axes that differ a thousandfold or more, in the inputs' own units.

    A term that ignores an axis is ordinary; only the `whole` loss is blamed for that.
    """
    import numpy as np

    sheet = scaled.sheet
    alive = scaled.finite & ~scaled.flat
    if len(sheet.axes) < 2 or not alive.any():
        return
    # The upper quartile: along one axis more than half the map may be flat.
    sizes = [float(np.quantile(np.abs(slope[alive]), 0.75)) for slope in sheet.slopes]
    weak, strong = sorted(range(2), key=lambda place: sizes[place])
    ratio = sizes[strong] / sizes[weak] if sizes[weak] else float("inf")
    if ratio < IMBALANCE or (np.isinf(ratio) and not whole):
        return
    loud, quiet = sheet.axes[strong].name, sheet.axes[weak].name
    seen = (
        f"Gradients along {loud} are {ratio:.3g} times those along {quiet} (upper quartiles "
        f"{sizes[strong]:.3g} and {sizes[weak]:.3g}): a learning rate that suits {loud} hardly changes "
        f"{quiet}."
        if sizes[weak]
        else f"Only {loud} has any influence: wherever the loss has a slope, it is 0 along {quiet}."
    )
    yield Flaw(
        "axis-imbalance",
        seen,
        f"Bring the inputs to one scale (standardise {quiet} and {loud}, or use their logarithms), or "
        "weight the terms of the loss.",
        share=float(alive.mean()),
        box=box_of(sheet, alive),
        numbers={
            "ratio": ratio if np.isfinite(ratio) else "infinite",
            loud: sizes[strong],
            quiet: sizes[weak],
        },
    )


@dataclass(frozen=True, eq=False)
class Edge:
    """A jump from a gentle place to a steep one: places, slopes, and by how much the loss is torn."""

    low: "Numbers"
    high: "Numbers"
    gentle: float
    steep: float
    leap: float = 0.0


def cliffs(scaled: Scaled, batched: Batched) -> Iterator[Flaw]:
    """Places where the gradient, or the loss itself, jumps between neighbouring points."""
    import numpy as np

    edges = [
        edge
        for axis in range(len(scaled.sheet.axes))
        for edge in _close_look(
            scaled, batched, axis, _gradient_jumps(scaled, axis) | _loss_leaps(scaled, axis)
        )
    ]
    edges += _spikes(scaled)
    if not edges:
        return
    worst = max(edges, key=lambda edge: (edge.steep, edge.leap))
    ends = np.array([end for edge in edges for end in (edge.low, edge.high)])
    seen = f"the gradient goes from {worst.gentle:.3g} to {worst.steep:.3g} between two neighbouring points"
    if worst.leap and worst.steep <= SUSPECT * worst.gentle:
        seen = (
            f"the loss jumps by {worst.leap:.3g} between two neighbouring points, and its gradient does not "
            "show it"
        )
    yield Flaw(
        "cliff",
        f"The loss has a cliff near {say_point(scaled.sheet.axes, tuple(worst.high))}: {seen}. A step "
        "that suits one side is far too large on the other.",
        "Smooth the edge (a soft threshold, a wider margin, a floor under the denominator or inside the "
        "log), and clip gradients.",
        at=tuple(map(float, worst.high)),
        box=tuple((float(lo), float(hi)) for lo, hi in zip(ends.min(axis=0), ends.max(axis=0), strict=True)),
        share=len(edges) / scaled.sheet.loss.size,
        numbers={"gradient_low": worst.gentle, "gradient_high": worst.steep, "loss_jump": worst.leap},
    )


def _spikes(scaled: Scaled) -> list[Edge]:
    """Points so steep that the loss would cross its whole range within a thousandth of the map."""
    import numpy as np

    sheet = scaled.sheet
    span = float(np.ptp(sheet.loss[scaled.finite]))
    found = np.argwhere(scaled.steepness > JUMP * span)
    sizes = np.sqrt(sum(np.where(scaled.finite, slope, 0.0) ** 2 for slope in sheet.slopes))
    usual = float(np.median(sizes[scaled.finite]))
    places = [tuple(int(i) for i in index) for index in found[:MOST]]
    return [
        Edge(np.array(sheet.point(place)), np.array(sheet.point(place)), usual, float(sizes[place]))
        for place in places
        if _throws(scaled, float(sizes[place]))
    ]


def _close_look(scaled: Scaled, batched: Batched, axis: int, jumps: "Mask") -> Iterator[Edge]:
    """Keep what still jumps on a FINER grid: a coarse one makes any slope look abrupt."""
    import numpy as np

    sheet = scaled.sheet
    cells = np.argwhere(jumps)
    if len(cells) > MOST:
        cells = cells[np.linspace(0, len(cells) - 1, MOST).astype(int)]
    for cell in cells:
        low = np.array(sheet.point([int(i) for i in cell]))
        high = low.copy()
        high[axis] = sheet.ticks[axis][cell[axis] + 1]
        first, last = _around(sheet.axes[axis], low[axis], high[axis])
        places = np.repeat(low[None], 3 * FINER + 1, axis=0)
        places[:, axis] = np.linspace(first, last, 3 * FINER + 1)
        edge = _edge(scaled, batched, axis, low, high, places)
        if edge is not None:
            yield edge


def _around(axis: Axis, low: float, high: float) -> tuple[float, float]:
    """The cell and its two neighbours, as far as the map goes: a pole may hide next door."""
    return max(axis.lo, 2 * low - high), min(axis.hi, 2 * high - low)


def _edge(
    scaled: Scaled, batched: Batched, axis: int, low: "Numbers", high: "Numbers", places: "Numbers"
) -> Edge | None:
    import numpy as np

    loss, slopes = slopes_at(batched, scaled.sheet.term, places)
    sizes = np.linalg.norm(slopes, axis=1)
    ends = np.linalg.norm(slopes_at(batched, scaled.sheet.term, np.stack([low, high]))[1], axis=1)
    finite = np.isfinite(loss) & np.isfinite(sizes)
    steep = float(sizes[finite].max()) if finite.any() else float(ends.max())
    with np.errstate(divide="ignore", invalid="ignore"):
        leaps = np.abs(np.diff(loss))
        ratio = np.exp(np.abs(np.diff(np.log(sizes))))
        torn = leaps > LEAP * np.abs(np.diff(places[:, axis])) * np.maximum(sizes[1:], sizes[:-1])
    torn &= leaps > LEAP_SHARE * scaled.range
    gentle, usual = np.quantile(sizes[finite], [0.25, 0.75]) if finite.any() else (1.0, 1.0)
    jumps = bool((np.isfinite(ratio) & (ratio >= SUSPECT)).any()) and usual >= JUMP * gentle
    thrown = _throws(scaled, steep) and (jumps or steep >= SPIKE * ends.max() or not finite.all())
    if torn.any() or thrown:
        return Edge(low, high, float(ends.min()), steep, float(leaps[torn].max()) if torn.any() else 0.0)
    return None


def _throws(scaled: Scaled, slope: float) -> bool:
    return RATE * slope >= min(axis.width for axis in scaled.sheet.axes)


def _gradient_jumps(scaled: Scaled, axis: int) -> "Mask":
    """Between neighbours: |gradient| changes SUSPECT-fold, from a stretch that was calm, and not as part of a
    trend.

    An exponential grows as fast before and after; next to a minimum the low side is a single point.
    """
    import numpy as np

    alive = scaled.finite & ~scaled.flat
    with np.errstate(divide="ignore"):
        size = np.where(alive, np.log(scaled.steepness), np.nan)
    change = np.diff(size, axis=axis)
    before, after = (np.nan_to_num(_shifted(change, axis, by)) for by in (1, -1))
    rises = change > 0
    outside, beyond = np.where(rises, before, after), np.where(rises, after, before)
    half = 0.5 * np.abs(change)
    calm = (np.abs(outside) <= half) & (beyond * np.sign(change) <= half)
    return np.asarray((np.abs(change) >= np.log(SUSPECT)) & calm)


def _loss_leaps(scaled: Scaled, axis: int) -> "Mask":
    """Between neighbours: the loss changes far more than the slopes at both ends account for."""
    import numpy as np

    sheet = scaled.sheet
    loss = np.where(scaled.finite, sheet.loss, np.nan)
    change = np.abs(np.diff(loss, axis=axis))
    slope = np.abs(np.where(scaled.finite, sheet.slopes[axis], np.nan))
    ends = np.maximum(
        np.take(slope, range(1, slope.shape[axis]), axis), np.take(slope, range(slope.shape[axis] - 1), axis)
    )
    step = np.diff(sheet.ticks[axis]).reshape([-1 if place == axis else 1 for place in range(slope.ndim)])
    explained = np.maximum(LEAP * ends * step, LEAP_SHARE * scaled.range)
    return np.asarray(change > explained)


def _shifted(values: "Numbers", axis: int, by: int) -> "Numbers":
    """The neighbour's value along an axis; nothing (NaN) beyond the ends."""
    import numpy as np

    moved = np.roll(values, by, axis)
    edge = [slice(None)] * values.ndim
    edge[axis] = slice(0, 1) if by > 0 else slice(-1, None)
    moved[tuple(edge)] = np.nan
    return moved
