"""Runs of Sleuth's own archive: those of sweeps, and those that were watched."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sleuth.archive import Row, home_folder, listed
from sleuth.archive.index import metrics
from sleuth.errors import SleuthError
from sleuth.sweeping.table import Table, from_rows, meaning

# A run that was cut off by hand is to be run again; one that left without a word has failed.
STATES = {"interrupted": "running", "unfinished": "killed"}


def read_archive(home: Path | None) -> Table:
    """One row a run: its settings, and the last value of each of its metrics."""
    place = home_folder(home)
    rows = listed(place)
    if not rows:
        raise SleuthError(f"There are no runs in {place}; `sleuth watch` and `sleuth sweep run` make some.")
    numbers = metrics(place)
    return from_rows([_row(row, numbers.get(row.run.id, {})) for row in rows], f"the archive {place}")


def _row(row: Row, numbers: Mapping[str, tuple[float, float, float]]) -> dict[str, Any]:
    sweep = (row.meta.get("summary") or {}).get("sweep")
    return {
        "run_id": row.run.id,
        "state": STATES.get(row.status, row.status),
        "start_time": row.started,
        "end_time": row.meta.get("ended"),
        **(_of_sweep(sweep) if sweep else _watched(row)),
        **{name: last for name, (last, _, _) in numbers.items()},
    }


def _of_sweep(sweep: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "group": sweep.get("group"),
        "seed": sweep.get("seed"),
        "config.base": sweep.get("base"),
        **{f"config.{name}": value for name, value in dict(sweep.get("config") or {}).items()},
        **dict(sweep.get("values") or {}),
    }


def _watched(row: Row) -> dict[str, Any]:
    """Settings are the words behind the script; the seed is one of them, or the one that was set."""
    words = [str(word) for word in row.meta.get("command") or ()]
    settings = dict(settings_in(words))
    seeds = {entry.get("value") for entry in row.meta.get("seeds") or ()}
    seed = settings.pop("seed", seeds.pop() if len(seeds) == 1 else None)
    return {"group": row.script, "seed": seed, **{f"config.{key}": value for key, value in settings.items()}}


def settings_in(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """`--lr 0.1`, `--lr=0.1`, `lr=0.1` and `--flag`, as name and value."""
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        name, sign, value = word.lstrip("-").partition("=")
        if sign and name:
            yield name, meaning(value)
        elif word.startswith("--") and name:
            follows = place < len(words) and not _is_option(words[place])
            yield name, meaning(words[place]) if follows else True
            place += follows


def _is_option(word: str) -> bool:
    """`-5` is a number."""
    return word.startswith("-") and not isinstance(meaning(word), (int, float))
