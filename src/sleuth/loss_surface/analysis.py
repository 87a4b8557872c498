"""Everything there is to say about one sheet, in one place."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sleuth.finding import SEVERITIES
from sleuth.loss_surface.axes import Region
from sleuth.loss_surface.calls import Batched
from sleuth.loss_surface.critical import critical_points, saddles
from sleuth.loss_surface.descent import Basins, basins, strays
from sleuth.loss_surface.flats import dead_zones, non_finite, saturation
from sleuth.loss_surface.flaw import Flaw, Spot
from sleuth.loss_surface.grid import Sheet
from sleuth.loss_surface.product import LogForm, log_form
from sleuth.loss_surface.scale import Scaled, thin
from sleuth.loss_surface.steeps import cliffs, imbalance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Analysis:
    """What one sheet shows. `flat` and `broken` are masks over `sheet`, which may be thinned."""

    sheet: Sheet
    flaws: tuple[Flaw, ...]
    spots: tuple[Spot, ...]
    basins: Basins
    log_form: LogForm | None
    flat: "NDArray[np.bool_]"
    broken: "NDArray[np.bool_]"


def analyse(
    sheet: Sheet,
    batched: Batched,
    want: Region | None = None,
    start: Region | None = None,
    whole: bool = True,
) -> Analysis:
    """Judge one term; `whole` says whether it is the loss itself or a part of it."""
    scaled = Scaled(thin(sheet))
    product = log_form(scaled, want)
    spots = critical_points(scaled, batched)
    ends = basins(scaled, batched, want)
    found = _flaws(sheet, scaled, batched, spots, ends, product, want, start, whole)
    stamped = [replace(flaw, term=sheet.term, slice=sheet.at) for flaw in found]
    ranked = sorted(stamped, key=lambda flaw: (SEVERITIES.index(flaw.severity), -flaw.share))
    inner = [spot for spot in spots if spot.what != "minimum"]
    return Analysis(
        scaled.sheet,
        tuple(ranked),
        (*inner, *(end.spot for end in ends.ends)),
        ends,
        product,
        scaled.flat,
        ~scaled.finite,
    )


def _flaws(
    sheet: Sheet,
    scaled: Scaled,
    batched: Batched,
    spots: tuple[Spot, ...],
    ends: Basins,
    product: LogForm | None,
    want: Region | None,
    start: Region | None,
    whole: bool,
) -> Iterator[Flaw]:
    yield from non_finite(sheet)
    yield from dead_zones(scaled, want, start, ends.goal if want is not None else None)
    if not scaled.range:
        return
    yield from imbalance(scaled, whole)
    yield from saddles(scaled, spots, product)
    yield from strays(scaled, ends, want, whole)
    yield from cliffs(scaled, batched)
    yield from saturation(scaled)
