"""Where runs are kept: a folder a run with its configuration, log and result, written whole or not at all.

<home>/sweeps/<name>/plan.json
<home>/sweeps/<name>/runs/<key>.<attempt>/config.json, log.txt, result.json

Each attempt is a run of the archive as well, under <home>/runs, with code and surroundings.
"""

import fcntl
import filecmp
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth import shapes
from sleuth.errors import SleuthError, did_you_mean
from sleuth.files import write_whole
from sleuth.shapes import Count, Moment, fields_of
from sleuth.sweeping.jobs import Job

FINISHED, FAILED, LOST, INTERRUPTED = "finished", "failed", "lost", "interrupted"
MOST_EARLIER = 50  # runs of the archive that tell how long the next one takes
INTERRUPT = 130  # as shells say that Ctrl-C ended a command


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
    return Path(os.environ.get("SLEUTH_HOME") or ".sleuth")


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
    from sleuth import archive  # brings sqlite, which reading a table does not need

    archived = archive.begin(job.command, _script(job.command), "sweep", home())
    if archived.recording:
        _share_code(archived.folder, folder / "newest")
    record = job.record() | {"attempt": attempt, "started": time.time()}
    write_json(place / "config.json", record | {"archived": archived.id if archived.recording else ""})
    return place


def _share_code(run: Path, newest: Path) -> None:
    """A thousand runs of one script need its code once: files that the run before has as well are linked."""
    with suppress(OSError):  # no run before, another disk, a file system without links
        before = newest.resolve(strict=True)
        for path in (run / "code").rglob("*"):
            twin = before / path.relative_to(run)
            if path.is_file() and twin.is_file() and filecmp.cmp(path, twin, shallow=False):
                scratch = path.with_name(f".{path.name}.link")
                os.link(twin, scratch)
                os.replace(scratch, path)
    with suppress(OSError):
        newest.unlink(missing_ok=True)
        newest.symlink_to(run)


def finish(place: Path, state: str, **more: Any) -> None:
    write_json(place / "result.json", {"state": state, "ended": time.time(), **more})
    config = read_json(place / "config.json", Config)
    if config.get("archived"):
        _archive(place, config, state, more)


def _archive(place: Path, config: Mapping[str, Any], state: str, more: Mapping[str, Any]) -> None:
    """Close the archive's run: the same log under its name there, the metrics as its record."""
    from sleuth.archive import Run
    from sleuth.archive.home import RUNS, home_folder

    run = Run(config["archived"], home_folder(home()) / RUNS / config["archived"])
    log, numbers = place / "log.txt", dict(more.get("metrics") or {})
    if log.is_file():
        run.stdout_path.unlink(missing_ok=True)
        try:
            os.link(log, run.stdout_path)
        except OSError:  # a file system without links
            shutil.copyfile(log, run.stdout_path)
    lines = [{"kind": "metric", "name": name, "value": value} for name, value in numbers.items()]
    write_whole(run.record_path, "".join(json.dumps(line) + "\n" for line in lines))
    told = {key: config.get(key) for key in ("group", "seed", "values", "config", "base", "attempt")}
    run.finish(_exit_code(state, more), summary={"sweep": told | {"metrics": numbers, "state": state}})


def earlier(command: Sequence[str]) -> tuple[float, ...]:
    """Seconds that the same script's newest finished runs took, whoever ran them."""
    from sleuth.archive import listed

    script = _script(command)
    if script is None:
        return ()
    rows = listed(home(), script=str(script.absolute()), status="finished")[-MOST_EARLIER:]
    return tuple(float(row.meta["ended"]) - row.started for row in rows)


def _exit_code(state: str, more: Mapping[str, Any]) -> int:
    if state == FINISHED:
        return 0
    return INTERRUPT if state == INTERRUPTED else int(more.get("code") or 1)


def _script(command: Sequence[str]) -> Path | None:
    """The first word that is a Python file, for the archive's copy of the code."""
    return next((Path(word) for word in command if word.endswith(".py") and Path(word).is_file()), None)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(data, indent=1, default=str, allow_nan=True) + "\n")


@dataclass(frozen=True)
class Config:
    """What a run of a sweep is to be; values and settings are the user's own."""

    started: Moment | None = None
    attempt: Count | None = None
    archived: str = ""
    key: str = ""
    values: Mapping[str, Any] | None = None
    config: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Result:
    """How it came out; the metrics are the user's own."""

    state: str = "running"
    ended: Moment | None = None
    seconds: float | None = None
    metrics: Mapping[str, Any] | None = None
    why: str = ""


@dataclass(frozen=True)
class Own:
    """Any other object of ours, such as a plan or what a cache tells of itself."""

    param: str = ""
    metric: str = ""
    source: str = ""


def read_json(path: Path, kind: type[Config | Result | Own] = Own) -> dict[str, Any]:
    """A file of ours, as far as it fits its shape; one that cannot be read holds nothing."""
    return dict(fields_of(kind, shapes.read_json(path)).known)


def records(folder: Path) -> list[Record]:
    """All attempts, oldest first."""
    found = []
    runs = folder / "runs"
    for place in runs.iterdir() if runs.is_dir() else ():
        config = read_json(place / "config.json", Config)
        if config:
            found.append(Record(place, config, read_json(place / "result.json", Result)))
    return sorted(found, key=lambda record: float(record.config.get("started") or 0))


def rows(folder: Path) -> list[dict[str, Any]]:
    """The sweep as a table of runs, for the analysis."""
    listed = []
    for record in records(folder):
        config = dict(record.config)
        row: dict[str, Any] = {
            "run_id": record.folder.name,
            "group": config.get("group"),
            "seed": config.get("seed"),
            **{f"config.{name}": value for name, value in (config.get("config") or {}).items()},
            "config.base": config.get("base"),
            **(config.get("values") or {}),
            # A run that was cut off by hand is not a failure of its value: it is run again.
            "state": "running" if record.state == INTERRUPTED else record.state,
            "start_time": config.get("started"),
            "end_time": record.result.get("ended"),
            "seconds": record.result.get("seconds"),
        }
        row |= dict(record.result.get("metrics") or {})
        listed.append(row)
    return listed
