"""Reads argument maps (Argdown): tolerant of what people write, exact about what cannot be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.evidence.blocks import Block, cut
from sleuth.evidence.inline import Inline, read_inline
from sleuth.evidence.lines import Prepared, prepare
from sleuth.evidence.model import (
    Argument,
    Heading,
    Kind,
    Map,
    Node,
    Problem,
    Quote,
    Relation,
    Statement,
    Step,
)

# Sign → kind, and whether the relation runs from the element above to the one named after the sign.
SIGNS: Mapping[str, tuple[Kind, bool]] = {
    "+": ("support", False),
    "<+": ("support", False),
    "+>": ("support", True),
    "-": ("attack", False),
    "<-": ("attack", False),
    "->": ("attack", True),
    "_": ("undercut", False),
    "<_": ("undercut", False),
    "_>": ("undercut", True),
    "><": ("contradict", True),
}


def read_file(path: Path) -> Map:
    """The map in a file; a file that cannot be opened or is no text is the caller's mistake."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise SleuthError(f"There is no map {str(path)!r}.") from None
    except OSError as error:
        raise SleuthError(f"Cannot read {path}: {error.strerror}.") from None
    if b"\0" in raw:
        raise SleuthError(f"{path}:1:1: this is a binary file, not an argument map.")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise SleuthError(f"{path}:{line}: this is not UTF-8 text; save the map as UTF-8.") from None
    return read_map(text, str(path))


def read_map(text: str, path: str = "<map>") -> Map:
    """Whatever can be read, with a problem for whatever cannot."""
    prepared = prepare(text)
    build = _Build(problems=list(prepared.problems))
    for block in cut(prepared.lines, build.problems):
        _add(build, block)
    _close_steps(build)
    if not build.recognised:
        message = "This is no argument map: there is no [statement]:, <argument> or numbered premise in it."
        build.problems = [Problem(1, 1, "error", "not-argdown", message, unread=True)]
    return _finished(build, prepared, path)


@dataclass
class _Build:
    """The map while it grows."""

    problems: list[Problem]
    statements: dict[str, Statement] = field(default_factory=dict)
    arguments: dict[str, Argument] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    listed: set[Node] = field(default_factory=set)
    argument: str | None = None
    items: list["_Item"] = field(default_factory=list)
    parents: list[tuple[int, Node]] = field(default_factory=list)
    untitled: int = 0
    recognised: bool = False
    section: str = ""

    def complain(self, block: Block, rule: str, message: str) -> None:
        self.problems.append(Problem(block.line, block.column, "error", rule, message, unread=True))


@dataclass(frozen=True)
class _Item:
    """A numbered line of an argument, or (without a title) the line between premises and conclusion."""

    block: Block
    title: str = ""
    rule: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def _add(build: _Build, block: Block) -> None:
    inline = read_inline(block, build.problems)
    if block.kind == "relation":
        _add_relation(build, block, inline)
    elif block.kind == "item":
        _add_item(build, block, inline)
    elif block.kind == "inference":
        _add_inference(build, block, inline)
    else:
        _close_steps(build)
        if block.kind == "heading":
            build.section = inline.text
            build.headings.append(Heading(block.number, inline.text, block.line))
            build.parents = []
        else:
            node = _element(build, block, inline)
            build.argument = node.title if node.sort == "argument" else None
            build.parents = [(block.indent, node)]


def _element(build: _Build, block: Block, inline: Inline) -> Node:
    if block.sort == "argument":
        return _add_argument(build, block, inline)
    return Node("statement", _add_statement(build, block, inline))


def _add_statement(build: _Build, block: Block, inline: Inline) -> str:
    titled = bool(block.title)
    defines = block.defines
    if titled and not defines and inline.text:
        message = f"[{block.title}] is followed by text: write [{block.title}]: to define it."
        build.complain(block, "missing-colon", message)
        defines = True
    build.recognised |= titled or block.kind == "item"
    if not titled:
        build.untitled += 1
    title = block.title or f"Untitled {build.untitled}"
    fresh = Statement(
        title,
        inline.text,
        block.line,
        block.column,
        inline.tags,
        inline.data,
        inline.links,
        _quotes(block, inline),
        defines,
        titled,
        build.section,
        inline.data_at,
    )
    build.statements[title] = _merged(build, block, build.statements.get(title), fresh)
    return title


def _merged(build: _Build, block: Block, known: Statement | None, fresh: Statement) -> Statement:
    """A title may be referred to often and defined once."""
    if known is None or (fresh.defined and not known.defined):
        return fresh if known is None else replace(fresh, tags=_both(known.tags, fresh.tags))
    if fresh.defined:
        message = f"Two statements are called [{fresh.title}]: the first is in line {known.line}."
        build.complain(block, "duplicate-title", message)
        return replace(known, quotes=known.quotes + fresh.quotes)
    if not (fresh.tags or fresh.data or fresh.links or fresh.quotes):
        return known
    return replace(
        known,
        tags=_both(known.tags, fresh.tags),
        data={**fresh.data, **known.data},
        links=known.links + fresh.links,
        quotes=known.quotes + fresh.quotes,
    )


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one + other))


def _quotes(block: Block, inline: Inline) -> tuple[Quote, ...]:
    evidence = [link for link in inline.links if not link.remote]

    def quote(rows: list[tuple[int, int, str]]) -> Quote:
        line, column, _ = rows[0]
        before = [link for link in evidence if link.line < line]
        return Quote("\n".join(row[2] for row in rows), line, column, before[-1] if before else None)

    return tuple(quote(rows) for rows in block.quotes)


def _add_argument(build: _Build, block: Block, inline: Inline, mentioned: bool = False) -> Node:
    build.recognised = True
    fresh = Argument(
        block.title,
        inline.text,
        block.line,
        block.column,
        inline.tags,
        inline.data,
        inline.links,
        defined=not mentioned or block.defines,
        section=build.section,
        data_at=inline.data_at,
    )
    known = build.arguments.get(block.title)
    if known is None:
        build.arguments[block.title] = fresh
    else:
        if known.text and fresh.text:
            message = f"Two arguments are called <{fresh.title}>: the first is in line {known.line}."
            build.complain(block, "duplicate-title", message)
        build.arguments[block.title] = _joined(known, fresh)
    return Node("argument", block.title)


def _joined(known: Argument, fresh: Argument) -> Argument:
    """Both mentions of one argument; its place is where it is spelled out, not where it is listed."""
    first, second = (fresh, known) if fresh.defined and not known.steps else (known, fresh)
    return replace(
        first,
        text=known.text or fresh.text,
        tags=_both(known.tags, fresh.tags),
        data={**fresh.data, **known.data},
        links=known.links + fresh.links,
        steps=known.steps,
        defined=first.defined or second.defined,
    )


def _add_item(build: _Build, block: Block, inline: Inline) -> None:
    if build.argument is None:
        build.argument = f"Untitled argument {len(build.arguments) + 1}"
        build.arguments[build.argument] = Argument(
            build.argument, line=block.line, column=block.column, section=build.section
        )
    numbers = [item.block.number for item in build.items if item.title]
    expected = numbers[-1] + 1 if numbers else 1
    if block.number != expected:
        message = f"({block.number}) is where ({expected}) was expected: a line is missing, double or torn."
        build.complain(block, "numbering", message)
    title = _add_statement(build, block, inline)
    build.items.append(_Item(block, title))
    build.parents = [(block.indent, Node("statement", title))]


def _add_inference(build: _Build, block: Block, inline: Inline) -> None:
    if not build.items or not build.items[-1].title:
        build.complain(block, "stray-inference", "A line ---- needs a numbered premise above it.")
        return
    build.items.append(_Item(block, "", inline.text, inline.data))


def _close_steps(build: _Build) -> None:
    """Turn the numbered lines read so far into the steps of their argument."""
    items, title = build.items, build.argument
    build.items = []
    if not items or title is None:
        return
    steps = list(_steps(build, items))
    known = build.arguments[title]
    if known.steps:
        message = f"<{title}> is spelled out twice: the first time in line {known.line}."
        build.complain(items[0].block, "duplicate-title", message)
    build.arguments[title] = replace(known, steps=known.steps or tuple(steps))


def _steps(build: _Build, items: list[_Item]) -> list[Step]:
    steps: list[Step] = []
    waiting: list[str] = []
    line: _Item | None = None
    for item in items:
        if not item.title:
            line = item
        elif line is not None:
            steps.append(Step(tuple(waiting), item.title, line.rule, line.data))
            waiting, line = [], None
        else:
            waiting.append(item.title)
    if line is not None:
        build.complain(
            line.block, "missing-conclusion", "No conclusion follows this line: the map may be cut off."
        )
    elif waiting:
        steps = _forced(build, items[-1], steps, waiting)
    return steps


def _forced(build: _Build, last: _Item, steps: list[Step], waiting: list[str]) -> list[Step]:
    """Premises without a line ---- below them: the last is taken for the conclusion, the gap reported."""
    message = f"No line ---- separates the premises from the conclusion ({last.block.number})."
    build.complain(last.block, "missing-inference", message)
    return [*steps, Step(tuple(waiting[:-1]), waiting[-1])]


def _add_relation(build: _Build, block: Block, inline: Inline) -> None:
    while len(build.parents) > 1 and build.parents[-1][0] >= block.indent:
        build.parents.pop()
    if block.sort == "argument":
        node = _add_argument(build, block, inline, mentioned=True)
    else:
        node = Node("statement", _add_statement(build, block, inline))
    if not build.parents:
        build.complain(block, "stray-relation", f"Nothing stands above this relation to {node}.")
        return
    parent = build.parents[-1][1]
    kind, outward = SIGNS[block.sign]
    source, target = (parent, node) if outward else (node, parent)
    build.relations.append(Relation(kind, source, target, block.line, block.column))
    if not outward:
        build.listed.add(node)
    if block.indent > build.parents[-1][0] or len(build.parents) == 1:
        build.parents.append((block.indent, node))


def _finished(build: _Build, prepared: Prepared, path: str) -> Map:
    unique: dict[tuple[Kind, Node, Node], Relation] = {}
    for relation in build.relations:
        settled = _settled(build.arguments, relation)
        unique.setdefault((settled.kind, settled.source, settled.target), settled)
    problems = sorted(dict.fromkeys(build.problems), key=lambda entry: (entry.line, entry.column))
    return Map(
        path,
        prepared.front,
        prepared.header,
        tuple(build.headings),
        build.statements,
        build.arguments,
        tuple(unique.values()),
        frozenset(build.listed),
        tuple(problems),
        prepared.scraped,
    )


def _settled(arguments: Mapping[str, Argument], relation: Relation) -> Relation:
    """`+ <A>` below a claim and `+> [claim]` below A's conclusion are one relation: the conclusion's."""
    source = relation.source
    if source.sort == "argument" and (conclusion := arguments[source.title].conclusion):
        source = Node("statement", conclusion)
    target = relation.target
    if relation.kind == "contradict" and target < source:
        source, target = target, source
    return replace(relation, source=source, target=target)
