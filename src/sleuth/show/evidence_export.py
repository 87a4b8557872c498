"""A whole map with its credences, for other programs: JSON and Graphviz."""

import json
from collections.abc import Iterator
from typing import Any

from sleuth.evidence.credence import Weighed
from sleuth.evidence.lineage import lineage
from sleuth.evidence.model import AGAINST, Argument, Node, Quote, Statement
from sleuth.show.evidence import claim_json, counts, problem_json

GREEN, RED, GREY = "#2e7d32", "#c62828", "#8a8f98"
MAX_WIDTH = 5.0  # points of a line at credence 1


def map_json(weighed: Weighed) -> dict[str, Any]:
    found = weighed.map
    return {
        "schema": "sleuth.evidence-map/1",
        "title": found.title,
        "front": dict(found.front),
        "semantics": weighed.semantics,
        "counts": counts(found),
        "tags": found.tags,
        "statements": [_statement(weighed, entry) for entry in found.statements.values()],
        "arguments": [_argument(weighed, entry) for entry in found.arguments.values()],
        "relations": [
            {"kind": entry.kind, "from": str(entry.source), "to": str(entry.target), "line": entry.line}
            for entry in found.relations
        ],
        "claims": [claim_json(belief) for belief in weighed.claims],
        "errors": [problem_json(problem) for problem in found.problems],
    }


def as_json(weighed: Weighed) -> str:
    return json.dumps(map_json(weighed), indent=2, ensure_ascii=False, allow_nan=False)


def _statement(weighed: Weighed, entry: Statement) -> dict[str, Any]:
    belief = weighed.beliefs.get(Node("statement", entry.title))
    return {
        "title": entry.title,
        "text": entry.text,
        "line": entry.line,
        "section": entry.section,
        "tags": list(entry.tags),
        "data": dict(entry.data),
        "lineage": lineage(entry),
        "links": [{"label": link.label, "target": link.target} for link in entry.links],
        "quotes": [_quote(quote) for quote in entry.quotes],
        "credence": round(belief.credence, 4) if belief else None,
    }


def _quote(quote: Quote) -> dict[str, Any]:
    return {"text": quote.text, "line": quote.line, "evidence": quote.link.target if quote.link else None}


def _argument(weighed: Weighed, entry: Argument) -> dict[str, Any]:
    belief = weighed.beliefs.get(Node("argument", entry.title))
    return {
        "title": entry.title,
        "text": entry.text,
        "line": entry.line,
        "section": entry.section,
        "steps": [
            {"premises": list(step.premises), "rule": step.rule, "conclusion": step.conclusion}
            for step in entry.steps
        ],
        "data": dict(entry.data),
        "strength": round(belief.credence, 4) if belief else None,
    }


def as_dot(weighed: Weighed) -> str:
    """Graphviz: supports green, attacks red, wider the more is believed."""
    lines = [
        "digraph evidence {",
        "  rankdir=RL;",
        '  node [shape=box, style="rounded", fontname="sans-serif"];',
    ]
    lines += [*_dot_nodes(weighed), *_dot_edges(weighed), "}"]
    return "\n".join(lines)


def _dot_nodes(weighed: Weighed) -> Iterator[str]:
    for node, belief in weighed.beliefs.items():
        shape = ", shape=ellipse" if node.sort == "argument" else ""
        yield f"  {_quoted(str(node))} [label={_quoted(f'{node.title} ({belief.credence:.2f})')}{shape}];"


def _dot_edges(weighed: Weighed) -> Iterator[str]:
    for argument in weighed.map.arguments.values():
        own = str(Node("argument", argument.title))
        for title in argument.premises:
            yield _edge(weighed, Node("statement", title), own, GREY)
        if argument.conclusion is not None:
            yield _edge(weighed, Node("argument", argument.title), f"[{argument.conclusion}]", GREEN)
    for relation in weighed.map.relations:
        colour = RED if relation.kind in AGAINST else GREEN
        yield _edge(weighed, relation.source, str(relation.target), colour)


def _edge(weighed: Weighed, source: Node, target: str, colour: str) -> str:
    belief = weighed.beliefs.get(source)
    width = 0.5 + MAX_WIDTH * (belief.credence if belief else 0.0)
    return f'  {_quoted(str(source))} -> {_quoted(target)} [color="{colour}", penwidth={width:.1f}];'


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
