"""A record as it is written: one line of JSON for each thing seen, and back."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from sleuth.record.blocks import Reading, events
from sleuth.record.entries import KINDS, Activation, Layer, Parameter, Record, Values
from sleuth.record.token_entries import TokenRow
from sleuth.shapes import Damage, from_json, shaped

_NAMES = {kind: name for name, kind in KINDS.items()}
_TOLD_IN_PARTS = (Layer, Parameter, Values, Activation, TokenRow)


def read(path: Path) -> Record:
    """A record from its file. A last line cut off by a kill is left out."""
    reading = Reading()
    return entered(events(path, reading), reading)


def entered(found: Iterable[Mapping[str, Any]], reading: Reading) -> Record:
    """A record from its events, and what is wrong with it."""
    items = tuple(_made(found, reading))
    return Record(items, reading.damage)


def parse(lines: Iterable[str]) -> Iterator[Any]:
    """What lines hold; those that hold nothing known are passed over."""
    found = (from_json(line) for line in lines)
    return _made((event for event in found if isinstance(event, dict)), Reading())


def _made(found: Iterable[Mapping[str, Any]], reading: Reading) -> Iterator[Any]:
    for event in found:
        if (kind := KINDS.get(str(event.get("kind", "")))) is not None:
            item = shaped(kind, event)
            if isinstance(item, Damage):
                reading.odd += 1
            else:
                yield item


def line_of(item: Any) -> str:
    """One line of JSON: what has its default is left out; nan and infinities are kept as words."""
    return json.dumps({"kind": _NAMES[type(item)], **_told(item)}, separators=(",", ":")) + "\n"


def _told(item: Any) -> dict[str, Any]:
    """The fields that differ from their default. A required field has none and is always told."""
    told = {}
    for entry in fields(item):
        value = getattr(item, entry.name)
        if value != entry.default and not (value in ((), {}) and entry.default_factory is not MISSING):
            told[entry.name] = _plain(value)
    return told


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        # Nine digits tell any two float32 apart.
        return float(f"{value:.9g}") if math.isfinite(value) else str(value)
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return _told(value) if type(value) in _TOLD_IN_PARTS else value
