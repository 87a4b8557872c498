"""Failed runs, counted by value: crashes are results, too."""

import math
from collections.abc import Sequence


def fisher(failed: int, runs: int, other_failed: int, other_runs: int) -> float:
    """Fisher's exact test, two-sided: do runs of one value fail more (or less) often than the others?"""
    total, bad = runs + other_runs, failed + other_failed
    if runs == 0 or other_runs == 0 or bad in (0, total):
        return 1.0

    def log_chance(count: int) -> float:
        return _log_choose(bad, count) + _log_choose(total - bad, runs - count) - _log_choose(total, runs)

    observed = log_chance(failed) + 1e-9  # equal chances must not fall to rounding
    low, high = max(0, runs - (total - bad)), min(bad, runs)
    return min(
        1.0, sum(math.exp(chance) for at in range(low, high + 1) if (chance := log_chance(at)) <= observed)
    )


def _log_choose(total: int, part: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(part + 1) - math.lgamma(total - part + 1)


def against_others(failed: Sequence[int], runs: Sequence[int]) -> list[float]:
    """One Holm-corrected p a value; two values are one comparison."""
    all_failed, all_runs = sum(failed), sum(runs)
    raw = [
        fisher(bad, count, all_failed - bad, all_runs - count)
        for bad, count in zip(failed, runs, strict=True)
    ]
    if len(raw) <= 2:
        return raw
    corrected, highest = [1.0] * len(raw), 0.0
    for rank, place in enumerate(sorted(range(len(raw)), key=raw.__getitem__)):
        highest = max(highest, min(1.0, raw[place] * (len(raw) - rank)))
        corrected[place] = highest
    return corrected
