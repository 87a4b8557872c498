"""Many-task results: interquartile means, bootstrap intervals, probability of improvement, profiles.

Arrays are (run, task) for each algorithm; the columns of all of them are the same tasks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError
from sleuth.sweeping.columns import find
from sleuth.sweeping.table import Scalar, Table, indexed, scores

if TYPE_CHECKING:
    from numpy import float64
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[float64]

DRAWS = 2000  # resamples; the ends of an interval then move by about 1% of its length
PAIR_DRAWS = 500  # the same for a pair, which costs a comparison of every run with every other
MOST_CELLS = 20_000_000  # numbers held at once, 160 MB
MOST_ALGORITHMS = 100  # each is compared with each: 4950 pairs
THRESHOLDS = 21  # points of a performance profile


@dataclass(frozen=True)
class Algorithm:
    """One contender over all tasks."""

    name: Scalar
    runs: int
    iqm: float
    iqm_interval: tuple[float, float]
    median: float
    mean: float
    profile: tuple[float, ...]


@dataclass(frozen=True)
class Improvement:
    """The chance that a run of `better` beats one of `other` on a task drawn at random."""

    better: Scalar
    other: Scalar
    probability: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Tasks:
    """The whole comparison, the best algorithm first. `coverage`: how often such a 95% interval holds the
    truth, simulated at this size. Scaled scores are better when higher, whatever the metric.
    """

    source: str
    metric: str
    lower_is_better: bool
    scaled: bool
    tasks: tuple[Scalar, ...]
    thresholds: tuple[float, ...]
    algorithms: tuple[Algorithm, ...]
    improvements: tuple[Improvement, ...]
    coverage: float
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "sleuth.sweep.tasks/1",
            "source": self.source,
            "metric": self.metric,
            "lower_is_better": self.lower_is_better,
            "scaled": self.scaled,
            "tasks": list(self.tasks),
            "thresholds": list(self.thresholds),
            "algorithms": [
                {
                    "algorithm": one.name, "runs": one.runs, "iqm": one.iqm,
                    "iqm_interval": list(one.iqm_interval), "median": one.median, "mean": one.mean,
                    "profile": list(one.profile),
                }
                for one in self.algorithms
            ],
            "improvements": [
                {
                    "better": one.better, "other": one.other, "probability": one.probability,
                    "interval": list(one.interval),
                }
                for one in self.improvements
            ],
            "interval_coverage": self.coverage,
            "warnings": list(self.warnings),
        }  # fmt: skip


def iqm(scores: "Floats") -> "Floats":
    """The mean of the middle half over the last two axes (run, task)."""
    import numpy as np

    flat = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    count = flat.shape[-1]
    cut = int(count * 0.25)  # as many from each end, rounded down: scipy's trimmed mean
    middle: Floats = flat[..., cut : count - cut].mean(axis=-1)
    return middle


def resampled(scores: "Floats", draws: int, seed: "int | Generator" = 0) -> "Floats":
    """Runs drawn again within each task (stratified): (draw, run, task)."""
    import numpy as np

    runs, tasks = scores.shape
    pick = np.random.default_rng(seed).integers(runs, size=(draws, runs, tasks))
    drawn: Floats = np.take_along_axis(scores[None], pick, axis=1)
    return drawn


def bootstrap(
    statistic: "Callable[..., Floats]", samples: "Sequence[Floats]", draws: int, cells: int
) -> "Floats":
    """The statistic of runs drawn again; `cells` are the numbers it holds for one draw, so many at a time."""
    import numpy as np

    sources = [np.random.default_rng(place) for place in range(len(samples))]
    step = max(1, MOST_CELLS // cells)
    parts = []
    for first in range(0, draws, step):
        count = min(step, draws - first)
        pairs = zip(samples, sources, strict=True)
        parts.append(statistic(*(resampled(one, count, source) for one, source in pairs)))
    return np.concatenate(parts)


def interval(numbers: "Floats", level: float = 0.95) -> tuple[float, float]:
    import numpy as np

    low, high = np.quantile(numbers, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def improvement(one: "Floats", other: "Floats") -> "Floats":
    """Mean over tasks of the share of pairs of runs that `one` wins (ties are half a win)."""
    import numpy as np

    a, b = one[..., :, None, :], other[..., None, :, :]
    wins = (a > b).mean(axis=(-3, -2)) + 0.5 * (a == b).mean(axis=(-3, -2))
    average: Floats = np.mean(wins, axis=-1)
    return average


def profile(scores: "Floats", thresholds: "Floats") -> "Floats":
    """The share of runs above each threshold, averaged over tasks."""
    share: Floats = (scores[None] > thresholds[:, None, None]).mean(axis=(1, 2))
    return share


@cache
def coverage(runs: int, tasks: int) -> float:
    """How often a 95% percentile bootstrap of the interquartile mean holds the truth, for gaussian scores."""
    import numpy as np

    trials, draws, source = 200, 200, np.random.default_rng(7)
    hits = 0
    for _ in range(trials):
        scores = source.standard_normal((runs, tasks))
        low, high = interval(iqm(resampled(scores, draws, int(source.integers(2**31)))))
        hits += low <= 0.0 <= high
    return hits / trials


def compare_tasks(
    table: Table, algorithm: str, task: str, metric: str, lower_is_better: bool, scale: bool
) -> Tasks:
    """Read a table of runs as algorithms × tasks × runs, and compare the algorithms."""
    import numpy as np

    names, tasks, blocks, notes = _blocks(table, algorithm, task, metric)
    if scale:
        blocks, lower_is_better = _scaled(blocks, lower_is_better), False
    sign = -1 if lower_is_better else 1
    signed = {name: sign * block for name, block in blocks.items()}
    pooled = np.concatenate([block.ravel() for block in blocks.values()])
    thresholds = np.linspace(pooled.min(), pooled.max(), THRESHOLDS)
    listed = tuple(
        Algorithm(
            name, block.shape[0], float(iqm(block)), interval(bootstrap(iqm, [block], DRAWS, block.size)),
            float(np.median(block.mean(axis=0))), float(block.mean()),
            tuple(profile(sign * block, sign * thresholds).tolist()),
        )
        for name, block in blocks.items()
    )  # fmt: skip
    ranked = tuple(sorted(listed, key=lambda one: -sign * one.iqm))
    pairs = [_improvement(signed, one, other) for one, other in combinations(names, 2)]
    runs = min(block.shape[0] for block in blocks.values())
    return Tasks(
        table.source, metric, lower_is_better, scale, tuple(tasks), tuple(thresholds.tolist()), ranked,
        tuple(pairs), coverage(min(runs, 50), min(len(tasks), 50)), tuple(notes),
    )  # fmt: skip


def _improvement(signed: "Mapping[Scalar, Floats]", one: Scalar, other: Scalar) -> Improvement:
    """With the more likely winner first."""
    a, b = signed[one], signed[other]
    chance = float(improvement(a, b))
    low, high = interval(bootstrap(improvement, [a, b], PAIR_DRAWS, a.size * len(b)))
    if chance >= 0.5:
        return Improvement(one, other, chance, (low, high))
    return Improvement(other, one, 1 - chance, (1 - high, 1 - low))


def _blocks(
    table: Table, algorithm: str, task: str, metric: str
) -> "tuple[list[Scalar], list[Scalar], Mapping[Scalar, Floats], Sequence[str]]":
    """Scores (run, task) of each algorithm. Tasks that some algorithm lacks, and surplus runs, are left
    out.
    """
    import numpy as np

    names = table.columns
    who, contenders = indexed(names[find(names, algorithm, "algorithm", "--algorithm", table.source)])
    if len(contenders) > MOST_ALGORITHMS:
        raise SleuthError(
            f"{table.source} has {len(contenders)} values of {algorithm}; each is compared with each other, "
            f"so up to {MOST_ALGORITHMS} can be: name the column of the algorithm, or keep the best of them."
        )
    where, places = indexed(names[find(names, task, "task", "--task", table.source)])
    score = scores(names[find(names, metric, "metric", "--metric", table.source)])
    usable = (who >= 0) & (where >= 0) & np.isfinite(score)
    notes = []
    if (~usable).any():
        notes.append(
            f"{int((~usable).sum())} runs without a finite {metric} are left out: count them as failures."
        )
    counts = np.zeros((len(contenders), len(places)), dtype=int)
    np.add.at(counts, (who[usable], where[usable]), 1)
    shared = np.flatnonzero((counts > 0).all(axis=0))
    if not len(shared) or len(contenders) < 2:
        raise SleuthError(
            f"{table.source}: {len(contenders)} algorithms share {len(shared)} tasks: there is nothing "
            "to compare."
        )
    if len(shared) < len(places):
        notes.append(f"{len(places) - len(shared)} tasks that not every algorithm has run are left out.")
    blocks = {}
    for at, name in enumerate(contenders):
        runs = int(counts[at, shared].min())
        columns = [score[usable & (who == at) & (where == place)][:runs] for place in shared]
        blocks[name] = np.stack(columns, axis=1)
    return list(contenders), [places[place] for place in shared], blocks, notes


def _scaled(blocks: "Mapping[Scalar, Floats]", lower_is_better: bool) -> "dict[Scalar, Floats]":
    """Each task from its worst run (0) to its best (1): scores of different games become comparable."""
    import numpy as np

    both = np.concatenate(list(blocks.values()))
    low, high = both.min(axis=0), both.max(axis=0)
    worst, best = (high, low) if lower_is_better else (low, high)
    span = np.where(high > low, best - worst, 1)
    return {name: (block - worst) / span for name, block in blocks.items()}
