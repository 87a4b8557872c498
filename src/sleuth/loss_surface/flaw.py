"""What a surface shows: `Flaw`, a defect with its kind, place and numbers, and `Spot`, a marked point."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sleuth.finding import Severity, Telling
from sleuth.judge.strength import severity_of
from sleuth.loss_surface.axes import Span

Kind = Literal[
    "dead-zone",
    "axis-imbalance",
    "saddle",
    "leads-away",
    "spurious-minimum",
    "non-finite",
    "cliff",
    "saturation",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Flaw:
    """A defect of a loss: what was seen, where on the map, from which numbers, and what to do about it.
    A kind is no cause of the catalog: the same shape may be meant.

    `box` bounds the place (one interval an axis), `at` is its most telling point, `share` its part of the
    map.
    """

    kind: Kind
    message: str
    fix: str
    telling: Telling = "likely"
    term: str = ""
    slice: Mapping[str, float] = field(default_factory=dict)
    at: tuple[float, ...] | None = None
    box: tuple[Span, ...] = ()
    share: float = 0.0
    numbers: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def severity(self) -> Severity:
        return severity_of(self.telling)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "severity": self.severity,
            "term": self.term,
            "slice": dict(self.slice),
            "message": self.message,
            "at": None if self.at is None else list(self.at),
            "box": [list(span) for span in self.box],
            "share": self.share,
            "numbers": dict(self.numbers),
            "fix": self.fix,
        }


@dataclass(frozen=True)
class Spot:
    """A point of the map with a meaning: a saddle, a minimum, a maximum, or where descent leaves the map."""

    what: Literal["saddle", "minimum", "maximum", "exit"]
    at: tuple[float, ...]
    loss: float
    curvatures: tuple[float, ...] = ()
    basin: float = 0.0  # share of the map from which descent ends here

    def to_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "at": list(self.at),
            "loss": self.loss,
            "curvatures": list(self.curvatures),
            "basin": self.basin,
        }
