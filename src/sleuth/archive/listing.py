"""Which runs there are, and how one of them is named."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sleuth.archive import index, record
from sleuth.archive.closing import indexed_again
from sleuth.archive.facts import START
from sleuth.archive.home import RUNS, home_folder
from sleuth.archive.run import Run, Status, status_of
from sleuth.errors import SleuthError, did_you_mean


@dataclass(frozen=True)
class Row:
    """A run as a list shows it."""

    run: Run
    status: Status
    meta: dict[str, Any]
    steps: int | None
    damage: tuple[str, ...] = ()  # what of its facts cannot be read

    @property
    def started(self) -> float:
        """Where that cannot be read, the time in its name."""
        known = self.meta.get("started")
        return _time_in(self.run.id) if known is None else float(known)

    @property
    def script(self) -> str:
        """The script, else the module or program that the command names."""
        command = self.meta.get("command") or ["?"]
        return str(self.meta.get("script") or " ".join(command[:2]))

    @property
    def causes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.get("cause", "") for item in self.meta.get("findings", ())))


def runs(
    home: Path | None = None,
    script: str | None = None,
    since: float | None = None,
    status: Status | None = None,
    cause: str | None = None,
) -> tuple[Run, ...]:
    """The runs that fit, oldest first."""
    return tuple(row.run for row in listed(home, script, since, status, cause))


def listed(
    home: Path | None = None,
    script: str | None = None,
    since: float | None = None,
    status: Status | None = None,
    cause: str | None = None,
) -> tuple[Row, ...]:
    """As `runs`, with what a list shows. `script` is a part of its path, `since` a time in seconds."""
    rows = (
        row
        for row in _all(home_folder(home))
        if (script is None or script in row.script)
        and (since is None or row.started >= since)
        and (status is None or row.status == status)
        and (cause is None or cause in row.causes)
    )
    return tuple(sorted(rows, key=lambda row: (row.started, row.run.id)))


def find(name: str | Path, home: Path | None = None) -> Run:
    """By the start of its id, by the letters at the end of it, as "last", or by its folder."""
    folder = Path(name)
    if (folder / START).is_file():
        return Run(folder.absolute().name, folder.absolute())
    chosen = home_folder(home)
    if str(name) == "last":
        return _last(chosen)
    ids = sorted(path.name for path in _folders(chosen))
    fitting = [one for one in ids if one.startswith(str(name)) or one.rpartition("-")[2] == str(name)]
    if len(fitting) == 1:
        return Run(fitting[0], chosen / RUNS / fitting[0])
    if not fitting:
        raise SleuthError(f"There is no run {str(name)!r} in {chosen}.{did_you_mean(str(name), ids)}")
    raise SleuthError(f"{str(name)!r} may mean any of {len(fitting)} runs: {', '.join(fitting[:5])}.")


def _last(home: Path) -> Run:
    rows = listed(home)
    if not rows:
        raise SleuthError(f"There are no runs in {home}; `sleuth watch SCRIPT` makes one.")
    return rows[-1].run


def _all(home: Path) -> Iterable[Row]:
    """The folders are what there is; the index spares reading those it knows."""
    known, junk = index.rows(home), index.junk(home)
    for folder in _folders(home):
        row = Run(folder.name, folder)
        yield _unknown(row) if row.id in junk else row_of(row, known)


def row_of(run: Run, known: Mapping[str, index.Entry]) -> Row:
    """One run, by what the index knows of it, else by its folder."""
    if run.id in known:
        facts = known[run.id].facts
        return Row(run, status_of(facts, run.folder), dict(facts.known), known[run.id].steps)
    return _unknown(run)


def _unknown(run: Run) -> Row:
    """A run that goes on, was killed, is damaged, or lost its index: the last is put back into it."""
    facts = run.facts
    status, damage = status_of(facts, run.folder), tuple(map(str, facts.damage))
    if facts.over and not damage:
        return Row(run, status, dict(facts.known), indexed_again(run).steps)
    return Row(run, status, dict(facts.known), record.span(run.folder), damage)


def _time_in(run_id: str) -> float:
    with suppress(ValueError):
        return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC).timestamp()
    return 0.0


def _folders(home: Path) -> list[Path]:
    """A folder without its first facts is a run whose start was cut off: there is nothing to show of it."""
    with suppress(OSError):
        return [path for path in (home / RUNS).iterdir() if (path / START).is_file()]
    return []
