"""From the line where numbers are used to the line where they were made: the source read beside a record.

A record shows that targets or inputs are odd and where a loss or a model received them. The line to change
is the one that prepared them, and only the source knows it. Where it cannot be told, the line of use stays.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sleuth.errors import SleuthError
from sleuth.finding import Where
from sleuth.source.flow import layer, literal, root, subject
from sleuth.source.interpreter.values import Call, Collection, Function, Instance, Value
from sleuth.source.losses import is_loss_instance
from sleuth.source.program import Program, read_program, spot
from sleuth.source.topics.idle import idle_layers
from sleuth.source.topics.shapes import Shapes, shapes
from sleuth.source.topics.shapes.datasets import cut_from, dataset_of

if TYPE_CHECKING:
    from sleuth.record.entries import Line, LossCall, Record
    from sleuth.source.parsed_file import Source

_OPERATORS = frozenset("+ - * / // % ** > >= < <= == != & | ^ ~".split())
# What gives new numbers; everything else reads, draws or allocates them.
_COMPUTES = frozenset(
    "masked_fill masked_fill_ where clip clamp div sub mul add pow round floor digitize argmax argmin "
    "transform fit_transform map apply replace resize interpolate nan_to_num one_hot".split()
)
# What gives other places to the numbers it gets.
_MOVES = frozenset("roll flip stack".split())
_LONGEST = 30  # steps back from the use
WITHIN = 10.0  # seconds: a record keeps nine digits of a number, of the time of its start as well


def where_target_made(record: "Record", call: "LossCall", moved: bool = False) -> Where | None:
    """The line that gave a loss's targets their values, with `moved` also their places; the line of the loss
    where that cannot be told."""
    used = Where(call.path or None, call.line) if call.line else None
    program = _program(record, call.path, call.line)
    if program is None:
        return used
    targets = [use.target for use in program.losses if spot(use.call).line == call.line]
    return next(_made(program, targets, call.line, moved), used)


def where_input_made(record: "Record", line: "Line") -> Where | None:
    """The line that gave a model's inputs their values; the line of the call where that cannot be told."""
    script = script_of(record)
    used = Where(script or None, line) if line else None
    program = _program(record, script, line)
    if program is None:
        return used
    calls = [call for call in program.calls("()") if spot(call).line == line and call.args]
    inputs = [call.args[0] for call in calls if not is_loss_instance(call.receiver)]
    return next(_made(program, inputs, line), used)


def where_number_written(record: "Record", value: float, words: str) -> Where | None:
    """The first line of the script on which this number has one of the words for its name, or stands beside
    one of them."""
    program = _program(record, script_of(record), 1)
    if program is None:
        return None
    written = [
        node
        for node in program.source.nodes
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == value
    ]
    names = _names(program.source.nodes) if written else {}
    named = [node for node in written if re.search(words, names.get(id(node), ""), re.IGNORECASE)]
    beside = [node for node in written if re.search(words, program.source.line(node.lineno), re.IGNORECASE)]
    return next((Where(program.source.path, node.lineno) for node in (*named, *beside)), None)


def _names(nodes: Iterable[ast.AST]) -> dict[int, str]:
    """What the program calls a value: a parameter by its default, a keyword, a variable."""
    found: dict[int, str] = {}
    for node in nodes:
        if isinstance(node, ast.arguments):
            last = [*node.posonlyargs, *node.args][::-1]
            pairs = [
                *zip(last, node.defaults[::-1], strict=False),
                *zip(node.kwonlyargs, node.kw_defaults, strict=True),
            ]
            found |= {id(default): parameter.arg for parameter, default in pairs if default is not None}
        elif isinstance(node, ast.keyword) and node.arg:
            found[id(node.value)] = node.arg
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            found[id(node.value)] = ast.unparse(node.targets[0])
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            found[id(node.value)] = ast.unparse(node.target)
    return found


def where_only_written(record: "Record", pattern: str) -> Where | None:
    """The line of the script that matches, where only one does."""
    program = _program(record, script_of(record), 1)
    lines = program.source.lines if program is not None else []
    found = [number for number, line in enumerate(lines, 1) if re.search(pattern, line)]
    return Where(script_of(record), found[0]) if len(found) == 1 else None


def where_written_in(record: "Record", function: str, pattern: str) -> Where | None:
    """The first line that matches, in a function of the script by such a name."""
    program = _program(record, script_of(record), 1)
    for node in program.source.of(ast.FunctionDef) if program is not None else ():
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            if re.search(function, node.name, re.IGNORECASE) and program is not None:
                if re.search(pattern, program.source.line(number)):
                    return Where(script_of(record), number)
    return None


def speaks_of(record: "Record", *pieces: str) -> bool:
    """Whether one of these stands in the script; a script that cannot be read may speak of anything."""
    program = _program(record, script_of(record), 1)
    return program is None or any(program.source.holds(piece) for piece in pieces)


def unread_layers(record: "Record") -> dict[str, Where]:
    """Attributes of the networks of a run that are applied and whose result nobody reads → where."""
    from sleuth.record.entries import Model

    models = record.of(Model)
    paths = [layer.path for model in models for layer in model.layers if layer.line]
    files = dict.fromkeys([script_of(record), *(model.path for model in models if model.line), *paths])
    programs = [program for path in files if (program := _program(record, path, 1)) is not None]
    return {
        idle.attribute: Where(program.source.path, idle.at.lineno)
        for program in programs
        for idle in idle_layers(program.source)
        if idle.applied
    }


def script_of(record: "Record") -> str:
    """The file of the training loop: the run may have been started by another program."""
    return next((step.path for step in record.steps if step.path), record.run.script)


def _program(record: "Record", path: str, line: "Line") -> Program | None:
    """The program as it ran: a file that is gone, unreadable or was changed since says nothing."""
    file = Path(path)
    if not line or not path or not file.is_file() or file.suffix != ".py":
        return None
    from sleuth.source.parsed_file import read_source

    try:
        changed = record.run.started and file.stat().st_mtime > record.run.started + WITHIN
        return None if changed else read_program(read_source(file))
    except (OSError, SleuthError):
        return None


def _made(
    program: Program, values: Sequence[Value | None], line: "Line", moved: bool = False
) -> Iterator[Where]:
    """For each value, the last step that computed it; else the last that converted it on another line."""
    for value in values:
        path = list(_steps_back(shapes(program), value, moved))
        computed = [step for step in path if _computes(step, moved)]
        converted = [step for step in path if isinstance(step, Call) and not _serves(step)]
        for step in (*computed[:1], *converted):
            found = spot(step)
            if found.line is not None and found.line != line:
                yield Where(found.path, found.line)
                break


def _steps_back(algebra: Shapes, value: Value | None, moved: bool) -> Iterator[Value]:
    """A value, what it is a batch or a copy of, and so on back to where its numbers came from."""
    for _ in range(_LONGEST):
        value = root(value)
        if value is None:
            return
        yield value
        if not isinstance(value, Call) or _computes(value, moved):
            return
        if _moves(value):
            value = subject(value)
            continue
        served = _served_by(value)
        if served is not None and served.path != algebra.program.source.path:
            algebra = shapes(read_program(served))
        value = cut_from(algebra, value) or _collated(algebra, value)


def _served_by(item: Call) -> "Source | None":
    """The file of the data set that a part of a batch comes from, where the project has written it."""
    batch = root(item.args[0]) if item.op == "[]" and len(item.args) == 2 else None
    loader = batch.args[0] if isinstance(batch, Call) and batch.op == "next" and batch.args else None
    dataset = root(dataset_of(loader))
    return dataset.cls.source if isinstance(dataset, Instance) else None


def _computes(value: Value, moved: bool) -> bool:
    if not isinstance(value, Call):
        return False
    name = layer(value).rpartition(".")[2]
    return value.op in _OPERATORS or name in _COMPUTES or (moved and name in _MOVES)


def _moves(call: Call) -> bool:
    return layer(call).rpartition(".")[2] in _MOVES


def _serves(call: Call) -> bool:
    """Indexing and iteration hand on what they were given."""
    return call.op in ("[]", "next", "builtins.next")


def _collated(algebra: Shapes, item: Call) -> Value | None:
    """One part of a batch that a `collate_fn` of the program puts together."""
    batch = root(item.args[0]) if item.op == "[]" and len(item.args) == 2 else None
    part = literal(item.args[1]) if item.op == "[]" and len(item.args) == 2 else None
    loader = root(batch.args[0]) if isinstance(batch, Call) and _serves(batch) and batch.args else None
    joins = root(loader.keywords.get("collate_fn")) if isinstance(loader, Call) else None
    if not isinstance(joins, Function) or joins.definition is None or not isinstance(part, int):
        return None
    given = root(algebra.returned(joins.definition))
    if isinstance(given, Collection) and not given.open and part < len(given.items):
        return given.items[part]
    return None
