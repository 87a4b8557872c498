"""What a number of seeds can show, computed from the noncentral F distribution."""

import math
from collections.abc import Callable
from functools import cache

from sleuth.sweeping.model import RELIABLE, SINGLE
from sleuth.sweeping.tails import f_power, t_cut

WANTED = 0.8  # the usual chance of seeing an effect that is there
POWERFUL = 0.8416  # standard deviations of a gaussian below which 80% lie
MOST = 10_000  # seeds; beyond this nobody plans


@cache
def power(effect: float, values: int, seeds: int) -> float:
    """The chance that the F test of (value + seed) sees one value that differs by `effect` noise sds."""
    if values < 2 or seeds < 2:
        return 0.0
    noncentrality = seeds * effect**2 * (values - 1) / values
    return f_power(noncentrality, values - 1, (values - 1) * (seeds - 1), RELIABLE)


@cache
def seeds_needed(effect: float, values: int, wanted: float = WANTED) -> int | None:
    """The fewest seeds (at least 3: two are never reliable) with the wanted power; None when too many."""
    return _fewest(lambda seeds: power(effect, values, seeds), wanted)


@cache
def detectable(values: int, seeds: int, wanted: float = WANTED) -> float | None:
    """The smallest effect, in noise sds, that these seeds show with the wanted power."""
    if values < 2 or seeds < 3:
        return None
    low, high = 0.0, 100.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, values, seeds) < wanted else (low, middle)
    return high


@cache
def seeds_to_confirm(ratio: float, values: int) -> int | None:
    """Seeds for the wanted power to call one value reliable whose effect is `ratio` noise sds of a run.

    The test is the pooled t against the mean of the others, at the level Holm asks of the first.
    """
    tests = 1 if values == 2 else values
    share = (values - 1) / values

    def beyond(seeds: int) -> float:
        """How far the expected t lies above the cut; 0.84 standard deviations are 80% power, nearly."""
        df = (values - 1) * (seeds - 1)
        return ratio * math.sqrt(seeds * share) - t_cut(RELIABLE / tests, df)

    return _fewest(beyond, POWERFUL)


@cache
def slope_seeds(ratio: float, values: int) -> int | None:
    """Seeds for the wanted power to call a slope reliable whose t is `ratio` times the root of the seeds."""

    def beyond(seeds: int) -> float:
        return ratio * math.sqrt(seeds) - t_cut(SINGLE, seeds * (values - 1) - 1)

    return _fewest(beyond, POWERFUL)


def _fewest(chance: Callable[[int], float], wanted: float) -> int | None:
    """The smallest n from 3 on with chance(n) >= wanted; the chance grows with n."""
    high = 3
    while chance(high) < wanted:
        high *= 2
        if high > MOST:
            return None
    low = max(3, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if chance(middle) < wanted else (low, middle)
    return high
