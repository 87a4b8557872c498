"""One block of groups, scored: means, folklore, verdicts, trends, and the warnings that go with them."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sleuth.sweeping.folklore import Scores, false_alarms, scores
from sleuth.sweeping.grids import Block
from sleuth.sweeping.model import Fit, Judged, fit, judge, shown
from sleuth.sweeping.trend import Slope, slopes

if TYPE_CHECKING:
    from numpy import bool_, float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]

DECADES = 50  # largest value over smallest from which a straight line is ruled by the largest
MANY = 120  # values with gaps between them: more is no sweep, and the least squares grow with their cube


@dataclass(frozen=True)
class Scored:
    """All numbers about a block: (group, value) unless said otherwise."""

    count: "NDArray[Any]"
    mean: "Floats"
    q10: "Floats"
    q90: "Floats"
    z_mean: "Floats"
    z_sd: "Floats"
    t: "Floats"
    effect: "Floats"
    low: "Floats"
    high: "Floats"
    p: "Floats"
    raw: "Floats"
    paired: "NDArray[Any]"
    ratio: "Floats"
    noise: "Floats"  # (group), and so are the next
    unequal: "Floats"
    switched: "NDArray[bool_]"
    still: "NDArray[bool_]"
    seeds: list[int]
    most: list[int]  # results of a value
    wide: list[bool]  # values over decades
    endless: list[bool]  # a folklore t without bound
    apart: "NDArray[bool_]"  # (group, value)
    false_alarms: float
    trend: dict[str, list[float]] | None


def score(block: Block, places: "Floats") -> Scored:
    """`places` are the values as numbers (group, value); NaN where one is a name."""
    import numpy as np

    y = block.metric
    still = _still(y)
    joined, apart = _connected(y)
    folk = scores(y)
    fitted, judged = _judged(joined, still)
    slope = slopes(joined, folk.z, places) if y.shape[1] > 1 else None
    count, mean, low, high = _summary(y)
    paired_seeds = (~np.isnan(joined)).any(axis=1) & ((~np.isnan(joined)).sum(axis=1) > 1)
    return Scored(
        count, mean, low, high, **_folk(folk), **_verdict(fitted, judged),
        still=still, apart=apart, seeds=paired_seeds.sum(axis=1).tolist(),
        most=count.max(axis=1).tolist(), wide=_wide(places),
        endless=np.isinf(folk.t).max(axis=1, initial=False).tolist(),
        false_alarms=false_alarms(y.shape[1], min(y.shape[2], 200)),
        trend=None if slope is None else _trend(slope, still),
    )  # fmt: skip


def _judged(y: "Floats", still: "NDArray[bool_]") -> tuple[Fit, Judged]:
    import numpy as np

    if y.shape[1] < 2 or y.shape[2] < 2 or (y.shape[1] > MANY and np.isnan(y).any()):
        y = np.full_like(y, np.nan)
    y = np.where(still[:, None, None], np.nan, y)
    with np.errstate(all="ignore"):
        fitted = fit(y)
        return fitted, judge(fitted)


def _wide(places: "Floats") -> list[bool]:
    if places.shape[1] < 3:
        return [False] * len(places)
    low, high = places.min(axis=1), places.max(axis=1)
    found: list[bool] = ((low > 0) & (high >= DECADES * low)).tolist()
    return found


def _folk(folk: Scores) -> dict[str, Any]:
    return {"z_mean": folk.mean, "z_sd": folk.sd, "t": folk.t}


def _verdict(fitted: Fit, judged: Judged) -> dict[str, Any]:
    return {
        "effect": fitted.effect,
        "low": judged.low,
        "high": judged.high,
        "p": judged.p,
        "raw": judged.raw,
        "paired": fitted.seeds.astype(int),
        "ratio": fitted.ratio,
        "noise": fitted.noise,
        "unequal": fitted.unequal,
        "switched": judged.switched,
    }


def _trend(slope: Slope, still: "NDArray[bool_]") -> dict[str, list[float]]:
    import numpy as np

    def blanked(numbers: "Floats") -> list[float]:
        listed: list[float] = np.where(still, math.nan, numbers).tolist()
        return listed

    return {
        "slope": slope.slope.tolist(),
        "error": slope.error.tolist(),
        "p": blanked(slope.p),
        "raw": blanked(slope.raw),
        "r": slope.r.tolist(),
        "t": slope.t_folklore.tolist(),
    }


def _still(y: "Floats") -> "NDArray[bool_]":
    """Groups in which the seed changes nothing at all: several seeds, and one result a value."""
    import numpy as np

    there = ~np.isnan(y)
    low = np.where(there, y, np.inf).min(axis=2)
    high = np.where(there, y, -np.inf).max(axis=2)
    repeated = there.sum(axis=2) > 1
    moved = (repeated & (high > low)).any(axis=1)
    still: NDArray[bool_] = repeated.any(axis=1) & ~moved
    return still


def _connected(y: "Floats") -> "tuple[Floats, NDArray[bool_]]":
    """Results of those values only that share seeds, directly or by others; and which values stand apart."""
    import numpy as np

    there = ~np.isnan(y)
    apart = np.zeros(y.shape[:2], dtype=bool)
    torn = np.flatnonzero(~there.all(axis=(1, 2)))
    if not len(torn) or y.shape[1] > MANY:
        return y, apart
    joined = y.copy()
    for place in torn:
        links = there[place].astype(float) @ there[place].T.astype(float) > 0
        keep = _largest(links)
        apart[place] = ~keep & there[place].any(axis=1)
        joined[place, ~keep] = np.nan
    return joined, apart


def _largest(links: "NDArray[bool_]") -> "NDArray[bool_]":
    """The largest set of values connected by shared seeds."""
    import numpy as np

    reach = links.copy()
    for _ in range(int(math.log2(max(len(links), 2))) + 1):
        reach = (reach.astype(float) @ reach.astype(float)) > 0
    best: NDArray[bool_] = reach[int(np.argmax(reach.sum(axis=1)))]
    return best


def _summary(y: "Floats") -> "tuple[NDArray[Any], Floats, Floats, Floats]":
    """Number of results, mean, and the 10% and 90% quantiles (linear between order statistics)."""
    import numpy as np

    there = ~np.isnan(y)
    count = there.sum(axis=2)
    safe = np.where(count > 0, count, np.nan)
    mean = shown(there, y).sum(axis=2) / safe
    ranked = np.sort(y, axis=2)
    return count, mean, _quantile(ranked, count, 0.1), _quantile(ranked, count, 0.9)


def _quantile(ranked: "Floats", count: "NDArray[Any]", share: float) -> "Floats":
    import numpy as np

    at = share * np.maximum(count - 1, 0)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, np.maximum(count - 1, 0))
    below = np.take_along_axis(ranked, low[:, :, None], axis=2)[:, :, 0]
    above = np.take_along_axis(ranked, high[:, :, None], axis=2)[:, :, 0]
    result: Floats = below + (above - below) * (at - low)
    return result
