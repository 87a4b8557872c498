"""What a verb hands over: verdict, findings, and what was seen, tried and examined on the way.

"Looked, and it is fine" differs from "did not look". Standard library only.
"""

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

from sleuth.finding import Finding, known_fields, plain_fields, tupled
from sleuth.quick_dataclass import dataclass, field

Status = Literal["cause-found", "nothing-found", "inconclusive", "crashed"]
Answer = Literal["yes", "no", "none"]
STATUSES: tuple[Status, ...] = get_args(Status)
REPORT_SCHEMA = "sleuth.report/1"
Curve = tuple[float | None, ...]  # None where a loss was not finite


@dataclass(frozen=True, slots=True)
class Verdict:
    """The one line at the end."""

    status: Status
    summary: str

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status is one of {', '.join(STATUSES)}, not {self.status!r}")

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(**known_fields(cls, data))


@dataclass(frozen=True, slots=True)
class Ran:
    """How far the first stretch of a script went."""

    status: str = ""
    steps: int = 0
    shortened: tuple[str, ...] = ()  # loops that were cut short, as "path:line"
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LossSeen:
    """The training loss of the first stretch; None where it was not finite."""

    first: float | None = None
    last: float | None = None
    lowest: float | None = None


@dataclass(frozen=True, slots=True)
class PartSeen:
    """The first module on the path from input to loss whose output is wrong, and who was asked."""

    what: str = ""
    module: str = ""
    line: int = 0
    path: str = ""
    step: int = 0
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BudgetSpent:
    """The budget ran out, and what would have come next."""

    next: str = ""
    spent: bool = True


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about the run."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class ScoreSeen:
    """A number that the script or its evaluation told: the last one."""

    name: str
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement, by its name; `not_examined` says why there is none."""

    name: str
    values: Any = None
    not_examined: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was put to a model, and its answer in numbers; `unavailable` says why there is none."""

    question: str
    details: Mapping[str, Any] = field(default_factory=dict)
    unavailable: str = ""


Observation = Ran | LossSeen | PartSeen | BudgetSpent | Remark | ScoreSeen | Measured | Asked
KINDS: Mapping[str, type[Any]] = {
    "run": Ran,
    "loss": LossSeen,
    "bisect": PartSeen,
    "budget": BudgetSpent,
    "note": Remark,
}
_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Tried:
    """An experiment that was made."""

    name: str
    answer: Answer
    seen: str = ""
    seconds: float = 0.0
    base_curve: Curve = ()
    curve: Curve = ()


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One bar of the board."""

    hypothesis: str
    credence: float
    refuted_by: str = ""
    closed: bool = False
    closed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Examined:
    """One cause: whether it was looked for and by which technique, how long that took, and why not."""

    cause: str
    family: str = ""
    done: bool = True
    reason: str = ""
    seconds: float = 0.0
    technique: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Findings by falling credence, and all that they rest on."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    observations: tuple[Observation, ...] = ()
    experiments: tuple[Tried, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    examined: tuple[Examined | Asked, ...] = ()
    timing: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ranked = sorted(self.findings, key=lambda finding: -finding.credence)
        object.__setattr__(self, "findings", tuple(ranked))

    @property
    def serious(self) -> tuple[Finding, ...]:
        """Errors and warnings."""
        return tuple(finding for finding in self.findings if finding.severity != "note")

    @property
    def causes_examined(self) -> tuple[Examined, ...]:
        return tuple(entry for entry in self.examined if isinstance(entry, Examined))

    @property
    def measured(self) -> dict[str, Any]:
        """The values of what was measured, by name."""
        seen = [entry for entry in self.observations if isinstance(entry, Measured)]
        return {entry.name: entry.values for entry in seen if not entry.not_examined}

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": REPORT_SCHEMA,
            "verdict": self.verdict.to_dict(),
            "findings": [finding.to_dict() for finding in self.findings],
            "observations": [_observation_dict(entry) for entry in self.observations],
            "experiments": [plain_fields(entry) for entry in self.experiments],
            "hypotheses": [plain_fields(entry) for entry in self.hypotheses],
            "examined": [_examined_dict(entry) for entry in self.examined],
            "timing": dict(self.timing),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        if data.get("schema") != REPORT_SCHEMA:
            raise ValueError(f"expected schema {REPORT_SCHEMA!r}, found {data.get('schema')!r}")
        known = known_fields(cls, data)
        known["verdict"] = Verdict.from_dict(known["verdict"])
        known["findings"] = tuple(Finding.from_dict(item) for item in known.get("findings", ()))
        known["observations"] = tuple(map(_observation, known.get("observations", ())))
        for name, kind in (("experiments", Tried), ("hypotheses", Hypothesis)):
            known[name] = tuple(_rebuilt(kind, item) for item in known.get(name, ()))
        known["examined"] = tuple(map(_examined, known.get("examined", ())))
        return cls(**known)


def _asked_dict(entry: Asked) -> dict[str, Any]:
    unavailable = {"unavailable": entry.unavailable} if entry.unavailable else {}
    return {"question": entry.question, **entry.details, **unavailable}


def _asked(data: Mapping[str, Any]) -> Asked:
    details = {name: part for name, part in data.items() if name not in ("question", "unavailable")}
    return Asked(str(data["question"]), details, str(data.get("unavailable", "")))


def _examined_dict(entry: Examined | Asked) -> dict[str, Any]:
    return _asked_dict(entry) if isinstance(entry, Asked) else plain_fields(entry)


def _examined(data: Mapping[str, Any]) -> Examined | Asked:
    return _asked(data) if "question" in data else _rebuilt(Examined, data)


def _observation_dict(entry: Observation) -> dict[str, Any]:
    if isinstance(entry, Asked):
        return _asked_dict(entry)
    told = plain_fields(entry)
    if isinstance(entry, Measured):
        dropped = "values" if entry.not_examined else "not_examined"
        return {name: part for name, part in told.items() if name != dropped}
    return told if isinstance(entry, ScoreSeen) else {"name": _NAMES[type(entry)], **told}


def _observation(data: Mapping[str, Any]) -> Observation:
    if "question" in data:
        return _asked(data)
    if "value" in data:
        return ScoreSeen(str(data["name"]), data["value"])
    kind: Any = KINDS.get(str(data.get("name")), Measured)
    found: Observation = _rebuilt(kind, data)
    return found


def _rebuilt(kind: Any, data: Mapping[str, Any]) -> Any:
    known = known_fields(kind, data)
    lists = [name for name, part in known.items() if isinstance(part, list) and name != "values"]
    return kind(**tupled(known, *lists))
