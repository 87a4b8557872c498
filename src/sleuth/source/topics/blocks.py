"""Labels that a program writes down class by class: lists that grow in a loop over the classes."""

import ast
from collections.abc import Iterator

from sleuth.source.flow import root
from sleuth.source.interpreter.values import Call, Collection, Loop
from sleuth.source.parsed_file import called
from sleuth.source.program import Program

_WRAPS = frozenset("int float tensor as_tensor int64 int32 long".split())


def blocks(program: Program) -> dict[int, Call]:
    """Lists of labels in blocks of one class each → what shows it, by the identity of the list."""
    return program.about(_blocks)


def _blocks(program: Program) -> dict[int, Call]:
    return {
        id(held): call
        for call in program.calls(".append", ".extend")
        if isinstance(held := root(call.receiver), Collection) and _adds_a_class(call)
    }


def _adds_a_class(call: Call) -> bool:
    """`y.append(k)` for each of several rows of each class k, or `y.extend([k] * n)` for each class k.

    Only the variable of the outer loop says that each of its turns is a class of its own: what is looked up
    for it (the diagnosis of a patient) comes again in later turns.
    """
    node, loops = call.node, call.context.loops
    if not isinstance(node, ast.Call) or len(node.args) != 1 or call.context.arms:
        return False
    if call.op == ".append":
        return len(loops) == 2 and _is_turn(node.args[0], loops[0])
    added = node.args[0]
    repeated = isinstance(added, ast.BinOp) and isinstance(added.op, ast.Mult)
    if len(loops) != 1 or not repeated or not isinstance(added, ast.BinOp):
        return False
    listed = [side for side in (added.left, added.right) if isinstance(side, ast.List)]
    return len(listed) == 1 and len(listed[0].elts) == 1 and _is_turn(listed[0].elts[0], loops[0])


def _is_turn(value: ast.expr, loop: Loop) -> bool:
    """Whether a value is the variable of a loop, or its place in a list of names."""
    while isinstance(value, ast.Call) and len(value.args) == 1 and called(value) in {*_WRAPS, "index"}:
        value = value.args[0]
    return isinstance(value, ast.Name) and value.id in set(_turns(loop.node))


def _turns(loop: ast.AST) -> Iterator[str]:
    """The names that each turn of a `for` gives another value, and nothing else does."""
    if not isinstance(loop, ast.For | ast.AsyncFor):
        return
    written = {
        part.id
        for statement in loop.body
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    for part in ast.walk(loop.target):
        if isinstance(part, ast.Name) and part.id not in written:
            yield part.id
