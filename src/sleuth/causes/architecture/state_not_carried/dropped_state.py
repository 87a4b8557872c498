"""A state that is handed in, moved on and handed back, and left lying by the loop that needs it."""

import ast
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import Source, called


@dataclass(frozen=True)
class DroppedState:
    """The assignment that takes the answer and leaves the state, and the name that is handed in each turn."""

    statement: ast.Assign
    name: str


def dropped_states(source: Source) -> Iterator[DroppedState]:
    """`out, _ = decoder.step(token, hidden)` in a loop that never binds `hidden`."""
    told: set[int] = set()
    loops: list[ast.For | ast.While] = [*source.of(ast.For), *source.of(ast.While)]
    for loop in loops:
        if not _counts_steps(loop):
            continue  # a batch or a sequence a turn: each begins anew
        statements = [node for node in ast.walk(loop) if isinstance(node, ast.Assign)]
        bound = {one for node in statements for one in _names(node.targets)}
        bound |= set(_names([loop.target])) if isinstance(loop, ast.For) else set()
        for node in statements:
            if id(node) in told or not isinstance(node.value, ast.Call):
                continue
            for name in _handed_in_and_dropped(source, node, node.value):
                if name not in bound:
                    told.add(id(node))
                    yield DroppedState(node, name)


def _counts_steps(loop: ast.For | ast.While) -> bool:
    """`for t in range(length)`, and no training inside."""
    counted = isinstance(loop, ast.While) or ast.unparse(loop.iter).startswith("range(")
    return counted and not any(
        isinstance(part, ast.Attribute) and part.attr == "backward" for part in ast.walk(loop)
    )


def _names(targets: list[ast.expr]) -> list[str]:
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]


def _handed_in_and_dropped(source: Source, node: ast.Assign, call: ast.Call) -> Iterator[str]:
    target = node.targets[0]
    if not isinstance(target, ast.Tuple):
        return
    for place, part in enumerate(target.elts):
        if not isinstance(part, ast.Name) or part.id.strip("_"):
            continue
        for function in _callees(source, call):
            position = _moved_on(function, place)
            given = call.args[position] if position is not None and position < len(call.args) else None
            if isinstance(given, ast.Name):
                yield given.id


def _callees(source: Source, call: ast.Call) -> list[ast.FunctionDef]:
    """The functions of the file that a call may mean: by name, or the one `forward` that fits."""
    name = called(call)
    named = [function for function in source.of(ast.FunctionDef) if function.name == name]
    forwards = [function for function in source.of(ast.FunctionDef) if function.name == "forward"]
    return named or [one for one in forwards if len(one.args.args) - 1 == len(call.args)]


def _moved_on(function: ast.FunctionDef, place: int) -> int | None:
    """Which argument comes back, moved on, at this place of the answer."""
    names = [entry.arg for entry in function.args.args]
    own = 1 if names[:1] == ["self"] else 0
    back = [part.value for part in ast.walk(function) if isinstance(part, ast.Return)]
    moved = {
        one
        for part in ast.walk(function)
        if isinstance(part, ast.Assign) and _by_a_layer(part.value)
        for one in _names(part.targets)
    }
    parts = [value.elts[place] for value in back if isinstance(value, ast.Tuple) and place < len(value.elts)]
    found = [part.id for part in parts if isinstance(part, ast.Name)]
    if (
        len(found) != len(back)
        or len(set(found)) != 1
        or found[0] not in moved
        or found[0] not in names[own:]
    ):
        return None
    return names.index(found[0]) - own


def _by_a_layer(value: ast.expr) -> bool:
    """`self.cell(...)`: what a module made of it, not a number that was set right."""
    return isinstance(value, ast.Call) and ast.unparse(value.func).startswith("self.")
