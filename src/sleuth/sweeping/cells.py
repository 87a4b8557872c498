"""From runs to cells: which run counts for a (group, value, seed), what failed, what is missing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sleuth.errors import SleuthError
from sleuth.sweeping.columns import Roles
from sleuth.sweeping.table import Column, Scalar, Table, indexed, scores

if TYPE_CHECKING:
    from numpy import bool_, float64, int8, int64
    from numpy.typing import NDArray

CRASHED = frozenset(
    "crashed crash failed failure fail error errored exception killed kill oom out_of_memory timeout "
    "timed_out "
    "preempted aborted cancelled canceled terminated diverged nan lost node_fail interrupted".split()
)
RUNNING = frozenset(
    "running pending queued scheduled starting created initializing submitted waiting".split()
)
OK, FAILED, UNFINISHED = 2, 1, 0  # by falling weight: a finished run counts before a failed one
NO_GROUP = "all"


@dataclass(frozen=True)
class Runs:
    """One entry a usable run, sorted by group, value, seed and then by what counts (the last counts)."""

    row: "NDArray[int64]"
    group: "NDArray[int64]"
    value: "NDArray[int64]"
    seed: "NDArray[int64]"
    metric: "NDArray[float64]"
    status: "NDArray[int8]"
    groups: tuple[Scalar, ...]
    values: tuple[Scalar, ...]
    seeds: tuple[Scalar, ...]
    counts: "NDArray[bool_]"  # the run that stands for its cell
    notes: tuple[str, ...]
    ordered: bool  # by a time column, not by the order of rows


def gather(table: Table, roles: Roles, relabel: "NDArray[int64] | None" = None) -> Runs:
    """Sort the runs into cells. `relabel` maps group codes (fills join the group they fill)."""
    import numpy as np

    value, values = _values(table.columns[roles.param], roles.param)
    seed, seeds = _ordered(*indexed(table.columns[roles.seed]))
    group, groups = _groups(table, roles)
    if relabel is not None:
        group = relabel[group]
    metric = scores(table.columns[roles.metric])
    if not np.isfinite(metric).any():
        raise SleuthError(_no_numbers(table, roles))
    status, notes = _status(table, roles, metric)
    usable = (value >= 0) & (seed >= 0)
    if not usable.any():
        raise SleuthError(
            f"{table.source}: no run has both a {roles.param!r} and a {roles.seed!r}; nothing can be "
            "compared."
        )
    notes += _left_out(value, seed, roles)
    when = _times(table, roles)
    rows = slice(None) if usable.all() else np.flatnonzero(usable)
    key = (group[rows] * len(values) + value[rows]) * len(seeds) + seed[rows]
    order, key = _sorted(key, status[rows], None if when is None else when[rows])
    order = order if isinstance(rows, slice) else rows[order]
    last = np.append(key[1:] != key[:-1], True)
    cell, seed = np.divmod(key, len(seeds))  # sooner than picking them row by row from all over the table
    group, value = np.divmod(cell, len(values))
    return Runs(
        order, group, value, seed, metric[order], status[order],
        groups, values, seeds, last, notes, when is not None and bool(when[usable].any()),
    )  # fmt: skip


def _sorted(
    key: "NDArray[int64]", status: "NDArray[int8]", when: "NDArray[float64] | None"
) -> "tuple[NDArray[int64], NDArray[int64]]":
    """The order by cell, then status, then time, then row; and the keys in that order."""
    import numpy as np

    size = int(key.max()) + 1 if len(key) else 0
    if size <= 4 * len(key):  # a full grid: every run goes straight to its place
        place = np.full(size, -1)
        place[key] = np.arange(len(key))
        taken = np.flatnonzero(place >= 0)
        if len(taken) == len(key):
            return place[taken] if len(taken) < size else place, taken
    order = np.lexsort((status, key) if when is None else (when, status, key))
    return order, key[order]


def _values(column: Column, name: str) -> "tuple[NDArray[int64], tuple[Scalar, ...]]":
    codes, levels = indexed(column)
    if not levels:
        raise SleuthError(f"The parameter column {name!r} is empty.")
    return _ordered(codes, levels)


def _ordered(
    codes: "NDArray[int64]", levels: Sequence[Scalar]
) -> "tuple[NDArray[int64], tuple[Scalar, ...]]":
    """Levels in the order people expect: numbers by size, then texts by name."""
    import numpy as np

    order = sorted(range(len(levels)), key=lambda place: _rank(levels[place]))
    if order == list(range(len(levels))):
        return codes, tuple(levels)
    new = np.full(len(levels) + 1, -1, dtype=np.int64)
    new[order] = np.arange(len(levels))
    return new[codes], tuple(levels[place] for place in order)


def _rank(level: Scalar) -> tuple[int, float, str]:
    if isinstance(level, (int, float)) and not isinstance(level, bool):
        return 0, float(level), ""
    return 1, 0.0, str(level)


def _groups(table: Table, roles: Roles) -> "tuple[NDArray[int64], tuple[Scalar, ...]]":
    import numpy as np

    if roles.group is None:
        return np.zeros(table.rows, dtype=np.int64), (NO_GROUP,)
    codes, levels = indexed(table.columns[roles.group])
    if (codes < 0).any():
        return np.where(codes < 0, len(levels), codes), (*levels, "(no group)")
    return codes, tuple(levels)


def _status(
    table: Table, roles: Roles, metric: "NDArray[float64]"
) -> "tuple[NDArray[int8], tuple[str, ...]]":
    """A run failed when its state says so or when it left no finite result."""
    import numpy as np

    finite = np.isfinite(metric)
    status = np.where(finite, np.int8(OK), np.int8(FAILED))
    notes: tuple[str, ...] = ()
    if roles.state is not None:
        codes, levels = indexed(table.columns[roles.state])
        words = [str(level).strip().lower().replace(" ", "_").replace("-", "_") for level in levels]
        said = np.array(
            [FAILED if w in CRASHED else UNFINISHED if w in RUNNING else OK for w in words] + [OK]
        )
        told = said[codes] if len(levels) else np.full(table.rows, OK)
        ignored = int((finite & (told == FAILED)).sum())
        if ignored:
            notes = (
                f"{ignored} runs have a result though their state says that they failed: it is not used.",
            )
        status = np.where(told == FAILED, FAILED, np.where(told == UNFINISHED, UNFINISHED, status)).astype(
            np.int8
        )
    return status, notes


def _times(table: Table, roles: Roles) -> "NDArray[float64] | None":
    """When each run was, as seconds; 0 where that is not known, None where nothing tells."""
    import numpy as np

    if roles.time is None:
        return None
    column = table.columns[roles.time]
    if column.numbers is not None:
        return np.nan_to_num(column.numbers)
    codes, levels = indexed(column)
    return np.asarray([*(_moment(level) for level in levels), 0.0])[codes]


def _moment(level: Scalar) -> float:
    if isinstance(level, (int, float)):
        return float(level)
    try:
        moment = datetime.fromisoformat(level.replace("Z", "+00:00"))
    except ValueError:
        return 0.0
    # A time without a zone is compared with others of its file: which zone does not matter, mixing would.
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _left_out(value: "NDArray[int64]", seed: "NDArray[int64]", roles: Roles) -> tuple[str, ...]:
    lines = []
    if missing := int((value < 0).sum()):
        lines.append(f"{missing} runs have no {roles.param}: they belong to no value and are left out.")
    if missing := int(((seed < 0) & (value >= 0)).sum()):
        lines.append(f"{missing} runs have no {roles.seed}: they cannot be paired and are left out.")
    return tuple(lines)


def _no_numbers(table: Table, roles: Roles) -> str:
    codes, levels = indexed(table.columns[roles.metric])
    texts = [str(level) for level in levels if isinstance(level, str)][:3]
    held = f"it holds {', '.join(map(repr, texts))}" if texts else "all its cells are empty, NaN or infinite"
    return (
        f"The metric column {roles.metric!r} of {table.source} has no number in {len(codes)} runs ({held}): "
        "name another with --metric."
    )


def finite_or_none(value: float) -> float | None:
    return None if math.isnan(value) or math.isinf(value) else float(value)
