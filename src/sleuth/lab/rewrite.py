"""Puts a hand on every loop of the user's source, without changing what it computes.

`for x in items` becomes `for x in turns(items, loop)`, `while test` becomes `while again(loop) and (test)`,
and where a cursor that is moved on by hand picks rows, `data[pos : pos + n]` becomes
`rows(data, place)[pos : pos + n]`. The functions are handed over as builtins, so that modules of the project
find them as well as the script does. Line numbers stay what they were: tracebacks and records point at the
lines the user wrote.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import TypeVar

TURNS = "__sleuth_turns__"
AGAIN = "__sleuth_again__"
ROWS = "__sleuth_rows__"

_Scope = TypeVar("_Scope", ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


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
        self.cursors: frozenset[str] = frozenset()  # of the functions and classes around

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.cursors = frozenset(_moved_on(node.body))
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        # What is moved on in one method (`self.pos`) may pick rows in another.
        everywhere = [part for part in ast.walk(node) if isinstance(part, ast.stmt)]
        return self._within(node, (name for name in _moved_on(everywhere) if "." in name))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if any("jit" in ast.unparse(part) for part in node.decorator_list):
            return node  # a compiler reads what is inside, and knows nothing of us
        return self._within(node, _moved_on(node.body))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return self._within(node, _moved_on(node.body))

    def _within(self, node: _Scope, names: Iterable[str]) -> _Scope:
        outer: frozenset[str] = self.cursors
        self.cursors = frozenset((*(name for name in outer if "." in name), *names))
        self.generic_visit(node)
        self.cursors = outer
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        picks = isinstance(node.ctx, ast.Load) and any(
            ast.unparse(part) in self.cursors
            for part in ast.walk(node.slice)
            if isinstance(part, (ast.Name, ast.Attribute))
        )
        place = f"{self.path}:{node.lineno}:{node.col_offset}"
        self.generic_visit(node)
        if picks:
            node.value = _calling(ROWS, [node.value, ast.Constant(place)], node.value)
        return node

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
    return _calling(name, ([] if argument is None else [argument]) + [ast.Constant(loop.key)], place)


def _calling(name: str, arguments: list[ast.expr], place: ast.expr) -> ast.expr:
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


def _moved_on(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """What is moved on by hand: `pos += n`, `self.pos = (self.pos + n) % total`. Functions inside have their
    own."""
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, (ast.Add, ast.Sub)):
            yield from _place(statement.target)
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            for place in _place(statement.targets[0]):
                if isinstance(statement.value, ast.BinOp) and _names(statement.value, place):
                    yield place
        for inner in ("body", "orelse", "finalbody"):
            yield from _moved_on(getattr(statement, inner, ()))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _moved_on(part.body)


def _place(target: ast.expr) -> Iterator[str]:
    if isinstance(target, (ast.Name, ast.Attribute)):
        yield ast.unparse(target)


def _names(value: ast.expr, place: str) -> bool:
    return any(ast.unparse(part) == place for part in ast.walk(value) if isinstance(part, ast.expr))
