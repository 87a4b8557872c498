"""What Sleuth sees and concludes, as plain frozen data: Evidence, Finding, Where.

Evidence is what a detector saw; a finding is what follows when all of it has been weighed (`sleuth.judge`).
Needs nothing but the standard library.
"""

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

from sleuth.quick_dataclass import dataclass, field, names_of
from sleuth.terminal import one_line

# How telling evidence is, in the detector's own words: the fault itself, what is usually one, what only an
# experiment can decide, and what is merely worth knowing.
Telling = Literal["proven", "likely", "open", "aside"]
Severity = Literal["error", "warning", "note"]

TELLINGS: tuple[Telling, ...] = get_args(Telling)
FAULTS: tuple[Telling, ...] = ("proven", "likely")
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


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
        return one_line(" in ".join(part for part in (place, self.module) if part))

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(**known_fields(cls, data))


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
        return plain_fields(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(**known_fields(cls, data))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a detector saw of a cause: how telling it is, where, and in which numbers.

    A detector says what it saw; the catalog stamps `cause` and `technique`. How sure all of it makes one is
    not a detector's to say.
    """

    message: str
    telling: Telling = "likely"
    where: Where | None = None
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    fix: str = ""
    cause: str = ""
    technique: str = ""
    edits: tuple[Edit, ...] = ()
    # Circumstances in which it does not count, where they are others than its cause names (`UNLESS`).
    unless: tuple[str, ...] | None = None
    # What its own cause wants to find again when the run is known (see `settle`); not for the reader.
    marks: Mapping[str, int | str] = field(default_factory=dict)
    confirmed_by: tuple[str, ...] = ()  # experiments of its own that showed the same

    def __post_init__(self) -> None:
        if self.telling not in TELLINGS:
            raise ValueError(f"telling is one of {', '.join(TELLINGS)}, not {self.telling!r}")

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self) | {
            "where": self.where.to_dict() if self.where else None,
            "edits": [edit.to_dict() for edit in self.edits],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        known = _placed(known_fields(cls, data))
        if known.get("unless") is not None:
            known["unless"] = tuple(known["unless"])
        return cls(**tupled(known, "confirmed_by"))


@dataclass(frozen=True, slots=True)
class Finding:
    """A conclusion: which cause, how sure, where, and from which numbers. Made by `sleuth.judge` alone."""

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

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            raise ValueError(f"severity is one of {', '.join(SEVERITIES)}, not {self.severity!r}")
        if not 0.0 <= self.credence <= 1.0:
            raise ValueError(f"credence lies between 0 and 1, not at {self.credence!r}")

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self) | {
            "where": self.where.to_dict() if self.where else None,
            "edits": [edit.to_dict() for edit in self.edits],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        return cls(**tupled(_placed(known_fields(cls, data)), "confirmed_by", "sources"))


def _placed(known: dict[str, Any]) -> dict[str, Any]:
    """With its place and its edits rebuilt."""
    where = known.get("where")
    edits = tuple(Edit.from_dict(item) for item in known.get("edits", ()))
    return known | {"where": None if where is None else Where.from_dict(where), "edits": edits}


def plain_fields(item: Any) -> dict[str, Any]:
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


def known_fields(cls: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Only the fields this version knows: a report of a newer Sleuth stays readable."""
    names = names_of(cls)
    return {key: value for key, value in data.items() if key in names}


def tupled(data: dict[str, Any], *names: str) -> dict[str, Any]:
    return data | {name: tuple(data[name]) for name in names if name in data}
