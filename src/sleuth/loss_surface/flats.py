"""Where a loss gives no usable slope: dead zones, saturation, and points that are not finite."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.finding import Telling
from sleuth.loss_surface.axes import Axis, Region, Span
from sleuth.loss_surface.flaw import Flaw
from sleuth.loss_surface.grid import Sheet
from sleuth.loss_surface.scale import Scaled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

# A flat place this near the lowest loss (share of the range) is satisfied, not dead.
SATISFIED = 1e-3
AS_GOOD = 0.02  # losses this near each other (share of the range) are equally good
# Saturation: slopes in the upper half of the loss under a hundredth of what is steep (90th percentile) in the
# lower half, on a part of the map that a start can fall into. log1p passes it at some 100 times its knee.
FADED, STEEP, HIGH, FADED_SHARE = 0.01, 0.9, 0.5, 0.05


def dead_zones(
    scaled: Scaled, want: Region | None, start: Region | None, goal: float | None = None
) -> Iterator[Flaw]:
    """Regions without a gradient, each with its share, its place, and whether start or want lies in it.

    `goal` is the loss at the wanted place: a flat minimum elsewhere that is not as good is a trap too.
    """
    for zone in zones(scaled.flat):
        level = float(scaled.sheet.loss[zone].mean())
        # A loss that is constant everywhere is no goal reached.
        satisfied = scaled.range > 0 and level <= scaled.lowest + SATISFIED * scaled.range
        starts, wanted = _meets(scaled.sheet, zone, start), _meets(scaled.sheet, zone, want)
        elsewhere = goal is not None and abs(level - goal) > AS_GOOD * scaled.range
        if satisfied and (wanted or not (starts or elsewhere)):
            continue  # a hinge that is met, and nothing that had to go elsewhere
        yield _dead(scaled, zone, level, satisfied, start, starts, wanted)


def zones(mask: "Mask") -> list["Mask"]:
    """The connected parts of a mask that are at least three points wide; a line or a point is no zone."""
    import numpy as np
    from scipy import ndimage  # type: ignore[import-untyped]

    around = np.ones((3,) * mask.ndim, dtype=bool)
    labels, count = ndimage.label(mask, structure=around)
    parts = [labels == label for label in range(1, count + 1)]
    return [
        part
        for part in parts
        if ndimage.binary_erosion(part, around, border_value=1).any() and part.sum() > 2
    ]


def box_of(sheet: Sheet, mask: "Mask") -> tuple[Span, ...]:
    import numpy as np

    ends = [(where.min(), where.max()) for where in np.nonzero(mask)]
    return tuple((float(line[lo]), float(line[hi])) for line, (lo, hi) in zip(sheet.ticks, ends, strict=True))


def say_box(axes: Sequence[Axis], box: Sequence[Span]) -> str:
    return " and ".join(
        f"{axis.name} {lo:.3g} to {hi:.3g}" if lo != hi else f"{axis.name} = {lo:.3g}"
        for axis, (lo, hi) in zip(axes, box, strict=True)
    )


def saturation(scaled: Scaled) -> Iterator[Flaw]:
    """The loss is high and rising, and its slope has faded: the worse the input, the weaker the message."""
    import numpy as np

    sheet, steep = scaled.sheet, scaled.steepness
    top = float(sheet.loss[scaled.finite].max())
    high = scaled.finite & (sheet.loss > scaled.lowest + HIGH * (top - scaled.lowest))
    usual = float(np.quantile(steep[scaled.finite & ~high], STEEP))
    faded = high & ~scaled.flat & (steep < FADED * usual)
    share = float(faded.sum() / faded.size)
    if share < FADED_SHARE:
        return
    weakest = float(usual / steep[faded].min())
    box = box_of(sheet, faded)
    yield Flaw(
        "saturation",
        f"The loss flattens where it is high: over {share:.0%} of the map ({say_box(sheet.axes, box)}) the "
        "slope "
        f"is down to 1/{weakest:.3g} of what it is at low loss, so the worst inputs are corrected least.",
        "Use a form that stays steep where it is wrong (drop the log1p, tanh or sigmoid around the "
        "error; for probabilities take the cross-entropy of the logits), and clip gradients instead.",
        box=box,
        share=share,
        numbers={"share": share, "weakest_slope_ratio": weakest},
    )


def non_finite(sheet: Sheet) -> Iterator[Flaw]:
    """NaN or infinity in the loss or a slope, with the first input that gives it."""
    import numpy as np

    broken_loss = ~np.isfinite(sheet.loss)
    broken = np.logical_or.reduce([broken_loss, *(~np.isfinite(slope) for slope in sheet.slopes)])
    if not broken.any():
        return
    index = tuple(int(i) for i in np.argwhere(broken)[0])
    share, box, point = float(broken.mean()), box_of(sheet, broken), sheet.point(index)
    shown = [f"loss {sheet.loss[index]:g}"] + [
        f"d/d{axis.name} {slope[index]:g}" for axis, slope in zip(sheet.axes, sheet.slopes, strict=True)
    ]
    what = (
        "The loss is not finite" if broken_loss.any() else "The gradient is not finite, though the loss is,"
    )
    yield Flaw(
        "non-finite",
        f"{what} on {share:.1%} of the map ({say_box(sheet.axes, box)}); the first such input is "
        f"{say_point(sheet.axes, point)} with {', '.join(shown)}. One such value makes every weight NaN.",
        "Keep the input away from that point: clamp it or add a small number inside the log, sqrt or "
        "division, or use the stable form (log1p, logsumexp, the with_logits losses).",
        "proven",
        at=point,
        box=box,
        share=share,
        numbers={"share": share, "points": float(broken.sum())},
    )


def say_point(axes: Sequence[Axis], point: Sequence[float]) -> str:
    """A point in words; what is within a ten-thousandth of an axis from zero is called zero."""
    shown = [
        0.0 if abs(value) < 1e-4 * axis.width else value for axis, value in zip(axes, point, strict=True)
    ]
    return ", ".join(f"{axis.name} = {value:.3g}" for axis, value in zip(axes, shown, strict=True))


def _dead(
    scaled: Scaled,
    zone: "Mask",
    level: float,
    satisfied: bool,
    start: Region | None,
    starts: bool,
    wanted: bool,
) -> Flaw:
    sheet, share = scaled.sheet, float(zone.mean())
    box = box_of(sheet, zone)
    telling: Telling = "proven" if starts else "aside" if start is not None else "likely"
    inside = [word for word, lies in (("start", starts), ("wanted point", wanted)) if lies]
    where = f" The {' and the '.join(inside)} lies in it." if inside else ""
    above = f"{level:.3g}, {level - scaled.lowest:.3g} above its minimum"
    if satisfied or not scaled.range:
        above = "at its minimum" if satisfied else f"{level:.3g} everywhere"
    return Flaw(
        "dead-zone",
        f"The gradient is zero on {share:.0%} of the map ({say_box(sheet.axes, box)}), where the loss is "
        f"{above}.{where} A model that gets there never leaves.",
        "Give the flat side a slope (a soft hinge such as softplus, a leaky floor, no clamp on the loss), "
        "or make sure that nothing starts there.",
        telling,
        at=tuple((lo + hi) / 2 for lo, hi in box),
        box=box,
        share=share,
        numbers={"share": share, "loss": level, "start_inside": str(starts), "want_inside": str(wanted)},
    )


def _meets(sheet: Sheet, zone: "Mask", region: Region | None) -> bool:
    """Whether a region touches the zone, to within half a cell."""
    if region is None:
        return False
    pad = [axis.width / (2 * (count - 1)) for axis, count in zip(sheet.axes, sheet.shape, strict=True)]
    return bool((region.holds(sheet.places(), pad) & zone).any())
