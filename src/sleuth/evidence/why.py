"""Why a claim is believed as far as it is: its arguments, its terms, and what every source adds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sleuth.errors import SleuthError, did_you_mean
from sleuth.evidence.credence import SEMANTICS, Belief, Weighed, combination, inference, weigh
from sleuth.evidence.lineage import lineage
from sleuth.evidence.model import Argument, Map, Node


@dataclass(frozen=True)
class Why:
    belief: Belief
    text: str
    arguments: tuple[dict[str, Any], ...]
    without: Mapping[str, float]  # source → how the credence changes when it is left out
    semantics: Mapping[str, float]


def why(weighed: Weighed, title: str) -> Why:
    belief = find_claim(weighed, title)
    node, found = belief.node, weighed.map
    own = (
        weighed.graph.concluding.get(node.title, ())
        if node.sort == "statement"
        else (found.arguments[node.title],)
    )
    entry = found.statements[node.title] if node.sort == "statement" else found.arguments[node.title]
    return Why(
        belief,
        entry.text,
        tuple(_argument(weighed, argument) for argument in own if argument.steps),
        _without(weighed, belief),
        {name: weigh(found, name).beliefs[node].credence for name in SEMANTICS},
    )


def find_claim(weighed: Weighed, title: str) -> Belief:
    """By title, with or without brackets, upper or lower case; else the nearest titles are suggested."""
    wanted = title.strip().strip("[]<>").casefold()
    for node, belief in weighed.beliefs.items():
        if node.title.casefold() == wanted:
            return belief
    known = [*weighed.map.statements, *weighed.map.arguments]
    raise SleuthError(
        f"There is no claim {title!r} in {weighed.map.path}.{did_you_mean(title, known)} "
        "`sleuth evidence show` lists them."
    )


def _argument(weighed: Weighed, argument: Argument) -> dict[str, Any]:
    found, last = weighed.map, argument.steps[-1]
    belief = weighed.beliefs.get(Node("argument", argument.title))
    return {
        "title": argument.title,
        "combine": combination(found, argument, last),
        "inference": inference(found, last),
        "strength": round(belief.credence, 4) if belief else 0.0,
        "premises": [_premise(weighed, found, title) for title in argument.premises],
    }


def _premise(weighed: Weighed, found: Map, title: str) -> dict[str, Any]:
    belief = weighed.beliefs.get(Node("statement", title))
    return {
        "title": title,
        "source": lineage(found.statements[title]),
        "credence": round(belief.credence, 4) if belief else 0.0,
    }


def _without(weighed: Weighed, belief: Belief) -> dict[str, float]:
    """The change when one source falls silent, the most load-bearing first."""
    changes = {}
    for name in belief.sources:
        rest = weigh(weighed.map, weighed.semantics, [name]).beliefs.get(belief.node)
        changes[name] = (rest.credence if rest else 0.5) - belief.credence
    return dict(sorted(changes.items(), key=lambda item: item[1]))
