"""Where runs come from: a file, a sweep of our own, the archive, or a tracker."""

from dataclasses import dataclass
from pathlib import Path

from sleuth.errors import SleuthError
from sleuth.sweeping.read import read_file
from sleuth.sweeping.store import find_sweep, read_json
from sleuth.sweeping.store import rows as store_rows
from sleuth.sweeping.table import Table, from_rows


@dataclass(frozen=True)
class Opened:
    """A table, what its source knows about its columns, and what to tell the user."""

    table: Table
    param: str = ""
    metric: str = ""
    seed: str | None = None
    lower_is_better: bool = False
    said: tuple[str, ...] = ()


def open_source(source: str, refresh: bool | None = None, logs: Path | None = None) -> Opened:
    """By its look: the archive, a tracker's prefix, a file, a folder of tracker files, or a sweep's name."""
    kind, colon, rest = source.partition(":")
    if colon and kind in ("mlflow", "wandb", "trackio"):
        from sleuth.sweeping.sources.trackers import from_tracker

        return from_tracker(kind, rest, refresh, logs)
    if kind == "archive":
        from sleuth.sweeping.sources.archived import read_archive

        return Opened(read_archive(Path(rest) if rest else None))
    path = Path(source)
    if path.is_dir():
        return _folder(path, logs)
    if path.exists() or path.suffix:
        return Opened(read_file(path))
    return own_sweep(find_sweep(source))


def own_sweep(folder: Path) -> Opened:
    """A sweep that Sleuth ran; its plan says what was varied and measured."""
    plan = read_json(folder / "plan.json")
    rows = store_rows(folder)
    if not rows:
        raise SleuthError(f"The sweep {folder.name!r} has no runs yet.")
    return Opened(
        from_rows(rows, f"sweep {folder.name}"),
        str(plan.get("param", "")),
        str(plan.get("metric", "")),
        "seed",
        plan.get("direction") == "lower",
    )


def _folder(path: Path, logs: Path | None) -> Opened:
    """What a folder holds: runs of Sleuth, event files of TensorBoard, or .wandb files."""
    if (path / "plan.json").is_file() and (path / "runs").is_dir():
        return own_sweep(path)
    if any(path.rglob("*.wandb")):
        from sleuth.sweeping.sources import wandb_files

        said = () if logs is None else (f"{wandb_files.logs(path, logs)} log files are in {logs}.",)
        return Opened(wandb_files.read_folder(path), said=said)
    if any(path.rglob("*tfevents*")):
        from sleuth.sweeping.sources.tensorboard import read_folder as read_events

        return Opened(read_events(path))
    raise SleuthError(
        f"{path} holds no runs: no TensorBoard event files (*tfevents*), no .wandb files, no sweep of Sleuth."
    )
