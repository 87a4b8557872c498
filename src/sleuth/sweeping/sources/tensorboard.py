"""TensorBoard folders: one run a folder of event files; settings from hparams, a config file, or the
folder's name.
"""

import json
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.sweeping.columns import IDS
from sleuth.sweeping.sources.wire import Torn, double, fields, inner, signed, single, text
from sleuth.sweeping.table import Table, from_rows, meaning

# Fields of Event, Summary.Value, TensorProto and the hparams plugin.
WALL_TIME, STEP, SUMMARY = 1, 2, 5
TAG, SIMPLE, TENSOR, METADATA = 1, 2, 8, 9
HPARAMS = "_hparams_/session_start_info"
# Words that people number or date their runs by.
NO_SETTINGS = IDS | frozenset(
    "version exp experiment jan feb mar apr may jun jul aug sep oct nov dec".split()
)
# lr=0.1,seed=3 or lr_0.1-seed_3: people put settings into names.
SETTING = re.compile(
    r"(?:^|[-_,/ ])([A-Za-z][A-Za-z]*(?:_[A-Za-z]+)*)[=_]?((?:[-+]?\d+\.?\d*(?:e[-+]?\d+)?)|(?<==)[\w.]+)"
)


@dataclass(frozen=True)
class _Seen:
    """What the event files of one folder hold: the last value of each scalar, and hparams."""

    scalars: Mapping[str, float]
    settings: Mapping[str, Any]
    first: float
    last: float


def read_folder(folder: Path) -> Table:
    """Every folder with event files, one row a run."""
    seen = {
        place: _events_in(place) for place in sorted({path.parent for path in folder.rglob("*tfevents*")})
    }
    home = _homes(folder, seen)
    rows = []
    for run in dict.fromkeys(home.values()):
        parts = {place: seen[place] for place in seen if home[place] == run}
        if any(part.scalars or part.settings for part in parts.values()):
            rows.append(_row(run, folder, parts))
    if not rows:
        raise SleuthError(f"The event files in {folder} hold no scalars.")
    return from_rows(rows, str(folder))


def _homes(root: Path, seen: Mapping[Path, _Seen]) -> dict[Path, Path]:
    """The folder whose run each is: torch and Keras write hparams, and several curves, below a run's own.

    Below the folder that was asked for stand runs of their own, unless it is itself the one run with hparams.
    """
    above = {place: _above(place, root, seen) for place in seen}
    told = [place for place in seen if above[place] == root and seen[place].settings]
    home: dict[Path, Path] = {}
    for place in seen:  # sorted: a folder comes before those below it
        nearest = above[place]
        apart = nearest is None or (nearest == root and len(told) != 1)
        home[place] = place if nearest is None or apart else home[nearest]
    return home


def _above(place: Path, root: Path, seen: Mapping[Path, _Seen]) -> Path | None:
    """The nearest folder above that holds events."""
    inside = (above for above in place.parents if above.is_relative_to(root))
    return next((above for above in inside if above in seen), None)


def _events_in(place: Path) -> _Seen:
    scalars: dict[str, tuple[int, float]] = {}
    settings: dict[str, Any] = {}
    first = last = 0.0
    for path in sorted(place.glob("*tfevents*")):
        for when, step, tag, value in events(path):
            first, last = first or when, max(last, when)
            if isinstance(value, dict):
                settings |= value
            elif tag not in scalars or step >= scalars[tag][0]:
                scalars[tag] = (step, value)
    return _Seen({tag: value for tag, (_, value) in scalars.items()}, settings, first, last)


def _row(run: Path, root: Path, parts: Mapping[Path, _Seen]) -> dict[str, Any]:
    name = str(run.relative_to(root)) if run != root else run.name
    settings, scalars = _settings_in_name(name) | _settings_in_files(run), dict[str, float]()
    for place, part in parts.items():
        settings |= part.settings
        for tag, value in part.scalars.items():
            scalars[tag if tag not in scalars else f"{place.name}/{tag}"] = value
    config = {
        ("seed" if key.lower() == "seed" else f"config.{key}"): value for key, value in settings.items()
    }
    times = [part.first for part in parts.values() if part.first]
    ends = max(part.last for part in parts.values())
    return {"run_id": name, "start_time": min(times, default=0.0), "end_time": ends} | config | scalars


def events(path: Path) -> Iterator[tuple[float, int, str, Any]]:
    """Time, step, tag and number (or the settings of a run) of each entry; a torn end is left out."""
    data = path.read_bytes()
    at = 0
    while at + 12 <= len(data):
        (size,) = struct.unpack("<Q", data[at : at + 8])
        if at + 16 + size > len(data):
            return
        try:
            yield from _event(data[at + 12 : at + 12 + size])
        except (Torn, struct.error):
            return
        at += 16 + size


def _event(data: bytes) -> Iterator[tuple[float, int, str, Any]]:
    when, step, values = 0.0, 0, list[bytes]()
    for number, content in fields(data):
        if number == WALL_TIME:
            when = double(content)
        elif number == STEP:
            step = signed(content)
        elif number == SUMMARY:
            values += [inner(part) for field, part in fields(inner(content)) if field == 1]
    for value in values:
        tag, number_found = _value(value)
        if number_found is not None:
            yield when, step, tag, number_found


def _value(data: bytes) -> tuple[str, Any]:
    tag = ""
    found: Any = None
    for number, content in fields(data):
        if number == TAG:
            tag = text(content)
        elif number == SIMPLE:
            found = single(content)
        elif number == TENSOR:
            found = _tensor(inner(content))
        elif number == METADATA and tag == HPARAMS:
            found = _hparams(inner(content))
    return tag, found


def _tensor(data: bytes) -> float | None:
    """A scalar tensor: float or double, as content or as value."""
    kind, numbers = 0, list[float]()
    for number, content in fields(data):
        if number == 1:
            kind = signed(content)
        elif number == 4 and isinstance(content, bytes) and kind in (1, 2):
            size, form = (4, "<f") if kind == 1 else (8, "<d")
            numbers += [struct.unpack(form, content[:size])[0]] if len(content) == size else []
        elif number == 5 and isinstance(content, bytes) and len(content) == 4:
            numbers.append(single(content))
        elif number == 6 and isinstance(content, bytes) and len(content) == 8:
            numbers.append(double(content))
    return numbers[0] if len(numbers) == 1 else None


def _hparams(metadata: bytes) -> dict[str, Any]:
    """SummaryMetadata → plugin data → HParamsPluginData → session start → map of name to Value."""
    plugin = next((inner(part) for field, part in fields(metadata) if field == 1), b"")
    content = next((inner(part) for field, part in fields(plugin) if field == 2), b"")
    start = next((inner(part) for field, part in fields(content) if field == 3), b"")
    found = {}
    for field, entry in fields(start):
        if field != 1:
            continue
        pair = dict(fields(inner(entry)))
        if 1 in pair and 2 in pair:
            found[text(pair[1])] = _any_value(inner(pair[2]))
    return found


def _any_value(data: bytes) -> Any:
    """google.protobuf.Value: number, string or truth value."""
    for field, content in fields(data):
        if field == 2:
            return double(content)
        if field == 3:
            return text(content)
        if field == 4:
            return bool(content)
    return None


def _settings_in_name(name: str) -> dict[str, Any]:
    return {key: meaning(value) for key, value in SETTING.findall(name) if key.lower() not in NO_SETTINGS}


def _settings_in_files(place: Path) -> dict[str, Any]:
    """What stands beside the events: config.json, hparams.json, args.json; lines `key: value` of
    hparams.yaml.
    """
    from sleuth.sweeping.read import flat

    for name in ("config.json", "hparams.json", "args.json"):
        path = place / name
        if path.is_file():
            try:
                return dict(flat(json.loads(path.read_text("utf-8"))))
            except (ValueError, AttributeError):
                continue
    path = place / "hparams.yaml"
    if path.is_file():
        lines = re.findall(r"^(\w+):[ \t]*(\S.*)$", path.read_text("utf-8", "replace"), re.MULTILINE)
        return {key: meaning(value) for key, value in lines}
    return {}
