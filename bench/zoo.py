"""The zoo: training scripts broken once, their repaired twins, and healthy scripts that look suspicious."""

import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import repair

ROOT = Path(__file__).resolve().parent.parent
ZOO = ROOT / "zoo"
# What distinguishes them stands in zoo/README.md.
SETS = {name: ZOO / name for name in ("handmade", "practice", "exam", "strangers")}
HANDMADE = SETS["handmade"]
INDEX = "index.toml"
SHELF = "healthy/"  # where a set keeps its healthy scripts
ANY: Mapping[str, Any] = {"pattern": ""}  # a script whose numbers were only looked at by hand
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
    """A pair: the broken script has the defect `slug` on `line`; `also` are fair second names for it.

    `or_lines` are other places one could fairly point at.
    """

    name: str  # "loss/double-softmax"
    folder: Path
    slug: str
    line: int
    or_lines: tuple[int, ...]
    also: tuple[str, ...]
    task: str
    lot: str  # with which others it was written, in zoo/lots.toml
    metric: Metric
    framework: str = "torch"  # what drives it, or what it is made of
    entry: str = ""  # of a pair of folders: the script to run
    file: str = ""  # the guilty file, where it is not the script

    @property
    def broken(self) -> Path:
        return self._half(self.folder, "broken")

    @property
    def fixed(self) -> Path:
        """The repaired twin, made if it is not there."""
        return self._half(repair.repaired(self.folder), "fixed")

    def _half(self, folder: Path, name: str) -> Path:
        return folder / name / self.entry if self.entry else folder / f"{name}.py"


@dataclass(frozen=True)
class Healthy:
    """A correct script and the causes a naive checker might accuse it of."""

    name: str  # "healthy/gan_detach"
    path: Path
    looks_like: tuple[str, ...]
    lot: str
    metric: Metric
    framework: str = "torch"


@dataclass(frozen=True)
class Outcome:
    """A finished run of a script."""

    code: int
    metric: float | None
    seconds: float
    tail: str


def cases(folder: Path = HANDMADE) -> Iterator[Case]:
    """The pairs of a set."""
    for name, told in _index(folder):
        if not name.startswith(SHELF):
            yield Case(
                name=name,
                folder=folder / name,
                slug=told["slug"],
                line=told["line"],
                or_lines=tuple(told.get("or_lines", ())),
                also=tuple(told.get("also", ())),
                task=told["task"],
                lot=told["lot"],
                metric=_metric(told.get("metric", ANY)),
                framework=told.get("framework", "torch"),
                entry=told.get("entry", ""),
                file=told.get("file", ""),
            )


def case(name: str, folder: Path = HANDMADE) -> Case:
    return next(found for found in cases(folder) if found.name == name)


def healthy(folder: Path = HANDMADE) -> Iterator[Healthy]:
    """The healthy scripts of a set."""
    for name, told in _index(folder):
        if name.startswith(SHELF):
            looks_like, metric = tuple(told.get("looks_like", ())), _metric(told.get("metric", ANY))
            framework = told.get("framework", "torch")
            yield Healthy(name, folder / f"{name}.py", looks_like, told["lot"], metric, framework)


def _index(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from tomllib.loads((folder / INDEX).read_text("utf-8")).items()


def _metric(told: Mapping[str, Any]) -> Metric:
    return Metric(told["pattern"], _range(told.get("fixed")), _range(told.get("broken")))


def _range(pair: Sequence[float] | str | None) -> tuple[float, float] | None:
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
