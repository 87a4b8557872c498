"""A table of runs as columns: small integer codes into distinct cells, or plain numbers."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

Scalar = str | int | float | bool
EMPTY = frozenset({"", "nan", "NaN", "NAN", "null", "NULL", "<NA>", "NA", "N/A", "n/a"})
EXACT = 2**53  # integers beyond this do not survive as floats
BEYOND = 2**1023  # and those beyond this do not become floats at all
LONGEST = 400  # digits of a number below that
LARGEST = 1e150  # squares of larger numbers leave the range of floats, and with them every mean and variance


@dataclass(frozen=True)
class Column:
    """Either `numbers` (NaN: empty), or `codes` (-1: empty) into `levels`."""

    numbers: "NDArray[float64] | None" = None
    codes: "NDArray[int64] | None" = None
    levels: tuple[Scalar, ...] = ()

    @cached_property
    def coded(self) -> "tuple[NDArray[int64], tuple[Scalar, ...]]":
        """Codes and levels, whichever way the column is kept; worked out once."""
        return indexed_anew(self)


@dataclass(frozen=True)
class Table:
    """Columns of equal length. `source` says where they came from, for messages."""

    columns: Mapping[str, Column]
    rows: int
    source: str
    notes: tuple[str, ...] = ()


def coded(cells: Iterable[Any]) -> Column:
    """A column from cells as they were read; text that is a number counts as that number."""
    import numpy as np

    seen: dict[Any, int] = {}
    levels: list[Scalar] = []
    meanings: dict[tuple[Scalar, bool], int] = {}
    codes: list[int] = []
    for cell in cells:
        key = cell if isinstance(cell, str) else (type(cell).__name__, str(cell))
        if key not in seen:
            seen[key] = _place(cell, levels, meanings)
        codes.append(seen[key])
    return Column(codes=np.asarray(codes, dtype=np.int64), levels=tuple(levels))


def from_rows(rows: Sequence[Mapping[str, Any]], source: str, notes: tuple[str, ...] = ()) -> Table:
    """A table from dictionaries; a key that a row lacks is an empty cell."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: coded(row.get(name) for row in rows) for name in names}
    return Table(columns, len(rows), source, notes)


def _place(cell: Any, levels: list[Scalar], meanings: dict[tuple[Scalar, bool], int]) -> int:
    scalar = meaning(cell)
    if scalar is None:
        return -1
    # True == 1 in Python, and not in a table of runs.
    key = (scalar, isinstance(scalar, bool))
    if key not in meanings:
        meanings[key] = len(levels)
        levels.append(scalar)
    return meanings[key]


def meaning(cell: Any) -> Scalar | None:
    """A cell as a number, a truth value or a text; None when it is empty."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, bool):
        return cell
    if isinstance(cell, (int, float)):
        return tidy(cell)
    if not isinstance(cell, str):
        return json.dumps(cell, sort_keys=True, default=str)
    text = cell.strip()
    if text in EMPTY:
        return None
    number = as_number(text)
    return text if number is None or math.isnan(number) else number


def as_number(text: str) -> int | float | None:
    """The number a text spells, in the ways that files of numbers spell them."""
    # float() also takes "1_000", which in a table is a name.
    if "_" in text or not (text[-1:].isdigit() or text[-1:] in ".fyFYnN"):
        return None
    try:
        return tidy(int(text) if text.lstrip("+-").isdigit() and len(text) < LONGEST else float(text))
    except ValueError:
        return None


def tidy(number: float) -> int | float:
    """1.0 and 1 are one value; a whole number that no float can hold is as infinite as 1e400 is."""
    if isinstance(number, int):
        return number if abs(number) < BEYOND else math.inf if number > 0 else -math.inf
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def indexed(column: Column) -> "tuple[NDArray[int64], tuple[Scalar, ...]]":
    """Codes and levels of any column."""
    return column.coded


def indexed_anew(column: Column) -> "tuple[NDArray[int64], tuple[Scalar, ...]]":
    import numpy as np

    if column.codes is not None:
        return column.codes, column.levels
    assert column.numbers is not None
    small = _small_integers(column.numbers)
    if small is not None:
        low, codes = small
        counts = np.bincount(codes)
        order = np.cumsum(counts > 0) - 1
        return order[codes], tuple(int(place) + low for place in np.flatnonzero(counts))
    there = ~np.isnan(column.numbers)
    levels, found = np.unique(column.numbers[there], return_inverse=True)
    codes = np.full(len(there), -1, dtype=np.int64)
    codes[there] = found.ravel()
    return codes, tuple(tidy(level) for level in levels.tolist())


def _small_integers(numbers: "NDArray[float64]") -> "tuple[int, NDArray[int64]] | None":
    """Seeds and counts: integers in a narrow range need no sorting."""
    import numpy as np

    if not numbers.size or np.isnan(numbers).any():
        return None
    low, high = float(numbers.min()), float(numbers.max())
    if not high - low < max(10_000, numbers.size) or not (numbers == np.floor(numbers)).all():
        return None
    return int(low), (numbers - low).astype(np.int64)


def numeric(column: Column) -> "NDArray[float64]":
    """The column as floats; NaN for what is empty or no number."""
    import numpy as np

    if column.numbers is not None:
        return column.numbers
    assert column.codes is not None
    known = [float(level) if _is_number(level) else math.nan for level in column.levels]
    return np.asarray([*known, math.nan])[column.codes]


def scores(column: Column) -> "NDArray[float64]":
    """A metric's numbers; one too large to be reckoned with is infinite, as of a run that diverged."""
    import numpy as np

    found = numeric(column)
    beyond = np.abs(found) > LARGEST
    return np.where(beyond, np.copysign(np.inf, found), found) if beyond.any() else found


def _is_number(level: Scalar) -> bool:
    return isinstance(level, (int, float)) and not isinstance(level, bool)


def all_numbers(levels: Iterable[Scalar]) -> bool:
    return all(_is_number(level) for level in levels)


def take(table: Table, rows: "NDArray[int64]") -> Table:
    """Some rows of a table, in that order."""

    def chosen(column: Column) -> Column:
        return Column(
            None if column.numbers is None else column.numbers[rows],
            None if column.codes is None else column.codes[rows],
            column.levels,
        )

    return Table(
        {name: chosen(column) for name, column in table.columns.items()}, len(rows), table.source, table.notes
    )
