"""What the pictures of a surface have in common: which panels, which levels, which arrows."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sleuth.loss_surface import Comparison, Surface
    from sleuth.loss_surface.analysis import Analysis

    Numbers = NDArray[np.float64]

ARROWS = 20  # along each axis


@dataclass(frozen=True, eq=False)
class Panel:
    """One map of a figure: a title, and the sheet with what it shows."""

    title: str
    surface: "Surface"
    analysis: "Analysis"


@dataclass(frozen=True, eq=False)
class Arrows:
    """Places on the map, and unit steps of the negative gradient there in map units."""

    x: "Numbers"
    y: "Numbers"
    across: "Numbers"
    up: "Numbers"


def panels(shown: "Surface | Comparison") -> list[Panel]:
    """Both sides of a comparison; else the loss of every slice, and the terms of the first one."""
    from sleuth.loss_surface.compare import Comparison

    if isinstance(shown, Comparison):
        return [panels(side)[0] for side in (shown.left, shown.right)]
    main = shown.main.term
    whole = [one for one in shown.analyses if one.sheet.term == main]
    parts = [one for one in shown.analyses if one.sheet.term != main and one.sheet.at == whole[0].sheet.at]
    return [Panel(_title(shown, one), shown, one) for one in [*whole, *parts]]


def levels(panel: Panel) -> tuple[float, float]:
    """The range of colours: without the outer hundredth, so that one pole does not bleach the map."""
    import numpy as np

    values = panel.analysis.sheet.loss[~panel.analysis.broken]
    if not values.size:
        return 0.0, 1.0
    low, high = (float(value) for value in np.quantile(values, [0.0, 0.99]))
    return (low, high) if high > low else (low, low + 1.0)


def arrows(panel: Panel) -> Arrows:
    import numpy as np

    sheet = panel.analysis.sheet
    picks = [
        np.unique(np.linspace(0, count - 1, min(count, ARROWS)).round().astype(int)) for count in sheet.shape
    ]
    where = np.ix_(*picks)
    steps = [-slope[where] / axis.width for slope, axis in zip(sheet.slopes, sheet.axes, strict=True)]
    size = np.sqrt(steps[0] ** 2 + steps[1] ** 2)
    still = panel.analysis.flat[where] | panel.analysis.broken[where] | (size == 0)
    x, y = np.meshgrid(*(line[pick] for line, pick in zip(sheet.ticks, picks, strict=True)), indexing="ij")
    keep = ~still
    return Arrows(x[keep], y[keep], steps[0][keep] / size[keep], steps[1][keep] / size[keep])


def grid(count: int) -> tuple[int, int]:
    """Rows and columns for so many panels, no more than three beside each other."""
    columns = min(count, 3)
    return math.ceil(count / columns), columns


def _title(surface: "Surface", analysis: "Analysis") -> str:
    cut = ", ".join(f"{name} = {value:g}" for name, value in analysis.sheet.at.items())
    term = "" if analysis.sheet.term == "loss" else f": {analysis.sheet.term}"
    return f"{surface.name}{term}{f' ({cut})' if cut else ''}"
