"""What a run's folder says of it. Anything may stand in these files: what has no shape is left out."""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.archive import code
from sleuth.archive.artefacts import ARTEFACTS
from sleuth.finding import Finding

MOST_FILES = 500
LONGEST_FILE = 2_000_000  # bytes of a file that is shown as a page
LINES_A_PAGE = 500


@dataclass(frozen=True)
class File:
    """One file of a run's folder, by its name within it."""

    name: str
    size: int
    modified: float
    written: bool  # by the script, and kept where that was asked for


@dataclass(frozen=True)
class Output:
    """A part of what a script printed: lines with their numbers, and what there is in all."""

    lines: tuple[tuple[int, str], ...]
    total: int
    matching: int
    first: int
    cut: bool


@dataclass(frozen=True)
class Source:
    """A file of the code as it was; for each line that a finding names, what it says."""

    name: str
    lines: tuple[str, ...]
    guilty: Mapping[int, tuple[Finding, ...]]


def findings(meta: Mapping[str, Any]) -> tuple[Finding, ...]:
    return tuple(_findings(meta.get("findings")))


def _findings(told: object) -> Iterator[Finding]:
    for item in told if isinstance(told, list) else ():
        with suppress(Exception):  # whatever is no finding
            found = Finding.from_dict(item)
            texts = (found.message, found.cause, found.fix)
            if all(isinstance(text, str) for text in texts) and isinstance(found.numbers, Mapping):
                yield found


def verdict(meta: Mapping[str, Any]) -> tuple[str, str]:
    """Status and sentence; empty where the run was not judged."""
    told = mapping(mapping(meta.get("summary")).get("verdict"))
    return str(told.get("status") or ""), str(told.get("summary") or "")


def mapping(told: object) -> Mapping[str, Any]:
    return told if isinstance(told, Mapping) else {}


def seeds(meta: Mapping[str, Any]) -> list[str]:
    told = meta.get("seeds")
    pairs = [mapping(one) for one in told] if isinstance(told, list) else []
    return [f"{pair.get('what')} {pair.get('value')}" for pair in pairs if pair]


def table(meta: Mapping[str, Any], key: str) -> list[tuple[str, str]]:
    return [(str(name), str(value)) for name, value in mapping(meta.get(key)).items()]


def files(folder: Path) -> list[File]:
    """Those that may be opened: regular files below the folder, no links."""
    found: list[File] = []
    for place, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            with suppress(OSError, ValueError):
                path = Path(place, name)
                told = path.lstat()
                if stat.S_ISREG(told.st_mode) and not name.startswith("."):
                    inner = path.relative_to(folder).as_posix()
                    found.append(File(inner, told.st_size, told.st_mtime, inner.startswith(f"{ARTEFACTS}/")))
            if len(found) >= MOST_FILES:
                return found
    return found


def opened(folder: Path, name: str) -> Path | None:
    """A file by its name within the folder; None for whatever leads out of it, by dots or by links."""
    if not name or "\0" in name:
        return None
    path, base = folder / name, folder.resolve()
    with suppress(OSError, ValueError, RuntimeError):
        real = path.resolve(strict=True)
        plain = base / os.path.normpath(name)
        if real == plain and real.is_relative_to(base) and real.is_file():
            return real
    return None


def text_of(path: Path, most: int = LONGEST_FILE) -> str:
    with suppress(OSError), path.open("rb") as file:
        return file.read(most).decode("utf-8", "replace")
    return ""


def output(folder: Path, stream: str, wanted: str, first: int) -> Output:
    """Lines that hold the words looked for; of a progress bar, what it left on the screen at last."""
    path = opened(folder, f"{stream}.txt")
    if path is None:
        return Output((), 0, 0, 0, False)
    shown: list[tuple[int, str]] = []
    total = matching = 0
    lowered = wanted.lower()
    with suppress(OSError), path.open("rb") as file:
        while line := file.readline(LONGEST_FILE):
            total += 1
            if lowered and lowered not in line.decode("utf-8", "replace").lower():
                continue
            if first <= matching < first + LINES_A_PAGE:
                shown.append((total, _last_word(line)))
            matching += 1
    return Output(tuple(shown), total, matching, first, matching > first + LINES_A_PAGE)


def _last_word(line: bytes) -> str:
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    return text.rpartition("\r")[2][:2000]


def sources(folder: Path, found: tuple[Finding, ...], script: str) -> list[Source]:
    """The copies kept with a run: first those with findings, the script among them, then the others."""
    kept = {name: path for name, path in code.kept(folder).items() if opened(folder, f"{code.CODE}/{name}")}
    made = [_source(name, path, found) for name, path in kept.items()]
    name = Path(script).name
    return sorted(made, key=lambda source: (not source.guilty, Path(source.name).name != name, source.name))


def _source(name: str, path: Path, found: tuple[Finding, ...]) -> Source:
    lines = tuple(text_of(path).splitlines())
    guilty: dict[int, tuple[Finding, ...]] = {}
    for finding in found:
        where = finding.where
        if where is not None and isinstance(where.line, int) and _meant(str(where.path or ""), name):
            if 0 < where.line <= len(lines):
                guilty[where.line] = (*guilty.get(where.line, ()), finding)
    return Source(name, lines, guilty)


def _meant(path: str, name: str) -> bool:
    """A finding has the path it was run by, a copy the path within the project."""
    return bool(path) and (path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}"))
