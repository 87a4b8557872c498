"""Tail areas of the t and F distributions, without the seconds that scipy.stats costs to load."""

import math
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING

from sleuth.evidence.beta import cumulative, quantile

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

FEW = 20  # up to here a plain loop is as fast
FAINT = 1e-6  # below this the closed form loses digits, and each is worked out by itself


def t_two_sided(t: "NDArray[float64]", df: "NDArray[float64]") -> "NDArray[float64]":
    """The chance of a |t| this large or larger; NaN where t is, or where there is no degree of freedom."""
    import numpy as np

    t, df = np.broadcast_arrays(np.asarray(t, dtype=float), np.asarray(df, dtype=float))
    usable = ~np.isnan(t) & (df > 0)
    p = np.full(t.shape, np.nan)
    if t.size <= FEW:
        p[usable] = [one_t(a, b) for a, b in zip(t[usable].tolist(), df[usable].tolist(), strict=True)]
        return p
    for free in np.unique(df[usable]).tolist():
        mine = usable & (df == free)
        p[mine] = _closed_form(t[mine], int(free))
    faint = usable & (p < FAINT)
    p[faint] = [one_t(a, b) for a, b in zip(t[faint].tolist(), df[faint].tolist(), strict=True)]
    return p


def _closed_form(t: "NDArray[float64]", df: int) -> "NDArray[float64]":
    """For whole degrees of freedom the tail is a finite sum in the angle whose tangent is t / sqrt(df)."""
    import numpy as np

    angle = np.arctan(np.abs(t) / math.sqrt(df))
    square = np.cos(angle) ** 2
    odd = df % 2
    term = np.sin(angle) * (np.cos(angle) if odd else 1.0)
    total = term.copy() if df > 1 else np.zeros_like(term)
    for turn in range(1, (df - odd) // 2):
        term = term * square * ((2 * turn) / (2 * turn + 1) if odd else (2 * turn - 1) / (2 * turn))
        total += term
    inside = (angle + total) * 2 / math.pi if odd else total
    tail: NDArray[float64] = np.clip(1 - inside, 0.0, 1.0)
    return tail


def one_t(t: float, df: float) -> float:
    """As `t_two_sided`, for one number."""
    if math.isinf(t):
        return 0.0
    return cumulative(df / (df + t * t), df / 2, 0.5)


@cache
def t_cut(level: float, df: float) -> float:
    """The |t| that is passed with probability `level` when nothing is there."""
    if df <= 2:
        one = math.tan(math.pi / 2 * (1 - level))
        return one if df == 1 else math.sqrt(2 / (level * (2 - level)) - 2)
    # Newton's method from the gaussian's cut, which lies below: the tail is convex, so no step goes too far.
    t = -NormalDist().inv_cdf(level / 2)
    log_scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    for _ in range(100):
        slope = 2 * math.exp(log_scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = (one_t(t, df) - level) / slope
        t += step
        if abs(step) <= 1e-10 * t:
            break
    return t


def t_cuts(level: "NDArray[float64]", df: "NDArray[float64]") -> "NDArray[float64]":
    """As `t_cut`, for arrays with few different entries."""
    import numpy as np

    level, df = np.broadcast_arrays(np.asarray(level, dtype=float), np.asarray(df, dtype=float))
    cuts = np.full(level.shape, np.nan)
    for free in np.unique(df[df > 0]).tolist():
        mine = df == free
        for share in np.unique(level[mine & (level > 0)]).tolist():
            cuts[mine & (level == share)] = t_cut(share, free)
    return cuts


def chi_square_above(value: float, df: int) -> float:
    """The chance that a chi-square variable exceeds `value`: the regularised upper gamma function."""
    if value <= 0:
        return 1.0
    half, x = df / 2, value / 2
    scale = math.exp(half * math.log(x) - x - math.lgamma(half))
    if x < half + 1:
        term = total = 1 / half
        step = half
        while term > total * 1e-15:
            step += 1
            term *= x / step
            total += term
        return max(0.0, 1 - scale * total)
    return scale * _upper_fraction(half, x)


def _upper_fraction(half: float, x: float) -> float:
    """Lentz's method for the continued fraction of the upper gamma function."""
    base = x + 1 - half
    upper, lower = 1e300, 1 / base
    result = lower
    for turn in range(1, 500):
        factor = -turn * (turn - half)
        base += 2
        lower = 1 / (factor * lower + base)
        upper = base + factor / upper
        result *= lower * upper
        if abs(lower * upper - 1) < 1e-14:
            break
    return result


def f_power(noncentrality: float, upper: int, lower: int, level: float = 0.05) -> float:
    """The chance that an F test with these degrees of freedom rejects at `level`."""
    cut = quantile(1 - level, upper / 2, lower / 2)
    half = noncentrality / 2
    below, weight, total = 0.0, math.exp(-half), 0.0
    for turn in range(2000):
        below += weight * cumulative(cut, upper / 2 + turn, lower / 2)
        total += weight
        weight *= half / (turn + 1)
        if total > 1 - 1e-10:
            break
    return 1 - below
