"""Two runs side by side: code, command, surroundings, and the first step where their curves part."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from math import isfinite
from pathlib import Path
from typing import Any

from sleuth.archive import code
from sleuth.archive.packing import Series
from sleuth.archive.run import Run

FACTS = ("kind", "script", "cwd", "host", "platform", "cpus", "python", "executable", "sleuth", "exit_code")
TELLING_GAP = 0.01  # of the larger value; below it, other threads or another order of sums may be the reason
# Clocks, memory and line numbers differ between runs: they say nothing about what was computed.
_CLOCKS = re.compile(
    r"(^|[/_.])(t|time|times|s|ms|us|seconds|duration|cpu|rss|memory|mem|throughput|wall|clock|line|pattern)([/_.]|$)"
)

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Parting:
    """One curve of both runs: the first step at which it differs, and the first where it does by 1 %."""

    name: str
    shared: int
    step: int | None
    left: float | None
    right: float | None
    apart: int | None


@dataclass(frozen=True)
class Difference:
    left: Run
    right: Run
    command: Pair | None
    facts: Mapping[str, Pair]
    seeds: Pair | None
    packages: Mapping[str, Pair]
    environment: Mapping[str, Pair]
    commits: Pair | None
    code: str
    unseen: str
    partings: tuple[Parting, ...]
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]

    @property
    def first(self) -> Parting | None:
        """The curve that parts first; of several, the loss."""
        parted = [one for one in self.partings if one.step is not None]
        return min(parted, key=lambda one: (one.step or 0, one.name != "step/loss"), default=None)

    @property
    def same(self) -> bool:
        told = (
            self.command,
            self.facts,
            self.seeds,
            self.packages,
            self.environment,
            self.commits,
            self.code,
        )
        return not any(told) and self.first is None


def difference(left: Run, right: Run) -> Difference:
    one, other = left.meta, right.meta
    curves, others = left.all_series(), right.all_series()
    text, unseen = code_difference(left, right)
    return Difference(
        left,
        right,
        command=_pair(one.get("command"), other.get("command")),
        facts=_pairs({key: one.get(key) for key in FACTS}, {key: other.get(key) for key in FACTS}),
        seeds=_pair(seeds(left), seeds(right)),
        packages=_pairs(one.get("packages") or {}, other.get("packages") or {}),
        environment=_pairs(one.get("environment") or {}, other.get("environment") or {}),
        commits=_pair(_code(one).get("commit"), _code(other).get("commit")),
        code=text,
        unseen=unseen,
        partings=tuple(parting(curves[name], others[name]) for name in curves if name in others),
        only_left=tuple(sorted(set(curves) - set(others))),
        only_right=tuple(sorted(set(others) - set(curves))),
    )


def parting(left: Series, right: Series) -> Parting:
    """Values at the same step are compared bit for bit; NaN equals NaN, and a clock never parts."""
    others = dict(_placed(right))
    shared = [(place[0], value, others[place]) for place, value in _placed(left) if place in others]
    parted = [] if is_clock(left.name) else [item for item in shared if _differ(*item[1:])]
    step, one, other = min(parted, key=lambda item: item[0], default=(None, None, None))
    apart = min((at for at, here, there in parted if _far(here, there)), default=None)
    return Parting(left.name, len(shared), step, one, other, apart)


def is_clock(name: str) -> bool:
    """Whether a series tells of time, memory or lines of code, not of what was computed."""
    return _CLOCKS.search(name) is not None


def seeds(run: Run) -> list[str]:
    """As the record tells them, finished or not."""
    told = (f"{event.get('what')} {event.get('value', 0)}" for event in run.events("seed"))
    return list(dict.fromkeys(told))


def code_difference(left: Run, right: Run) -> tuple[str, str]:
    """A unified diff from the left run's code to the right's, and what could not be compared."""
    names, unseen = _names(left, right)
    return "".join(_file_difference(name, left, right) for name in names), unseen


def _names(left: Run, right: Run) -> tuple[list[str], str]:
    one, other = _code(left.meta), _code(right.meta)
    names = set(code.kept(left.folder)) | set(code.kept(right.folder))
    before, after = one.get("commit"), other.get("commit")
    if before == after or before is None or after is None:
        return sorted(names), ""
    root = other.get("root", "")
    moved = code.between(Path(root), before, after) if root else None
    if moved is None:
        return sorted(names), f"The repository {root} is gone: only copied files are compared."
    return sorted(names | set(moved)), ""


def _file_difference(name: str, left: Run, right: Run) -> str:
    before, after = _source(left, name), _source(right, name)
    if before == after:
        return ""
    old, new = ((text or "").splitlines(keepends=True) for text in (before, after))
    was = "/dev/null" if before is None else f"a/{name}"
    now = "/dev/null" if after is None else f"b/{name}"
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in unified_diff(old, new, was, now))


def _source(run: Run, name: str) -> str | None:
    """As it was when the run began: the copy, or for an unchanged file the commit."""
    copy = run.folder / code.CODE / name
    if copy.is_file():
        return copy.read_text("utf-8", errors="replace")
    known = _code(run.meta)
    told = known.get("root") and known.get("commit")
    return code.committed(Path(known["root"]), known["commit"], name) if told else None


def _code(meta: Mapping[str, Any]) -> dict[str, Any]:
    return dict(meta.get("code") or {})


def _placed(series: Series) -> Iterator[tuple[tuple[int, int], float]]:
    """A step may carry several values of one name: the first answers the first, the second the second."""
    seen: Counter[int] = Counter()
    for step, value in zip(series.steps, series.values, strict=True):
        yield (step, seen[step]), value
        seen[step] += 1


def _differ(one: float, other: float) -> bool:
    return one != other and not (one != one and other != other)


def _far(one: float, other: float) -> bool:
    """NaN and infinity are far from everything else."""
    if not (isfinite(one) and isfinite(other)):
        return True
    return abs(one - other) > TELLING_GAP * max(abs(one), abs(other))


def _pair(one: Any, other: Any) -> Pair | None:
    return None if one == other else (one, other)


def _pairs(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Pair]:
    keys: Iterable[str] = dict.fromkeys([*one, *other])
    return {key: (one.get(key), other.get(key)) for key in keys if one.get(key) != other.get(key)}
