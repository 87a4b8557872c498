"""A record as it is written: one line of JSON for each thing seen, and back."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from sleuth.record.entries import KINDS, Activation, Layer, Parameter, Record, Values
from sleuth.record.token_entries import TokenRow

_NAMES = {kind: name for name, kind in KINDS.items()}
_TOLD_IN_PARTS = (Layer, Parameter, Values, Activation, TokenRow)
_PARTS: Mapping[str, type[Any]] = {
    "layers": Layer,
    "parameters": Parameter,
    "values": Values,
    "inputs": Values,
    "examples": TokenRow,
    "prompts": TokenRow,
}
# The fields of each, and whether they may hold a float: "nan" is also what a script may call something.
_NUMBERS: Mapping[type[Any], Mapping[str, bool]] = {
    kind: {entry.name: any(word in str(entry.type) for word in ("float", "Any")) for entry in fields(kind)}
    for kind in (*KINDS.values(), *_TOLD_IN_PARTS)
}


def read(path: Path) -> Record:
    """A record from its file. A last line cut off by a kill is left out."""
    with path.open(encoding="utf-8") as file:
        return Record(tuple(parse(file)))


def parse(lines: Iterable[str]) -> Iterator[Any]:
    for line in lines:
        try:
            data = json.loads(line)
        except ValueError:
            continue
        if isinstance(data, dict) and (kind := KINDS.get(str(data.pop("kind", "")))) is not None:
            yield _made(kind, data)


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


def _made(kind: type[Any], data: Mapping[str, Any]) -> Any:
    known = _NUMBERS[kind]
    return kind(**{key: _restored(key, value, known[key]) for key, value in data.items() if key in known})


def _restored(key: str, value: Any, number: bool) -> Any:
    if isinstance(value, list):
        part = _PARTS.get(key)
        return tuple(
            _made(part, entry)
            if part is not None and isinstance(entry, dict)
            else _restored("", entry, number)
            for entry in value
        )
    if key == "activations":
        return {name: _made(Activation, entry) for name, entry in value.items()}
    if isinstance(value, dict):
        return {name: _restored("", entry, number) for name, entry in value.items()}
    return float(value) if number and value in ("nan", "inf", "-inf") else value
