"""`python -m bench attacks`: every attack test, counted, and the same attacks on other trackers, in one run.

Writes docs/reliability.md.
"""

import glob
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.attackers import REUSE, TRACKERS, script
from sleuth.files import write_whole

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reliability.md"
KEPT = ROOT / ".bench"
KILLS, WRITERS, PATIENCE = 3, 16, 200
STEPS = 300  # of a run that is let go on to its end
SMALL_DISK = "size=20m"  # room for each to begin

Told = Mapping[str, str]


@dataclass(frozen=True)
class Ran:
    """One run of a script: what it said it had handed over, and how it ended."""

    code: int
    handed_over: int
    trained: bool


def main(words: Sequence[str]) -> int:
    """Both halves, or only `tests` or `peers`: each is kept, and the page has the last of both."""
    asked = [name for name in HALVES if name in words] or list(HALVES)
    for name in asked:
        KEPT.mkdir(exist_ok=True)
        write_whole(KEPT / f"{name}.json", json.dumps(HALVES[name](), indent=1) + "\n")
    counted, compared = (_kept(name) for name in HALVES)
    if counted and compared:
        write_whole(PAGE, page(counted, compared))
        print(f"Written: {PAGE.relative_to(ROOT)}")
    return int(any(failed for _, failed in counted.values()))


def _kept(name: str) -> dict[str, Any]:
    path = KEPT / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def peers() -> dict[str, Told]:
    return {name: attack() for name, attack in ATTACKS.items()}


def tests() -> dict[str, tuple[int, int]]:
    """Attack → how often tried, how often it got through."""
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder, "attacks.jsonl")
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", str(ROOT / "tests" / "attacks")]
        subprocess.run(command, cwd=ROOT, env=os.environ | {"SLEUTH_ATTACKS": str(book)}, check=False)
        return summed(book.read_text("utf-8").splitlines() if book.exists() else [])


def summed(lines: Sequence[str]) -> dict[str, tuple[int, int]]:
    total: dict[str, tuple[int, int]] = {}
    for line in lines:
        entry = json.loads(line)
        tried, failed = total.get(entry["attack"], (0, 0))
        total[entry["attack"]] = (tried + entry["tried"], failed + entry["failed"])
    return dict(sorted(total.items()))


def started(tracker: str, folder: Path, name: str, steps: int, before: str = "") -> "subprocess.Popen[str]":
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    file = folder / "train.py"
    if not file.exists():  # sixteen start from one file: none may find it half written
        write_whole(file, script(tracker, before))
    words = [str(file), str(home), name, str(steps)]
    watched = ["-m", "sleuth", "watch", "-q"] if tracker == "sleuth" else []
    return subprocess.Popen(
        [sys.executable, *watched, *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
        env=os.environ | {"SLEUTH_HOME": str(home), "WANDB_SILENT": "true", "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip


def ended(process: "subprocess.Popen[str]") -> Ran:
    try:
        said, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
    lines = said.split()
    numbers = [int(line) for line in lines if line.isdigit()]
    return Ran(process.returncode, numbers[-1] if numbers else 0, "trained" in lines)


def kept(tracker: str, home: Path) -> int:
    """Steps of which a loss can be read from disk again, by the tracker's own reader."""
    return sum(READERS[tracker](home))


def _of_sleuth(home: Path) -> Iterator[int]:
    from sleuth.archive import Run

    for folder in sorted((home / "runs").iterdir()) if (home / "runs").is_dir() else ():
        yield len(list(Run(folder.name, folder).events("step")))


def _of_wandb(home: Path) -> Iterator[int]:
    """By Sleuth's reader: wandb brings none for Python."""
    from sleuth.sweeping.sources import wandb_files as reader
    from sleuth.sweeping.sources.wire import Torn, fields

    for file in glob.glob(f"{glob.escape(str(home))}/wandb/offline-run-*/*.wandb"):
        count = 0
        with suppress(Torn, struct.error):  # a torn end: what came before it counts
            for record in reader._records(Path(file).read_bytes()):
                count += any(number == reader.HISTORY for number, _ in fields(record))
        yield count


def _of_tensorboard(home: Path) -> Iterator[int]:
    from tensorboard.backend.event_processing.event_file_loader import (  # type: ignore[import-untyped]
        EventFileLoader,
    )

    for file in glob.glob(f"{glob.escape(str(home))}/**/events.out.tfevents.*", recursive=True):
        yield sum(bool(event.summary.value) for event in EventFileLoader(file).Load())


def _of_mlflow(home: Path) -> Iterator[int]:
    for file in glob.glob(f"{glob.escape(str(home))}/*/*/metrics/loss"):
        yield len(re.findall(r"^\S+ \S+ \d+$", Path(file).read_text("utf-8"), re.M))


READERS: Mapping[str, Callable[[Path], Iterator[int]]] = {
    "sleuth": _of_sleuth,
    "wandb": _of_wandb,
    "tensorboard": _of_tensorboard,
    "mlflow": _of_mlflow,
}


def each(attack: Callable[[str, Path], str]) -> Told:
    found = {}
    for tracker in TRACKERS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found[tracker] = attack(tracker, Path(folder))
            except Exception as error:
                found[tracker] = f"not measured ({type(error).__name__})"
        print(f"  {attack.__name__} {tracker}: {found[tracker]}", file=sys.stderr, flush=True)
    return found


def killed(tracker: str, folder: Path) -> str:
    """kill -9 of everything, at random moments of the training: steps handed over that are not on disk."""
    lost, rng = [], random.Random(0)
    for turn in range(KILLS):
        place = folder / str(turn)
        place.mkdir()
        process = started(tracker, place, "run", 100_000)
        assert process.stdout is not None
        seen = 0
        until = rng.randint(100, 400)
        while seen < until and (line := process.stdout.readline()):
            seen = int(line)
        os.killpg(process.pid, signal.SIGKILL)
        rest, _ = process.communicate()
        seen = max([seen, *(int(word) for word in rest.split() if word.isdigit())])
        time.sleep(1.0)  # a service of its own that outlived the kill may still write
        lost.append(max(0, seen - kept(tracker, place / "home")))
    return f"lost {', '.join(map(str, sorted(lost)))} steps"


def disk_full(tracker: str, folder: Path) -> str:
    """The disk of the records fills up at step 100: does training go on, and with which exit code?"""
    home = folder / "home"
    home.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", SMALL_DISK, "tmpfs", str(home)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        return "not measured (no right to mount)"
    try:
        process = started(tracker, folder, "run", STEPS)
        assert process.stdout is not None
        while (line := process.stdout.readline()) and int(line) < STEPS // 3:
            pass
        _fill(home / "ballast")
        ran = ended(process)
        went = (
            "trained to its end" if ran.trained else f"training stopped at step {ran.handed_over} of {STEPS}"
        )
        return f"{went}, exit code {ran.code}"
    finally:
        subprocess.run(["umount", "-l", str(home)], check=False)


def _fill(file: Path) -> None:
    """Until not one byte more fits."""
    with file.open("wb", buffering=0) as ballast:
        for size in (1 << 16, 1 << 12, 1):
            with suppress(OSError):
                while ballast.write(b"x" * size) == size:
                    pass


def many_writers(tracker: str, folder: Path) -> str:
    """Sixteen trainings at once into one place."""
    running = [started(tracker, folder, "run", 100) for _ in range(WRITERS)]
    good = sum(ran.code == 0 and ran.trained for ran in map(ended, running))
    whole = sum(count >= 100 for count in READERS[tracker](folder / "home"))
    return f"{good} of {WRITERS} ended well, {whole} whole records"


def descriptors_reused(tracker: str, folder: Path) -> str:
    """The script closes every descriptor it does not know, and writes files of its own."""
    ran = ended(started(tracker, folder, "run", STEPS, before=REUSE))
    spoiled = sum(file.read_text("utf-8", "replace") != "own\n" for file in folder.glob("own*.txt"))
    went = "trained" if ran.trained else "training stopped"
    return f"{spoiled} of 16 own files spoiled, {went}, exit code {ran.code}"


def odd_names(tracker: str, folder: Path) -> str:
    """A run's name (for Sleuth: the script's folder) that no file should have."""
    good, names = 0, ("a b", "é🐕", "line\nend", "x" * 300, "\x1b[2J")
    for number, name in enumerate(names):
        place = folder / str(number)
        # Sleuth has no names for runs: the script's own folder is what its archive has to live with.
        place = place / (name if len(name) < 256 else "odd") if tracker == "sleuth" else place
        place.mkdir(parents=True)
        ran = ended(started(tracker, place, name, 20))
        good += ran.trained and ran.code == 0 and kept(tracker, place / "home") >= 20
    return f"{good} of {len(names)} trained and kept"


ATTACKS: Mapping[str, Callable[[], Told]] = {
    f"kill -9, {KILLS} times (about 200 steps a second)": lambda: each(killed),
    "disk full": lambda: each(disk_full),
    f"{WRITERS} writers in one place": lambda: each(many_writers),
    "descriptors closed and used again": lambda: each(descriptors_reused),
    "odd names": lambda: each(odd_names),
}


def page(counted: Mapping[str, tuple[int, int]], compared: Mapping[str, Told]) -> str:
    lines = [
        BEGIN,
        "| attack on Sleuth | tried | failed |",
        "|---|---|---|",
        *(f"| {name} | {tried} | {failed} |" for name, (tried, failed) in counted.items()),
        "",
        "| attack | " + " | ".join(TITLES.values()) + " |",
        "|---|" + "---|" * len(TITLES),
        *(f"| {name} | {' | '.join(told[one] for one in TITLES)} |" for name, told in compared.items()),
        END,
    ]
    return "\n".join(lines)


BEGIN = """\
# Reliability

Written by `python -m bench attacks`: every attack is a test under `tests/attacks`, and what was tried and
what got through is counted as they run. Below, the same attacks on Sleuth and on other trackers, with one
small training script, on one machine.
"""
END = """
A lost step is one that the script had handed over and that cannot be read back from disk (by the tracker's
own reader; of wandb's files, by Sleuth's). Trackers buffer on purpose; how much may be lost is a choice, and
this is what it was. An exit code of 0 on a full disk means that the training did not suffer.
"""
HALVES: Mapping[str, Callable[[], Mapping[str, object]]] = {"tests": tests, "peers": peers}
TITLES = {
    "sleuth": "Sleuth",
    "wandb": "wandb, offline",
    "tensorboard": "TensorBoard's writer",
    "mlflow": "MLflow's file store",
}
