"""Small tables of runs with a known truth."""

import csv
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sleuth.sweeping.analysis import Request, analyze
from sleuth.sweeping.columns import Asked
from sleuth.sweeping.result import Analysis
from sleuth.sweeping.table import from_rows


def grid(
    values: Sequence[Any] = (0.1, 0.2, 0.3),
    seeds: Iterable[Any] = range(5),
    effects: Mapping[Any, float] | None = None,
    noise: float = 0.01,
    salt: int = 0,
    **fixed: Any,
) -> list[dict[str, Any]]:
    """One row a cell: a level a seed, an effect a value, a little noise."""
    source = random.Random(salt)
    return [
        {
            "lr": value,
            "seed": seed,
            "acc": 0.5 + 0.05 * int(seed) + (effects or {}).get(value, 0.0) + source.gauss(0, noise),
            **fixed,
        }
        for value in values
        for seed in seeds
    ]


def judged(rows: Sequence[Mapping[str, Any]], lower_is_better: bool = False, **asked: Any) -> Analysis:
    names = {"param": "lr", "metric": "acc", **asked}
    return analyze(from_rows(rows, "runs"), Request(Asked(**names), lower_is_better))


def words(analysis: Analysis, group: int = 0) -> dict[Any, str]:
    return {value.value: value.verdict for value in analysis.groups[group].values}


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    return path
