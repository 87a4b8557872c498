"""From numbers to words, the same for values and trends."""

import math
from collections.abc import Sequence

from sleuth.sweeping.model import RELIABLE
from sleuth.sweeping.power import seeds_to_confirm, slope_seeds
from sleuth.sweeping.result import Word

FEWEST = 3  # paired seeds: two are never reliable, whatever they show
SUGGESTIVE = 0.10  # of the uncorrected p: one comparison in ten without any effect


def word(p: float, raw: float, effect: float, seeds: int, lower_is_better: bool) -> Word:
    """The verdict on one comparison."""
    if math.isnan(p) or seeds < 2:
        return "undefined"
    if p < RELIABLE and seeds >= FEWEST:
        return "reliable-better" if (effect < 0) == lower_is_better else "reliable-worse"
    return "suggestive" if raw < SUGGESTIVE else "no-evidence"


def seeds_to_add(effect: float, noise: float, values: int, seeds: int) -> int | None:
    """How many more seeds would confirm an effect of this size with 80% power."""
    if not noise > 0 or values < 2 or math.isnan(effect):
        return max(1, FEWEST - seeds)
    needed = seeds_to_confirm(round(abs(effect) / noise, 1) or 0.1, values)
    return None if needed is None else max(needed - seeds, FEWEST - seeds, 1)


def seeds_for_slope(slope: float, error: float, values: int, seeds: int) -> int | None:
    """As `seeds_to_add`, for a trend: its t grows with the square root of the seeds."""
    if not error > 0 or math.isnan(slope):
        return max(1, FEWEST - seeds)
    needed = slope_seeds(round(abs(slope) / error / math.sqrt(seeds), 2) or 0.01, values)
    return None if needed is None else max(needed - seeds, FEWEST - seeds, 1)


def in_words(verdict: Word, add: int | None) -> str:
    if verdict == "suggestive":
        return "suggestive" + (f": add {add} seeds" if add and add > 1 else ": add 1 seed" if add else "")
    if verdict == "undefined":
        return "undefined"
    return verdict.replace("-", " ")


def listed(names: Sequence[object], most: int = 5) -> str:
    shown = ", ".join(str(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
