"""What lint says of one file, as data that can be stored."""

from collections.abc import Mapping
from typing import Any

from sleuth.finding import Evidence, Severity
from sleuth.quick_dataclass import dataclass, field
from sleuth.terminal import one_line

Excerpts = dict[tuple[str | None, int | None, int | None], str]


@dataclass(frozen=True)
class Trouble:
    """A file that could not be read, or only up to a line."""

    path: str
    line: int | None
    reason: str
    partly: bool = False

    def __post_init__(self) -> None:
        # Python's own words may end with a question ("Did you mean print(...)?"): no full stop after that.
        object.__setattr__(self, "reason", self.reason.replace("?.", "?"))

    @property
    def severity(self) -> Severity:
        return "warning" if self.partly else "error"

    @property
    def sentence(self) -> str:
        """What is wrong, without the place: for those who show it there."""
        told = self.line or self.reason.startswith("cell ")  # a place; a rule that failed has none
        rest = " The rest was read." if self.partly and told else ""
        return f"{self.reason}{rest}"

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"Cannot read {one_line(place)}: {self.sentence}"


@dataclass(frozen=True)
class FileReport:
    """All that lint says of one file, notes included; `consulted` are the local files it looked into."""

    path: str
    fingerprint: str = ""
    evidence: tuple[Evidence, ...] = ()
    trouble: Trouble | None = None
    consulted: Mapping[str, str] = field(default_factory=dict)
    excerpts: Excerpts = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "fingerprint": self.fingerprint,
            "evidence": [one.to_dict() for one in self.evidence],
            "trouble": vars(self.trouble) if self.trouble else None,
            "consulted": dict(self.consulted),
            "excerpts": [[*key, text] for key, text in self.excerpts.items()],
        }


@dataclass(frozen=True)
class StoredReport:
    """A report as it is stored: JSON has no keys of several parts."""

    path: str
    fingerprint: str = ""
    evidence: tuple[Evidence, ...] = ()
    trouble: Trouble | None = None
    consulted: Mapping[str, str] = field(default_factory=dict)
    excerpts: tuple[tuple[str | None, int | None, int | None, str], ...] = ()

    @property
    def report(self) -> FileReport:
        excerpts = {(path, cell, line): text for path, cell, line, text in self.excerpts}
        return FileReport(self.path, self.fingerprint, self.evidence, self.trouble, self.consulted, excerpts)
