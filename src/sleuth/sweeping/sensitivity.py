"""How much a metric depends on each parameter, and whether the best run was luck."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError
from sleuth.sweeping.columns import Asked, find, roles
from sleuth.sweeping.result import plain
from sleuth.sweeping.table import Scalar, Table, all_numbers, indexed, numeric, scores

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

    Floats = NDArray[float64]

BINS = 5  # of a numeric parameter with more values than that
SHUFFLES = 500  # the smallest p is then 0.002
NARROW = 0.5  # of the whole range that one step away from the best costs: too sensitive
FEWEST = 8  # runs; fewer say nothing about any parameter


@dataclass(frozen=True)
class Bin:
    """Runs with one value, or with values in a range."""

    label: str
    low: float
    high: float
    runs: int
    mean: float
    best: float


@dataclass(frozen=True)
class Sensitivity:
    """One parameter. `share` of the metric's variance that it explains; `drop` is what a step from the
    best costs.
    """

    param: str
    share: float
    p: float
    drop: float
    verdict: str  # "too sensitive", "matters", "no evidence"
    best: str
    bins: tuple[Bin, ...]
    points: tuple[tuple[Scalar, float], ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "param": self.param,
            "share_of_variance": plain(self.share),
            "p": plain(self.p),
            "drop_one_step": plain(self.drop),
            "verdict": self.verdict,
            "best": self.best,
            "bins": [
                {"label": one.label, "runs": one.runs, "mean": one.mean, "best": one.best}
                for one in self.bins
            ],
        }


@dataclass(frozen=True)
class Luck:
    """The best run against its neighbours: those nearest in all parameters."""

    best: float
    neighbours: int
    mean: float
    sd: float
    excess: float  # standard deviations of the neighbours
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Report:
    """All parameters, the most telling first."""

    source: str
    metric: str
    runs: int
    params: tuple[Sensitivity, ...]
    luck: Luck | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "sleuth.sweep.sensitivity/1",
            "source": self.source,
            "metric": self.metric,
            "runs": self.runs,
            "params": [one.to_dict() for one in self.params],
            "luck": None if self.luck is None else self.luck.to_dict(),
        }


def sensitivity(table: Table, metric: str, params: Sequence[str], lower_is_better: bool) -> Report:
    """Judge each parameter by itself; without names, every configuration column that varies."""
    import numpy as np

    column = find(table.columns, metric, "metric", "--metric", table.source)
    score = scores(table.columns[column])
    finite = np.isfinite(score)
    if int(finite.sum()) < FEWEST:
        raise SleuthError(
            f"{table.source} has {int(finite.sum())} runs with a {metric}: sensitivity needs {FEWEST}."
        )
    names = [find(table.columns, name, "parameter", "--param", table.source) for name in params]
    names = names or _varying(table, column)
    y = -score[finite] if lower_is_better else score[finite]
    found = [_one(table, name, finite, y, lower_is_better) for name in names]
    shown = sorted((one for one in found if one), key=lambda one: -one.share)
    if not shown:
        raise SleuthError(f"{table.source}: no parameter varies; name some with --param.")
    luck = _luck(table, [one.param for one in shown], finite, y, lower_is_better)
    return Report(table.source, metric, int(finite.sum()), tuple(shown), luck)


def _varying(table: Table, metric: str) -> list[str]:
    others = [name for name in table.columns if name != metric]
    if len(others) < 1:
        raise SleuthError(f"{table.source} has no column but {metric}.")
    parts = roles(table, Asked(others[0], metric, seed=others[-1]))
    wanted = {*parts.config, *parts.guessed, *(name for name in others[:1] + others[-1:])}
    skipped = {"seed", "group", parts.run, parts.state, parts.time}
    return [
        name
        for name in others
        if name in wanted and name not in skipped and name.lower() not in ("seed", "group", "run_id", "id")
        and len(indexed(table.columns[name])[1]) > 1
    ]  # fmt: skip


def _one(table: Table, name: str, finite: "NDArray[Any]", y: "Floats", flip: bool) -> Sensitivity | None:
    import numpy as np

    codes, levels = indexed(table.columns[name])
    codes = codes[finite]
    known = codes >= 0
    if len(set(codes[known].tolist())) < 2 or (not all_numbers(levels) and len(levels) > len(codes) / 2):
        return None
    places = numeric(table.columns[name])[finite] if all_numbers(levels) else codes.astype(float)
    which, labels, edges = _bins(places[known], codes[known], levels)
    mine = y[known]
    share = _explained(which, mine)
    source = np.random.default_rng(0)
    chance = sum(_explained(which, source.permutation(mine)) >= share for _ in range(SHUFFLES))
    p = (chance + 1) / (SHUFFLES + 1)
    means = [float(mine[which == at].mean()) for at in range(len(labels))]
    drop, best = _drop(means, ordered=all_numbers(levels))
    verdict = (
        "no evidence" if p >= 0.05 else "too sensitive" if drop > NARROW and len(labels) > 2 else "matters"
    )
    sign = -1 if flip else 1
    bins = tuple(
        Bin(
            labels[at],
            *edges[at],
            int((which == at).sum()),
            sign * means[at],
            sign * float(mine[which == at].max()),
        )
        for at in range(len(labels))
    )
    points = tuple(
        (levels[code], sign * value) for code, value in zip(codes[known].tolist(), mine.tolist(), strict=True)
    )
    return Sensitivity(name, share, p, drop, verdict, labels[best], bins, points)


def _bins(
    places: "Floats", codes: "NDArray[int64]", levels: Sequence[Scalar]
) -> "tuple[NDArray[int64], list[str], list[tuple[float, float]]]":
    """Each value by itself when there are few; else equally many runs a bin."""
    import numpy as np

    distinct = np.unique(places)
    if len(distinct) <= 2 * BINS or not all_numbers(levels):
        which = np.searchsorted(distinct, places)
        names = {
            float(place): str(levels[code])
            for place, code in zip(places.tolist(), codes.tolist(), strict=True)
        }
        return (
            which,
            [names[place] for place in distinct.tolist()],
            [(place, place) for place in distinct.tolist()],
        )
    cuts = np.unique(np.quantile(places, np.linspace(0, 1, BINS + 1)[1:-1]))
    which = np.searchsorted(cuts, places, side="right")
    spans = [
        (float(places[which == at].min()), float(places[which == at].max())) for at in range(len(cuts) + 1)
    ]
    return which, [f"{low:.3g}–{high:.3g}" for low, high in spans], spans


def _explained(which: "NDArray[int64]", y: "Floats") -> float:
    """The correlation ratio: variance between bins over all variance."""
    import numpy as np

    counts = np.bincount(which)
    sums = np.bincount(which, weights=y)
    total = float(((y - y.mean()) ** 2).sum())
    if total == 0:
        return 0.0
    between = float((sums**2 / np.maximum(counts, 1)).sum() - y.sum() ** 2 / len(y))
    return max(0.0, between / total)


def _drop(means: Sequence[float], ordered: bool) -> tuple[float, int]:
    """What the step from the best to its better neighbour costs, as a share of the whole range."""
    best = max(range(len(means)), key=means.__getitem__)
    span = means[best] - min(means)
    near = (
        [at for at in (best - 1, best + 1) if 0 <= at < len(means)]
        if ordered
        else [at for at in range(len(means)) if at != best]
    )
    if not near or span <= 0:
        return 0.0, best
    return (means[best] - max(means[at] for at in near)) / span, best


def _luck(table: Table, names: Sequence[str], finite: "NDArray[Any]", y: "Floats", flip: bool) -> Luck | None:
    """Ranks make parameters of any scale comparable; the nearest tenth (at least 5) are the neighbours."""
    import numpy as np

    columns = []
    for name in names:
        codes, levels = indexed(table.columns[name])
        place = numeric(table.columns[name])[finite] if all_numbers(levels) else codes[finite].astype(float)
        ranks = np.searchsorted(np.sort(place), place) / max(len(place) - 1, 1)
        columns.append(np.nan_to_num(ranks))
    spots = np.stack(columns, axis=1)
    best = int(np.argmax(y))
    distance = np.abs(spots - spots[best]).sum(axis=1)
    distance[best] = math.inf
    near = np.argsort(distance, kind="stable")[: max(5, len(y) // 10)]
    mean, sd = float(y[near].mean()), float(y[near].std(ddof=1))
    excess = (float(y[best]) - mean) / sd if sd > 0 else 0.0
    # The best of m gaussian runs is expected sqrt(2 ln m) standard deviations up: that is no luck.
    usual = math.sqrt(2 * math.log(len(near) + 1))
    verdict = (
        "probably lucky: run it again with other seeds"
        if excess > 0.5 + usual
        else "in line with its neighbours"
    )
    sign = -1 if flip else 1
    return Luck(sign * float(y[best]), len(near), sign * mean, sd, excess, verdict)
