"""Puts a hand on every loop of the user's source, without changing what it computes.

`for x in items` becomes `for x in turns(items, loop)`, `while test` becomes `while again(loop) and (test)`.
The two functions are handed over as builtins, so that modules of the project find them as well as the script
does. Line numbers stay what they were: tracebacks and records point at the lines the user wrote.
"""

import ast
from dataclasses import dataclass
from types import CodeType

TURNS = "__sleuth_turns__"
AGAIN = "__sleuth_again__"


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop of the source. `indexes`: its variable picks rows (`x[i:i+n]`), so it is part of the data."""

    path: str
    line: int
    indexes: bool = False

    @property
    def key(self) -> str:
        return f"{self.path}:{self.line}{'#' if self.indexes else ''}"

    @classmethod
    def from_key(cls, key: str) -> "Loop":
        path, _, line = key.rpartition(":")
        return cls(path, int(line.rstrip("#")), line.endswith("#"))


def compiled(source: str | bytes, path: str) -> CodeType:
    """The code of a file with a hand on its loops."""
    tree = ast.parse(source, path)
    return compile(ast.fix_missing_locations(_Loops(path).visit(tree)), path, "exec", dont_inherit=True)


class _Loops(ast.NodeTransformer):
    def __init__(self, path: str) -> None:
        self.path = path

    def visit_For(self, node: ast.For) -> ast.For:
        loop = Loop(self.path, node.lineno, _picks_rows(node))
        self.generic_visit(node)
        node.iter = _call(TURNS, node.iter, node.iter, loop)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        loop = Loop(self.path, node.lineno)
        self.generic_visit(node)
        hand = _call(AGAIN, None, node.test, loop)
        node.test = ast.copy_location(ast.BoolOp(ast.And(), [hand, node.test]), node.test)
        return node


def _call(name: str, argument: ast.expr | None, place: ast.expr, loop: Loop) -> ast.expr:
    arguments = ([] if argument is None else [argument]) + [ast.Constant(loop.key)]
    call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
    for part in (call, call.func, arguments[-1]):
        ast.copy_location(part, place)
    return call


def _picks_rows(node: ast.For) -> bool:
    """Whether the loop's variable stands inside a subscript: `x[i]`, `x[i:i + n]`, `x[order[i * n:]]`."""
    names = {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
    return any(
        isinstance(part, ast.Name) and part.id in names
        for statement in node.body
        for subscript in ast.walk(statement)
        if isinstance(subscript, ast.Subscript) and isinstance(subscript.ctx, ast.Load)
        for part in ast.walk(subscript.slice)
    )
