"""A state made ready for the next turn of a loop, and thrown away at its start."""

import ast
from collections.abc import Iterator
from typing import TypeGuard

from sleuth.source.parsed_file import Source
from sleuth.source.program import Program


def cleared_each_turn(program: Program) -> Iterator[tuple[ast.stmt, ast.stmt, Source]]:
    """`state = None` at the head of a loop that ends in `state = detach(state)`: both statements."""
    seen: set[int] = set()
    for call in program.calls("()"):
        for loop in call.context.loops:
            if id(loop.node) in seen or call.source is None:
                continue
            seen.add(id(loop.node))
            body = getattr(loop.node, "body", None)
            if isinstance(body, list) and (found := _cleared(body)) is not None:
                yield (*found, call.source)


def _cleared(body: list[ast.stmt]) -> tuple[ast.stmt, ast.stmt] | None:
    for place, statement in enumerate(body):
        name = _emptied(statement)
        later = body[place + 1 :]
        if name is None or not any(_given_and_taken(part, name) for part in later):
            continue
        keeps = [number for number, part in enumerate(later) if _made_ready(part, name)]
        if keeps and not any(_reads(part, name) for part in (*later[keeps[-1] + 1 :], *body[:place])):
            return statement, later[keeps[-1]]
    return None


def _emptied(statement: ast.stmt) -> str | None:
    """The name in `state = None`."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    empty = isinstance(value, ast.Constant) and value.value is None
    return target.id if empty and isinstance(target, ast.Name) else None


def _given_and_taken(statement: ast.stmt, name: str) -> bool:
    """`out, state = model(x, state)`, possibly within a `with` or a branch."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            stored = {part.id for target in node.targets for part in ast.walk(target) if _is(part, ast.Store)}
            given = {part.id for part in ast.walk(node.value) if _is(part, ast.Load)}
            if name in stored and name in given and len(stored) > 1:
                return True
    return False


def _made_ready(statement: ast.stmt, name: str) -> bool:
    """`state = state.detach()`, `state = tuple(s.detach() for s in state)`, `state = repackage(state)`."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and target.id == name and _reads(statement, name)


def _reads(statement: ast.stmt, name: str) -> bool:
    return any(_is(part, ast.Load) and part.id == name for part in ast.walk(statement))


def _is(node: ast.AST, context: type[ast.expr_context]) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, context)
