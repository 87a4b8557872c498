"""What a run's folder says of it: the shapes of meta.json and end.json, and the reading of both."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from sleuth.finding import Finding
from sleuth.shapes import Count, Damage, Fields, Moment, fields_of, read_json

START, END = "meta.json", "end.json"
AT_START, AT_END = ("started", "command", "cwd"), ("ended", "exit_code")  # what no reader can do without


def _hexadecimal(word: str) -> str:
    """It becomes a word of a git command: "--output=…" must not."""
    if re.fullmatch("[0-9a-f]{7,64}", word):
        return word
    raise ValueError(f"is {word[:40]!r}, no commit of git")


@dataclass(frozen=True)
class Code:
    """Which code a run was made with, and what of it was copied."""

    root: str = ""
    commit: Annotated[str, _hexadecimal] | None = None
    script: str | None = None
    files: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Start:
    """Known before the script changes anything."""

    started: Moment
    command: tuple[str, ...]
    cwd: str
    schema: str = ""
    id: str = ""
    kind: str = ""
    sleuth: str = ""
    script: str | None = None
    pid: int | None = None
    birth: str | None = None
    host: str = ""
    platform: str = ""
    machine: str = ""
    cpus: int | None = None
    memory: int | None = None
    python: str = ""
    implementation: str = ""
    executable: str | None = None
    code: Code | None = None
    environment: Mapping[str, str] | None = None
    packages: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Seed:
    what: str
    value: int


@dataclass(frozen=True)
class Sweep:
    """What a sweep notes of each of its runs; settings and metrics are the user's own."""

    group: Any = None
    seed: Any = None
    values: Mapping[str, Any] | None = None
    config: Mapping[str, Any] | None = None
    base: Any = None
    attempt: Count | None = None
    metrics: Mapping[str, Any] | None = None
    state: str = ""


@dataclass(frozen=True)
class Summary:
    """What the verb that ran the script concluded; each verb has words of its own beside."""

    sweep: Sweep | None = None


@dataclass(frozen=True)
class End:
    """Known when the run is over."""

    ended: Moment
    exit_code: int | None = None
    steps: Count = 0
    seeds: tuple[Seed, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: Summary | None = None


@dataclass(frozen=True)
class Facts:
    """All that fits its shape, as it stands in the files, and what is wrong with the rest."""

    known: Mapping[str, Any]
    damage: tuple[Damage, ...] = ()
    over: bool = False  # an end is written, readable or not


def facts_of(folder: Path) -> Facts:
    """A run that goes on has no end yet."""
    start = _read(Start, folder / START, AT_START)
    if not (folder / END).exists():
        return Facts(start.known, start.damage)
    end = _read(End, folder / END, AT_END)
    return Facts({**start.known, **end.known}, start.damage + end.damage, over=True)


def sound(known: object) -> Facts | None:
    """Facts of both files in one, as the index keeps them; None where not all of them fit."""
    start, end = fields_of(Start, known, "", AT_START), fields_of(End, known, "", AT_END)
    return None if start.damage or end.damage else Facts(start.known, over=True)


def _read(kind: type[Any], path: Path, required: tuple[str, ...]) -> Fields:
    value = read_json(path)
    if isinstance(value, Damage):
        return Fields({}, (value,))
    return fields_of(kind, value, path.name, required)
