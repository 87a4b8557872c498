"""Where runs are kept: a folder a run with its configuration, log and result, written whole or not at all.

<home>/sweeps/<name>/plan.json
<home>/sweeps/<name>/runs/<key>.<attempt>/config.json, log.txt, result.json
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError, did_you_mean
from sleuth.files import write_whole
from sleuth.sweeping.jobs import Job

FINISHED, FAILED, LOST, INTERRUPTED = "finished", "failed", "lost", "interrupted"


@dataclass(frozen=True)
class Record:
    """One attempt at a run. `result` is empty while it runs, or when Sleuth itself was killed meanwhile."""

    folder: Path
    config: Mapping[str, Any]
    result: Mapping[str, Any]

    @property
    def state(self) -> str:
        return str(self.result.get("state", "running"))


def home() -> Path:
    """`$SLEUTH_HOME`, else `.sleuth` in the current folder."""
    return Path(os.environ.get("SLEUTH_HOME", ".sleuth"))


def sweep_folder(name: str) -> Path:
    return home() / "sweeps" / name


def names() -> list[str]:
    folder = home() / "sweeps"
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []


def find_sweep(name: str) -> Path:
    folder = sweep_folder(name)
    if not folder.is_dir():
        known = names()
        listed = f" Known: {', '.join(known)}." if known else ""
        raise SleuthError(
            f"There is no sweep {name!r} in {home() / 'sweeps'}.{did_you_mean(name, known)}{listed}"
        )
    return folder


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold a sweep: a second `sleuth sweep run` of the same name would run everything twice."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise SleuthError(f"Cannot write to {folder}: {error.strerror}.") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SleuthError(f"The sweep {folder.name!r} is being run by another process already.") from None
        yield
    finally:
        os.close(handle)


def begin(folder: Path, job: Job) -> Path:
    """A fresh folder for one attempt; earlier attempts stay."""
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    attempt = 1
    while True:
        place = runs / f"{job.key}.{attempt}"
        with suppress(FileExistsError):
            place.mkdir()
            break
        attempt += 1
    record = job.record() | {"attempt": attempt, "started": time.time()}
    write_json(place / "config.json", record)
    return place


def finish(place: Path, state: str, **more: Any) -> None:
    write_json(place / "result.json", {"state": state, "ended": time.time(), **more})


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(data, indent=1, default=str, allow_nan=True) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def records(folder: Path) -> list[Record]:
    """All attempts, oldest first."""
    found = []
    runs = folder / "runs"
    for place in runs.iterdir() if runs.is_dir() else ():
        config = read_json(place / "config.json")
        if config:
            found.append(Record(place, config, read_json(place / "result.json")))
    return sorted(found, key=lambda record: float(record.config.get("started", 0)))


def rows(folder: Path) -> list[dict[str, Any]]:
    """The sweep as a table of runs, for the analysis."""
    listed = []
    for record in records(folder):
        config = dict(record.config)
        row: dict[str, Any] = {
            "run_id": record.folder.name,
            "group": config.get("group"),
            "seed": config.get("seed"),
            **{f"config.{name}": value for name, value in dict(config.get("config", {})).items()},
            "config.base": config.get("base"),
            **dict(config.get("values", {})),
            # A run that was cut off by hand is not a failure of its value: it is run again.
            "state": "running" if record.state == INTERRUPTED else record.state,
            "start_time": config.get("started"),
            "end_time": record.result.get("ended"),
            "seconds": record.result.get("seconds"),
        }
        row |= dict(record.result.get("metrics", {}))
        listed.append(row)
    return listed
