"""The evidence files beside a map: where they are, what they hold, and whether they were replaced."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.evidence.model import Link, Map
from sleuth.evidence.words import Words, read_words
from sleuth.files import write_whole

LOCK_SCHEMA = "sleuth.evidence-lock/1"


@dataclass(frozen=True)
class Evidence:
    """The files that were found, by the name the map uses, and those that were not."""

    paths: Mapping[str, Path]
    words: Mapping[str, Words]
    hashes: Mapping[str, str]
    missing: tuple[str, ...]


def evidence_links(found: Map) -> tuple[Link, ...]:
    return tuple(link for entry in found.statements.values() for link in entry.links if not link.remote)


def gather(found: Map, folder: Path | None) -> Evidence:
    """Read every file that the map points to."""
    base = Path(found.path).parent
    paths: dict[str, Path] = {}
    words: dict[str, Words] = {}
    hashes: dict[str, str] = {}
    missing: list[str] = []
    for name in dict.fromkeys(link.file for link in evidence_links(found) if link.file):
        path = _found(name, base, folder)
        if path is None:
            missing.append(name)
            continue
        raw = _bytes(path)
        paths[name], hashes[name] = path, hashlib.sha256(raw).hexdigest()
        words[name] = read_words(raw.decode("utf-8", errors="replace"))
    return Evidence(paths, words, hashes, tuple(missing))


def missing_folder(found: Map, folder: Path | None) -> Path | None:
    """The folder that should hold the evidence, where there is none."""
    if folder is not None:
        return None if folder.is_dir() else folder
    base = Path(found.path).parent
    folders = {(base / link.file).parent for link in evidence_links(found) if link.file}
    if not folders or any(entry.is_dir() for entry in folders):
        return None
    return sorted(folders)[0]


def _found(name: str, base: Path, folder: Path | None) -> Path | None:
    places = [base / name] if folder is None else [folder / name, folder / Path(name).name]
    return next((path for path in places if path.is_file()), None)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SleuthError(f"Cannot read {path}: {error.strerror}.") from None


def lock_path(map_path: str) -> Path:
    return Path(f"{map_path}.lock")


def write_lock(map_path: str, evidence: Evidence) -> Path:
    """Keep a hash of every evidence file beside the map."""
    path = lock_path(map_path)
    payload = {
        "schema": LOCK_SCHEMA,
        "files": {name: evidence.hashes[name] for name in sorted(evidence.hashes)},
    }
    write_whole(path, json.dumps(payload, indent=2, ensure_ascii=False) + "\n")
    return path


def read_lock(map_path: str) -> Mapping[str, str]:
    """The hashes kept beside the map; none where nothing was kept."""
    path = lock_path(map_path)
    if not path.is_file():
        return {}
    try:
        payload: Any = json.loads(path.read_text("utf-8"))
        files = payload["files"]
        if payload["schema"] != LOCK_SCHEMA or not isinstance(files, dict):
            raise ValueError
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise SleuthError(f"{path} is no lock of evidence files; write it again with --lock.") from None
    return {str(name): str(value) for name, value in files.items()}


def replaced(evidence: Evidence, lock: Mapping[str, str]) -> tuple[str, ...]:
    """Files whose content is not what it was when the lock was written."""
    return tuple(name for name, value in evidence.hashes.items() if lock.get(name, value) != value)
