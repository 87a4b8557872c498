"""Runs added later to complete a sweep: joined before scoring when, and only when, the base is the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sleuth.sweeping.cells import Runs
from sleuth.sweeping.columns import tokens
from sleuth.sweeping.grids import Extent

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

MOST = 300  # groups up to which unnamed fills are looked for: every pair is compared


@dataclass(frozen=True)
class Merge:
    """A group that fills another, or would have but for the keys that differ."""

    fill: int
    into: int
    differing: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Member:
    """A group. Nearly all are whole sweeps, and their cells need not be spelled out."""

    code: int
    place: int  # in the extents
    words: tuple[str, ...]
    values: "NDArray[int64]"  # of each run
    seeds: "NDArray[int64]"
    tried: int  # different cells

    @cached_property
    def cells(self) -> frozenset[tuple[int, int]]:
        return frozenset(zip(self.values.tolist(), self.seeds.tolist(), strict=True))

    @cached_property
    def missing(self) -> frozenset[tuple[int, int]]:
        values, seeds = set(self.values.tolist()), set(self.seeds.tolist())
        if self.tried == len(values) * len(seeds):
            return frozenset()
        return frozenset((value, seed) for value in values for seed in seeds) - self.cells


def merges(runs: Runs, extent: Mapping[str, Extent]) -> list[Merge]:
    """Which groups fill which. A fill says so in its name, or consists of nothing but missing cells."""
    members = _members(runs)
    torn = [member for member in members if member.missing]
    found = []
    for one in members:
        if _is_fill(one.words):
            found += _filled_by_name(one, members, extent)
        elif extent and torn:
            found += _filled_by_gaps(one, torn, extent)
    filled = {merge.into for merge in found if not merge.differing}
    return [merge for merge in found if merge.fill not in filled]


def relabelled(groups: int, found: Sequence[Merge]) -> "NDArray[int64]":
    """Group code → the code it is counted under."""
    import numpy as np

    new = np.arange(groups)
    for merge in found:
        if not merge.differing:
            new[merge.fill] = merge.into
    return new


def differing(one: int, other: int, extent: Mapping[str, Extent]) -> tuple[str, ...]:
    """Configuration keys whose level differs between two groups (given by their place)."""

    keys = []
    for name, each in extent.items():
        mine, theirs = ((int(each.low[place]), int(each.high[place])) for place in (one, other))
        known = mine[1] >= 0 and theirs[1] >= 0
        both_vary = mine[0] != mine[1] and theirs[0] != theirs[1]
        if known and not both_vary and mine != theirs:
            keys.append(name)
    return tuple(keys)


def _members(runs: Runs) -> list[_Member]:
    import numpy as np

    first = np.flatnonzero(np.append(True, runs.group[1:] != runs.group[:-1]))
    if not 1 < len(first) <= MOST:
        return []
    members = []
    for place, (start, stop) in enumerate(zip(first, [*first[1:], len(runs.group)], strict=True)):
        code = int(runs.group[start])
        words = tuple(tokens(str(runs.groups[code])))
        part = slice(start, stop)
        tried = int(runs.counts[part].sum())
        members.append(_Member(code, place, words, runs.value[part], runs.seed[part], tried))
    return members


def _is_fill(words: Sequence[str]) -> bool:
    return any(word.rstrip("0123456789") in ("fill", "fills", "refill") for word in words)


def _base(words: Sequence[str]) -> tuple[str, ...]:
    kept = [word for word in words if not _is_fill([word])]
    while kept and kept[-1].isdigit() and len(kept) == len(words) - 2:
        kept.pop()  # "lr-fill-2"
        break
    return tuple(kept)


def _filled_by_name(one: _Member, members: Sequence[_Member], extent: Mapping[str, Extent]) -> list[Merge]:
    others = [other for other in members if not _is_fill(other.words)]
    plain = tuple(word for word in one.words if not _is_fill([word]))
    for base in (plain, _base(one.words)):
        for other in others:
            if base and other.words == base:
                return [Merge(one.code, other.code, differing(one.place, other.place, extent))]
    fitting = [other for other in others if one.cells <= other.missing]
    same = [other for other in fitting if not differing(one.place, other.place, extent)]
    if len(same) == 1:
        return [Merge(one.code, same[0].code)]
    if len(fitting) == 1:
        return [Merge(one.code, fitting[0].code, differing(one.place, fitting[0].place, extent))]
    return []


def _filled_by_gaps(one: _Member, members: Sequence[_Member], extent: Mapping[str, Extent]) -> list[Merge]:
    fitting = [
        other
        for other in members
        if other is not one
        and one.cells <= other.missing
        and not _is_fill(other.words)
        and not differing(one.place, other.place, extent)
    ]
    return [Merge(one.code, fitting[0].code)] if len(fitting) == 1 else []
