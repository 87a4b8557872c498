"""Sums over a series of numbers as a run leaves it: level, noise, trend, fall, explosion."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

NORMAL = 1.4826  # median absolute deviation → standard deviation of a normal distribution
BURST = 1e12  # times the loss before: no longer a high rate, but numbers out of all bounds
BLOCKS = (
    20  # parts a long series is cut into before pairs are compared: enough for a trend, quick for 1e6 steps
)


def finite(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and math.isfinite(value)]


def median(values: Iterable[float]) -> float:
    ordered = sorted(values)
    if not ordered:
        return math.nan
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which that share lies, by the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


def spread(values: Sequence[float]) -> float:
    """A standard deviation that single outliers do not move."""
    centre = median(values)
    return NORMAL * median(abs(value - centre) for value in values)


def noise(values: Sequence[float]) -> float:
    """Standard deviation of one value around the trend, from the jumps between neighbours."""
    jumps = [abs(after - before) for before, after in pairwise(values)]
    return NORMAL * median(jumps) / math.sqrt(2) if jumps else 0.0


def jitter(values: Sequence[float]) -> float:
    """As `noise`, for short series with a steep trend: from how far a value lies off its two neighbours."""
    bends = [abs(a - 2 * b + c) for a, b, c in zip(values, values[1:], values[2:], strict=False)]
    return NORMAL * median(bends) / math.sqrt(6) if bends else 0.0


def blocks(values: Sequence[float], count: int = BLOCKS) -> list[float]:
    """Medians of that many equal parts; of fewer, where the series is short."""
    count = min(count, len(values))
    bounds = [len(values) * part // count for part in range(count + 1)] if count else [0]
    return [median(values[begin:end]) for begin, end in pairwise(bounds)]


def slope(values: Sequence[float]) -> float:
    """Change a step: the median over all pairs of blocks (Theil and Sen), unmoved by outliers."""
    levels = blocks(values)
    width = len(values) / max(1, len(levels))
    slopes = [
        (levels[j] - levels[i]) / ((j - i) * width)
        for i in range(len(levels))
        for j in range(i + 1, len(levels))
    ]
    return median(slopes) if slopes else 0.0


def rising(values: Sequence[float], count: int = 8) -> float:
    """Of all pairs of blocks, the share in which the later is higher: 1 for a steady climb, .5 for noise."""
    levels = blocks(values, count)
    pairs = [(a, b) for index, a in enumerate(levels) for b in levels[index + 1 :]]
    return sum((b > a) + 0.5 * (b == a) for a, b in pairs) / len(pairs) if pairs else 0.5


def start(values: Sequence[float]) -> float:
    """Level at the beginning: the first twentieth, one value of a short series."""
    return median(values[: max(1, min(10, len(values) // 20))])


def end(values: Sequence[float]) -> float:
    """Level at the end: the last tenth."""
    return median(values[-max(1, len(values) // 10) :])


def fallen(values: Sequence[float]) -> float:
    """Share of the level at the start that is gone at the end; negative where it rose, 0 without values."""
    if not values:
        return 0.0
    begin, last = start(values), end(values)
    return (begin - last) / max(abs(begin), abs(last), 1e-30)


def surely_lower(before: Sequence[float], after: Sequence[float], sigmas: float = 3.0) -> bool:
    """Whether the level fell by more than the noise of both stretches explains."""
    if len(before) < 2 or len(after) < 2:
        return False
    wavering = math.sqrt(noise(before) ** 2 / len(before) + noise(after) ** 2 / len(after))
    return sum(before) / len(before) - sum(after) / len(after) > sigmas * wavering


def stuck(values: Sequence[float], share: float = 0.05) -> bool:
    """Neither the level nor the best stretch is clearly below the start: nothing was learned."""
    if len(values) < 10:
        return False
    begin, levels = start(values), blocks(values, 10)
    floor = max(abs(begin), 1e-30)
    return (begin - min(levels[1:])) / floor < share or not surely_lower(
        values[: len(values) // 5], values[-len(values) // 2 :], 2.0
    )


def exploded(values: Sequence[float], factor: float = 10.0) -> int | None:
    """Where a series leaves for good the range of its first tenth, times `factor`; None where it never does.

    Non-finite values count as above everything.
    """
    usual = finite(values[: max(5, len(values) // 10)])
    if not usual:
        return None
    bound = factor * max(max(abs(value) for value in usual), 1e-12)
    beyond = [not math.isfinite(value) or abs(value) > bound for value in values]
    if not beyond or not beyond[-1]:
        return None
    last_calm = max((index for index, over in enumerate(beyond) if not over), default=-1)
    return last_calm + 1


def swing(values: Sequence[float]) -> float:
    """Height of the ups and downs of the later half, as a share of their level, without the trend."""
    half = values[len(values) // 2 :]
    if len(half) < 8:
        return 0.0
    climb, middle = slope(half), (len(half) - 1) / 2
    flat = [value - climb * (index - middle) for index, value in enumerate(half)]
    return (quantile(flat, 0.9) - quantile(flat, 0.1)) / max(abs(median(flat)), 1e-30)


def agreement(one: Sequence[float], other: Sequence[float]) -> float:
    """Rank correlation (Spearman) of two series of one length: 1 together, -1 against each other."""
    a, b = _ranks(one), _ranks(other)
    middle = (len(a) - 1) / 2
    over = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    under = math.sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
    return over / under if under else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 0; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    at = 0
    while at < len(order):
        to = at
        while to + 1 < len(order) and values[order[to + 1]] == values[order[at]]:
            to += 1
        for place in range(at, to + 1):
            ranks[order[place]] = (at + to) / 2
        at = to + 1
    return ranks


def period(marks: Sequence[object], longest: int = 5000) -> int | None:
    """After how many places a sequence repeats itself exactly (two whole turns at least), or None."""
    first = marks[0] if marks else None
    for turn in range(1, min(longest, len(marks) // 2) + 1):
        if marks[turn] == first and all(a == b for a, b in zip(marks, marks[turn:], strict=False)):
            return turn
    return None


def least_squares(rows: Sequence[Sequence[float]], wanted: Sequence[float]) -> list[float] | None:
    """The weights with which the columns come nearest to what is wanted; None where columns go together."""
    size = len(rows[0])
    table = [
        [sum(row[i] * row[j] for row in rows) for j in range(size)]
        + [sum(row[i] * total for row, total in zip(rows, wanted, strict=True))]
        for i in range(size)
    ]
    scale = max(table[i][i] for i in range(size))
    for i in range(size):
        best = max(range(i, size), key=lambda k: abs(table[k][i]))
        table[i], table[best] = table[best], table[i]
        if not abs(table[i][i]) > 1e-12 * scale:
            return None
        for k in range(size):
            if k != i:
                factor = table[k][i] / table[i][i]
                table[k] = [a - factor * b for a, b in zip(table[k], table[i], strict=True)]
    return [table[i][size] / table[i][i] for i in range(size)]
