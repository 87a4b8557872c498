"""Slopes that do not match: axes a thousand times apart, and cliffs that throw a step off the map."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.landscape.axes import Axis
from sleuth.landscape.calls import Batched
from sleuth.landscape.flats import box_of, say_point
from sleuth.landscape.flaw import Flaw
from sleuth.landscape.grid import slopes_at
from sleuth.landscape.scale import Scaled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Mask = NDArray[np.bool_]

IMBALANCE = 1000.0  # one learning rate cannot serve two axes this far apart
# A step sized for one cell is thrown this many times too far in the next. -log(p) from p = 0.001 on an 80-point
# axis grows 14-fold from cell to cell; a pole or a kink between two regimes passes 20.
JUMP = 20.0
LEAP = 10.0  # the loss moves this many times more between two points than both their slopes explain
LEAP_SHARE = 0.05  # and by at least this part of its range
SPIKE = 100.0  # a gradient this many times larger between two points than at both of them
SPIKE_FLOOR = 1e-3  # next to a minimum slopes change a thousandfold and mean nothing: only large ones count
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
        f"Gradients along {loud} are {ratio:.3g} times those along {quiet} (upper quartiles {sizes[strong]:.3g} and "
        f"{sizes[weak]:.3g}): a step that suits {loud} leaves {quiet} where it is."
        if sizes[weak]
        else f"Only {loud} has any influence: the gradient along {quiet} is zero wherever the loss has a slope."
    )
    yield Flaw(
        "axis-imbalance",
        seen,
        f"Bring the inputs to one scale (standardise {quiet} and {loud}, or use their logarithms), or weight the "
        "parts of the loss.",
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
    """A jump between two neighbouring points, looked at closely: what the loss and its gradient do across it."""

    low: "Numbers"
    high: "Numbers"
    slopes: tuple[float, float]
    peak: float
    leap: float


def cliffs(scaled: Scaled, batched: Batched) -> Iterator[Flaw]:
    """Places where the gradient, or the loss itself, jumps between neighbouring points."""
    import numpy as np

    edges = [
        edge
        for axis in range(len(scaled.sheet.axes))
        for edge in _close_look(scaled, batched, axis, _gradient_jumps(scaled, axis) | _loss_leaps(scaled, axis))
    ]
    if not edges:
        return
    worst = max(edges, key=lambda edge: (edge.peak, edge.leap))
    ends = np.array([end for edge in edges for end in (edge.low, edge.high)])
    weak, strong = sorted(worst.slopes)
    steep = max(strong, worst.peak)
    seen = f"the gradient goes from {weak:.3g} to {steep:.3g} between two neighbouring points"
    if worst.leap > LEAP_SHARE * scaled.range and steep <= JUMP * weak:
        seen = f"the loss jumps by {worst.leap:.3g} between two neighbouring points, and its gradient does not show it"
    yield Flaw(
        "cliff",
        f"The loss has a cliff near {say_point(scaled.sheet.axes, tuple(worst.high))}: {seen}. A step sized for one "
        "side is thrown far off on the other.",
        "Smooth the edge (a soft threshold, a wider margin, a floor under the denominator or inside the log), and "
        "clip gradients.",
        at=tuple(map(float, worst.high)),
        box=tuple((float(lo), float(hi)) for lo, hi in zip(ends.min(axis=0), ends.max(axis=0), strict=True)),
        share=len(edges) / scaled.sheet.loss.size,
        numbers={"gradient_low": weak, "gradient_high": steep, "loss_jump": worst.leap},
    )


def _close_look(scaled: Scaled, batched: Batched, axis: int, jumps: "Mask") -> Iterator[Edge]:
    """Keep the jumps that are still jumps on a grid FINER times as fine: a coarse grid makes any slope look abrupt."""
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
    ends = slopes_at(batched, scaled.sheet.term, np.stack([low, high]))[1]
    before, after = (float(size) for size in np.linalg.norm(ends, axis=1))
    finite = np.isfinite(loss) & np.isfinite(sizes)
    peak = float(sizes[finite].max()) if finite.any() else 0.0
    step = np.abs(np.diff(places[:, axis]))
    leaps = np.abs(np.diff(loss))
    torn = (leaps > LEAP * step * np.maximum(sizes[1:], sizes[:-1])) & (leaps > LEAP_SHARE * scaled.range)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(np.diff(np.log(sizes)))
    jumps = np.isfinite(ratio) & (ratio >= np.log(JUMP)) & (np.maximum(sizes[1:], sizes[:-1]) > SPIKE_FLOOR * peak)
    hidden = peak >= SPIKE * max(before, after)
    if torn.any() or jumps.any() or hidden or not finite.all():
        return Edge(low, high, (before, after), peak, float(np.nanmax(leaps)) if torn.any() else 0.0)
    return None


def _gradient_jumps(scaled: Scaled, axis: int) -> "Mask":
    """Between neighbours: |gradient| changes JUMP-fold, and by far less just before and after.

    The second half keeps steadily growing slopes (an exponential) and minima between two points out.
    """
    import numpy as np

    alive = scaled.finite & ~scaled.flat
    with np.errstate(divide="ignore"):
        size = np.where(alive, np.log(scaled.steepness), np.nan)
    change = np.abs(np.diff(size, axis=axis))
    before, after = _shifted(change, axis, 1), _shifted(change, axis, -1)
    calm = np.fmax(np.nan_to_num(before), np.nan_to_num(after)) <= 0.5 * change
    return np.asarray((change >= np.log(JUMP)) & calm)


def _loss_leaps(scaled: Scaled, axis: int) -> "Mask":
    """Between neighbours: the loss changes far more than the slopes at both ends account for."""
    import numpy as np

    sheet = scaled.sheet
    loss = np.where(scaled.finite, sheet.loss, np.nan)
    change = np.abs(np.diff(loss, axis=axis))
    slope = np.abs(np.where(scaled.finite, sheet.slopes[axis], np.nan))
    ends = np.maximum(np.take(slope, range(1, slope.shape[axis]), axis), np.take(slope, range(slope.shape[axis] - 1), axis))
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
