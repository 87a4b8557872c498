"""What the archive costs: bytes a step and series, time to begin a run, events beside a csv writer."""

import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from bench.lint import best

STEPS = 20_000
ROUNDS = 7
FILES = 60  # sources of a project of the usual size


@dataclass(frozen=True)
class Sizes:
    """Bytes a step and series: the record as written, the packed series, and all that stays after the end."""

    written: float
    series: float
    kept: float
    csv: float


def rows() -> Iterator[tuple[str, str, str]]:
    for label, short in (("32-bit values", True), ("64-bit values", False)):
        found = sizes(short)
        yield "archive", f"{label}: packed series, bytes a step and series", f"{found.series:.1f}"
        yield "archive", f"{label}: all that is kept, bytes a step and series", f"{found.kept:.1f}"
        yield "archive", f"{label}: all that is kept, beside a csv file", f"{found.kept / found.csv:.2f}×"
    times = begins()
    for label, name in (("without git, 61 files copied", "bare"), ("with git", "repo")):
        yield "archive", f"begin {label}, in starts of Python", f"{times[name] / times['python']:.1f}×"
        yield "archive", f"begin {label}, milliseconds of processor time", f"{times[name] * 1000:.0f}"
    yield "archive", "time to write an event, beside a csv row", f"{writing():.2f}×"
    yield "archive", "time to finish, beside writing the events", f"{finishing():.2f}×"


def curve(short: bool = True, steps: int = STEPS) -> list[dict[str, float | int | str]]:
    """A training run: time, a noisy falling loss, gradient norm, warming and decaying rate, update ratio."""
    chance = random.Random(0)

    def seen(value: float) -> float:
        return array("f", [value])[0] if short else value

    return [
        {
            "kind": "step",
            "n": n,
            "t": round(n * 0.0123 + chance.random() / 1000, 6),
            "loss": seen(2.3 / (1 + n / 500) + chance.gauss(0, 0.05)),
            "grad_norm": seen(abs(chance.gauss(1, 0.3))),
            "lr": min(n / 1000, 1.0) * 1e-3 * (1 - n / steps),
            "update_ratio": seen(abs(chance.gauss(1e-3, 1e-4))),
        }
        for n in range(steps)
    ]


def sizes(short: bool = True) -> Sizes:
    from sleuth import archive
    from sleuth.archive import index, record
    from sleuth.archive.packing import pack_steps, pack_values

    events = curve(short)
    points = STEPS * (len(events[0]) - 2)
    with tempfile.TemporaryDirectory() as place, chdir(place):
        run = archive.begin(["x"], None)
        _write_json(run.record_path, events)
        written = run.record_path.stat().st_size
        _write_csv(Path("peer.csv"), events)
        before = _size(Path(".sleuth"))
        run.finish(0)
        kept = _size(Path(".sleuth")) - before + written
        stored = index.stored_series(run) or {}
        series = sum(len(pack_steps(one.steps)) + len(pack_values(one.values)) for one in stored.values())
        assert sum(map(len, stored.values())) == points
        assert (run.folder / record.PACKED_RECORD).exists()
        return Sizes(
            written / points, series / points, kept / points, Path("peer.csv").stat().st_size / points
        )


def begins() -> Mapping[str, float]:
    """Processor seconds, those of git among them."""
    from sleuth import archive

    with tempfile.TemporaryDirectory() as place:
        bare, repo = (_project(Path(place, name)) for name in ("bare", "repo"))
        _commit(repo.parent)
        repo.write_text("import part_0\nlr = 0.2\n")
        with chdir(place):
            return best(
                {
                    "python": lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
                    "bare": lambda: archive.begin(["x"], bare),
                    "repo": lambda: archive.begin(["x"], repo),
                }
            )


def writing() -> float:
    """Appending events as JSON lines, as a multiple of the same numbers by the standard csv writer."""
    events = curve()
    with tempfile.TemporaryDirectory() as place:
        times = _medians(
            {
                "csv": lambda: _write_csv(Path(place, "peer.csv"), events),
                "json": lambda: _write_json(Path(place, "record.jsonl"), events),
            }
        )
    return times["json"] / times["csv"]


def finishing() -> float:
    """Reading, indexing and packing a whole record, as a multiple of the time it took to write it."""
    from sleuth import archive

    events = curve()
    took: dict[str, list[float]] = {"write": [], "finish": []}
    with tempfile.TemporaryDirectory() as place, chdir(place):
        for _ in range(3):
            run = archive.begin(["x"], None)
            took["write"].append(_timed(lambda run=run: _write_json(run.record_path, events)))  # type: ignore[misc]
            took["finish"].append(_timed(lambda run=run: run.finish(0)))  # type: ignore[misc]
    return statistics.median(took["finish"]) / statistics.median(took["write"])


def _write_json(path: Path, events: list[dict[str, float | int | str]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for event in events:
            file.write(json.dumps(event) + "\n")


def _write_csv(path: Path, events: list[dict[str, float | int | str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for event in events:
            writer.writerow(event.values())


def _project(folder: Path) -> Path:
    folder.mkdir()
    for number in range(FILES):
        text = f"import part_{number + 1}\n" + "x = 1\n" * 200
        (folder / f"part_{number}.py").write_text(text, "utf-8")
    (folder / "train.py").write_text("import part_0\nlr = 0.1\n", "utf-8")
    return folder / "train.py"


def _commit(folder: Path) -> None:
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)


def _medians(functions: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    taken = [{name: _timed(function) for name, function in functions.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(turn[name] for turn in taken) for name in functions}


def _timed(function: Callable[[], object]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def _size(folder: Path) -> int:
    return sum(os.path.getsize(Path(place, name)) for place, _, names in os.walk(folder) for name in names)


if __name__ == "__main__":
    for row in rows():
        sys.stdout.write("  ".join(row) + "\n")
