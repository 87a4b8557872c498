"""Cells as blocks of numbers: all groups with the same number of values and seeds in one array."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.errors import SleuthError
from sleuth.sweeping.cells import OK, UNFINISHED, Runs

if TYPE_CHECKING:
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

LARGEST = 60_000_000  # cells of one block: about half a gigabyte


@dataclass(frozen=True)
class Block:
    """Groups of one shape. Arrays are (group, value, seed) unless said otherwise."""

    groups: "NDArray[int64]"  # (group)
    values: "NDArray[int64]"  # (group, value): codes
    seeds: "NDArray[int64]"  # (group, seed): codes
    metric: "NDArray[float64]"  # NaN where there is no result
    place: "NDArray[int64]"  # into the sorted runs; -1 where there is no run
    failed: "NDArray[bool_]"
    missing: "NDArray[bool_]"


def blocks(runs: Runs) -> list[Block]:
    """Every group, sorted into blocks by shape."""
    import numpy as np

    at = np.flatnonzero(runs.counts)
    used = slice(None) if len(at) == len(runs.counts) else at
    groups, group_at = _dense(runs.group[used])
    values, value_at, value_first = _within(group_at, runs.value[used], len(runs.values))
    seeds, seed_at, seed_first = _within(group_at, runs.seed[used], len(runs.seeds))
    value_count = np.bincount(values // len(runs.values), minlength=len(groups))
    seed_count = np.bincount(seeds // len(runs.seeds), minlength=len(groups))
    value_rank, seed_rank = value_at - value_first[group_at], seed_at - seed_first[group_at]
    shapes, shape_of = np.unique(np.stack([value_count, seed_count], axis=1), axis=0, return_inverse=True)
    shape_of, made = shape_of.ravel(), list[Block]()
    for which, (k, n) in enumerate(shapes.tolist()):
        members = np.flatnonzero(shape_of == which)
        _check_size(len(members) * k * n, k, n)
        inside = shape_of[group_at] == which if len(shapes) > 1 else slice(None)
        new = np.full(len(groups), -1)
        new[members] = np.arange(len(members))
        flat = (new[group_at[inside]] * k + value_rank[inside]) * n + seed_rank[inside]
        names = values[value_first[members][:, None] + np.arange(k)] % len(runs.values)
        tried = seeds[seed_first[members][:, None] + np.arange(n)] % len(runs.seeds)
        shape = (len(members), k, n)
        made.append(_block(runs, at[inside], flat, shape, groups[members], names, tried))
    return made


def _block(
    runs: Runs,
    at: "NDArray[int64]",
    flat: "NDArray[int64]",
    shape: tuple[int, int, int],
    groups: "NDArray[int64]",
    values: "NDArray[int64]",
    seeds: "NDArray[int64]",
) -> Block:
    import numpy as np

    size = shape[0] * shape[1] * shape[2]
    if len(at) == size:  # a full grid: the runs are sorted as the cells are
        status = runs.status[at]
        metric = np.where(status == OK, runs.metric[at], np.nan)
        failed, missing = (status != OK) & (status != UNFINISHED), status == UNFINISHED
        return Block(
            groups, values, seeds, metric.reshape(shape), at.reshape(shape),
            failed.reshape(shape), missing.reshape(shape),
        )  # fmt: skip
    metric, place = np.full(size, np.nan), np.full(size, -1, dtype=np.int64)
    failed, missing = np.zeros(size, dtype=bool), np.ones(size, dtype=bool)
    status = runs.status[at]
    metric[flat] = np.where(status == OK, runs.metric[at], np.nan)
    place[flat] = at
    failed[flat] = (status != OK) & (status != UNFINISHED)
    missing[flat] = status == UNFINISHED
    return Block(
        groups, values, seeds, metric.reshape(shape), place.reshape(shape),
        failed.reshape(shape), missing.reshape(shape),
    )  # fmt: skip


def _dense(group: "NDArray[int64]") -> "tuple[NDArray[int64], NDArray[int64]]":
    """Distinct groups in order, and for each cell which of them. The cells are sorted by group."""
    import numpy as np

    new = np.append(True, group[1:] != group[:-1])
    return group[new], np.cumsum(new) - 1


def _within(
    group_at: "NDArray[int64]", code: "NDArray[int64]", count: int
) -> "tuple[NDArray[int64], NDArray[int64], NDArray[int64]]":
    """Distinct (group, code) keys, for each cell which of them, and where each group's keys begin."""
    import numpy as np

    key = group_at * count + code
    groups = int(group_at[-1]) + 1 if len(group_at) else 0
    if groups * count <= max(4 * len(key), 1000):
        seen = np.zeros(groups * count, dtype=bool)
        seen[key] = True
        distinct = np.flatnonzero(seen)
        at = (np.cumsum(seen) - 1)[key]
    else:
        distinct, at = np.unique(key, return_inverse=True)
        at = at.ravel()
    return distinct, at, np.searchsorted(distinct, np.arange(groups) * count)


def _check_size(cells: int, values: int, seeds: int) -> None:
    if cells > LARGEST:
        raise SleuthError(
            f"A group has {values} values and {seeds} seeds, {cells:,} combinations: that is no sweep "
            "over a few values with the same seeds. Check --param, --seed and --group."
        )


@dataclass(frozen=True)
class Extent:
    """Smallest and largest code of each group in one column of configuration; -1: not known."""

    low: "NDArray[int64]"
    high: "NDArray[int64]"


def extents(runs: Runs, config: "Mapping[str, NDArray[int64]]") -> dict[str, Extent]:
    """For each configuration column, what each group (in the order of its first run) holds."""
    import numpy as np

    first = np.flatnonzero(np.append(True, runs.group[1:] != runs.group[:-1]))
    found = {}
    for name, codes in config.items():
        if len(codes) and codes.min() == codes.max():  # the same for all runs, as most settings are
            same = np.full(len(first), codes[0])
            found[name] = Extent(same, same)
            continue
        mine = codes[runs.row]
        low = np.minimum.reduceat(np.where(mine < 0, np.iinfo(np.int64).max, mine), first)
        high = np.maximum.reduceat(mine, first)
        found[name] = Extent(np.where(high < 0, -1, low), high)
    return found
