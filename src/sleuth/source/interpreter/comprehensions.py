"""Comprehensions: one item that stands for all, a value for each of a few, or a loop that trains."""

import ast
from typing import Any

from sleuth.source.interpreter.machine import Machine, element, settle
from sleuth.source.interpreter.values import Collection, Function, Scope, Value

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp
ITEM_BY_ITEM = 8  # written items that are followed one by one; a replay buffer has five to seven columns


def listing(machine: Machine, node: Comprehension) -> Value:
    outer, machine.scope = machine.scope, Scope({}, machine.scope)
    try:
        if _trains(machine, node):
            return _as_loop(machine, node)
        if (each := _item_by_item(machine, node)) is not None:
            return each
        _generators(machine, node.generators)
        item = _evaluate(machine, node.elt)
    finally:
        machine.scope = outer
    return Collection(node, machine.context.source, [item], "list", True)


def _item_by_item(machine: Machine, node: Comprehension) -> Value | None:
    """`train, test = [scale(part) for part in (train, test)]`: each result is a value of its own."""
    turn = node.generators[0]
    if len(node.generators) != 1 or turn.ifs or not isinstance(turn.iter, ast.Tuple | ast.List):
        return None
    if not 1 < len(turn.iter.elts) <= ITEM_BY_ITEM:
        return None
    given = settle(_evaluate(machine, turn.iter))
    if not isinstance(given, Collection) or given.open:
        return None
    results = []
    for item in given.items:
        _statements().bind(machine, turn.target, item)
        results.append(_evaluate(machine, node.elt))
    return Collection(node, machine.context.source, results, "list")


def _trains(machine: Machine, node: Comprehension) -> bool:
    """`[self.step(batch) for batch in loader]`: a training loop in the clothes of a list."""
    if len(node.generators) != 1 or not isinstance(node.elt, ast.Call):
        return False
    called = settle(_evaluate(machine, node.elt.func))
    if not isinstance(called, Function) or called.definition is None:
        return False
    return any(
        isinstance(inner, ast.Attribute) and inner.attr == "backward" for inner in ast.walk(called.definition)
    )


def _as_loop(machine: Machine, node: Comprehension) -> Value:
    turn = node.generators[0]
    body: list[ast.stmt] = [ast.copy_location(ast.Expr(node.elt), node.elt)]
    loop = ast.copy_location(ast.For(turn.target, turn.iter, body, []), node)
    _statements().run_block(machine, [loop])
    return Collection(node, machine.context.source, [machine.unknown(node)], "list", True)


def mapping(machine: Machine, node: ast.DictComp) -> Value:
    outer, machine.scope = machine.scope, Scope({}, machine.scope)
    try:
        _generators(machine, node.generators)
        _evaluate(machine, node.key)
        value = _evaluate(machine, node.value)
    finally:
        machine.scope = outer
    return machine.record(node, "{}", None, (value,))


def _generators(machine: Machine, generators: list[ast.comprehension]) -> None:
    for generator in generators:
        iterable = settle(_evaluate(machine, generator.iter))
        _statements().bind(machine, generator.target, element(machine, generator.iter, iterable))
        for test in generator.ifs:
            _evaluate(machine, test)


def _evaluate(machine: Machine, node: ast.expr) -> Value:
    from sleuth.source.interpreter.expressions import evaluate  # which holds comprehensions: tied at run time

    return evaluate(machine, node)


def _statements() -> Any:
    from sleuth.source.interpreter import statements

    return statements
