"""What people do by hand: z-scores within a seed, t across seeds. Shown with the error rate it really has."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sleuth.sweeping.model import shown

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]

LOUD = 2.0  # the rule's |t|
TRIALS = 4000  # sweeps without any effect; the rate's standard error stays below 0.8 points
CELLS = 400_000  # in all of them: large sweeps get fewer, to stay quick and small


@dataclass(frozen=True)
class Scores:
    """Shapes (sweep, value), but for `z` (sweep, value, seed). Standard deviations divide by n - 1."""

    z: "Floats"
    mean: "Floats"
    sd: "Floats"
    t: "Floats"


def scores(y: "Floats") -> Scores:
    """Within each seed, z over the values; then mean, sd and t over the seeds of each value."""
    import numpy as np

    z = z_scores(y)
    there = ~np.isnan(z)
    count = there.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = shown(there, z).sum(axis=2) / np.where(count > 0, count, np.nan)
        off = shown(there, z - mean[:, :, None])
        sd = np.sqrt((off**2).sum(axis=2) / np.where(count > 1, count - 1, np.nan))
        sd = np.where(sd < 1e-12, 0.0, sd)
        t = np.where((sd == 0) & (mean == 0), 0.0, mean / (sd / np.sqrt(count)))
    return Scores(z, mean, sd, t)


def z_scores(y: "Floats") -> "Floats":
    """NaN where a seed has fewer than two results; 0 where all of them are equal."""
    import numpy as np

    there = ~np.isnan(y)
    count = there.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = shown(there, y).sum(axis=1, keepdims=True) / np.where(count > 0, count, np.nan)
        off = shown(there, y - middle)
        spread = np.sqrt((off**2).sum(axis=1, keepdims=True) / np.where(count > 1, count - 1, np.nan))
        z = np.where(spread > 1e-15 * np.abs(middle), off / np.where(spread > 0, spread, 1), 0.0)
        return np.where(there & (count > 1), z, np.nan)


@cache
def false_alarms(values: int, seeds: int) -> float:
    """The share of sweeps without any effect in which |t| > 2 flags a value: simulated, the same each
    time.
    """
    import numpy as np

    if values < 2 or seeds < 2:
        return float("nan")
    trials = max(400, min(TRIALS, CELLS // (values * seeds)))
    noise = np.random.default_rng(20_240_229).standard_normal((trials, values, seeds))
    return float((np.abs(scores(noise).t) > LOUD).any(axis=1).mean())
