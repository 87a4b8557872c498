"""Parts that bear the names of two sets and hold the same rows, as it stands in the source."""

import ast
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.roles import names_held_out, names_training
from sleuth.source.parsed_file import Source, called
from sleuth.source.program import Program

_OWN_ROWS = frozenset({"sampler", "batch_sampler"})  # a loader that serves some rows of its set only


@dataclass(frozen=True)
class Bound:
    """A name and the expression that it is bound to."""

    name: str
    value: ast.expr


@dataclass(frozen=True)
class SameRows:
    """Two expressions; `certain` where nothing else can be meant."""

    held_out: ast.expr
    train: ast.expr
    source: Source
    certain: bool


def same_rows(program: Program) -> Iterator[SameRows]:
    for source in program.sources:
        for body in _bodies(source):
            bound = [pair for statement in body for pair in _pairs(statement)]
            kept_apart = [pair for pair in bound if names_held_out(pair.name)]
            train = [pair for pair in bound if names_training(pair.name)] if kept_apart else []
            for held in kept_apart:
                for other in train:
                    if _overlap(held.value, other.value) and not _moved_between(body, held, other):
                        yield SameRows(held.value, other.value, source, True)
                        break
                else:
                    if (given := _serves_training_rows(held.value)) is not None:
                        yield SameRows(held.value, given, source, _left_unused(source, bound))


def _bodies(source: Source) -> Iterator[list[ast.stmt]]:
    yield source.tree.body
    yield from (function.body for function in source.of(ast.FunctionDef))
    yield from (function.body for function in source.of(ast.AsyncFunctionDef))


def _pairs(statement: ast.stmt) -> Iterator[Bound]:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Name):
        yield Bound(target.id, value)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, part in zip(target.elts, value.elts, strict=False):
            if isinstance(one, ast.Name):
                yield Bound(one.id, part)


def _overlap(held: ast.expr, train: ast.expr) -> bool:
    """`x[:n]` beside `x[:-n]`, `x[-n:]` beside `x[n:]`: both from the same end."""
    one, other = _cut(held), _cut(train)
    if one is None or other is None or ast.dump(one[0]) != ast.dump(other[0]):
        return False
    (_, start, end), (_, begin, stop) = one, other
    if start is None and begin is None and end is not None and stop is not None:
        return _is_minus(stop, end) or ast.dump(stop) == ast.dump(end)
    if end is None and stop is None and start is not None and begin is not None:
        return _is_minus(start, begin) or ast.dump(start) == ast.dump(begin)
    return False


def _cut(value: ast.expr) -> tuple[ast.expr, ast.expr | None, ast.expr | None] | None:
    """Array, start and end of `x[a:b]`, also with further axes taken whole."""
    if not isinstance(value, ast.Subscript):
        return None
    key = value.slice.elts[0] if isinstance(value.slice, ast.Tuple) and value.slice.elts else value.slice
    if not isinstance(key, ast.Slice) or key.step is not None:
        return None
    return value.value, key.lower, key.upper


def _is_minus(value: ast.expr, other: ast.expr) -> bool:
    negative = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub)
    return negative and isinstance(value, ast.UnaryOp) and ast.dump(value.operand) == ast.dump(other)


def _moved_between(body: list[ast.stmt], held: Bound, train: Bound) -> bool:
    """Whether the array, or the place of the cut, is bound anew between the two."""
    first, last = sorted((held.value.lineno, train.value.lineno))
    names = {part.id for part in ast.walk(held.value) if isinstance(part, ast.Name)}
    return any(
        part.id in names
        for statement in body
        if first <= statement.lineno <= last
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def _serves_training_rows(value: ast.expr) -> ast.expr | None:
    """The data set in `DataLoader(train_set, batch_size=64)`."""
    if not isinstance(value, ast.Call) or not value.args:
        return None
    name = called(value)
    if name != "DataLoader" or any(word.arg is None or word.arg in _OWN_ROWS for word in value.keywords):
        return None
    given = value.args[0]
    return given if isinstance(given, ast.Name) and names_training(given.id) else None


def _left_unused(source: Source, bound: list[Bound]) -> bool:
    """A held-out set is there, and nobody reads it."""
    made = {pair.name for pair in bound if names_held_out(pair.name) and not isinstance(pair.value, ast.Call)}
    made |= {
        part.id
        for node in source.of(ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Tuple)
        for part in target.elts
        if isinstance(part, ast.Name) and names_held_out(part.id)
    }
    read = {n.id for n in source.of(ast.Name) if isinstance(n.ctx, ast.Load)}
    return bool(made - read)
