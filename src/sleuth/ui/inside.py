"""What was seen inside a model, layer by layer, as maps; and what its evaluation passes showed."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sleuth.archive.record import PACKED_RECORD, number
from sleuth.show.charts import Level
from sleuth.show.heat_maps import heat
from sleuth.ui.lines import Line
from sleuth.ui.shelf import Shelf, record_of
from sleuth.ui.tailing import LONGEST_LINE, MOST_NAMES, Sampled, Tail

SMALL = 8_000_000  # bytes of a record that is read through while a page waits: some tenths of a second
TELLING = (b'"layers"', b'"eval"')  # other lines need not be parsed
ROWS = 40  # of a map; more are a smear
MAPS = (
    ("gradients", "Gradient norm by layer", ""),
    ("ratios", "Update ÷ weight by layer", ""),
    ("dead", "Share of dead units by layer", ""),
    ("spread", "Standard deviation of activations by layer", ""),
)


@dataclass(frozen=True)
class Inside:
    """Rows of maps over the sampled steps, and curves of evaluation passes."""

    steps: tuple[int, ...]
    maps: Mapping[str, Mapping[str, list[float | None]]]
    curves: Mapping[str, Level]

    @property
    def drawings(self) -> list[str]:
        drawn = (heat(title, _chosen(self.maps[key]), self.steps, note) for key, title, note in MAPS)
        return [svg for svg in drawn if svg]


def at_once(shelf: Shelf, found: Line) -> bool:
    """Whether it can be told without a long wait."""
    if found.live or shelf.cache.get(found.id, "inside", found.stamp) is not None:
        return True
    with suppress(OSError):
        packed = found.run.folder / PACKED_RECORD
        path = packed if packed.is_file() else record_of(found.run.folder)
        return path.stat().st_size < (SMALL // 10 if path == packed else SMALL)
    return True


def inside(shelf: Shelf, found: Line) -> Inside:
    if found.live:
        return _inside(shelf.tail(found))
    kept = shelf.cache.get(found.id, "inside", found.stamp)
    with suppress(ValueError, KeyError, TypeError, zlib.error):
        if kept is not None:
            return _from_json(json.loads(zlib.decompress(kept)))
    made = _inside(_read(found.run.folder))
    shelf.cache.put(found.id, "inside", found.stamp, zlib.compress(json.dumps(_to_json(made)).encode(), 1))
    return made


def _read(folder: Path) -> Tail:
    """One pass that parses only the lines it needs."""
    tail = Tail(folder)
    with suppress(OSError, EOFError, zlib.error), _opened(folder) as lines:
        while line := lines.readline(LONGEST_LINE):
            if any(word in line for word in TELLING):
                with suppress(ValueError, RecursionError):
                    event = json.loads(line)
                    if isinstance(event, dict) and event.get("kind") in ("layers", "eval"):
                        tail.take(event)
    return tail


def _opened(folder: Path) -> IO[bytes] | gzip.GzipFile:
    packed, plain = folder / PACKED_RECORD, record_of(folder)
    if not plain.is_file() and packed.is_file():
        return gzip.open(packed, "rb")
    return plain.open("rb")


def _inside(tail: Tail) -> Inside:
    sampled = tail.layers
    maps = {key: _rows(sampled, key) for key, _, _ in MAPS}
    curves = {name: bins.level() for name, bins in tail.series.items() if name.startswith("eval/")}
    return Inside(tuple(sampled.steps), maps, curves)


def _rows(sampled: Sampled, key: str) -> dict[str, list[float | None]]:
    """Name → a value a sampled step, in the order of the model."""
    columns = [dict(_values(event, key)) for event in sampled.rows]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = {name: [column.get(name) for column in columns] for name in list(names)[:MOST_NAMES]}
    return {name: row for name, row in rows.items() if any(row)} if key == "dead" else rows


def _values(event: Mapping[str, Any], key: str) -> Iterator[tuple[str, float]]:
    if key == "gradients":
        yield from _numbers(event.get("gradients"))
    elif key == "ratios":
        weights = dict(_numbers(event.get("weights")))
        for name, update in _numbers(event.get("updates")):
            if weights.get(name):
                yield name, update / weights[name]
    else:
        field = {"dead": "dead_units", "spread": "std"}[key]
        for name, told in _mapping(event.get("activations")).items():
            if (value := number(_mapping(told).get(field, 0.0))) is not None:
                yield str(name), value


def _numbers(told: object) -> Iterator[tuple[str, float]]:
    for name, value in _mapping(told).items():
        if (one := number(value)) is not None:
            yield str(name), one


def _mapping(told: object) -> Mapping[str, Any]:
    return told if isinstance(told, Mapping) else {}


def _chosen(rows: Mapping[str, list[float | None]]) -> dict[str, list[float | None]]:
    """Evenly spread over the depth of the model where there are too many; matrices before their biases."""
    names = list(rows)
    if len(names) > ROWS:
        names = [name for name in names if not name.endswith("bias")] or names
    if len(names) > ROWS:
        names = [names[round(place * (len(names) - 1) / (ROWS - 1))] for place in range(ROWS)]
    return {name: rows[name] for name in names}


def _to_json(made: Inside) -> dict[str, Any]:
    curves = {
        name: [
            list(level.steps),
            list(level.low),
            list(level.mean),
            list(level.high),
            level.missing,
            level.count,
        ]
        for name, level in made.curves.items()
    }
    return {"steps": made.steps, "maps": made.maps, "curves": curves}


def _from_json(told: Mapping[str, Any]) -> Inside:
    maps = {key: dict(told["maps"][key]) for key, _, _ in MAPS}
    return Inside(
        tuple(told["steps"]), maps, {name: Level(*columns) for name, columns in told["curves"].items()}
    )
