"""Cuts prepared lines into blocks: headings, statements, arguments, numbered items, relations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sleuth.evidence.data import block_end
from sleuth.evidence.lines import FENCE, Line
from sleuth.evidence.model import Problem, Sort

BlockKind = Literal["heading", "statement", "argument", "item", "inference", "relation", "list"]

TITLE = r"(?:\\.|[^\[\]\\])+?"
DEFINITION = re.compile(rf"\[(?P<title>{TITLE})\]:\s*")
REFERENCE = re.compile(rf"\[(?P<title>{TITLE})\](?!\()(?P<rest>.*)$")
ARGUMENT = re.compile(r"<(?P<title>(?:\\.|[^<>\\!-])(?:\\.|[^<>\\])*)>(?P<colon>:?)(?P<rest>.*)$")
ITEM = re.compile(r"\((?P<number>\d{1,4})\)(?:\s+|(?=\[)|$)")
RELATION = re.compile(r"(?P<sign>\+>|->|<\+|<-|><|_>|<_|\+|-|_)(?=\s|[\[<])\s*")
RULE_LINE = re.compile(r"(?:-{3,}|--\s*(?P<rule>\S.*?)\s*-{2,})$")
HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<title>.+)$")
LIST_ITEM = re.compile(r"(?:\*|\d{1,4}\.)\s+")
LINK = re.compile(r"\[[^\]\n]+\]\([^)\n]+\)")
DATA = re.compile(r"""(?:^|(?<=\s))(?<!\\)\{(?=\s*(?:[\w.-]+\s*:|["'}]|$))""", re.MULTILINE)


@dataclass
class Block:
    """A head line and what continues it. `rows` keep their places, so that every sign can be found again."""

    kind: BlockKind
    line: int
    column: int
    indent: int
    sort: Sort = "statement"
    title: str = ""
    sign: str = ""
    number: int = 0
    defines: bool = True
    rows: list[tuple[int, int, str]] = field(default_factory=list)  # line, column, text
    quotes: list[list[tuple[int, int, str]]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(row[2] for row in self.rows)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of a sign of `text`."""
        for line, column, row in self.rows:
            if offset <= len(row):
                return line, column + offset
            offset -= len(row) + 1
        return self.line, self.column


@dataclass
class _Cut:
    """The state of the cutting: where we are, and what is open."""

    lines: Sequence[Line]
    problems: list[Problem]
    at: int = 0
    block: Block | None = None
    blank: bool = True
    base_indent: int = 0  # of the element that relations below it belong to
    in_steps: bool = False  # between the first numbered item of an argument and whatever ends it

    def complain(self, line: int, column: int, rule: str, message: str) -> None:
        self.problems.append(Problem(line, column, "error", rule, message, unread=True))


def cut(lines: Sequence[Line], problems: list[Problem]) -> Iterator[Block]:
    state = _Cut(lines, problems)
    while state.at < len(lines):
        line = lines[state.at]
        state.at += 1
        bare = line.text.strip()
        if not bare:
            state.blank = True
            continue
        opened = _continued(state, line, bare) or _opened(state, line, bare)
        if opened is not None and opened is not state.block:
            if state.block is not None:
                yield state.block
            state.block = opened
            _follow_data(state)
        state.blank = False
    if state.block is not None:
        yield state.block


def strong(bare: str) -> bool:
    """Whether a line can only begin something: data that is still open there has lost its brace."""
    item = ITEM.match(bare)
    return bool(
        not bare
        or (item and DEFINITION.match(bare, item.end()))
        or DEFINITION.match(bare)
        or RULE_LINE.match(bare)
        or HEADING.match(bare)
        or (ARGUMENT.match(bare) and bare.endswith((">", ">:")))
        or (bare[0] == ">" and not bare.startswith("><"))
    )


def _continued(state: _Cut, line: Line, bare: str) -> Block | None:
    """The open block, if the line belongs to it; None if the line begins a block of its own."""
    block = state.block
    if block is None:
        return None
    if bare[0] == ">" and not bare.startswith("><"):
        if block.kind == "heading":
            return None
        _quote(block, line, fresh=state.blank)
        return block
    if bare[0] == "{" or LINK.match(bare) or (bare[0] == "#" and not HEADING.match(bare)):
        if block.kind not in ("heading", "inference") and not (state.blank and bare[0] == "#"):
            _append(state, line)
            return block
    if _begins(state, line, bare) or block.kind in ("heading", "inference"):
        return None
    if not state.blank:
        _append(state, line)
        return block
    if state.in_steps:
        message = f"Text between the numbered lines of an argument belongs to none of them: {bare[:40]!r}."
        state.complain(line.number, line.indent + 1, "stray-text", message)
        _append(state, line)
        return block
    return None


def _begins(state: _Cut, line: Line, bare: str) -> bool:
    if HEADING.match(bare) or RULE_LINE.match(bare) or bare == "--" or DEFINITION.match(bare):
        return True
    if ITEM.match(bare):
        return _is_item(state, bare)
    if ARGUMENT.match(bare):
        return _stands_alone(state, bare, ARGUMENT)
    if LIST_ITEM.match(bare):
        return state.blank or (state.block is not None and state.block.kind == "list")
    if RELATION.match(bare):
        return _is_relation(state, line, bare)
    if REFERENCE.match(bare):
        return _stands_alone(state, bare, REFERENCE)
    return False


def _stands_alone(state: _Cut, bare: str, pattern: re.Pattern[str]) -> bool:
    """A title on a line of its own, or after a blank one, stands; within wrapped prose it only refers."""
    match = pattern.match(bare)
    if match is None or state.blank or ("colon" in match.groupdict() and match["colon"]):
        return match is not None
    rest = match["rest"].strip()
    return not rest or rest[0] in "#{" or (pattern is REFERENCE and bare.count("]") > 1 and "]:" in rest)


def _is_item(state: _Cut, bare: str) -> bool:
    """A number that begins a wrapped line of a plain statement is prose, unless it names a statement."""
    match = ITEM.match(bare)
    if match is None or state.block is None or state.blank or DEFINITION.match(bare, match.end()):
        return match is not None
    return state.block.kind in ("item", "relation", "inference", "argument")


def _is_relation(state: _Cut, line: Line, bare: str) -> bool:
    """Whether a line that begins with a sign is a relation, or prose that happened to wrap there."""
    match = RELATION.match(bare)
    assert match is not None
    rest = bare[match.end() :]
    if DEFINITION.match(rest) or _alone(ARGUMENT, rest) or _alone(REFERENCE, rest):
        return state.block is not None
    free_text = rest[:1].isupper() and state.block is not None and not state.in_steps
    if free_text and line.indent > state.base_indent:
        return True
    message = (
        f"This line begins with {match['sign']!r} and would be read as a relation to {rest[:30]!r}: "
        "name a [statement] or <argument> after the sign, or wrap the text elsewhere."
    )
    state.complain(line.number, line.indent + 1, "stray-relation", message)
    return False


def _alone(pattern: re.Pattern[str], rest: str) -> bool:
    match = pattern.match(rest)
    if match is None:
        return False
    after = match["rest"].strip()
    return bool("colon" in match.groupdict() and match["colon"]) or not after or after[0] in "#{"


def _opened(state: _Cut, line: Line, bare: str) -> Block:
    block = _headed(state, line, bare) or _titled(_block("statement", line), line, bare, 0)
    _note(state, block)
    return block


def _block(kind: BlockKind, line: Line) -> Block:
    return Block(kind, line.number, line.indent + 1, line.indent)


def _headed(state: _Cut, line: Line, bare: str) -> Block | None:
    """The block of a line that begins with a sign of its own; None where a title or plain text begins it."""
    if item := ITEM.match(bare):
        block = _block("item", line)
        block.number = int(item["number"])
        return _titled(block, line, bare, item.end())
    if heading := HEADING.match(bare):
        block = _block("heading", line)
        block.number = len(heading["marks"])
        block.rows = [(line.number, line.indent + 1 + heading.start("title"), heading["title"])]
        return block
    if RULE_LINE.match(bare) or bare == "--":
        return _inference(state, line, bare)
    if (relation := RELATION.match(bare)) and state.block is not None and _is_relation(state, line, bare):
        block = _block("relation", line)
        block.sign = relation["sign"]
        return _titled(block, line, bare, relation.end())
    if entry := LIST_ITEM.match(bare):
        return _titled(_block("list", line), line, bare, entry.end())
    if FENCE.match(bare):
        message = "A line of = signs belongs to the front matter, at the very top of a map."
        state.complain(line.number, line.indent + 1, "stray-front-matter", message)
    return None


def _note(state: _Cut, block: Block) -> None:
    if block.kind != "relation":
        state.base_indent = block.indent
    if block.kind in ("item", "inference"):
        state.in_steps = True
    elif block.kind != "relation":
        state.in_steps = False


def _titled(block: Block, line: Line, bare: str, start: int) -> Block:
    """Fill in the name that stands at `start`, and keep the rest as the block's first row."""
    rest = bare[start:]
    block.defines = False
    taken = 0
    if match := DEFINITION.match(rest):
        block.title, block.defines, taken = match["title"], True, match.end()
    elif (match := ARGUMENT.match(rest)) and block.kind != "item":
        block.sort, block.title = "argument", match["title"]
        block.defines, taken = bool(match["colon"]), match.start("rest")
        block.kind = "argument" if block.kind == "statement" else block.kind
    elif match := REFERENCE.match(rest):
        block.title, taken = match["title"], match.start("rest")
    else:
        block.defines = True
    block.title = clean_title(block.title)
    block.rows = [(line.number, line.indent + 1 + start + taken, rest[taken:])]
    return block


def clean_title(title: str) -> str:
    return " ".join(re.sub(r"\\(.)", r"\1", title).split())


def _inference(state: _Cut, line: Line, bare: str) -> Block:
    block = Block("inference", line.number, line.indent + 1, line.indent)
    match = RULE_LINE.match(bare)
    if match is not None:
        start = match.start("rule") if match["rule"] else 0
        block.rows = [(line.number, line.indent + 1 + start, match["rule"] or "")]
        return block
    start = state.at
    while state.at < len(state.lines) and not strong(state.lines[state.at].text.strip()):
        inner = state.lines[state.at]
        state.at += 1
        if re.fullmatch(r"-{2,}", inner.text.strip()):
            return block
        block.rows.append((inner.number, 1, inner.text))
    state.at, block.rows = start, []
    message = "A line -- opens a named inference and a second -- must close it; ---- is the plain form."
    state.complain(line.number, line.indent + 1, "unclosed-inference", message)
    return block


def _quote(block: Block, line: Line, fresh: bool) -> None:
    """One more line of a quote. Lines that follow each other without a gap are one quote."""
    body = line.text.lstrip()[1:]
    row = (line.number, line.indent + 2, body.removeprefix(" "))
    last = block.quotes[-1][-1][0] if block.quotes else -1
    after_text = bool(block.rows) and block.rows[-1][0] > last
    if block.quotes and not fresh and not after_text:
        block.quotes[-1].append(row)
    else:
        block.quotes.append([row])


def _append(state: _Cut, line: Line) -> None:
    assert state.block is not None
    state.block.rows.append((line.number, line.indent + 1, line.text.strip()))
    _follow_data(state)


def _follow_data(state: _Cut) -> None:
    """If the block's last row leaves a `{` open, take the lines up to its `}`; if there is none, say so."""
    block = state.block
    if block is None or not block.rows or block.kind in ("heading", "inference"):
        return
    row_line, column, text = block.rows[-1]
    start = open_brace(text)
    if start is None:
        return
    rows: list[tuple[int, int, str]] = []
    for ahead in range(state.at, len(state.lines)):
        line = state.lines[ahead]
        if strong(line.text.strip()):
            break
        rows.append((line.number, 1, line.text))
        if block_end("\n".join([text[start:], *(row[2] for row in rows)]), 0) is not None:
            block.rows += rows
            state.at = ahead + 1
            return
    message = "A data block opens with { and is never closed: add the missing } (and closing quote)."
    state.complain(row_line, column + start, "unclosed-data", message)


def open_brace(text: str) -> int | None:
    """Where in a row a data block opens that the row does not close."""
    place = 0 if "{" in text else len(text)
    while match := DATA.search(text, place):
        end = block_end(text, match.start())
        if end is None:
            return match.start()
        place = end
    return None
