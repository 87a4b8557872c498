"""Argument maps as text and as JSON: what was checked, what is claimed, and why it is believed."""

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import click

from sleuth.evidence.check import Check, Checked
from sleuth.evidence.credence import Belief, Weighed
from sleuth.evidence.lineage import lineage
from sleuth.evidence.model import AGAINST, Map, Node, Problem
from sleuth.evidence.why import Why
from sleuth.finding import SEVERITIES

SCHEMA = "sleuth.evidence/1"
DEEPEST = 30  # levels of the tree; further in, a line of text has no room left
WIDTH = 100
COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


def counts(found: Map) -> dict[str, int]:
    return {
        "statements": len(found.statements),
        "arguments": len(found.arguments),
        "relations": len(found.relations),
    }


def sides(found: Map) -> tuple[int, int]:
    """Relations for and against."""
    against = sum(relation.kind in AGAINST for relation in found.relations)
    return len(found.relations) - against, against


def check_json(result: Check) -> dict[str, Any]:
    supports, attacks = sides(result.map)
    return {
        "schema": SCHEMA,
        "map": result.map.path,
        "counts": counts(result.map),
        "relations": {"for": supports, "against": attacks},
        "tags": result.map.tags,
        "quotes": [_quote_json(entry) for entry in result.quotes],
        "errors": [problem_json(problem) for problem in result.problems],
        "claims": [claim_json(belief) for belief in result.weighed.claims],
        "hashes": dict(result.evidence.hashes),
    }


def _quote_json(entry: Checked) -> dict[str, Any]:
    link = entry.quote.link
    return {
        "claim": entry.statement.title,
        "line": entry.quote.line,
        "file": link.file if link else None,
        "anchor": (link.anchor or None) if link else None,
        "verdict": entry.verdict,
        "found_at": str(entry.found_at) if entry.found_at else None,
        "words": list(entry.words),
    }


def problem_json(problem: Problem) -> dict[str, Any]:
    return {
        "line": problem.line,
        "column": problem.column,
        "severity": problem.severity,
        "rule": problem.rule,
        "message": problem.message,
    }


def claim_json(belief: Belief) -> dict[str, Any]:
    interval = belief.interval
    return {
        "title": belief.node.title,
        "credence": round(belief.credence, 4),
        "interval": [round(end, 4) for end in interval] if interval else None,
    }


def check_text(result: Check, quiet: bool = False) -> str:
    shown = [problem for problem in result.problems if not quiet or problem.severity == "error"]
    lines = [problem_line(result.map.path, problem) for problem in shown]
    if quiet:
        return "\n".join(lines)
    return "\n\n".join(part for part in ("\n".join(lines), "\n".join(_summary(result))) if part)


def problem_line(path: str, problem: Problem) -> str:
    word = click.style(problem.severity, fg=COLOURS[problem.severity], bold=True)
    rule = click.style(f"[{problem.rule}]", dim=True)
    return f"{path}:{problem.line}:{problem.column}: {word} {rule} {problem.message}"


def _summary(result: Check) -> Iterator[str]:
    found = result.map
    supports, attacks = sides(found)
    amounts = ", ".join(f"{value} {name}" for name, value in counts(found).items())
    yield f"{click.style(found.title, bold=True)}: {amounts} ({supports} for, {attacks} against)"
    verdicts = Counter(entry.verdict for entry in result.quotes)
    if verdicts:
        told = " · ".join(f"{name} {count}" for name, count in verdicts.most_common())
        yield f"{len(result.quotes)} quotes against {len(result.evidence.paths)} files: {told}"
    else:
        yield "no quotes to compare"
    severities = Counter(problem.severity for problem in result.problems)
    amounts_of = [(name, severities[name]) for name in SEVERITIES]
    yield ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in amounts_of)


def tree(weighed: Weighed) -> str:
    """The map from its top claims down: every claim with its credence, its arguments and their sources."""
    lines: list[str] = []
    seen: set[Node] = set()
    for belief in _roots(weighed):
        lines += [*_claim_lines(weighed, belief, "", 0, seen), ""]
    return "\n".join(lines).rstrip()


def _roots(weighed: Weighed) -> list[Belief]:
    sources = {relation.source for relation in weighed.map.relations if relation.kind != "contradict"}
    premises = {title for entry in weighed.map.arguments.values() for title in entry.premises}
    claims = weighed.claims
    tops = [entry for entry in claims if entry.node not in sources and entry.node.title not in premises]
    return tops or list(claims)


def _claim_lines(weighed: Weighed, belief: Belief, sign: str, depth: int, seen: set[Node]) -> Iterator[str]:
    pad = "  " * depth
    colour = "red" if sign == "-" else "green"
    mark = f"{click.style(sign, fg=colour, bold=True)} " if sign else ""
    yield f"{pad}{mark}{click.style(str(belief.node), bold=True)} {number(belief)}"
    if belief.node in seen:
        yield f"{pad}    (see above)"
        return
    seen.add(belief.node)
    if belief.node.sort == "statement":
        yield from _wrapped(weighed.map.statements[belief.node.title].text, depth + 2)
        for argument in weighed.graph.concluding.get(belief.node.title, ()):
            for title in argument.premises:
                yield from _premise_lines(weighed, title, depth + 2)
    if depth == DEEPEST and belief.terms:
        yield f"{pad}    (deeper: `sleuth evidence why` follows one claim)"
        return
    for term in belief.terms:
        inner = weighed.beliefs.get(term.node)
        if inner is not None and inner.node.sort == "statement":
            yield from _claim_lines(weighed, inner, "-" if term.against else "+", depth + 1, seen)


def _premise_lines(weighed: Weighed, title: str, depth: int) -> Iterator[str]:
    statement, belief = weighed.map.statements[title], weighed.beliefs.get(Node("statement", title))
    amount = f"{belief.credence:.2f}" if belief else "  – "
    text = f"{amount} {click.style(lineage(statement), fg='cyan')}: {statement.text}"
    yield from _wrapped(text, depth, hang="     ")


def _wrapped(text: str, depth: int, hang: str = "") -> list[str]:
    pad = "  " * depth
    return textwrap.wrap(
        text, WIDTH, initial_indent=pad, subsequent_indent=pad + hang, break_on_hyphens=False
    )


def number(belief: Belief) -> str:
    """`0.84 (0.61–0.98)`, or the bare number where the semantics give no interval."""
    interval = belief.interval
    if interval is None:
        return f"{belief.credence:.3f}"
    return f"{belief.credence:.2f} ({interval[0]:.2f}–{interval[1]:.2f})"


def why_text(why: Why) -> str:
    blocks = [
        "\n".join(_why_head(why)),
        *("\n".join(_argument_lines(entry)) for entry in why.arguments),
        "\n".join(_term_lines(why)),
        "\n".join(_without_lines(why)),
        "Other semantics: " + ", ".join(f"{name} {value:.3f}" for name, value in why.semantics.items()),
    ]
    return "\n\n".join(block for block in blocks if block)


def _why_head(why: Why) -> Iterator[str]:
    belief = why.belief
    interval = belief.interval
    yield f"{click.style(str(belief.node), bold=True)}"
    yield from _wrapped(why.text, 1)
    if interval is not None:
        span = f"5–95 %: {interval[0]:.2f}–{interval[1]:.2f}"
        yield f"  credence {belief.credence:.3f} ({span}), of which ignorance {belief.ignorance:.2f}"
    else:
        yield f"  credence {belief.credence:.3f}"
    named = ", ".join(belief.sources) or "none"
    yield from _wrapped(f"before any argument: {belief.base:.2f}; sources: {named}", 1, hang="  ")


def _argument_lines(entry: "dict[str, Any]") -> Iterator[str]:
    how = "any of these would do" if entry["combine"] == "any" else "all of these together"
    yield f"<{entry['title']}> ({how}), inference {entry['inference']:.2f} → {entry['strength']:.2f}"
    for premise in entry["premises"]:
        yield f"  {premise['credence']:.2f}  {premise['source']}: [{premise['title']}]"


def _term_lines(why: Why) -> Iterator[str]:
    for against, head in ((False, "For"), (True, "Against")):
        terms = [term for term in why.belief.terms if term.against is against]
        if not terms:
            continue
        yield click.style(f"{head}   strength × weight = counts", bold=True)
        for term in terms:
            product = term.strength * term.weight
            names = ", ".join(term.sources)
            yield f"  {term.strength:.2f} × {term.weight:.2f} = {product:.2f}  {term.node}  {names}"


def _without_lines(why: Why) -> Iterator[str]:
    if why.without:
        yield click.style("Without one source", bold=True)
    for name, change in why.without.items():
        yield f"  {change:+.3f}  {name}"


def why_json(why: Why) -> dict[str, Any]:
    belief = why.belief
    return {
        "schema": "sleuth.evidence-why/1",
        **claim_json(belief),
        "text": why.text,
        "ignorance": None if belief.ignorance is None else round(belief.ignorance, 4),
        "base": round(belief.base, 4),
        "lineages": list(belief.sources),
        "arguments": list(why.arguments),
        "terms": [
            {
                "node": str(term.node),
                "against": term.against,
                "strength": round(term.strength, 4),
                "weight": term.weight,
                "lineages": list(term.sources),
            }
            for term in belief.terms
        ],
        "without": {name: round(change, 4) for name, change in why.without.items()},
        "semantics": {name: round(value, 4) for name, value in why.semantics.items()},
    }


def places(path: str, problems: Sequence[Problem]) -> str:
    """One sentence for what makes a map unreadable: the first place, and how many more there are."""
    first = problems[0]
    more = f" ({len(problems) - 1} more of the kind.)" if len(problems) > 1 else ""
    return f"{path}:{first.line}:{first.column}: {first.message}{more} --lenient shows what can be read."
