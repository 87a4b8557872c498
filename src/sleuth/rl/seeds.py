"""What several seeds really show: failures counted with an exact bound, no interval from too few."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random
from typing import Any

from sleuth.errors import SleuthError

FEWEST = 4  # below this a 95% bootstrap interval covers about 74%, and a permutation test cannot reach 5%
LEVEL = 0.05
EXACT = 20_000  # splits that are all tried; beyond, a sample of them


@dataclass(frozen=True)
class Seeds:
    """Final returns by seed, and what can be said about them."""

    finals: tuple[float, ...]
    threshold: float
    failing: int
    bound: float
    interval: tuple[float, float] | None
    same_p: float | None
    two_groups: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            "finals": list(self.finals),
            "threshold": self.threshold,
            "failing": self.failing,
            "failing_share": self.failing / len(self.finals),
            "failing_share_at_most": self.bound,
            "interval": list(self.interval) if self.interval else None,
            "same_against_itself_p": self.same_p,
            "two_groups": self.two_groups,
        }


def seeds(finals: Sequence[float], threshold: float | None = None) -> Seeds:
    """`threshold`: a final return below it is a failed seed; else the middle between worst and best."""
    if not finals:
        raise SleuthError("There are no seeds to compare: no run logs a return.")
    values = tuple(float(value) for value in finals)
    line = (min(values) + max(values)) / 2 if threshold is None else threshold
    groups = two_groups(values)
    failing = sum(value < line for value in values) if threshold is not None or groups else 0
    interval = mean_interval(values) if len(values) >= FEWEST else None
    half = len(values) // 2
    same = permutation_p(values[:half], values[half:]) if len(values) >= 2 * FEWEST else None
    return Seeds(values, line, failing, upper_bound(failing, len(values)), interval, same, groups)


def upper_bound(failures: int, count: int, level: float = LEVEL) -> float:
    """The largest failure rate that gives so few failures with probability `level` (Clopper-Pearson)."""
    if failures >= count:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(failures, count, middle) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _at_most(failures: int, count: int, rate: float) -> float:
    return sum(math.comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(failures + 1))


def permutation_p(one: Sequence[float], other: Sequence[float]) -> float:
    """Two-sided exact test of a difference in means; a sample of splits where there are too many."""
    pool, size = [*one, *other], len(one)
    seen = abs(sum(one) / len(one) - sum(other) / len(other))
    total = sum(pool)
    splits = math.comb(len(pool), size)
    chance = Random(0)
    chosen: Iterable[Sequence[int]] = (
        combinations(range(len(pool)), size)
        if splits <= EXACT
        else (chance.sample(range(len(pool)), size) for _ in range(EXACT))
    )
    hits, tried = 0, 0
    for places in chosen:
        part = sum(pool[k] for k in places)
        gap = abs(part / size - (total - part) / (len(pool) - size))
        hits += gap >= seen - 1e-12
        tried += 1
    return hits / tried


def mean_interval(values: Sequence[float], draws: int = 2000) -> tuple[float, float]:
    """Percentile bootstrap of the mean; only called with enough seeds."""
    chance = Random(0)
    means = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws)]


def two_groups(values: Sequence[float]) -> bool:
    """The widest gap is larger than everything on either side of it: success and failure, little between."""
    ordered = sorted(values)
    if len(ordered) < FEWEST:
        return False
    gaps = [b - a for a, b in pairwise(ordered)]
    widest = max(gaps)
    place = gaps.index(widest)
    inner = max(ordered[place] - ordered[0], ordered[-1] - ordered[place + 1])
    return widest > 1.5 * inner and widest > 0.1 * max(abs(ordered[0]), abs(ordered[-1]), 1e-9)
