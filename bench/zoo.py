"""The zoo: training scripts broken once, their repaired twins, and healthy scripts that look suspicious."""

import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ZOO = ROOT / "zoo"
# Written by people who had not seen how Sleuth decides; it was mended on `wild`, then met `stray`.
SETS = {"zoo": ZOO, "wild": ZOO / "wild", "stray": ZOO / "stray", "blind": ZOO / "blind"}
ANY = {"pattern": ""}  # a case whose numbers were only looked at by hand
LINE_SLACK = 2  # a finding within so many lines of the guilty one has hit it
TIME_LIMIT = 120.0  # seconds for one script; they take a few on a quiet core


@dataclass(frozen=True)
class Metric:
    """The number a script prints at its end, and the range a run must land in (None: any)."""

    pattern: str
    fixed: tuple[float, float] | None
    broken: tuple[float, float] | None


@dataclass(frozen=True)
class Case:
    """A pair: `broken.py` has the defect `slug` on `line`; `also` are fair second names for it.

    `or_lines` are other places one could fairly point at.
    """

    name: str
    folder: Path
    slug: str
    line: int
    or_lines: tuple[int, ...]
    also: tuple[str, ...]
    task: str
    metric: Metric
    entry: str = ""  # of a pair of folders: the script to run
    file: str = ""  # the guilty file, where it is not the script

    @property
    def broken(self) -> Path:
        return self._half("broken")

    @property
    def fixed(self) -> Path:
        return self._half("fixed")

    def _half(self, name: str) -> Path:
        return self.folder / name / self.entry if self.entry else self.folder / f"{name}.py"


@dataclass(frozen=True)
class Healthy:
    """A correct script and the causes a naive checker might accuse it of."""

    path: Path
    looks_like: tuple[str, ...]
    metric: Metric


@dataclass(frozen=True)
class Outcome:
    """A finished run of a script."""

    code: int
    metric: float | None
    seconds: float
    tail: str


def cases(folder: Path = ZOO) -> Iterator[Case]:
    for file in sorted(folder.glob("*/*/case.toml")):
        data = tomllib.loads(file.read_text("utf-8"))
        metric = data.get("metric", ANY)
        yield Case(
            name="/".join(file.parts[-3:-1]),
            folder=file.parent,
            slug=data["slug"],
            line=data["line"],
            or_lines=tuple(data.get("or_lines", ())),
            also=tuple(data.get("also", ())),
            task=data["task"],
            metric=Metric(metric["pattern"], _range(metric.get("fixed")), _range(metric.get("broken"))),
            entry=data.get("entry", ""),
            file=data.get("file", ""),
        )


def healthy(folder: Path = ZOO) -> Iterator[Healthy]:
    expected = tomllib.loads((folder / "healthy" / "expect.toml").read_text("utf-8"))
    for name, entry in expected.items():
        metric = Metric(entry.get("pattern", ""), _range(entry.get("range")), None)
        yield Healthy(folder / "healthy" / f"{name}.py", tuple(entry.get("looks_like", ())), metric)


def _range(pair: list[float] | str | None) -> tuple[float, float] | None:
    """A range of numbers; a word ("nan") says that there is none to land in."""
    return (float(pair[0]), float(pair[1])) if pair and not isinstance(pair, str) else None


def run(script: Path, pattern: str) -> Outcome:
    """Run a script alone on one core and read the metric it prints last."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        check=False,
    )
    seen = re.findall(pattern, done.stdout)
    metric = float(seen[-1]) if seen else None
    return Outcome(done.returncode, metric, time.perf_counter() - started, (done.stdout + done.stderr)[-600:])


def within(outcome: Outcome, wanted: tuple[float, float] | None) -> bool:
    """Whether the run ended well and its metric lies where it should."""
    if outcome.code != 0 or outcome.metric is None:
        return False
    return wanted is None or wanted[0] <= outcome.metric <= wanted[1]
