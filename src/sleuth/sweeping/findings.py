"""What an analysis found, each with the numbers and the runs it rests on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from sleuth import catalog
from sleuth.finding import TELLINGS
from sleuth.sweeping.cells import FAILED, OK, Runs
from sleuth.sweeping.columns import RunNames
from sleuth.sweeping.confounders import Confounders, Varying
from sleuth.sweeping.failures import against_others
from sleuth.sweeping.lottery import lottery
from sleuth.sweeping.result import Group, Pair, SweepFinding, Value
from sleuth.sweeping.table import Scalar
from sleuth.sweeping.verdicts import listed

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

MOST_RUNS = 100  # names of runs in one finding
MOST_GROUPS = 200  # beyond this many groups, only reliable effects and failures are told one by one


def findings_of(
    groups: Sequence[Group], runs: Runs, confounders: Confounders, names: RunNames, lower_is_better: bool
) -> list[SweepFinding]:
    """In the order of their weight: what undermines the sweep first, then what it shows."""
    import numpy as np

    first = np.flatnonzero(np.append(True, runs.group[1:] != runs.group[:-1]))
    book = _Book(runs, names, first, np.append(first[1:], len(runs.group)))
    parts: list[Iterator[SweepFinding]] = []
    for place, group in enumerate(groups):
        parts.append(_of_group(group, confounders, book, place, lower_is_better))
    found = list(chain.from_iterable(parts))
    found += _between_groups(groups, confounders)
    return sorted(found, key=lambda finding: TELLINGS.index(finding.telling))


@dataclass(frozen=True)
class _Book:
    """Looks up the runs of a group, value and seed."""

    runs: Runs
    names: RunNames
    first: "NDArray[int64]"  # of each group
    stop: "NDArray[int64]"

    def find(
        self,
        place: int,
        value: Scalar | None = None,
        pairs: Sequence[Pair] | None = None,
        failed: bool = False,
    ) -> tuple[str, ...]:
        """Names of the runs that count, or of the failed ones."""
        runs, part = self.runs, slice(int(self.first[place]), int(self.stop[place]))
        status = runs.status[part]
        there = status == FAILED if failed else runs.counts[part] & (status == OK)
        if value is not None:
            there &= runs.value[part] == runs.values.index(value)
        wanted = None if pairs is None else set(pairs)
        names = list[str]()
        columns = (column[part][there].tolist() for column in (runs.value, runs.seed, runs.row))
        for value_at, seed_at, row in zip(*columns, strict=True):
            pair = (runs.values[value_at], runs.seeds[seed_at])
            if wanted is None or pair in wanted:
                names.append(self.names.of(row))
                if len(names) == MOST_RUNS:
                    break
        return tuple(names)


def _of_group(
    group: Group, confounders: Confounders, book: _Book, place: int, lower_is_better: bool
) -> Iterator[SweepFinding]:
    if place < MOST_GROUPS:
        yield from _confounded(group, confounders.of(confounders.codes[place]))
        yield from _lottery(group, book, place, lower_is_better)
        yield from _missing(group)
    if group.failed:
        yield from _failed(group, book, place)
    for value in group.values:
        if value.verdict in ("reliable-better", "reliable-worse"):
            yield _effect(group, value, book, place)
    if group.trend.verdict in ("reliable-better", "reliable-worse"):
        yield _trend(group, book, place)


def _effect(group: Group, value: Value, book: _Book, place: int) -> SweepFinding:
    better = value.verdict.removeprefix("reliable-")
    low, high = value.interval or (float("nan"), float("nan"))
    return SweepFinding(
        f"value-{better}",
        f"{group.param} = {value.value} is reliably {better} than the other values: {value.effect:+.4g} "
        f"({low:+.4g} to {high:+.4g}, p = {value.p:.2g}, {value.n_seeds} seeds).",
        "aside", group.group, value.value,
        {"effect": value.effect, "low": low, "high": high, "p": value.p, "seeds": value.n_seeds},
        runs=book.find(place, value.value),
    )  # fmt: skip


def _trend(group: Group, book: _Book, place: int) -> SweepFinding:
    trend, unit = group.trend, "tenfold" if group.trend.scale == "log10" else "unit"
    better = trend.verdict.removeprefix("reliable-")
    return SweepFinding(
        f"trend-{better}",
        f"More {group.param} is reliably {better}: {trend.slope:+.4g} per {unit} (p = {trend.p:.2g}).",
        "aside", group.group, None, {"slope": trend.slope, "p": trend.p, "r": trend.r},
        runs=book.find(place),
    )  # fmt: skip


def _failed(group: Group, book: _Book, place: int) -> Iterator[SweepFinding]:
    failed, counts = [v.failed for v in group.values], [v.attempts for v in group.values]
    corrected = against_others(failed, counts)
    worst = min(range(len(corrected)), key=lambda at: (corrected[at], -failed[at]))
    shares = ", ".join(f"{v.value}: {v.failed} of {v.attempts}" for v in group.values if v.failed)
    told = f"{sum(failed)} of {sum(counts)} runs failed ({shares})."
    if corrected[worst] < 0.05 and failed[worst] > 0:
        often = "more" if failed[worst] * sum(counts) > sum(failed) * counts[worst] else "less"
        told += (
            f" {group.param} = {group.values[worst].value} fails {often} often than chance explains "
            f"(Fisher p = {corrected[worst]:.2g})."
        )
    yield SweepFinding(
        "failed-runs", told, "likely", group.group,
        group.values[worst].value if corrected[worst] < 0.05 else None,
        {"failed": sum(failed), "runs": sum(counts), "p": corrected[worst]},
        "Read their logs: a crash is a result of its value, and is not filled with another run.",
        runs=book.find(place, pairs=group.failed, failed=True),
    )  # fmt: skip


def _lottery(group: Group, book: _Book, place: int, lower_is_better: bool) -> Iterator[SweepFinding]:
    found = lottery(group.cells, lower_is_better)
    if found is None:
        return
    runs = book.find(place, pairs=found.pairs)
    for seen in catalog.ask("sweep", found, catalog.mentioning("sweep")):
        yield SweepFinding(
            seen.cause,
            seen.message,
            seen.telling,
            group.group,
            None,
            seen.numbers,
            seen.fix,
            seen.cause,
            runs,
        )


def _confounded(group: Group, varies: Sequence[Varying]) -> Iterator[SweepFinding]:
    for item in varies:
        yield SweepFinding(
            "also-varies",
            f"Besides {group.param}, {item.name} varies {item.how} ({listed(item.levels, 4)}): what "
            "looks like "
            f"an effect of {group.param} may be one of {item.name}.",
            "likely", group.group, None, {"column": item.name, "levels": len(item.levels)},
            f"Hold {item.name} fixed and run again; if it is no setting: --ignore-columns {item.name}.",
        )  # fmt: skip


def _missing(group: Group) -> Iterator[SweepFinding]:
    if not group.missing:
        return
    cells = listed([f"({value}, {seed})" for value, seed in group.missing], 6)
    yield SweepFinding(
        "missing-cells",
        f"No run for {len(group.missing)} of {len(group.values) * len(group.seeds)} cells: {cells}.",
        "aside", group.group, None, {"missing": len(group.missing)},
        "--fill FILE writes the plan that runs exactly these.",
    )  # fmt: skip


def _between_groups(groups: Sequence[Group], confounders: Confounders) -> Iterator[SweepFinding]:
    keys = confounders.differing()
    if len(groups) < 2 or not keys:
        return
    named = listed([f"{name} ({count} levels)" for name, count in keys.items()])
    yield SweepFinding(
        "apples-and-oranges",
        f"The {len(groups)} groups differ in their base configuration: {named}. Each is judged by itself; "
        "comparing one group with another would compare apples and oranges.",
        "aside", None, None, {"groups": len(groups), "keys": ", ".join(keys)},
    )  # fmt: skip
