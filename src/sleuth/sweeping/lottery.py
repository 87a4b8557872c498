"""Outcomes in two heaps: some seeds learn and others do not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.evidence.beta import quantile
from sleuth.sweeping.result import Cells
from sleuth.sweeping.table import Scalar

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

# Two heaps this far apart, with a gap this wide between them, both in standard deviations within a heap; the
# fewer the runs, the more. The smaller heap holds a tenth of the runs and is no wider than twice the other (a
# long tail is). Simulated: of 6 to 60 runs from one heap, gaussian or t(2), at most 3.5% look so, uniform 7%,
# log-normal 10%; of 15 (40) runs of which 30% fail by 6 standard deviations, 68% (90%) are recognised.
APART = (4.5, 12.0)  # at least a + b / runs
GAP = (1.0, 12.0)
SHARE = 0.1
WIDER = 2.0
FEWEST = 6  # runs; of fewer, two heaps are a guess
HEAP = 2  # runs: one stray result is an outlier, not a heap


@dataclass(frozen=True)
class Lottery:
    """How many failed of how many, counted in seeds where whole seeds fail together, else in runs."""

    failing: int
    total: int
    unit: str
    low: float
    high: float
    threshold: float
    apart: float
    pairs: tuple[tuple[Scalar, Scalar], ...]

    @property
    def share(self) -> float:
        return self.failing / self.total


def lottery(cells: Mapping[tuple[Scalar, Scalar], float], lower_is_better: bool) -> Lottery | None:
    """Two heaps of outcomes with some value in both; None when there is one heap."""
    found = two_heaps(cells.ranked() if isinstance(cells, Cells) else sorted(cells.values()))
    if found is None:
        return None
    threshold, apart = found
    failed = {pair: (outcome > threshold) == lower_is_better for pair, outcome in cells.items()}
    failing_values = {value for (value, _), bad in failed.items() if bad}
    learning = {value for (value, _), bad in failed.items() if not bad}
    if not failing_values & learning:
        return None  # the values differ; that is an effect, not a lottery
    among = {pair: bad for pair, bad in failed.items() if pair[0] in learning}
    by_seed: dict[Scalar, set[bool]] = {}
    for (_, seed), bad in among.items():
        by_seed.setdefault(seed, set()).add(bad)
    pairs = tuple(pair for pair, bad in among.items() if bad)
    if len(learning) > 1 and all(len(sides) == 1 for sides in by_seed.values()):
        failing, total, unit = sum(True in sides for sides in by_seed.values()), len(by_seed), "seeds"
    else:
        failing, total, unit = len(pairs), len(among), "runs"
    low, high = exact_interval(failing, total)
    return Lottery(failing, total, unit, low, high, threshold, apart, pairs)


def two_heaps(ranked: "Sequence[float] | NDArray[float64]") -> tuple[float, float] | None:
    """The middle of the gap and the distance of the heaps, or None. `ranked` rises."""
    count = len(ranked)
    if count < FEWEST or ranked[0] == ranked[-1]:
        return None
    import numpy as np

    numbers = np.asarray(ranked)
    scaled = numbers / np.abs(numbers).max()
    scaled = scaled - scaled.mean()
    ahead, squares = np.cumsum(scaled), np.cumsum(scaled**2)
    places = np.arange(HEAP, count - HEAP + 1)
    low = squares[places - 1] - ahead[places - 1] ** 2 / places
    high = squares[-1] - squares[places - 1] - (ahead[-1] - ahead[places - 1]) ** 2 / (count - places)
    which = int(np.argmin(low + high))
    at, small, large = int(places[which]), max(float(low[which]), 0.0), max(float(high[which]), 0.0)
    spread = max(((small + large) / (count - 2)) ** 0.5, 1e-9 * float(scaled[-1] - scaled[0]))
    distance = float((ahead[-1] - ahead[at - 1]) / (count - at) - ahead[at - 1] / at)
    gap = float(scaled[at] - scaled[at - 1])
    if distance < _least(APART, count) * spread or gap < _least(GAP, count) * spread:
        return None
    (few, width), (many, other) = sorted([(at, small), (count - at, large)])
    if few < SHARE * count or width / (few - 1) > WIDER**2 * max(other / (many - 1), spread**2):
        return None
    return float(ranked[at] + ranked[at - 1]) / 2, distance / spread


def _least(rule: tuple[float, float], count: int) -> float:
    return rule[0] + rule[1] / count


def exact_interval(part: int, whole: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval for a share."""
    tail = (1 - level) / 2
    low = 0.0 if part == 0 else quantile(tail, part, whole - part + 1)
    high = 1.0 if part == whole else quantile(1 - tail, part + 1, whole - part)
    return low, high
