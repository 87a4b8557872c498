"""Tables of runs from files: CSV, TSV, JSON lines, JSON, parquet."""

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError
from sleuth.needs import need
from sleuth.shapes import Damage, from_json
from sleuth.sweeping.table import EXACT, Column, Table, coded, from_rows

if TYPE_CHECKING:
    import polars

# Below this the standard library reads a CSV sooner than polars is imported (0.25 s of processor time).
SMALL = 4_000_000  # bytes
# A run has some hundred settings and metrics; a table of more columns lies on its side, or holds raw data.
MOST_COLUMNS = 20_000
# Spreadsheets that part cells by semicolons write 0,5 for a half.
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d+(?:[eE][-+]?\d+)?\s*$)")


def read_file(path: Path) -> Table:
    """The table in a file, by its ending; an unknown ending is read as CSV."""
    if not path.exists():
        raise SleuthError(f"There is no file {str(path)!r}.")
    if not path.is_file():
        raise SleuthError(f"{path} is no file: give a CSV, JSON-lines or parquet file with one row a run.")
    read = _READERS.get(path.suffix.lower(), _delimited)
    table = read(path)
    if not table.columns:
        raise SleuthError(f"{path} is empty: it needs a line of column names and one row a run.")
    if not table.rows:
        names = ", ".join(table.columns)
        raise SleuthError(f"{path} has columns ({names}) and no runs: it needs one row a run.")
    return table


def _delimited(path: Path) -> Table:
    if os.path.getsize(path) > SMALL and path.suffix.lower() in (".csv", ".tsv"):
        return _large_csv(path)
    text = _text(path)
    delimiter = _delimiter(text, path)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(map(str.strip, row))]
    except csv.Error as error:
        raise SleuthError(f"{path} cannot be read as CSV: {error}.") from None
    if not rows:
        return Table({}, 0, str(path))
    _narrow(len(rows[0]), path)
    head, notes = _names(rows[0])
    body, torn = rows[1:], 0
    for place, row in enumerate(body):
        if len(row) != len(head):
            torn += 1
            body[place] = (row + [""] * len(head))[: len(head)]
    if torn:
        notes = (*notes, f"{torn} rows have more or fewer cells than the {len(head)} column names.")
    if delimiter == ";":
        body = [[_DECIMAL_COMMA.sub(".", cell) for cell in row] for row in body]
    columns = {name: coded(row[place] for row in body) for place, name in enumerate(head)}
    return Table(columns, len(body), str(path), notes)


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SleuthError(f"Cannot read {path}: {error.strerror}.") from None
    if b"\0" in raw[:4096] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SleuthError(f"{path} is a binary file, not a table of runs.")
    for encoding in ("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def _delimiter(text: str, path: Path) -> str:
    """The sign that splits the first line most often; a comma wins a draw."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    first = text.split("\n", 1)[0]
    return max(",;\t|", key=first.count)


def _narrow(columns: int, path: Path) -> None:
    if columns > MOST_COLUMNS:
        raise SleuthError(
            f"{path} has {columns} columns; Sleuth reads up to {MOST_COLUMNS}. Give a table with one row a "
            "run, and only the columns that are settings or metrics."
        )


def _names(head: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Column names, stripped and made unique."""
    names = [name.strip() or f"column {place}" for place, name in enumerate(head, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    notes = tuple(f"Two columns are named {name!r}; the second is read as {name + '.2'!r}." for name in twice)
    return unique, notes


def _json_lines(path: Path) -> Table:
    rows: list[dict[str, Any]] = []
    torn = 0
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        row = from_json(line)
        if isinstance(row, Damage):
            torn += 1
            if torn > 3 and not rows:
                raise SleuthError(f"{path}, line {number}, {row}: one object a line is needed.")
            continue
        if not isinstance(row, dict):
            raise SleuthError(f"{path}, line {number}: {type(row).__name__}, not an object with one run.")
        rows.append(dict(flat(row)))
    if torn and not rows:
        raise SleuthError(f"{path} holds no line of JSON: one object a line is needed.")
    _narrow(len({name for row in rows for name in row}), path)
    return from_rows(rows, str(path), (f"{torn} lines are no JSON and were left out.",) if torn else ())


def _json(path: Path) -> Table:
    text = _text(path)
    data = from_json(text)
    if isinstance(data, Damage):
        return _json_lines(path)
    if isinstance(data, Mapping) and isinstance(data.get("runs"), list):
        data = data["runs"]
    if isinstance(data, Mapping):
        data = [data]
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise SleuthError(
            f"{path} is JSON, but no list of runs: [{{'lr': 0.1, 'seed': 0, 'acc': 0.9}}, ...]."
        )
    rows = [dict(flat(row)) for row in data]
    _narrow(len({name for row in rows for name in row}), path)
    return from_rows(rows, str(path))


def flat(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested objects as dotted names: {"config": {"lr": 1}} is config.lr."""
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _large_csv(path: Path) -> Table:
    need("polars", "sweep", f"A file as large as {path}")
    import polars

    first = _first_line(path)
    delimiter = _delimiter(first, path)
    _narrow(first.count(delimiter) + 1, path)
    try:
        frame = polars.read_csv(
            path, separator=delimiter, infer_schema_length=10_000, null_values=["", "null", "NULL", "NA"],
            truncate_ragged_lines=True,
        )  # fmt: skip
    except polars.exceptions.PolarsError:
        try:
            frame = polars.read_csv(
                path,
                separator=delimiter,
                infer_schema=False,
                truncate_ragged_lines=True,
                encoding="utf8-lossy",
            )
        except polars.exceptions.PolarsError as error:
            raise SleuthError(f"{path} cannot be read as CSV: {_first(error)}") from None
    return from_frame(frame, str(path))


def _first_line(path: Path) -> str:
    with path.open("rb") as file:
        return file.readline().decode("utf-8-sig", "replace")


def _parquet(path: Path) -> Table:
    need("polars", "sweep", "Reading parquet")
    import polars

    try:
        # A column at a time: a large table need not be in memory twice.
        names = list(polars.read_parquet_schema(path))
        _narrow(len(names), path)
        parts = [from_frame(polars.read_parquet(path, columns=[name]), str(path)) for name in names]
        columns = {name: column for part in parts for name, column in part.columns.items()}
        return Table(columns, parts[0].rows if parts else 0, str(path))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise SleuthError(f"{path} cannot be read as parquet: {_first(error)}") from None


def from_frame(frame: "polars.DataFrame", source: str) -> Table:
    """A polars frame as a table; structs become dotted names."""
    import polars

    while nested := [name for name, kind in frame.schema.items() if kind == polars.Struct]:
        for name in nested:
            parts = frame[name].struct.unnest()
            frame = frame.drop(name).with_columns(
                parts.rename({part: f"{name}.{part}" for part in parts.columns})
            )
    columns, height = {}, frame.height
    for name in frame.columns:
        columns[name.strip()] = _column(frame[name])
        frame = frame.drop(name)  # two copies of a large table are one too many
    return Table(columns, height, source)


def _column(series: "polars.Series") -> Column:
    import polars

    if series.dtype.is_numeric():
        largest = series.abs().max() if series.dtype.is_integer() else 0
        if largest is None or largest <= EXACT:  # type: ignore[operator]
            return Column(numbers=series.cast(polars.Float64).to_numpy())
    if series.dtype in (polars.List, polars.Array, polars.Object, polars.Binary):
        return coded(str(cell) if cell is not None else None for cell in series.to_list())
    # Text: find the distinct cells fast, and give each its meaning once.
    distinct = series.cast(polars.String).cast(polars.Categorical)
    physical = distinct.to_physical()
    names = distinct.unique().drop_nulls()
    code_of = {
        int(code): name for code, name in zip(names.to_physical(), names.cast(polars.String), strict=True)
    }
    return _recoded(
        physical.cast(polars.Int64).fill_null(-1).to_numpy(), code_of, series.dtype == polars.Boolean
    )


def _recoded(codes: Any, names: Mapping[int, str], truth: bool) -> Column:
    import numpy as np

    order = sorted(names)
    inner = coded((names[code] == "true") if truth else names[code] for code in order)
    assert inner.codes is not None
    table = np.full((max(order, default=-1)) + 2, -1, dtype=np.int64)
    table[order] = inner.codes
    return Column(codes=table[codes], levels=inner.levels)


def _first(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") + "."


_READERS: Mapping[str, Callable[[Path], Table]] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".parquet": _parquet,
    ".pq": _parquet,
}
