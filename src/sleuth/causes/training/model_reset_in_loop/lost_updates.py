"""Weights that are values: a function that trains a copy of its own, and hands nothing back."""

import ast
import re
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import Source, called, walked
from sleuth.source.word_search import Pattern

_WEIGHTS = Pattern(r"(?<![a-z])(params?|parameters|weights?|w|theta|train state|ts)(?![a-z])", re.IGNORECASE)
_MOVES = Pattern(r"apply_updates|apply_gradients|update|step|sgd|adam", re.IGNORECASE)
_LOOPS = (ast.For, ast.While)


@dataclass(frozen=True)
class LostUpdate:
    """The statement that moves the weights of a function's own, and the call that gets none of it."""

    update: ast.Assign
    call: ast.Call
    name: str


def lost_updates(source: Source) -> Iterator[LostUpdate]:
    if not source.of(ast.For) and not source.of(ast.While):
        return
    for function in source.of(ast.FunctionDef):
        for place, parameter in enumerate(function.args.args):
            name = parameter.arg
            if not _WEIGHTS.search(name.replace("_", " ")):
                continue
            update = _update_in_a_loop(source, function, name)
            if update is None or _leaves(function, name):
                continue
            if (call := _call_in_a_loop(source, function, place, name)) is not None:
                yield LostUpdate(update, call, name)


def _update_in_a_loop(source: Source, function: ast.FunctionDef, name: str) -> ast.Assign | None:
    """`params = {k: p - lr * g[k] for k, p in params.items()}`, which binds the name anew."""
    for part in source.of(ast.Assign):
        if _within(part, function) and name in _bound(part) and _reads(part.value, name):
            loops: list[ast.For | ast.While] = [*source.of(ast.For), *source.of(ast.While)]
            if _moves(part.value) and any(_within(part, loop) and _within(loop, function) for loop in loops):
                return part
    return None


def _within(part: ast.stmt, whole: ast.stmt) -> bool:
    return whole.lineno <= part.lineno <= (whole.end_lineno or whole.lineno)


def _moves(value: ast.expr) -> bool:
    for part in walked(value):
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub):
            return True
        if isinstance(part, ast.Call) and _MOVES.search(ast.unparse(part.func)):
            return True
    return False


def _leaves(function: ast.FunctionDef, name: str) -> bool:
    """Whether the weights get out: returned, kept in something else, or looked at after the loop."""
    for part in walked(function):
        if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom) and part.value is not None:
            if _reads(part.value, name):
                return True
        if isinstance(part, ast.Global | ast.Nonlocal) and name in part.names:
            return True
        if isinstance(part, ast.Assign) and any(_holds(target) for target in part.targets):
            if _reads(part.value, name):
                return True
        if (
            isinstance(part, ast.AugAssign | ast.Delete | ast.Lambda | ast.FunctionDef)
            and part is not function
        ):
            if name in ast.unparse(part):
                return True  # changed in place, or seen by a function inside
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and _reads(part.value, name):
            return True  # handed to something that may keep it: `checkpoints.append(params)`
    loops = [place for place, part in enumerate(function.body) if isinstance(part, _LOOPS)]
    after = function.body[loops[-1] + 1 :] if loops else []
    return any(_reads(part, name) for part in after)


def _holds(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute | ast.Subscript)


def _call_in_a_loop(source: Source, function: ast.FunctionDef, place: int, name: str) -> ast.Call | None:
    """`train(params, ...)` in a loop over epochs that never binds `params` anew.

    Not in one that hands over a task, a client or a rate each turn: what is learnt of it is meant to be
    forgotten.
    """
    loops: list[ast.For | ast.While] = [*source.of(ast.For), *source.of(ast.While)]
    for loop in loops:
        turn = set() if isinstance(loop, ast.While) or _counts(loop) else _stored(loop.target)
        bound = {one for part in walked(loop) if isinstance(part, ast.Assign) for one in _bound(part)}
        for part in walked(loop):
            if (
                isinstance(part, ast.Call)
                and isinstance(part.func, ast.Name)
                and part.func.id == function.name
            ):
                given = part.args[place] if place < len(part.args) else None
                given = given or next((word.value for word in part.keywords if word.arg == name), None)
                if isinstance(given, ast.Name) and given.id not in bound and not _mentions(part, turn):
                    return part
    return None


def _counts(loop: ast.For) -> bool:
    """`for epoch in range(20)`, also with a progress bar around it."""
    return any(
        isinstance(part, ast.Call) and called(part) in ("range", "trange") for part in walked(loop.iter)
    )


def _mentions(call: ast.Call, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in walked(call))


def _stored(target: ast.expr) -> set[str]:
    return {part.id for part in walked(target) if isinstance(part, ast.Name)}


def _bound(statement: ast.Assign) -> set[str]:
    return {part.id for target in statement.targets for part in walked(target) if isinstance(part, ast.Name)}


def _reads(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
        for part in walked(node)
    )
