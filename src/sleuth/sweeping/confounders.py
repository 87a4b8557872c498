"""What else varies within a group, and how groups differ from each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.sweeping.cells import Runs
from sleuth.sweeping.grids import Extent
from sleuth.sweeping.table import Scalar, Table, indexed

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Varying:
    """A configuration column that is not the same for all runs of a group."""

    name: str
    levels: tuple[Scalar, ...]
    how: str  # "with the value", "with the seed", or "among runs"


@dataclass(frozen=True)
class Confounders:
    """By group code: what varies. And the base configuration of every group, by its place."""

    varying: Mapping[int, tuple[Varying, ...]]
    extents: Mapping[str, Extent]
    levels: Mapping[str, tuple[Scalar, ...]]
    codes: tuple[int, ...]  # of the groups, in the order of the extents

    def of(self, group: int) -> tuple[Varying, ...]:
        """What can be mistaken for an effect of the parameter."""
        return tuple(item for item in self.varying.get(group, ()) if item.how != "with the seed")

    def seed_bound(self, group: int) -> tuple[Varying, ...]:
        """What changes with the seed alone: the same for all values, so that pairing removes it."""
        return tuple(item for item in self.varying.get(group, ()) if item.how == "with the seed")

    def differing(self) -> dict[str, int]:
        """Keys of the base configuration that are not the same in all groups → number of levels."""
        found = {}
        for name, extent in self.extents.items():
            base = [
                int(low)
                for low, high in zip(extent.low, extent.high, strict=True)
                if low == high and low >= 0
            ]
            if len(set(base)) > 1:
                found[name] = len(set(base))
        return found


def confounders(
    table: Table, runs: Runs, config: "Mapping[str, NDArray[int64]]", seen: Mapping[str, Extent]
) -> Confounders:
    """`seen` are the extents of the configuration's columns."""
    import numpy as np

    first = np.flatnonzero(np.append(True, runs.group[1:] != runs.group[:-1]))
    stops = [*first[1:].tolist(), len(runs.group)]
    varying: dict[int, list[Varying]] = {}
    for name, extent in seen.items():
        levels = indexed(table.columns[name])[1]
        for place in np.flatnonzero(extent.low != extent.high).tolist():
            part = slice(int(first[place]), stops[place])
            item = _varying(name, config[name][runs.row[part]], levels, runs.value[part], runs.seed[part])
            varying.setdefault(int(runs.group[first[place]]), []).append(item)
    codes = tuple(runs.group[first].tolist())
    return Confounders(
        {group: tuple(items) for group, items in varying.items()},
        seen,
        {name: indexed(table.columns[name])[1] for name in config},
        codes,
    )


def _varying(
    name: str,
    codes: "NDArray[int64]",
    levels: tuple[Scalar, ...],
    value: "NDArray[int64]",
    seed: "NDArray[int64]",
) -> Varying:
    known = codes >= 0
    there = sorted({levels[code] for code in codes[known].tolist()}, key=str)
    # Bound to the seed only when some seed has several values to tell: else it may as well follow the value.
    repeated = len(set(seed[known].tolist())) < int(known.sum())
    if repeated and _follows(codes[known], seed[known]):
        how = "with the seed"
    elif _follows(codes[known], value[known]):
        how = "with the value"
    else:
        how = "among runs"
    return Varying(name, tuple(there), how)


def _follows(codes: "NDArray[int64]", by: "NDArray[int64]") -> bool:
    """Whether each level of `by` has one code."""
    pairs = set(zip(by.tolist(), codes.tolist(), strict=True))
    return len(pairs) == len({one for one, _ in pairs})
