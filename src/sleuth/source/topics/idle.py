"""Layers that a network holds and does not use: never applied, or applied and their result left lying."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import Source, called, statements_in
from sleuth.source.word_search import AnyOf

_WEIGHTS = frozenset(
    "Linear LazyLinear LSTM GRU RNN LSTMCell GRUCell Embedding Bilinear MultiheadAttention".split()
)
_WEIGHTS_AND_MORE = ("Conv1", "Conv2", "Conv3", "ConvTranspose", "Transformer")
# Ways to reach a layer without writing its name.
_ROUNDABOUT = AnyOf(
    "getattr _modules children( modules( __dict__ register_ state_dict( globals(",
    {"super(": r"super\(\w*\)\.(?!__init__)"},
)


@dataclass(frozen=True)
class Idle:
    """A layer that takes no part; `at` is the statement to look at, `applied` whether it is called at all."""

    attribute: str
    at: ast.stmt
    applied: bool


def idle_layers(source: Source) -> list[Idle]:
    found: list[Idle] = []
    for cls in source.of(ast.ClassDef):
        forward = next((part for part in cls.body if _is_method(part, "forward")), None)
        made = _layers_made(cls) if forward is not None else {}
        if isinstance(forward, ast.FunctionDef) and made:
            dropped = [idle for idle in _dropped(forward) if idle.attribute in made]
            found += dropped + list(_never_named(source, cls, made))
    return found


def _is_method(part: ast.stmt, name: str) -> bool:
    return isinstance(part, ast.FunctionDef) and part.name == name


def _layers_made(cls: ast.ClassDef) -> dict[str, ast.stmt]:
    """`self.name = nn.Linear(...)` of the class, by name; a stack of such counts too."""
    made: dict[str, ast.stmt] = {}
    for part in statements_in(cls):
        if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.value, ast.Call):
            name = _own(part.targets[0])
            if name and any(_makes_weights(inner) for inner in ast.walk(part.value)):
                made[name] = part
    return made


def _makes_weights(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = called(node)
    return name in _WEIGHTS or name.startswith(_WEIGHTS_AND_MORE)


def _own(node: ast.AST) -> str:
    """The name of an attribute of `self`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return ""


def _applied(statement: ast.stmt) -> tuple[str, str]:
    """`h = self.fc(x)` as ("h", "fc"); the first is empty where the result has no name."""
    value = getattr(statement, "value", None)
    layer = _own(value.func) if isinstance(value, ast.Call) else ""
    if not layer or not isinstance(statement, ast.Assign | ast.Expr):
        return "", ""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if target is not None and not (
        isinstance(target, ast.Name) and len(getattr(statement, "targets", ())) == 1
    ):
        return "", ""
    return target.id if isinstance(target, ast.Name) else "", layer


def _dropped(forward: ast.FunctionDef) -> Iterator[Idle]:
    """Results that nobody reads, or that the next statement overwrites; a name with `_` is meant so."""
    read = _read_in(forward)
    for block in _blocks(forward):
        for statement in block:
            name, layer = _applied(statement)
            if layer and (not name or (name not in read and not name.startswith("_"))):
                yield Idle(layer, statement, True)
        for before, after in pairwise(block):
            name, layer = _applied(before)
            again = isinstance(after, ast.Assign) and name in [ast.unparse(part) for part in after.targets]
            if name and again and name not in _read_in(after):
                yield Idle(layer, before, True)


def _read_in(node: ast.AST) -> set[str]:
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in names if isinstance(part.ctx, ast.Load)}


def _blocks(forward: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for part in ast.walk(forward):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(part, field, None)
            if isinstance(block, list):
                yield block


def _never_named(source: Source, cls: ast.ClassDef, made: dict[str, ast.stmt]) -> Iterator[Idle]:
    """Layers whose name is written once, where they are made, in a file that goes no roundabout ways."""
    own = "\n".join(source.lines[cls.lineno - 1 : cls.end_lineno])
    if _ROUNDABOUT.within(own) or source.holds("getattr") or source.holds("_modules"):
        return
    for name, statement in made.items():
        if source.mentions[name] == 1:
            yield Idle(name, statement, False)
