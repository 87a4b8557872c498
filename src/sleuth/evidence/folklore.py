"""Sleuth's own map: which claims stand behind a cause or a rule of the debugging loop."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from sleuth.evidence.credence import Belief, Weighed, weigh
from sleuth.evidence.lineage import lineage
from sleuth.evidence.model import Link, Node
from sleuth.evidence.reader import read_file
from sleuth.finding import Finding

PATH = Path(__file__).parent / "folklore.argdown"


@dataclass(frozen=True)
class Voice:
    """One premise: who says what, where, and how far that source alone is believed."""

    text: str
    source: str
    credence: float
    link: Link | None


@dataclass(frozen=True)
class Claim:
    """A claim of the map with its weight. `rule` is its name in `sleuth explain`."""

    title: str
    text: str
    rule: str
    covers: tuple[str, ...]
    belief: Belief
    supporting: tuple[Voice, ...]
    against: tuple["Claim", ...] = ()


@cache
def weighed() -> Weighed:
    return weigh(read_file(PATH))


@cache
def rules() -> Mapping[str, Claim]:
    """Every rule of the loop by name, in the order of the map."""
    found = (_claim(title) for title in weighed().map.statements if _data(title).get("rule"))
    return {claim.rule: claim for claim in found}


def claims_for(slug: str, family: str) -> tuple[Claim, ...]:
    """The claims that name the cause itself; where none does, those about its family."""
    direct = tuple(claim for claim in rules().values() if slug in claim.covers)
    return direct or tuple(claim for claim in rules().values() if family in claim.covers)


def cited(finding: Finding) -> Finding:
    """The finding with its sources: the claims of the map that stand behind its cause."""
    claims = claims_for(finding.cause, finding.family)
    return replace(finding, sources=tuple(citation(claim) for claim in claims))


def citation(claim: Claim) -> str:
    """`Normalise Inputs (0.92): CS231n, Schulman, Ivanov`."""
    return f"{claim.title} ({claim.belief.credence:.2f}): {', '.join(claim.belief.sources)}"


def _claim(title: str) -> Claim:
    scales, data = weighed(), _data(title)
    belief = scales.beliefs[Node("statement", title)]
    concluding = scales.graph.concluding.get(title, ())
    return Claim(
        title,
        scales.map.statements[title].text,
        str(data.get("rule") or ""),
        tuple(str(name) for name in data.get("covers") or ()),
        belief,
        tuple(_voice(premise) for argument in concluding for premise in argument.premises),
        tuple(
            _claim(term.node.title) for term in belief.terms if term.against and term.node.sort == "statement"
        ),
    )


def _voice(title: str) -> Voice:
    statement, belief = weighed().map.statements[title], weighed().beliefs[Node("statement", title)]
    link = next((entry for entry in statement.links if entry.remote), None)
    return Voice(statement.text, lineage(statement), belief.credence, link)


def _data(title: str) -> Mapping[str, Any]:
    return weighed().map.statements[title].data
