"""Rules beyond syntax: numbers with reasons, sources that are what they are said to be, no circles."""

import math
import re
from collections.abc import Callable, Iterator
from itertools import chain

from sleuth.evidence.graph import build_graph
from sleuth.evidence.lineage import all_lineages, lineage, lineages
from sleuth.evidence.model import Argument, Map, Node, Problem, Statement
from sleuth.finding import Severity

NUMBERS = ("credence", "inference")

_INDEPENDENT = re.compile(r"\bindependen(?:t|tly|ce)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\b(\d+|two|three|four|five|six|seven)\s+(?:\w+\s+)?independent\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(\d+)\s+(evidence files|statements|arguments|relations|quotes|sources|lineages|premises)\b",
    re.IGNORECASE,
)
_NUMERALS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}

Rule = Callable[[Map], Iterator[Problem]]


def structure(found: Map) -> tuple[Problem, ...]:
    """Every breach of every rule, by line."""
    rules: tuple[Rule, ...] = (
        _numbers_in_range,
        _reason_first,
        _right_place,
        _unstated,
        _independence,
        _header_counts,
        _undefined,
        _orphans,
        _circles,
    )
    breaches = chain.from_iterable(rule(found) for rule in rules)
    return tuple(sorted(breaches, key=lambda entry: (entry.line, entry.column, entry.rule)))


def _at(
    entry: Statement | Argument, severity: Severity, rule: str, message: str, unread: bool = False
) -> Problem:
    return Problem(entry.line, entry.column, severity, rule, message, unread)


def _in_data(
    entry: Statement | Argument, severity: Severity, rule: str, message: str, unread: bool = False
) -> Problem:
    """A problem of the numbers themselves stands where they stand."""
    line, column = entry.data_at or (entry.line, entry.column)
    return Problem(line, column, severity, rule, message, unread)


def _holders(found: Map) -> Iterator[Statement | Argument]:
    yield from found.statements.values()
    yield from found.arguments.values()


def _numbers_in_range(found: Map) -> Iterator[Problem]:
    """A credence of 1.7 means nothing: the map cannot be weighed, so this counts as unreadable."""
    for entry in _holders(found):
        for name in NUMBERS:
            value = entry.data.get(name)
            if value is None and name not in entry.data:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
                message = f"The {name} of [{entry.title}] is {value!r}; it has to be a number from 0 to 1."
                yield _in_data(entry, "error", "number-range", message, unread=True)
            elif not 0 <= value <= 1:
                message = f"The {name} of [{entry.title}] is {value:g}; it has to lie between 0 and 1."
                yield _in_data(entry, "error", "number-range", message, unread=True)


def _reason_first(found: Map) -> Iterator[Problem]:
    """A number written before its reason tends to be the reason."""
    for entry in _holders(found):
        keys = list(entry.data)
        for name in NUMBERS:
            if name not in keys:
                continue
            if "reason" not in keys:
                message = (
                    f"[{entry.title}] states {name} {entry.data[name]} without a reason: add one before it."
                )
                yield _in_data(entry, "error", "reason-missing", message)
            elif keys.index("reason") > keys.index(name):
                message = f"[{entry.title}] states its {name} before the reason: write the reason first."
                yield _in_data(entry, "error", "reason-first", message)


def _right_place(found: Map) -> Iterator[Problem]:
    """Premises carry a credence; what follows from them carries an inference."""
    concluded = {step.conclusion for entry in found.arguments.values() for step in entry.steps}
    premises = {title for entry in found.arguments.values() for title in entry.premises} - concluded
    for title in sorted(concluded):
        if "credence" in found.statements[title].data:
            message = f"[{title}] is a conclusion and states a credence: that follows; state an inference."
            yield _in_data(found.statements[title], "error", "number-place", message)
    for title in sorted(premises):
        if "inference" in found.statements[title].data:
            message = f"[{title}] is a premise and states an inference: a premise has a credence."
            yield _in_data(found.statements[title], "error", "number-place", message)


def _unstated(found: Map) -> Iterator[Problem]:
    """In a map that uses numbers at all, a premise without one weighs as ignorance; say so."""
    if not any(name in entry.data for entry in _holders(found) for name in NUMBERS):
        return
    concluded = {step.conclusion for entry in found.arguments.values() for step in entry.steps}
    premises = dict.fromkeys(title for entry in found.arguments.values() for title in entry.premises)
    for title in premises:
        if "credence" not in found.statements[title].data and title not in concluded:
            message = f"[{title}] is a premise without a credence: it is weighed as 0.5."
            yield _at(found.statements[title], "warning", "number-missing", message)


def _independence(found: Map) -> Iterator[Problem]:
    """Whoever says "independent" needs as many lineages as the word promises, two at least."""
    for argument in found.arguments.values():
        if argument.conclusion is None:
            continue
        conclusion = found.statements[argument.conclusion]
        said = f"{argument.text} {conclusion.text} {conclusion.data.get('reason', '')}"
        names = lineages(argument, found.statements)
        needed = _promised(said)
        if needed > len(names):
            message = (
                f"<{argument.title}> speaks of {needed} or more independent sources and rests on "
                f"{len(names)} ({', '.join(names) or 'none'})."
            )
            yield _at(conclusion, "error", "independence", message)
        yield from _repeats(found, argument)


def _promised(said: str) -> int:
    if not _INDEPENDENT.search(said):
        return 0
    counts = [match[1].lower() for match in _HOW_MANY.finditer(said)]
    return max([2, *(_NUMERALS.get(count) or int(count[:4]) for count in counts)])


def _repeats(found: Map, argument: Argument) -> Iterator[Problem]:
    """A premise that calls itself independent beside another from the same source."""
    seen: set[str] = set()
    for title in argument.premises:
        statement = found.statements[title]
        name = lineage(statement)
        if name in seen and _INDEPENDENT.search(f"{statement.text} {statement.data.get('reason', '')}"):
            message = f"[{title}] calls itself independent, but {name} already speaks in <{argument.title}>."
            yield _at(statement, "warning", "independence", message)
        seen.add(name)


def _header_counts(found: Map) -> Iterator[Problem]:
    """Counts in the opening comment go stale first."""
    links = [link for entry in found.statements.values() for link in entry.links]
    actual = {
        "evidence files": len({link.file for link in links if not link.remote}),
        "statements": len(found.statements),
        "arguments": len(found.arguments),
        "relations": len(found.relations),
        "quotes": len(found.quotes),
        "sources": len(all_lineages(found)),
        "lineages": len(all_lineages(found)),
        "premises": sum(len(entry.premises) for entry in found.arguments.values()),
    }
    front = [(1, str(value)) for value in found.front.values()]
    for line, text in (*front, *found.header):
        for match in _COUNTED.finditer(text):
            said, kind = int(match[1][:9]), match[2].lower()
            # "2-3 sources" is a range for each claim, not a count of the map.
            if actual[kind] != said and not re.search(r"[-–]\s*$", text[: match.start()]):
                message = f"The header speaks of {said} {kind}; the map has {actual[kind]}."
                yield Problem(line, 1, "warning", "header-count", message)


def _undefined(found: Map) -> Iterator[Problem]:
    for entry in _holders(found):
        spelled = entry.defined or (isinstance(entry, Argument) and bool(entry.steps or entry.text))
        if not spelled:
            sort = "argument" if isinstance(entry, Argument) else "statement"
            message = f"The {sort} {entry.title!r} is referred to and never spelled out: is the map cut off?"
            yield _at(entry, "error", "undefined", message)


def _orphans(found: Map) -> Iterator[Problem]:
    """Arguments that lead nowhere, and arguments that their claim does not list though it lists others."""
    nodes = {node for relation in found.relations for node in (relation.source, relation.target)}
    premises = {title for entry in found.arguments.values() for title in entry.premises}
    for argument in found.arguments.values():
        own, conclusion = Node("argument", argument.title), argument.conclusion
        led = conclusion is not None and (Node("statement", conclusion) in nodes or conclusion in premises)
        if own not in nodes and not led:
            message = f"<{argument.title}> neither supports nor attacks anything: relate it to a claim."
            yield _at(argument, "warning", "orphan", message)
    yield from _unlisted(found)


def _unlisted(found: Map) -> Iterator[Problem]:
    speakers = {entry.conclusion: entry for entry in found.arguments.values() if entry.conclusion}
    listing = {
        relation.target
        for relation in found.relations
        if Node("argument", getattr(speakers.get(relation.source.title), "title", "")) in found.listed
    }
    for relation in found.relations:
        argument = speakers.get(relation.source.title)
        if argument is None or relation.target not in listing:
            continue
        if Node("argument", argument.title) not in found.listed:
            message = f"{relation.target} lists some of its arguments, but not <{argument.title}>."
            yield _at(argument, "note", "unlisted", message)


def _circles(found: Map) -> Iterator[Problem]:
    for circle in build_graph(found).circles:
        chain_of_names = " ← ".join(str(node) for node in (*circle, circle[0]))
        first = circle[0]
        entry = found.statements[first.title] if first.sort == "statement" else found.arguments[first.title]
        yield _at(entry, "error", "circle", f"This rests on itself: {chain_of_names}.")
