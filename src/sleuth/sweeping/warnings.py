"""Everything a reader of a group should know before believing it, one sentence each."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.sweeping.cells import Runs
from sleuth.sweeping.confounders import Varying
from sleuth.sweeping.fills import Merge
from sleuth.sweeping.model import UNEQUAL
from sleuth.sweeping.result import Pair, Trend, Value
from sleuth.sweeping.score import MANY, Scored
from sleuth.sweeping.table import Scalar
from sleuth.sweeping.verdicts import listed


@dataclass(frozen=True)
class Seen:
    """One group with all that was noticed about it."""

    group: Scalar
    param: str
    metric: str
    values: tuple[Value, ...]
    trend: Trend
    scored: Scored
    place: int
    missing: tuple[Pair, ...]
    running: int
    failed: tuple[Pair, ...]
    doubled: tuple[Pair, ...]
    varies: tuple[Varying, ...]
    seed_bound: tuple[Varying, ...]
    merged: tuple[Merge, ...]
    runs: Runs
    notes: tuple[str, ...]

    @property
    def method(self) -> str:
        """How the verdict was reached."""
        if all(value.verdict == "undefined" for value in self.values):
            return "none"
        if len(self.values) == 2:
            return "paired t, one comparison"
        if self.scored.switched[self.place]:
            return "two-way model with Holm, and paired t with Holm (unequal noise)"
        return "two-way model with pooled error, Holm"


def warnings_of(seen: Seen) -> tuple[str, ...]:
    return (*seen.notes, *_of_design(seen), *_of_noise(seen), *_of_cells(seen), *_of_configuration(seen))


def _of_design(seen: Seen) -> Iterator[str]:
    seeds = seen.scored.seeds[seen.place]
    most = seen.scored.most[seen.place]
    if len(seen.values) == 1:
        yield f"One value of {seen.param} ({seen.values[0].value}): there is nothing to compare it with."
        return
    if most <= 1:
        yield (
            "One seed: chance and effect cannot be told apart. Run at least 3 seeds, the same for each value."
        )
    elif seeds == 0:
        yield (
            "No seed is shared by two values: runs cannot be paired. Give every value the same seeds "
            "(`sleuth sweep run` does)."
        )
    elif seeds == 2:
        yield "Two seeds are never called reliable, whatever they show: add at least one."
    elif seeds == 1:
        yield "Only one seed is shared by values: nothing can be said about chance."
    torn = seen.scored.apart[seen.place]
    if seeds and torn.any():
        apart = [value.value for value, alone in zip(seen.values, torn, strict=True) if alone]
        yield f"{listed(apart)}: no seed in common with the other values, so there is no verdict on them."
    if len(seen.values) > MANY and seen.missing:
        yield (
            f"{len(seen.values)} values with gaps: this looks like a random search, not a sweep. "
            "`sleuth sweep sensitivity` reads those."
        )
    texts = [str(value.value) for value in seen.values if isinstance(value.value, (str, bool))]
    if 0 < len(texts) < len(seen.values):
        yield f"Values are numbers and texts ({listed(texts, 3)}): compared as names, without a trend."
    if seen.trend.scale == "linear" and seen.scored.wide[seen.place] and not math.isnan(seen.trend.slope):
        yield (
            "Values span decades: the straight line is ruled by the largest; --log fits it to their "
            "logarithm."
        )


def _of_noise(seen: Seen) -> Iterator[str]:
    if seen.scored.still[seen.place]:
        yield (
            "Every value gives the same result for all its seeds: either the seed does not reach the program "
            "or the metric is too coarse. Nothing can be said about chance."
        )
        return
    switched = seen.scored.switched[seen.place]
    known = [value for value in seen.values if switched and value.verdict != "undefined"]
    if len(known) > 2:
        loud = max(known, key=lambda value: value.noise_ratio)
        yield (
            f"Noise is not equal (Bartlett p = {seen.scored.unequal[seen.place]:.2g} < {UNEQUAL:g}; at "
            f"{loud.value} its sd is {math.sqrt(loud.noise_ratio):.1f} times that of the others): the "
            "pooled test alone would raise false alarms, so the paired t with Holm must agree."
        )
    if seen.scored.endless[seen.place]:
        endless = [value.value for value in seen.values if math.isinf(value.t_folklore)]
        yield f"The folklore t is infinite at {listed(endless)}: with so few cells z-scores only count signs."


def _of_cells(seen: Seen) -> Iterator[str]:
    if seen.failed:
        why = f"crashed, or without a finite {seen.metric}"
        yield f"{_count(seen.failed)} failed runs ({why}): {_pairs(seen.failed)}."
    if seen.missing:
        still = f" ({seen.running} still running)" if seen.running else ""
        yield (
            f"{_count(seen.missing)} no finished run{still}: {_pairs(seen.missing)}. "
            "`--fill FILE` writes the plan of these."
        )
    if seen.doubled:
        which = "newest" if seen.runs.ordered else "last in the file"
        yield f"{_count(seen.doubled)} several finished runs; the {which} counts: {_pairs(seen.doubled)}."


def _count(pairs: tuple[Pair, ...]) -> str:
    return "1 cell has" if len(pairs) == 1 else f"{len(pairs)} cells have"


def _of_configuration(seen: Seen) -> Iterator[str]:
    for item in seen.varies:
        shown = listed([repr(level) if isinstance(level, str) else level for level in item.levels], 4)
        why = {
            "with the value": f"it changes together with {seen.param}, so their effects cannot be told apart",
            "among runs": "its effect is mixed into the noise or into the values",
        }[item.how]
        yield f"{item.name} also varies ({shown}): {why}."
    for item in seen.seed_bound:
        yield f"{item.name} changes with the seed alone, the same for every value: pairing accounts for it."
    for merge in seen.merged:
        name = seen.runs.groups[merge.fill]
        if merge.differing:
            yield (
                f"Group {name!r} looks like a fill but differs in {', '.join(merge.differing)}: not "
                "comparable, not merged."
            )
        else:
            yield f"Group {name!r} was merged in before scoring: its base configuration is the same."


def _pairs(pairs: tuple[Pair, ...]) -> str:
    return listed([f"({value}, seed {seed})" for value, seed in pairs], 4)
