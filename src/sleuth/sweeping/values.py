"""The values of a block of groups, put into words all at once: a table of sweeps has many."""

import math
from typing import TYPE_CHECKING, Any, get_args

from sleuth.sweeping.cells import Runs
from sleuth.sweeping.grids import Block
from sleuth.sweeping.model import RELIABLE, TINY
from sleuth.sweeping.result import Value, Word
from sleuth.sweeping.score import Scored
from sleuth.sweeping.verdicts import FEWEST, SUGGESTIVE, seeds_to_add

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

    Floats = NDArray[float64]

WORDS: tuple[Word, ...] = get_args(Word)
BETTER, WORSE, HINT, NONE, UNDEFINED = range(5)


def block_values(
    runs: Runs,
    block: Block,
    scored: Scored,
    attempts: "NDArray[int64]",
    failures: "NDArray[int64]",
    lower_is_better: bool,
) -> list[tuple[Value, ...]]:
    """One tuple of values a group. `attempts` and `failures` count runs by group and value."""
    import numpy as np

    said = words(scored.p, scored.raw, scored.effect, scored.paired, lower_is_better)
    silent = said == UNDEFINED
    p, raw = (np.where(silent, math.nan, part) for part in (scored.p, scored.raw))
    index = (block.groups[:, None] * len(runs.values) + block.values).ravel()
    adds = _adds(scored, said)
    columns: list[list[Any]] = [
        [runs.values[code] for code in block.values.ravel().tolist()],
        *(part.ravel().tolist() for part in (scored.count, scored.mean, scored.q10, scored.q90)),
        *(part.ravel().tolist() for part in (scored.z_mean, scored.z_sd, scored.t)),
        _effects(scored).ravel().tolist(),
        _intervals(scored, silent),
        p.ravel().tolist(),
        raw.ravel().tolist(),
        [WORDS[code] for code in said.ravel().tolist()],
        [adds.get(at) for at in range(said.size)],
        failures[index].tolist(),
        attempts[index].tolist(),
        scored.ratio.ravel().tolist(),
    ]
    made = [Value(*row) for row in zip(*columns, strict=True)]
    width = said.shape[1]
    return [tuple(made[at : at + width]) for at in range(0, len(made), width)]


def words(
    p: "Floats", raw: "Floats", effect: "Floats", seeds: "NDArray[Any]", lower_is_better: bool
) -> "NDArray[int64]":
    """`verdicts.word`, for arrays: places in WORDS."""
    import numpy as np

    sure = (p < RELIABLE) & (seeds >= FEWEST)
    good = (effect < 0) == lower_is_better
    choices = [np.isnan(p) | (seeds < 2), sure & good, sure, raw < SUGGESTIVE]
    return np.select(choices, [UNDEFINED, BETTER, WORSE, HINT], NONE)


def _adds(scored: Scored, said: "NDArray[int64]") -> dict[int, int | None]:
    """Seeds to add, by flat place; only hints ask for more."""
    width = said.shape[1]
    places = (said.ravel() == HINT).nonzero()[0].tolist()
    effect, seeds = scored.effect.ravel(), scored.paired.ravel()
    return {
        at: seeds_to_add(float(effect[at]), float(scored.noise[at // width]), width, int(seeds[at]))
        for at in places
    }


def _intervals(scored: Scored, silent: "NDArray[Any]") -> list[tuple[float, float] | None]:
    import numpy as np

    known = ~silent & np.isfinite(scored.low) & np.isfinite(scored.high)
    ends = zip(scored.low.ravel().tolist(), scored.high.ravel().tolist(), known.ravel().tolist(), strict=True)
    return [(low, high) if shown else None for low, high, shown in ends]


def _effects(scored: Scored) -> "Floats":
    """From the model; where that has nothing to say (one seed), the plain difference of means."""
    import numpy as np

    if not np.isnan(scored.effect).any():
        return scored.effect
    there = ~np.isnan(scored.mean)
    mean = np.where(there, scored.mean, 0)
    others = there.sum(axis=1, keepdims=True) - there
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = scored.mean - (mean.sum(axis=1, keepdims=True) - mean) / np.where(others > 0, others, np.nan)
    tiny = np.abs(gap) <= TINY * np.abs(mean).max(axis=1, keepdims=True)
    return np.where(np.isnan(scored.effect), np.where(tiny, 0.0, gap), scored.effect)
