"""What lint detectors ask: a program's calls, losses and training loop, each worked out once."""

import ast
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import PurePath
from typing import Any, TypeVar

from sleuth.finding import Edit, Finding, Severity, Where
from sleuth.quick_dataclass import dataclass, field
from sleuth.source.interpreter.scene import Scene, play
from sleuth.source.interpreter.values import Call, Class, Instance, Value
from sleuth.source.loop import Training, training
from sleuth.source.losses import LossUse, losses
from sleuth.source.parsed_file import Project, Source

T = TypeVar("T")

# How sure a reader of source can be: proven, likely, worth a look.
CREDENCE: dict[Severity, float] = {"error": 0.9, "warning": 0.7, "note": 0.3}


@dataclass(frozen=True, eq=False)
class Program:
    """A file and what an abstract run of it showed."""

    scene: Scene
    _topics: dict[Callable[..., Any], Any] = field(default_factory=dict)

    def about(self, topic: Callable[["Program"], T]) -> T:
        """What a topic has to say of this program, worked out once and forgotten with the program."""
        if topic not in self._topics:
            self._topics[topic] = topic(self)
        known: T = self._topics[topic]
        return known

    @property
    def source(self) -> Source:
        return self.scene.source

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The file and the local files whose code was followed from it."""
        followed = {call.context.source: None for call in self.trace}
        return (self.source, *(source for source in followed if source is not self.source))

    def holds(self, *pieces: str) -> bool:
        """Whether one of these stands in any of its files: a cheap no before a costly look."""
        return any(source.holds(piece) for source in self.sources for piece in pieces)

    @property
    def trace(self) -> tuple[Call, ...]:
        return self.scene.trace

    @property
    def instances(self) -> tuple[Instance, ...]:
        return self.scene.instances

    @cached_property
    def training(self) -> Training:
        return training(self.scene)

    @cached_property
    def losses(self) -> tuple[LossUse, ...]:
        return tuple(losses(self.scene))

    @cached_property
    def classes(self) -> tuple[Class, ...]:
        """The classes that the file itself defines."""
        return tuple(
            value
            for value in self.scene.scope.names.values()
            if isinstance(value, Class) and value.source is self.source
        )

    @cached_property
    def _by_op(self) -> dict[str, list[Call]]:
        index: dict[str, list[Call]] = {}
        for call in self.trace:
            index.setdefault(call.op, []).append(call)
        return index

    def calls(self, *ops: str) -> Iterator[Call]:
        """The calls of these operations; each operation's in order."""
        for op in ops:
            yield from self._by_op.get(op, ())


def read_program(source: Source, project: Project | None = None) -> Program:
    return Program(play(source, project))


def spot(value: Value | ast.AST, source: Source | None = None) -> Where:
    """Where in the source a value was made (for a syntax node, its file must be given)."""
    node = value.node if isinstance(value, Value) else value
    source = value.source if isinstance(value, Value) else source
    line, end_line = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return Where(
        path=source.path if source else None,
        line=line,
        column=_column(source, line, getattr(node, "col_offset", None)),
        end_line=end_line,
        end_column=_column(source, end_line, getattr(node, "end_col_offset", None)),
    )


def line_of(value: Value, beside: Value) -> str:
    """`line 7`, or `line 7 of engine.py` for those who read of it in another file."""
    told = f"line {spot(value).line}"
    if value.source is None or beside.source is None or value.source is beside.source:
        return told
    return f"{told} of {PurePath(value.source.path).name}"


def _column(source: Source | None, line: int | None, offset: int | None) -> int | None:
    if offset is None or line is None:
        return None
    return (source.characters(line, offset) if source is not None else offset) + 1


def clue(
    severity: Severity,
    at: Value,
    message: str,
    fix: str = "",
    credence: float | None = None,
    edits: tuple[Edit, ...] = (),
) -> Finding:
    """A finding about the place where a value was made."""
    return Finding(
        message=message,
        severity=severity,
        credence=CREDENCE[severity] if credence is None else credence,
        where=spot(at),
        fix=fix,
        edits=edits,
    )


def rewrite(node: ast.AST | None, source: Source | None, text: str, safe: bool = True) -> tuple[Edit, ...]:
    """The edit that replaces a piece of syntax by another text; none where its place is not known."""
    if node is None or source is None or getattr(node, "end_lineno", None) is None:
        return ()
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    start = source.characters(first, getattr(node, "col_offset", 0))
    stop = source.characters(last, getattr(node, "end_col_offset", 0))
    return (Edit(source.path, first, start + 1, last, stop + 1, text, safe),)


def insert_line(
    node: ast.AST | None, source: Source | None, text: str, safe: bool = True
) -> tuple[Edit, ...]:
    """The edit that puts a line before the one a piece of syntax starts on, equally indented."""
    if node is None or source is None or not (number := getattr(node, "lineno", 0)):
        return ()
    line = source.line(number)
    indent = line[: len(line) - len(line.lstrip())]
    return (Edit(source.path, number, 1, number, 1, f"{indent}{text}\n", safe),)
