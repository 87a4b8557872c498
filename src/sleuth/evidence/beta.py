"""Quantiles of the Beta distribution, with nothing but the standard library: `explain` must start at once."""

import math

STEPS = 60  # halvings of [0, 1]: below the spacing of floats near 0.5
TANGENTS = 15  # of Newton; eight are enough, except where nearly all of the mass lies at an edge
EXACT = 1e-13  # the continued fraction gives no more digits


def quantile(share: float, alpha: float, beta: float) -> float:
    """The value below which a share of Beta(alpha, beta) lies: by tangents, then by halving."""
    low, high = 0.0, 1.0
    value = alpha / (alpha + beta)
    for turn in range(TANGENTS + STEPS):
        gap = cumulative(value, alpha, beta) - share
        low, high = (value, high) if gap < 0 else (low, value)
        slope = _density(value, alpha, beta)
        tangent = value - gap / slope if slope > 0 and turn < TANGENTS else high
        following = tangent if low < tangent < high else (low + high) / 2
        if abs(following - value) < EXACT:
            return following
        value = following
    return value


def cumulative(value: float, alpha: float, beta: float) -> float:
    """The regularised incomplete beta function, by a continued fraction where that converges fast."""
    if value <= 0.0 or value >= 1.0:
        return float(value >= 1.0)
    scale = _density(value, alpha, beta) * value * (1.0 - value)
    if value < (alpha + 1) / (alpha + beta + 2):
        return scale * _fraction(value, alpha, beta) / alpha
    return 1.0 - scale * _fraction(1.0 - value, beta, alpha) / beta


def _density(value: float, alpha: float, beta: float) -> float:
    if value <= 0.0 or value >= 1.0:
        return 0.0
    lengths = math.lgamma(alpha + beta) - math.lgamma(alpha) - math.lgamma(beta)
    return math.exp(lengths + (alpha - 1) * math.log(value) + (beta - 1) * math.log1p(-value))


def _fraction(value: float, alpha: float, beta: float) -> float:
    """Lentz's method for the continued fraction of the incomplete beta function."""
    tiny = 1e-300
    upper, lower = 1.0, _away(1.0 - (alpha + beta) * value / (alpha + 1), tiny)
    lower = 1.0 / lower
    result = lower
    for turn in range(1, 400):
        even = turn * (beta - turn) * value / ((alpha + 2 * turn - 1) * (alpha + 2 * turn))
        odd = -(alpha + turn) * (alpha + beta + turn) * value / ((alpha + 2 * turn) * (alpha + 2 * turn + 1))
        for term in (even, odd):
            lower = 1.0 / _away(1.0 + term * lower, tiny)
            upper = _away(1.0 + term / upper, tiny)
            change = lower * upper
            result *= change
        if abs(change - 1.0) < 1e-14:
            break
    return result


def _away(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
