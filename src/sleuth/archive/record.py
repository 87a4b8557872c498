"""The record of a run: JSON lines as the recorder wrote them, and the series, seeds and counts in them."""

import gzip
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.archive.packing import Series
from sleuth.record import blocks
from sleuth.record.blocks import Reading
from sleuth.shapes import from_json, shaped

RECORD, PACKED_RECORD = "record.jsonl", "record.jsonl.gz"
WORTH_PACKING = 256 * 1024  # bytes; a smaller record stays a text that any tool reads
AN_END = 64 * 1024  # bytes, some hundred events
FARTHEST = 2**62  # steps beyond this would not fit the packed differences

WORDS = ("nan", "inf", "-inf")

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Digest:
    """What the index keeps of a record. `steps` spans first to last: not each of them need be recorded."""

    series: Mapping[str, Series]
    seeds: tuple[tuple[str, int], ...]
    steps: int


def events(folder: Path, kind: str | None = None, reading: Reading | None = None) -> Iterator[Event]:
    """Every event in order. A torn line, as a killed process leaves one at the end, is passed over.

    Where the script only started others that trained (ranks, children), the first of theirs follows. What is
    damaged is left out, and counted in `reading`.
    """
    reading = reading or Reading()
    trained = False
    for path in (*_own(folder), *beside(folder)):
        if trained:
            return
        for event in blocks.events(path, reading):
            trained = trained or event["kind"] == "step"
            if kind in (None, event["kind"]):
                yield event


def damage(folder: Path) -> tuple[str, ...]:
    """What is wrong with a run's record, in sentences."""
    reading = Reading()
    for _ in events(folder, None, reading):
        pass
    return reading.damage


def beside(folder: Path) -> list[Path]:
    """Records of children that trained; the ranks of a distributed run first, in order."""
    found = [path for path in folder.glob("record.*.jsonl") if path.stat().st_size]
    return sorted(found, key=lambda path: (".rank" not in path.name, len(path.name), path.name))


def digest(recorded: Iterable[Event]) -> Digest:
    """One pass over a record."""
    columns: dict[str, tuple[list[int], list[float]]] = {}
    seeds: dict[tuple[str, int], None] = {}
    first = latest = None
    for event in recorded:
        kind = event["kind"]
        if kind == "step":
            latest = _step(event, 0 if latest is None else latest + 1)
            first = latest if first is None else first
            _add_all(columns, latest, event)
        elif kind == "metric":
            _add(columns, str(event.get("name")), _step(event, latest or 0), number(event.get("value")))
        elif kind == "seed" and isinstance(seed := shaped(int, event.get("value", 0)), int):
            seeds[str(event.get("what")), seed] = None  # a nought is not written
    series = {name: Series(name, tuple(at), tuple(values)) for name, (at, values) in columns.items()}
    return Digest(series, tuple(seeds), _span(first, latest))


def span(folder: Path) -> int | None:
    """The steps of a run that goes on or was killed, from both ends of its record alone."""
    with suppress(OSError), (folder / RECORD).open("rb") as file:
        head = file.read(AN_END)
        file.seek(max(0, file.seek(0, io.SEEK_END) - AN_END))
        first, last = (_step_numbers(part) for part in (head, file.read()))
        if not first or not last:  # long events of another kind stand at an end: read it all
            first = last = [_step(event, 0) for event in events(folder, "step")]
        return _span(min(first, default=None), max(last, default=None))
    return None


def pack(folder: Path) -> None:
    """Compress a long record. It is complete under one name or the other, whatever interrupts."""
    plain, packed = folder / RECORD, folder / PACKED_RECORD
    if not plain.exists() or plain.stat().st_size < WORTH_PACKING:
        return
    scratch = packed.with_name(f".{packed.name}.tmp")
    try:
        with plain.open("rb") as source, gzip.open(scratch, "wb", compresslevel=6) as target:
            while part := source.read(1 << 20):
                target.write(part)
        scratch.replace(packed)
        plain.unlink()
    finally:
        scratch.unlink(missing_ok=True)


def _own(folder: Path) -> list[Path]:
    """The plain record where there is one: while it stands, it is the whole one."""
    return [path for path in (folder / RECORD, folder / PACKED_RECORD) if path.exists()][:1]


def _span(first: int | None, last: int | None) -> int:
    return 0 if first is None or last is None else last - first + 1


def _step_numbers(part: bytes) -> list[int]:
    """Of whole lines in whole blocks; what was cut at either side is neither."""
    found = map(from_json, blocks.whole_lines(io.BytesIO(part), Reading()))
    return [_step(event, 0) for event in found if isinstance(event, dict) and event.get("kind") == "step"]


def _step(event: Event, otherwise: int) -> int:
    step = event.get("n")
    return step if type(step) is int and abs(step) < FARTHEST else otherwise


def _add_all(columns: dict[str, tuple[list[int], list[float]]], step: int, event: Event) -> None:
    for field, value in event.items():
        if field not in ("kind", "n"):
            _add(columns, f"step/{field}", step, number(value))


def _add(
    columns: dict[str, tuple[list[int], list[float]]], name: str, step: int, value: float | None
) -> None:
    if value is None:
        return
    at, values = columns.setdefault(name, ([], []))
    at.append(step)
    values.append(value)


def number(value: object) -> float | None:
    """A number of JSON as a float; true and false are not numbers here, and JSON's lacks stand as words."""
    if type(value) is float:
        return value
    if type(value) is not int and value not in WORDS:
        return None
    with suppress(OverflowError):
        return float(value)
    return None
