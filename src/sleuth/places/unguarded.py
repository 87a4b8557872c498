"""The statement whose operation can meet its pole, where a record knows the operation and not its line.

A loss written by hand has run when its value turns out not to be finite: the graph still says which operation
it was, and the source where that operation stands with nothing to keep it from its pole.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sleuth.finding import Finding, Where
from sleuth.places.scene import Scene
from sleuth.record.entries import NonFinite
from sleuth.source.trees import tree_of

# Keeps an argument off its pole, in any spelling.
_GUARD = re.compile(r"eps|1e-|clamp|clip|maximum|softplus|log1p|nan_to_num|max\(|tiny", re.IGNORECASE)
# What can be zero though nothing looks like it: sums, lengths, spreads, counts.
_MAY_VANISH = re.compile(r"\.(sum|norm|std|var|prod|count_nonzero|vector_norm|abs|pow|square)\(")
_COUNTS = re.compile(r"^(len\(|\w+\.(numel|size|shape)\b|[\d.]+$)")
_CALLS = {"log": "log log2 log10", "root": "sqrt rsqrt", "exp": "exp exp2 expm1"}


def at_the_pole(finding: Finding, scene: Scene) -> Where | None:
    """Where only the graph of the loss gave the operation away, its line is that of the backward pass."""
    seen = None if scene.record is None else next(iter(scene.record.of(NonFinite)), None)
    if scene.record is None or seen is None or finding.where is None or not finding.where.line:
        return None
    passes = {step.loss_line for step in scene.record.steps}
    if finding.where.line not in passes:
        return None
    return statement_of(seen.operation, finding.where.line, scene.sources)


def statement_of(operation: str, backward: int, sources: Sequence[Path]) -> Where | None:
    """Of what runs in the loop around the backward pass, the first unguarded statement with the operation.

    A division by what may vanish comes before other divisions.
    """
    trees = [(path, tree) for path in sources if (tree := tree_of(path)) is not None]
    loops = [loop for _, tree in trees if (loop := _loop_around(tree, backward)) is not None]
    wanted = _called(loops, [tree for _, tree in trees]) if loops else None
    ranked = [
        (rank, number, line, path)
        for number, (path, tree) in enumerate(trees)
        for function in _functions(tree, wanted, loops)
        for rank, line in _candidates(function, operation)
    ]
    if not ranked:
        return None
    _, _, line, path = min(ranked, key=lambda entry: entry[:3])
    return Where(str(path), line)


def _loop_around(tree: ast.Module, line: int) -> ast.AST | None:
    """The innermost loop with a backward pass on this line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.For | ast.While) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    found = max(around, key=lambda node: node.lineno, default=None)
    return found if found is not None and "backward" in ast.unparse(found) else None


def _called(loops: list[ast.AST], trees: list[ast.Module]) -> set[str]:
    """Names of all that is called from the loops, by way of functions of the project; models by `forward`."""
    bodies: dict[str, list[ast.AST]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                bodies.setdefault(node.name, []).append(node)
    wanted, todo = {"forward"}, [*loops, *bodies.get("forward", ())]
    while todo:
        for node in ast.walk(todo.pop()):
            name = _name(node.func) if isinstance(node, ast.Call) else ""
            if name in bodies and name not in wanted:
                wanted.add(name)
                todo += bodies[name]
    return wanted


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _functions(tree: ast.Module, wanted: set[str] | None, loops: list[ast.AST]) -> Iterator[ast.AST]:
    """The wanted functions and the loops; the whole file where nothing is known of a loop."""
    if wanted is None:
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Module))
        return
    for node in ast.walk(tree):
        if node in loops or (isinstance(node, ast.FunctionDef) and node.name in wanted):
            yield node


def _candidates(function: ast.AST, operation: str) -> Iterator[tuple[int, int]]:
    """(rank, line) of each unguarded use in the statements of one function."""
    made: dict[str, str] = {}  # a name → the text of what was last given to it
    for statement in _own_statements(function):
        for node in ast.walk(statement):
            argument = _argument(node, operation)
            if argument is None or isinstance(argument, ast.Constant):
                continue
            text = ast.unparse(argument)
            text = made.get(text, text)
            if not _GUARD.search(text) and not _COUNTS.match(text):
                yield (0 if _MAY_VANISH.search(text) or operation != "div" else 1), statement.lineno
        for target in getattr(statement, "targets", ()):
            if isinstance(target, ast.Name) and isinstance(statement, ast.Assign):
                made[target.id] = ast.unparse(statement.value)


def _own_statements(function: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(child, ast.stmt) and not hasattr(child, "body"):
            yield child
        else:
            yield from _own_statements(child)


def _argument(node: ast.AST, operation: str) -> ast.expr | None:
    """What the operation must not get zero, or too much, of."""
    if operation == "div":
        return node.right if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else None
    names = next((_CALLS[kind] for kind in _CALLS if operation in _CALLS[kind].split()), "")
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr not in names.split():
        return None
    return node.args[0] if node.args else node.func.value
