"""A straight line through the values, judged within seeds: pure functions on arrays (sweep, value, seed)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.sweeping.model import RELIABLE, SINGLE, TINY, paired, shown
from sleuth.sweeping.tails import t_two_sided

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]


@dataclass(frozen=True)
class Slope:
    """One entry a sweep. `r` and `t_folklore` are those of z-scores against the values, as people do it."""

    slope: "Floats"
    error: "Floats"
    df: "Floats"
    p: "Floats"
    raw: "Floats"
    r: "Floats"
    t_folklore: "Floats"


def slopes(y: "Floats", z: "Floats", x: "Floats") -> Slope:
    """Slopes of y over x (sweep, value) with one level a seed. Every seed costs a degree of freedom.

    The t over the seeds' own slopes must agree: with pooled noise alone, a noisy value at the end of the
    scale cries wolf in up to 14% of sweeps, and with the seeds' slopes alone 30%-failing outcomes do.
    """
    import numpy as np

    y = paired(y)
    present = ~np.isnan(y)
    per_seed = np.maximum(present.sum(axis=1), 1)
    place = shown(present, x[:, :, None])
    across = shown(present, place - (place.sum(axis=1) / per_seed)[:, None, :])
    up = shown(present, y - (shown(present, y).sum(axis=1) / per_seed)[:, None, :])
    width = (across**2).sum(axis=(1, 2))
    seeds = present.any(axis=1).sum(axis=1)
    df = (present.sum(axis=(1, 2)) - seeds - 1).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(width > 0, (across * up).sum(axis=(1, 2)) / width, np.nan)
        rest = shown(present, up - slope[:, None, None] * across)
        squares = (rest**2).sum(axis=(1, 2))
        squares = np.where(squares <= (TINY * np.abs(up).max(axis=(1, 2), initial=0)) ** 2, 0, squares)
        pooled = np.where(df > 0, squares / np.maximum(df, 1) / width, np.nan)
        pull = (across * rest).sum(axis=1)
        scatter = np.where(
            seeds > 1, (pull**2).sum(axis=1) * seeds / np.maximum(seeds - 1, 1) / width**2, np.nan
        )
        raw = t_two_sided(_over(slope, np.sqrt(pooled)), df)
        own = t_two_sided(_over(slope, np.sqrt(scatter)), seeds - 1.0)
        p = np.minimum(raw * RELIABLE / SINGLE, 1)
        p = np.fmax(p, np.minimum(own * RELIABLE / SINGLE, 1))
    r, t_folklore = _pearson(z, x)
    return Slope(slope, np.sqrt(pooled), df, p, raw, r, t_folklore)


def _pearson(z: "Floats", x: "Floats") -> "tuple[Floats, Floats]":
    import numpy as np

    present = ~np.isnan(z)
    count = present.sum(axis=(1, 2))
    # Z-scores sum to zero within every seed, so only the values' places have to be centred.
    tried = present.sum(axis=2)
    centre = (x * tried).sum(axis=1) / np.maximum(count, 1)
    across = np.where(tried > 0, x - centre[:, None], 0)
    scores = shown(present, z)
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.sqrt((across**2 * tried).sum(axis=1) * np.einsum("svn,svn->s", scores, scores))
        r = np.where(size > 0, (across * scores.sum(axis=2)).sum(axis=1) / size, np.nan)
        r = np.clip(r, -1, 1)
        t = np.where(count > 2, r * np.sqrt((count - 2) / (1 - r**2)), np.nan)
    return r, t


def _over(slope: "Floats", error: "Floats") -> "Floats":
    import numpy as np

    return np.where((error == 0) & (slope == 0), 0.0, slope / error)
