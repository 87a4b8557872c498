"""What Sleuth concludes, as plain frozen data: Finding, Where, Report. Standard library only."""

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

from sleuth.quick_dataclass import dataclass, field, names_of

Severity = Literal["error", "warning", "note"]
Status = Literal["cause-found", "nothing-found", "inconclusive", "crashed"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
STATUSES: tuple[Status, ...] = get_args(Status)
REPORT_SCHEMA = "sleuth.report/1"


@dataclass(frozen=True, slots=True)
class Where:
    """A place: in a file (in a notebook, `line` counts within `cell`), in a model, or both.

    `module` is a path within a model, such as `encoder.layers.0`.
    """

    path: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    module: str | None = None
    cell: int | None = None

    def __str__(self) -> str:
        cell = None if self.cell is None else f"cell {self.cell}"
        place = ":".join(str(part) for part in (self.path, cell, self.line) if part is not None)
        return " in ".join(part for part in (place, self.module) if part)

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(**_known(cls, data))


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace a stretch of a file by another text. `safe`: it cannot change what was meant."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    safe: bool = True

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(**_known(cls, data))


@dataclass(frozen=True, slots=True)
class Finding:
    """An inference: which cause, how sure, where, and from which numbers.

    A detector fills in what it saw; the catalog stamps `cause`, `family`, `technique` and `sources`.
    """

    message: str
    severity: Severity = "warning"
    credence: float = 0.5
    where: Where | None = None
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    fix: str = ""
    cause: str = ""
    family: str = ""
    technique: str = ""
    confirmed_by: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    # Circumstances in which it does not count, where they are others than its cause names (`UNLESS`).
    unless: tuple[str, ...] | None = None
    # What its own cause wants to find again when the run is known (see `settle`); not for the reader.
    marks: Mapping[str, int | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            raise ValueError(f"severity is one of {', '.join(SEVERITIES)}, not {self.severity!r}")
        if not 0.0 <= self.credence <= 1.0:
            raise ValueError(f"credence lies between 0 and 1, not at {self.credence!r}")

    def to_dict(self) -> dict[str, Any]:
        told = _plain(self) | {
            "where": self.where.to_dict() if self.where else None,
            "edits": [edit.to_dict() for edit in self.edits],
        }
        inner = {"unless": self.unless is None, "marks": not self.marks}
        return {name: part for name, part in told.items() if not inner.get(name)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        known = _known(cls, data)
        if known.get("where") is not None:
            known["where"] = Where.from_dict(known["where"])
        known["edits"] = tuple(Edit.from_dict(item) for item in known.get("edits", ()))
        if known.get("unless") is not None:
            known["unless"] = tuple(known["unless"])
        return cls(**_tupled(known, "confirmed_by", "sources"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The one line at the end."""

    status: Status
    summary: str

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status is one of {', '.join(STATUSES)}, not {self.status!r}")

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(**_known(cls, data))


@dataclass(frozen=True, slots=True)
class Report:
    """Findings, and what was examined: "looked, and it is fine" differs from "did not look"."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    observations: tuple[Mapping[str, Any], ...] = ()
    experiments: tuple[Mapping[str, Any], ...] = ()
    hypotheses: tuple[Mapping[str, Any], ...] = ()
    examined: tuple[Mapping[str, Any], ...] = ()
    timing: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ranked = sorted(self.findings, key=lambda finding: -finding.credence)
        object.__setattr__(self, "findings", tuple(ranked))

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": REPORT_SCHEMA,
            **_plain(self),
            "verdict": self.verdict.to_dict(),
            "findings": [finding.to_dict() for finding in self.findings],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        if data.get("schema") != REPORT_SCHEMA:
            raise ValueError(f"expected schema {REPORT_SCHEMA!r}, found {data.get('schema')!r}")
        known = _known(cls, data)
        known["verdict"] = Verdict.from_dict(known["verdict"])
        known["findings"] = tuple(Finding.from_dict(item) for item in known.get("findings", ()))
        return cls(**_tupled(known, "observations", "experiments", "hypotheses", "examined"))


def _plain(item: Any) -> dict[str, Any]:
    """The fields as JSON-ready values: tuples become lists and mappings become dicts, one level deep."""

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return list(value)
        if isinstance(value, Mapping):
            return {key: _number(part) for key, part in value.items()}
        return value

    return {name: plain(getattr(item, name)) for name in names_of(item)}


def _number(value: Any) -> Any:
    """JSON has no word for nan and infinity; they go as text."""
    return (
        str(value) if isinstance(value, float) and (value != value or abs(value) == float("inf")) else value
    )


def _known(cls: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Only the fields this version knows: a report of a newer Sleuth stays readable."""
    names = names_of(cls)
    return {key: value for key, value in data.items() if key in names}


def _tupled(data: dict[str, Any], *names: str) -> dict[str, Any]:
    return data | {name: tuple(data[name]) for name in names if name in data}
