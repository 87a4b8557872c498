"""An argument map as plain frozen data: statements, arguments, relations, quotes, and what was wrong."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sleuth.finding import Severity

Kind = Literal["support", "attack", "undercut", "contradict"]
Sort = Literal["statement", "argument"]

AGAINST: tuple[Kind, ...] = ("attack", "undercut", "contradict")

_ANCHOR = re.compile(r"^L?(\d+)(?:\s*[-–]\s*L?(\d+))?$")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a map, with its place. `unread`: the text could not be read as it stands."""

    line: int
    column: int
    severity: Severity
    rule: str
    message: str
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of an evidence file, both ends included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"L{self.first}" if self.first == self.last else f"L{self.first}-L{self.last}"

    def holds(self, other: "Span") -> bool:
        return self.first <= other.first and other.last <= self.last


def read_span(anchor: str) -> Span | None:
    """`L120-L125`, `L218` and `L198-204` as lines; anything else is no line anchor."""
    match = _ANCHOR.match(anchor.strip())
    if match is None or not anchor.strip().startswith("L"):
        return None
    first = int(match[1])
    last = int(match[2] or first)
    return Span(first, last) if 1 <= first <= last else None


@dataclass(frozen=True, slots=True)
class Link:
    label: str
    target: str
    line: int
    column: int

    @property
    def remote(self) -> bool:
        return "://" in self.target or self.target.startswith("mailto:")

    @property
    def file(self) -> str:
        return self.target.partition("#")[0]

    @property
    def anchor(self) -> str:
        return self.target.partition("#")[2]


@dataclass(frozen=True, slots=True)
class Quote:
    """Consecutive `>` lines, and the evidence link that stands before them."""

    text: str
    line: int
    column: int
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the map; not `defined` where only referred to, not `titled` where it has no name."""

    title: str
    text: str = ""
    line: int = 0
    column: int = 1
    tags: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    quotes: tuple[Quote, ...] = ()
    defined: bool = True
    titled: bool = True
    section: str = ""
    data_at: tuple[int, int] | None = None  # line and column of the data block


@dataclass(frozen=True, slots=True)
class Step:
    """One inference: what stands above the line, what below, and the data on the line itself."""

    premises: tuple[str, ...]
    conclusion: str
    rule: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Argument:
    title: str
    text: str = ""
    line: int = 0
    column: int = 1
    tags: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    steps: tuple[Step, ...] = ()
    defined: bool = True
    section: str = ""
    data_at: tuple[int, int] | None = None

    @property
    def conclusion(self) -> str | None:
        return self.steps[-1].conclusion if self.steps else None

    @property
    def premises(self) -> tuple[str, ...]:
        return tuple(title for step in self.steps for title in step.premises)


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """One end of a relation."""

    sort: Sort
    title: str

    def __str__(self) -> str:
        return f"<{self.title}>" if self.sort == "argument" else f"[{self.title}]"


@dataclass(frozen=True, slots=True)
class Relation:
    kind: Kind
    source: Node
    target: Node
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    title: str
    line: int


@dataclass(frozen=True)
class Map:
    """What was read from one file, and what could not be. `relations` hold each relation once."""

    path: str
    front: Mapping[str, Any] = field(default_factory=dict)
    header: tuple[tuple[int, str], ...] = ()  # opening comments: line, text
    headings: tuple[Heading, ...] = ()
    statements: Mapping[str, Statement] = field(default_factory=dict)
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    listed: frozenset[Node] = frozenset()
    problems: tuple[Problem, ...] = ()
    scraped: bool = False

    @property
    def title(self) -> str:
        return str(self.front.get("title", "")) or self.path

    @property
    def quotes(self) -> tuple[tuple[Statement, Quote], ...]:
        return tuple((entry, quote) for entry in self.statements.values() for quote in entry.quotes)

    @property
    def tags(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        holders: list[Statement | Argument] = [*self.statements.values(), *self.arguments.values()]
        for tag in (tag for holder in holders for tag in holder.tags):
            counts[tag] = counts.get(tag, 0) + 1
        return counts

    @property
    def unread(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.unread)
