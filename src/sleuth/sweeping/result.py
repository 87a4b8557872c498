"""What an analysis says, as frozen data; `to_dict` is the public JSON."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from sleuth.finding import Severity, Telling
from sleuth.judge.strength import severity_of
from sleuth.sweeping.table import Scalar

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]

SCHEMA = "sleuth.sweep/1"
Word = Literal["reliable-better", "reliable-worse", "suggestive", "no-evidence", "undefined"]


@dataclass(frozen=True)
class Value:
    """One value of the parameter against the mean of the other values of its group."""

    value: Scalar
    n_seeds: int
    mean: float
    q10: float
    q90: float
    z_mean: float
    z_sd: float
    t_folklore: float
    effect: float
    interval: tuple[float, float] | None
    p: float
    p_raw: float
    verdict: Word
    add_seeds: int | None
    failed: int
    attempts: int
    noise_ratio: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "value": label(self.value),
            "n_seeds": self.n_seeds,
            "mean": plain(self.mean),
            "q10": plain(self.q10),
            "q90": plain(self.q90),
            "z_mean": plain(self.z_mean),
            "z_sd": plain(self.z_sd),
            "t_folklore": plain(self.t_folklore),
            "effect": plain(self.effect),
            "interval": None if self.interval is None else [plain(end) for end in self.interval],
            "p": plain(self.p),
            "p_uncorrected": plain(self.p_raw),
            "verdict": self.verdict,
            "add_seeds": self.add_seeds,
            "failed_runs": self.failed,
            "runs": self.attempts,
        }


@dataclass(frozen=True)
class Trend:
    """A straight line through numeric values: metric per unit of the parameter."""

    r: float
    t_folklore: float
    slope: float
    error: float
    p: float
    verdict: Word
    add_seeds: int | None = None
    scale: Literal["linear", "log10"] = "linear"

    def to_dict(self) -> dict[str, Any]:
        return {
            "r": plain(self.r),
            "slope": plain(self.slope),
            "p": plain(self.p),
            "verdict": self.verdict,
            "t_folklore": plain(self.t_folklore),
            "error": plain(self.error),
            "add_seeds": self.add_seeds,
            "scale": self.scale,
        }


Pair = tuple[Scalar, Scalar]


class Cells(Mapping[Pair, float]):
    """Value and seed → result. Few of many groups are ever looked at: spelled out when somebody asks."""

    def __init__(
        self, values: Callable[[], tuple[Scalar, ...]], seeds: tuple[Scalar, ...], results: "Floats"
    ) -> None:
        self._values, self._seeds, self._results = values, seeds, results

    @cached_property
    def _spelled(self) -> dict[Pair, float]:
        rows = zip(self._values(), self._results.tolist(), strict=True)
        return {
            (value, seed): result
            for value, row in rows
            for seed, result in zip(self._seeds, row, strict=True)
            if not math.isnan(result)
        }

    def ranked(self) -> "Floats":
        """All results, rising."""
        import numpy as np

        return np.sort(self._results[~np.isnan(self._results)])

    def __getitem__(self, pair: Pair) -> float:
        return self._spelled[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._spelled)

    def __len__(self) -> int:
        return len(self._spelled)


@dataclass(frozen=True)
class Group:
    """One sweep. `cells` maps value and seed to the result, for pictures and to tell a lottery."""

    group: Scalar
    param: str
    values: tuple[Value, ...]
    trend: Trend
    also_varies: tuple[str, ...]
    missing: tuple[Pair, ...]
    failed: tuple[Pair, ...]
    warnings: tuple[str, ...]
    seeds: tuple[Scalar, ...]
    method: str
    noise: float
    folklore_false_alarms: float
    cells: Mapping[Pair, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "group": label(self.group),
            "param": self.param,
            "values": [value.to_dict() for value in self.values],
            "trend": self.trend.to_dict(),
            "also_varies": list(self.also_varies),
            "missing": [list(map(label, pair)) for pair in self.missing],
            "failed": [list(map(label, pair)) for pair in self.failed],
            "warnings": list(self.warnings),
            "seeds": list(map(label, self.seeds)),
            "method": self.method,
            "noise": plain(self.noise),
            "folklore_false_alarms": plain(self.folklore_false_alarms),
        }


@dataclass(frozen=True)
class SweepFinding:
    """Something worth acting on, with the runs it rests on; `cause`: where the kind is one of the catalog."""

    kind: str
    message: str
    telling: Telling = "likely"
    group: Scalar | None = None
    value: Scalar | None = None
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    fix: str = ""
    cause: str | None = None
    runs: tuple[str, ...] = ()

    @property
    def severity(self) -> Severity:
        return severity_of(self.telling)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "cause": self.cause,
            "severity": self.severity,
            "message": self.message,
            "group": label(self.group),
            "value": label(self.value),
            "numbers": {name: plain(number) for name, number in self.numbers.items()},
            "fix": self.fix,
            "runs": list(self.runs),
        }


@dataclass(frozen=True)
class Analysis:
    """All groups of one source, and what was found in them."""

    source: str
    param: str
    metric: str
    seed: str
    lower_is_better: bool
    runs: int
    groups: tuple[Group, ...]
    findings: tuple[SweepFinding, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "source": self.source,
            "param": self.param,
            "metric": self.metric,
            "lower_is_better": self.lower_is_better,
            "runs": self.runs,
            "groups": [group.to_dict() for group in self.groups],
            "findings": [finding.to_dict() for finding in self.findings],
        }


def label(name: Scalar | None) -> Scalar | None:
    """A value or a seed may be infinite; in JSON it is then a word."""
    return str(name) if isinstance(name, float) and not math.isfinite(name) else name


def plain(number: Any) -> Any:
    """JSON knows neither NaN nor infinity."""
    if isinstance(number, float) and not math.isfinite(number):
        return None
    return number
