"""Runs for other programs: one long table of every value, as CSV or Parquet."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from sleuth.archive.run import Run
from sleuth.errors import SleuthError
from sleuth.files import write_whole
from sleuth.needs import need

COLUMNS = ("run", "script", "series", "step", "value")


def rows(runs: Sequence[Run]) -> Iterator[tuple[str, str, str, int, float]]:
    for run in runs:
        script = str(run.meta.get("script") or "")
        for name, series in run.all_series().items():
            for step, value in zip(series.steps, series.values, strict=True):
                yield run.id, script, name, step, value


def export(runs: Sequence[Run], target: Path) -> int:
    """Write the table in the form its name ends in; the number of values."""
    if target.suffix not in (".csv", ".parquet"):
        raise SleuthError(f"Cannot tell the form of {target}: end it in .csv or .parquet, or use mlflow:URI.")
    if target.suffix == ".parquet":
        need("pyarrow", "parquet", "Writing Parquet")
    table = list(rows(runs))
    write_whole(target, _csv(table) if target.suffix == ".csv" else _parquet(table))
    return len(table)


def _csv(table: Sequence[tuple[str, str, str, int, float]]) -> str:
    """Numbers in the shortest form that reads back as the same number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(table)
    return text.getvalue()


def _parquet(table: Sequence[tuple[str, str, str, int, float]]) -> bytes:
    import pyarrow  # type: ignore[import-untyped]
    from pyarrow import parquet

    kinds = (pyarrow.string(), pyarrow.string(), pyarrow.string(), pyarrow.int64(), pyarrow.float64())
    columns = zip(*table, strict=True) if table else ((),) * len(COLUMNS)
    arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=list(COLUMNS)), buffer, compression="zstd")
    return buffer.getvalue()
