"""How far to trust a claim: premises into arguments, arguments into claims, sources counted once.

Premises of an argument combine as `all` (joint: the product) or `any` (corroboration: the best premise of each
source, log-odds added), times the inference. At a claim every argument is at most one pseudo-observation of a Beta
distribution; it weighs less the more often its sources have spoken before.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

from sleuth.evidence import beta
from sleuth.evidence.lineage import lineage, lineages
from sleuth.evidence.model import Argument, Map, Node, Relation, Step

Combine = Literal["all", "any"]
Semantics = Literal["beta", "product", "dfquad", "qe"]
SEMANTICS: tuple[Semantics, ...] = ("beta", "product", "dfquad", "qe")

REPEAT = 0.5  # what a source that has spoken before still counts for
UNSTATED = 0.5  # credence of a premise that states none: ignorance
PRIOR = 2.0  # pseudo-observations of a claim before any argument: Beta(1, 1)
EDGE = 1e-6  # a credence of 0 or 1 has no log-odds; nobody is that sure
SEARCHED = 8  # arguments with several sources among which the best reading is searched exhaustively


@dataclass(frozen=True)
class Term:
    """One argument (or bare statement) for or against a claim."""

    node: Node
    strength: float
    sources: tuple[str, ...]
    against: bool
    weight: float = 1.0


@dataclass(frozen=True)
class Belief:
    """A claim's credence, its 5–95 % interval, and how much of it is ignorance."""

    node: Node
    credence: float
    interval: tuple[float, float]
    ignorance: float
    base: float
    terms: tuple[Term, ...]
    sources: tuple[str, ...]


@dataclass
class Scales:
    """A map being weighed: beliefs are worked out once, and circles are cut where they close."""

    map: Map
    semantics: Semantics = "beta"
    muted: frozenset[str] = frozenset()  # sources left out
    beliefs: dict[Node, Belief] = field(default_factory=dict)
    open: list[Node] = field(default_factory=list)
    incoming: dict[Node, list[Relation]] = field(default_factory=dict)
    concluding: dict[str, list[Argument]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for relation in self.map.relations:
            self.incoming.setdefault(relation.target, []).append(relation)
            if relation.kind == "contradict":
                self.incoming.setdefault(relation.source, []).append(relation)
        for argument in self.map.arguments.values():
            if argument.conclusion is not None:
                self.concluding.setdefault(argument.conclusion, []).append(argument)


def weigh(found: Map, semantics: Semantics = "beta", muted: Iterable[str] = ()) -> Scales:
    return Scales(found, semantics, frozenset(muted))


def claims(scales: Scales) -> list[Belief]:
    """Every statement that something argues for or against, in the order of the map."""
    return [believe(scales, Node("statement", title)) for title in claim_titles(scales)]


def claim_titles(scales: Scales) -> list[str]:
    return [
        title
        for title in scales.map.statements
        if Node("statement", title) in scales.incoming or title in scales.concluding
    ]


def believe(scales: Scales, node: Node) -> Belief:
    """The belief in a statement or an argument."""
    if node in scales.beliefs:
        return scales.beliefs[node]
    scales.open.append(node)
    own, base, sources = _base(scales, node)
    terms = own + _incoming(scales, node)
    scales.open.pop()
    belief = _judged(scales.semantics, node, base, sources, terms)
    if not scales.open:  # within a circle a belief depends on where the circle was entered
        scales.beliefs[node] = belief
    elif not any(relation_node in scales.open for relation_node in _reach(scales, node)):
        scales.beliefs[node] = belief
    return belief


def _reach(scales: Scales, node: Node) -> set[Node]:
    """What a node's belief depends on."""
    seen: set[Node] = set()
    waiting = [node]
    while waiting:
        for other in _feeds(scales, waiting.pop()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen
