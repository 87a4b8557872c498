"""Quantiles of the Beta distribution, with nothing but the standard library: `explain` must start at once."""

import math

STEPS = 60  # halvings of [0, 1]: below the spacing of floats near 0.5


def quantile(share: float, alpha: float, beta: float) -> float:
    """The value below which a share of Beta(alpha, beta) lies."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if cumulative(middle, alpha, beta) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def cumulative(value: float, alpha: float, beta: float) -> float:
    """The regularised incomplete beta function, by a continued fraction where that converges fast."""
    if value <= 0.0 or value >= 1.0:
        return float(value >= 1.0)
    scale = math.exp(
        math.lgamma(alpha + beta)
        - math.lgamma(alpha)
        - math.lgamma(beta)
        + alpha * math.log(value)
        + beta * math.log1p(-value)
    )
    if value < (alpha + 1) / (alpha + beta + 2):
        return scale * _fraction(value, alpha, beta) / alpha
    return 1.0 - scale * _fraction(1.0 - value, beta, alpha) / beta


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
