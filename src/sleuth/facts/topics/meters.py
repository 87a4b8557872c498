"""Classes that keep a running average, and forget half of it when they are reset."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from sleuth.facts.program import Program
from sleuth.facts.source import Source

_RESETS = frozenset({"reset", "clear", "restart", "reset_states", "zero", "on_epoch_start", "start_epoch"})


class HalfReset(NamedTuple):
    """A method that sets one side of a quotient back to zero and leaves the other as it was."""

    method: ast.FunctionDef
    cleared: str
    kept: str
    source: Source


def half_reset(program: Program) -> Iterator[HalfReset]:
    for source in program.sources:
        for cls in source.of(ast.ClassDef):
            yield from _of_class(cls, source)


def _of_class(cls: ast.ClassDef, source: Source) -> Iterator[HalfReset]:
    methods = [part for part in cls.body if isinstance(part, ast.FunctionDef)]
    clearing = [method for method in methods if method.name in _RESETS]
    if len(clearing) != 1 or any(_name(base) != "object" for base in cls.bases):
        return  # a class above it may do the rest
    method = clearing[0]
    if any(isinstance(part, ast.Call) for part in ast.walk(method)):
        return  # it hands the work on
    gathered = {name for other in methods if other is not method for name in _grown(other)}
    cleared = {name for part in ast.walk(method) for name in _assigned(part)} & gathered
    for above, below in _quotients(methods):
        if above in gathered and below in gathered and above != below:
            if (above in cleared) != (below in cleared):
                forgotten, kept = (above, below) if above in cleared else (below, above)
                yield HalfReset(method, forgotten, kept, source)
                return


def _grown(method: ast.FunctionDef) -> Iterator[str]:
    """Attributes that a method adds to."""
    for part in ast.walk(method):
        if isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add) and (name := _own(part.target)):
            yield name


def _assigned(node: ast.AST) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [
            part
            for target in node.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    yield from (name for target in targets if (name := _own(target)))


def _quotients(methods: list[ast.FunctionDef]) -> Iterator[tuple[str, str]]:
    """`self.sum / self.count`, also `self.sum / max(self.count, 1)`."""
    for method in methods:
        for part in ast.walk(method):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
                above = _own(part.left)
                belows = {name for inner in ast.walk(part.right) if (name := _own(inner))}
                if above and len(belows) == 1:
                    yield above, belows.pop()


def _own(node: ast.AST) -> str:
    """The name in `self.name`."""
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if own and isinstance(node, ast.Attribute) else ""


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else "?"
