"""The yardsticks of one sheet: what counts as flat, as typical, as the loss's whole range."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sleuth.loss_surface.grid import Sheet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Mask = NDArray[np.bool_]

# Crossing the whole map at such a slope changes the loss by a millionth of its range: below what float32
# resolves.
FLAT = 1e-6
# Points an axis that the analysis looks at; a finer grid is thinned, its non-finite points are not.
FINEST = 200


@dataclass(frozen=True, eq=False)
class Scaled:
    """A sheet with its slopes in units of the map (slope × axis width), so that axes compare."""

    sheet: Sheet

    @cached_property
    def finite(self) -> "Mask":
        import numpy as np

        parts = [np.isfinite(one) for one in (self.sheet.loss, *self.sheet.slopes)]
        return np.asarray(np.logical_and.reduce(parts))

    @cached_property
    def unit_slopes(self) -> "Numbers":
        """(axes, *shape): slope × width, zero where anything is not finite."""
        import numpy as np

        widths = [axis.width for axis in self.sheet.axes]
        raw = np.stack([slope * width for slope, width in zip(self.sheet.slopes, widths, strict=True)])
        return np.where(self.finite, raw, 0.0)

    @cached_property
    def steepness(self) -> "Numbers":
        import numpy as np

        return np.asarray(np.sqrt((self.unit_slopes**2).sum(axis=0)))

    @cached_property
    def lowest(self) -> float:
        return float(self.sheet.loss[self.finite].min()) if self.finite.any() else float("nan")

    @cached_property
    def range(self) -> float:
        """Between the 5th and 95th percentile, so that one pole does not make all else look flat."""
        import numpy as np

        if not self.finite.any():
            return 0.0
        values = self.sheet.loss[self.finite]
        low, high = np.quantile(values, [0.05, 0.95])
        return float(high - low) or float(values.max() - values.min())

    @cached_property
    def flat(self) -> "Mask":
        import numpy as np

        return np.asarray(self.finite & (self.steepness <= FLAT * self.range))


def thin(sheet: Sheet) -> Sheet:
    """The sheet at no more than `FINEST` points an axis, the ends kept."""
    import numpy as np

    if max(sheet.shape) <= FINEST:
        return sheet
    picks = [np.unique(np.linspace(0, count - 1, FINEST).round().astype(int)) for count in sheet.shape]
    where = np.ix_(*picks)
    ticks = tuple(line[pick] for line, pick in zip(sheet.ticks, picks, strict=True))
    slopes = tuple(slope[where] for slope in sheet.slopes)
    return Sheet(sheet.term, sheet.at, sheet.axes, ticks, sheet.loss[where], slopes)
