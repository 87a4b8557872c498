"""Reads a table of runs as sweeps and judges each of them."""

import gc
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError
from sleuth.sweeping.cells import FAILED, OK, Runs, gather
from sleuth.sweeping.columns import Asked, Roles, roles, run_names
from sleuth.sweeping.confounders import Confounders, confounders
from sleuth.sweeping.fills import Merge, merges, relabelled
from sleuth.sweeping.findings import findings_of
from sleuth.sweeping.grids import Block, blocks, extents
from sleuth.sweeping.result import Analysis, Cells, Group, Pair, Trend
from sleuth.sweeping.score import Scored, score
from sleuth.sweeping.table import Scalar, Table, all_numbers, indexed
from sleuth.sweeping.values import block_values
from sleuth.sweeping.verdicts import seeds_for_slope, word
from sleuth.sweeping.warnings import Seen, warnings_of

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Request:
    """What to analyse, and how to read it."""

    asked: Asked
    lower_is_better: bool = False
    log_scale: bool = False


@dataclass(frozen=True)
class _Context:
    """What every group needs to know."""

    request: Request
    roles: Roles
    runs: Runs
    confounders: Confounders
    merged: tuple[Merge, ...]
    attempts: "NDArray[int64]"  # by group and value
    failures: "NDArray[int64]"
    failed: Mapping[int, tuple[Pair, ...]]  # by group code
    doubled: Mapping[int, tuple[Pair, ...]]
    notes: tuple[str, ...]


def analyze(table: Table, request: Request) -> Analysis:
    """Judge every sweep in a table."""
    if request.log_scale:
        _check_log(table, request)
    parts = roles(table, request.asked)
    runs = gather(table, parts)
    config = {name: indexed(table.columns[name])[0] for name in parts.config}
    extent = extents(runs, config)
    found = merges(runs, extent)
    if any(not merge.differing for merge in found):
        runs = gather(table, parts, relabelled(len(runs.groups), found))
        extent = extents(runs, config)
    context = _context(table, request, parts, runs, confounders(table, runs, config, extent), tuple(found))
    with _without_collector():
        shown = tuple(group for _, group in sorted(_groups(context), key=lambda pair: pair[0]))
        names = run_names(table, parts)
        findings = findings_of(shown, runs, context.confounders, names, request.lower_is_better)
    return Analysis(
        table.source, request.asked.param, request.asked.metric, parts.seed, request.lower_is_better,
        table.rows, shown, tuple(findings),
    )  # fmt: skip


@contextmanager
def _without_collector() -> Iterator[None]:
    """Thousands of small objects that all stay: looking for garbage among them again and again finds none."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _check_log(table: Table, request: Request) -> None:
    from sleuth.sweeping.columns import find

    name = find(table.columns, request.asked.param, "parameter", "--param", table.source)
    levels = indexed(table.columns[name])[1]
    if not all_numbers(levels) or not all(float(level) > 0 for level in levels):
        raise SleuthError(
            f"--log needs positive numbers as values of {name}; found {', '.join(map(str, levels[:5]))}."
        )


def _context(
    table: Table,
    request: Request,
    parts: Roles,
    runs: Runs,
    varying: Confounders,
    found: tuple[Merge, ...],
) -> _Context:
    import numpy as np

    key = runs.group * len(runs.values) + runs.value
    size = len(runs.groups) * len(runs.values)
    bad = runs.status == FAILED
    notes = table.notes + runs.notes
    if parts.guessed:
        named = ", ".join(parts.guessed)
        why = (
            f"Not taken as configuration because nearly every run has its own: {named} (--config names "
            "what is)."
        )
        notes = (*notes, why)
    return _Context(
        request, parts, runs, varying, found,
        np.bincount(key, minlength=size), np.bincount(key[bad], minlength=size),
        _by_group(runs, bad), _by_group(runs, _doubled(runs)),
        notes,
    )  # fmt: skip


def _doubled(runs: Runs) -> "NDArray[Any]":
    """Finished runs that another finished run of the same cell replaces."""
    import numpy as np

    # Sorted by status within a cell: a replaced finished run has a finished one right after it.
    same = np.append(
        (runs.group[1:] == runs.group[:-1])
        & (runs.value[1:] == runs.value[:-1])
        & (runs.seed[1:] == runs.seed[:-1]),
        False,
    )
    replaced: NDArray[Any] = same & (runs.status == OK)
    return replaced


def _by_group(runs: Runs, chosen: "NDArray[Any]") -> dict[int, tuple[Pair, ...]]:
    """Chosen runs as (value, seed) pairs by group, each pair once."""
    found: dict[int, dict[Pair, None]] = {}
    where = chosen.nonzero()[0]
    triples = zip(*(part[where].tolist() for part in (runs.group, runs.value, runs.seed)), strict=True)
    for group, value, seed in triples:
        found.setdefault(group, {})[(runs.values[value], runs.seeds[seed])] = None
    return {group: tuple(pairs) for group, pairs in found.items()}


def _groups(context: _Context) -> Iterator[tuple[int, Group]]:
    import numpy as np

    runs = context.runs
    numbers = _places(context)
    for block in blocks(runs):
        with np.errstate(all="ignore"):  # numbers as large as floats get overflow when squared
            scored = score(block, numbers[block.values])
        build = _builder(context, block, scored)
        for place, code in enumerate(block.groups.tolist()):
            yield code, build(place, code)


def _places(context: _Context) -> "NDArray[float64]":
    """The values as numbers; NaN where one is none, which leaves its group without a trend."""
    import numpy as np

    levels = context.runs.values
    places = np.asarray([float(level) if all_numbers([level]) else math.nan for level in levels])
    places = np.where(np.isfinite(places), places, math.nan)
    return np.log10(places) if context.request.log_scale else places


def _builder(context: _Context, block: Block, scored: Scored) -> Callable[[int, int], Group]:
    runs, param = context.runs, context.request.asked.param
    missing_any = block.missing.reshape(len(block.groups), -1).max(axis=1).tolist()
    seeds_of = _seeds(runs, block)
    lower = context.request.lower_is_better
    all_values = block_values(runs, block, scored, context.attempts, context.failures, lower)

    def build(place: int, code: int) -> Group:
        values = all_values[place]
        missing = _missing(runs, block, place) if missing_any[place] else ()
        running = int((block.missing[place] & (block.place[place] >= 0)).sum()) if missing else 0
        failed = context.failed.get(code, ())
        varies = context.confounders.of(code)
        trend = _trend(context, scored, place)
        seeds = seeds_of(place)
        seen = Seen(
            runs.groups[code], param, context.roles.metric, values, trend, scored, place, missing, running,
            failed, context.doubled.get(code, ()), varies, context.confounders.seed_bound(code),
            tuple(merge for merge in context.merged if merge.into == code), runs, context.notes,
        )  # fmt: skip
        return Group(
            runs.groups[code], param, values, trend, tuple(item.name for item in varies), missing, failed,
            warnings_of(seen), seeds, seen.method,
            scored.noise[place], scored.false_alarms,
            Cells(lambda: tuple(value.value for value in values), seeds, block.metric[place]),
        )  # fmt: skip

    return build


def _seeds(runs: Runs, block: Block) -> Callable[[int], tuple[Scalar, ...]]:
    """The seeds of a group; most groups have the same, which are then spelled out once."""

    def spelled(place: int) -> tuple[Scalar, ...]:
        return tuple(runs.seeds[code] for code in block.seeds[place].tolist())

    if len(block.seeds) and (block.seeds == block.seeds[0]).all():
        same = spelled(0)
        return lambda place: same
    return spelled


def _trend(context: _Context, scored: Scored, place: int) -> Trend:
    scale: Any = "log10" if context.request.log_scale else "linear"
    if scored.trend is None:
        return Trend(math.nan, math.nan, math.nan, math.nan, math.nan, "undefined", None, scale)
    part = {name: numbers[place] for name, numbers in scored.trend.items()}
    verdict = word(
        part["p"], part["raw"], part["slope"], scored.seeds[place], context.request.lower_is_better
    )
    known = verdict != "undefined"
    values, seeds = scored.effect.shape[1], scored.seeds[place]
    add = seeds_for_slope(part["slope"], part["error"], values, seeds) if verdict == "suggestive" else None
    return Trend(
        part["r"], part["t"], part["slope"], part["error"] if known else math.nan,
        part["p"] if known else math.nan, verdict, add, scale,
    )  # fmt: skip


def _missing(runs: Runs, block: Block, place: int) -> tuple[Pair, ...]:
    at = block.missing[place].nonzero()
    values, seeds = block.values[place].tolist(), block.seeds[place].tolist()
    pairs = zip(at[0].tolist(), at[1].tolist(), strict=True)
    return tuple((runs.values[values[v]], runs.seeds[seeds[s]]) for v, s in pairs)
