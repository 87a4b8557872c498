"""How far to trust a claim: premises into arguments, arguments into claims, sources counted once.

Premises of an argument combine as `all` (joint: the product) or `any` (corroboration: the best premise of
each source, log-odds added), times the inference. At a claim every argument is at most one
pseudo-observation of a Beta distribution; it weighs less the more often its sources have spoken before.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sleuth.evidence import beta
from sleuth.evidence.graph import Graph, build_graph
from sleuth.evidence.lineage import lineage
from sleuth.evidence.model import AGAINST, Argument, Map, Node, Step
from sleuth.evidence.weights import weights

Combine = Literal["all", "any"]
Semantics = Literal["beta", "product", "dfquad", "qe"]
SEMANTICS: tuple[Semantics, ...] = ("beta", "product", "dfquad", "qe")

UNSTATED = 0.5  # credence of a premise that states none: ignorance
PRIOR = 2.0  # pseudo-observations of a claim before any argument: Beta(1, 1)
EDGE = 1e-6  # a credence of 0 or 1 has no log-odds; nobody is that sure


@dataclass(frozen=True)
class Term:
    """An argument (or bare statement) for or against a claim; `weight` is below 1 where sources repeat."""

    node: Node
    strength: float
    sources: tuple[str, ...]
    against: bool
    weight: float = 1.0


@dataclass(frozen=True)
class Belief:
    """A credence, its 5-95 % interval (only Beta counts give one), and how much of it is ignorance.

    `base` is what the claim has before `terms`: its own argument, its stated credence, or one half.
    """

    node: Node
    credence: float
    base: float
    terms: tuple[Term, ...]
    sources: tuple[str, ...]
    mass: float | None = None  # pseudo-observations, the prior's two among them

    @property
    def interval(self) -> tuple[float, float] | None:
        if self.mass is None:
            return None
        alpha, other = (max(share * self.mass, EDGE) for share in (self.credence, 1 - self.credence))
        return beta.quantile(0.05, alpha, other), beta.quantile(0.95, alpha, other)

    @property
    def ignorance(self) -> float | None:
        return None if self.mass is None else PRIOR / self.mass


@dataclass(frozen=True)
class Weighed:
    """A map with its beliefs. A node without evidence left (all of its sources set aside) has none."""

    map: Map
    graph: Graph
    semantics: Semantics
    beliefs: Mapping[Node, Belief]

    def claim(self, title: str) -> Belief | None:
        return self.beliefs.get(Node("statement", title))

    @property
    def claims(self) -> tuple[Belief, ...]:
        """Statements that something argues for or against, in the order of the map."""
        nodes = (Node("statement", title) for title in self.map.statements)
        return tuple(
            self.beliefs[node]
            for node in nodes
            if node in self.beliefs and (node in self.graph.incoming or node.title in self.graph.concluding)
        )


def weigh(found: Map, semantics: Semantics = "beta", muted: Iterable[str] = ()) -> Weighed:
    """Work out every belief; `muted` sources are left out, as if they had never spoken."""
    graph, silent = build_graph(found), frozenset(muted)
    beliefs: dict[Node, Belief] = {}
    for node in graph.order:
        own = _argued(found, node, beliefs, semantics, silent) if node.sort == "argument" else None
        if node.sort == "statement":
            own = _stated(found, graph, node, beliefs, silent)
        if own is not None:
            beliefs[node] = _judged(semantics, node, own, _incoming(graph, node, beliefs))
    return Weighed(found, graph, semantics, _contradicted(graph, beliefs, semantics))


@dataclass(frozen=True)
class _Own:
    """What a node has before others speak: a number, its sources, and further arguments of its own."""

    base: float
    sources: tuple[str, ...]
    counted: int = 0  # sources behind the base, each one more pseudo-observation for the interval
    terms: tuple[Term, ...] = ()


def _argued(
    found: Map, node: Node, beliefs: Mapping[Node, Belief], semantics: Semantics, silent: frozenset[str]
) -> _Own | None:
    """An argument: its steps one after the other, each times its inference."""
    argument = found.arguments[node.title]
    if not argument.steps:
        return _Own(number(argument.data, "credence", UNSTATED), (str(node),))
    strength = 1.0
    sources: list[str] = []
    for place, step in enumerate(argument.steps):
        heard = _heard(found, argument, step, beliefs, silent)
        if heard is None and not place:
            return None
        combine: Combine = "all" if semantics == "product" else combination(found, argument, step)
        strength *= combined([entry[:2] for entry in heard or ()], combine) if heard else 1.0
        strength *= inference(found, step)
        sources += [name for _, _, names in heard or () for name in names]
    unique = tuple(dict.fromkeys(sources))
    return _Own(strength, unique, len(unique))


def _heard(
    found: Map, argument: Argument, step: Step, beliefs: Mapping[Node, Belief], silent: frozenset[str]
) -> list[tuple[str, float, tuple[str, ...]]] | None:
    """Source, credence and lineages of each premise that may speak; None where nothing is left."""
    heard = []
    for title in step.premises:
        statement, belief = found.statements[title], beliefs.get(Node("statement", title))
        if lineage(statement) in silent or belief is None:
            if combination(found, argument, step) == "all":
                return None  # a joint argument falls with any of its premises
            continue
        heard.append((lineage(statement), belief.credence, belief.sources))
    return heard or None


def combination(found: Map, argument: Argument, step: Step) -> Combine:
    """As declared; else corroboration where every premise is an observation, and joint where one is not."""
    conclusion = found.statements[step.conclusion]
    for data in (step.data, conclusion.data, argument.data):
        if (declared := data.get("combine")) in ("all", "any"):
            return "any" if declared == "any" else "all"
    observed = all("observation" in found.statements[title].tags for title in step.premises)
    return "any" if observed and step.premises else "all"


def combined(premises: Sequence[tuple[str, float]], combine: Combine) -> float:
    """One credence from several. Corroboration never lowers: a premise below one half adds nothing."""
    if combine == "all":
        return math.prod(credence for _, credence in premises)
    best: dict[str, float] = {}
    for source, credence in premises:
        best[source] = max(credence, best.get(source, 0.0))
    odds = [logit(credence) for credence in best.values()]
    gain = [value for value in odds if value > 0]
    return sigmoid(sum(gain) if gain else max(odds))


def inference(found: Map, step: Step) -> float:
    """How surely the premises lead to the conclusion; a step that does not say counts as a deduction."""
    data = step.data if "inference" in step.data else found.statements[step.conclusion].data
    return number(data, "inference", 1.0)


def _stated(
    found: Map, graph: Graph, node: Node, beliefs: Mapping[Node, Belief], silent: frozenset[str]
) -> _Own | None:
    """A statement: its best argument and the others in support, or the credence it states."""
    statement = found.statements[node.title]
    concluding = graph.concluding.get(node.title, ())
    if concluding:
        arguments = [
            beliefs[key] for entry in concluding if (key := Node("argument", entry.title)) in beliefs
        ]
        if arguments:
            return _concluded(arguments)
        return _Own(UNSTATED, ()) if node in graph.incoming else None
    if lineage(statement) in silent:
        return None
    base = number(statement.data, "credence", UNSTATED)
    return _Own(base, (lineage(statement),))


def _concluded(arguments: Sequence[Belief]) -> _Own:
    best, *others = sorted(arguments, key=lambda belief: -belief.credence)
    terms = tuple(Term(entry.node, entry.credence, entry.sources, False) for entry in others)
    sources = tuple(dict.fromkeys(name for entry in arguments for name in entry.sources))
    return _Own(best.credence, sources, len(best.sources), terms)


def _incoming(graph: Graph, node: Node, beliefs: Mapping[Node, Belief]) -> tuple[Term, ...]:
    return tuple(
        Term(relation.source, belief.credence, belief.sources, relation.kind in AGAINST)
        for relation in graph.incoming.get(node, ())
        if relation.kind != "contradict" and (belief := beliefs.get(relation.source)) is not None
    )


def _contradicted(
    graph: Graph, beliefs: Mapping[Node, Belief], semantics: Semantics
) -> Mapping[Node, Belief]:
    """Contradictions last: each side is attacked with what the other has on its own."""
    settled = dict(beliefs)
    for node, relations in graph.incoming.items():
        others = [
            relation.source if relation.target == node else relation.target
            for relation in relations
            if relation.kind == "contradict"
        ]
        attacks = tuple(
            Term(other, beliefs[other].credence, beliefs[other].sources, True)
            for other in others
            if other in beliefs
        )
        if attacks and node in beliefs:
            known = beliefs[node]
            own = _Own(known.base, known.sources, 0, known.terms)
            settled[node] = _judged(semantics, node, own, attacks)
    return settled


def _judged(semantics: Semantics, node: Node, own: _Own, incoming: tuple[Term, ...]) -> Belief:
    terms = weights((*own.terms, *incoming))
    supports = [term.strength * term.weight for term in terms if not term.against]
    attacks = [term.strength * term.weight for term in terms if term.against]
    # A claim that has nothing of its own takes its supporters' sources for its own.
    sources = own.sources
    if terms and all(name == str(node) for name in sources):
        sources = tuple(dict.fromkeys(name for term in terms if not term.against for name in term.sources))
    if semantics != "beta":
        raw = [(term.strength, term.against) for term in terms]
        credence = compared(semantics, own.base, raw)
        return Belief(node, credence, own.base, terms, sources)
    mass = PRIOR + sum(supports) + sum(attacks)
    credence = (PRIOR * own.base + sum(supports)) / mass
    return Belief(node, credence, own.base, terms, sources, mass + own.counted)


def compared(semantics: Semantics, base: float, terms: Sequence[tuple[float, bool]]) -> float:
    """Other people's semantics, for comparison only; docs/evidence.md says what is wrong with each."""
    supports = [strength for strength, against in terms if not against]
    attacks = [strength for strength, against in terms if against]
    if semantics == "product":
        return sigmoid(logit(base) + sum(map(logit, supports)) - sum(map(logit, attacks)))
    if semantics == "dfquad":
        pull = math.prod(1 - value for value in attacks) - math.prod(1 - value for value in supports)
    else:
        energy = sum(supports) - sum(attacks)
        pull = math.copysign(energy**2 / (1 + energy**2), energy)
    return base + pull * ((1 - base) if pull > 0 else base)


def number(data: Mapping[str, Any], name: str, default: float) -> float:
    """A number of a data block, kept within 0 to 1; what is out of range is reported elsewhere."""
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return default
    return min(1.0, max(0.0, float(value)))


def logit(credence: float) -> float:
    held = min(1 - EDGE, max(EDGE, credence))
    return math.log(held / (1 - held))


def sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else 1 - 1 / (1 + math.exp(odds))
