"""Offline `.wandb` files: a log of records in blocks, read as far as it goes."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.sweeping.sources.wire import Torn, double, fields, inner, signed, text
from sleuth.sweeping.table import Table, from_rows

BLOCK = 32_768  # bytes, as in LevelDB's log
HEAD = 7  # checksum, length, kind
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4
# Fields of wandb's Record, RunRecord and items.
HISTORY, SUMMARY, CONFIG, OUTPUT, OUTPUT_RAW, RUN, EXIT = 2, 3, 5, 4, 13, 17, 18


def read_folder(folder: Path) -> Table:
    """Every .wandb file below a folder, one row a run."""
    rows, torn = [], []
    for path in sorted(folder.rglob("*.wandb")):
        row, whole = read_run(path)
        if not whole:
            torn.append(path.name)
        if row:
            rows.append(row)
    if not rows:
        raise SleuthError(f"The .wandb files in {folder} hold no run.")
    notes = (
        f"{len(torn)} files end in the middle of a record and were read up to there: {', '.join(torn[:3])}.",
    )
    return from_rows(rows, str(folder), notes if torn else ())


def read_run(path: Path) -> tuple[dict[str, Any], bool]:
    """Configuration, last value of each metric, and how the run ended; and whether the file is whole."""
    row: dict[str, Any] = {}
    config: dict[str, Any] = {}
    metrics: dict[str, Any] = {}
    state, whole = "crashed", True
    try:
        for record in _records(path.read_bytes()):
            for number, content in fields(record):
                if number == RUN:
                    row |= _run(inner(content), config)
                elif number == CONFIG:
                    config |= _items(inner(content), 1)
                elif number in (HISTORY, SUMMARY):
                    metrics |= _items(inner(content), 1)
                elif number == EXIT:
                    codes = dict(fields(inner(content)))
                    state = "finished" if not codes.get(1, 0) else "failed"
    except (Torn, struct.error):
        whole = False
    if not row:
        return {}, whole
    known = {f"config.{key}": value for key, value in _flat(config) if not key.startswith("_wandb")}
    seen = {key: value for key, value in metrics.items() if not key.startswith("_")}
    return row | {"state": state} | known | seen, whole


def logs(folder: Path, target: Path) -> int:
    """What each run printed, written to TARGET/run_id/output.log; how many said anything."""
    from sleuth.files import write_whole

    count = 0
    for path in sorted(folder.rglob("*.wandb")):
        printed, row = log_of(path), read_run(path)[0]
        if printed and row:
            place = target / str(row.get("run_id") or path.stem)
            place.mkdir(parents=True, exist_ok=True)
            write_whole(place / "output.log", printed)
            count += 1
    return count


def log_of(path: Path) -> str:
    """What the run printed."""
    lines = []
    try:
        for record in _records(path.read_bytes()):
            for number, content in fields(record):
                if number in (OUTPUT, OUTPUT_RAW):
                    lines += [text(part) for field, part in fields(inner(content)) if field == 3]
    except (Torn, struct.error):
        pass
    return "".join(lines)


def _records(data: bytes) -> Iterator[bytes]:
    if data[:4] != b":W&B":
        raise Torn("no wandb file")
    at, parts = HEAD, list[bytes]()
    while at + HEAD <= len(data):
        left = BLOCK - at % BLOCK
        if left < HEAD:
            at += left
            continue
        _, size, kind = struct.unpack("<IHB", data[at : at + HEAD])
        at += HEAD
        if kind == 0 and size == 0:
            at += BLOCK - at % BLOCK
            continue
        if at + size > len(data):
            raise Torn("the last record is cut off")
        parts = [*parts, data[at : at + size]] if kind in (MIDDLE, LAST) else [data[at : at + size]]
        at += size
        if kind in (FULL, LAST):
            yield b"".join(parts)
            parts = []
    if at < len(data) and BLOCK - at % BLOCK >= HEAD:
        raise Torn("the last record is cut off")


def _run(data: bytes, config: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    names = {1: "run_id", 6: "group", 7: "job_type", 8: "name"}
    for number, content in fields(data):
        if number in names:
            row[names[number]] = text(content)
        elif number == 4:
            config |= _items(inner(content), 1)
        elif number == 17:
            parts = dict(fields(inner(content)))
            row["start_time"] = signed(parts.get(1, 0)) + signed(parts.get(2, 0)) / 1e9
    return row


def _items(data: bytes, which: int) -> dict[str, Any]:
    found = {}
    for number, content in fields(data):
        if number == which:
            key, value = _item(inner(content))
            if key:
                found[key] = value
    return found


def _item(data: bytes) -> tuple[str, Any]:
    key, nested, value = "", list[str](), None
    for number, content in fields(data):
        if number == 1:
            key = text(content)
        elif number == 2:
            nested.append(text(content))
        elif number in (8, 16):
            value = _json(text(content))
        elif number == 4:
            value = bool(content)
        elif number == 5:
            value = signed(content)
        elif number == 6:
            value = double(content)
        elif number == 7:
            value = text(content)
    return key or ".".join(nested), value


def _json(spelled: str) -> Any:
    try:
        return json.loads(spelled)
    except ValueError:
        return spelled


def _flat(config: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    from sleuth.sweeping.read import flat

    yield from flat(config)
