"""Functions that initialise the layers of a model, and which models they run over."""

import ast
import re

from sleuth.causes.architecture.zero_init.equal_weights.in_torch import DRAWS, subject_of, walked
from sleuth.source.flow import ancestry, possible
from sleuth.source.interpreter.values import Call, Collection, Function, Instance, Value
from sleuth.source.program import Program
from sleuth.source.topics.modes import parts
from sleuth.source.topics.modules import AFFINE, affine, contained, method_of
from sleuth.source.word_search import Pattern

_WEIGHTED_LAYER = Pattern(r"^(Lazy)?(Linear|Conv[123]d)$")


def is_any_module(call: Call, holder: Value | None) -> bool:
    """The first parameter of a static method is no `self`, whatever object the method was found on."""
    definition = getattr(method_of(call), "definition", None)
    marks = [ast.unparse(mark) for mark in getattr(definition, "decorator_list", [])]
    return "staticmethod" in marks and isinstance(holder, Instance)


def for_every_layer(call: Call) -> bool:
    """The branches around ask only for the kind of layer: `if isinstance(m, nn.Linear)`."""
    tests = _tests(call)
    return bool(tests) and all(_asks_for_kind(test) for test in tests)


def for_every_weight(call: Call) -> bool:
    return all(
        (isinstance(test, ast.Compare) and ast.unparse(test).startswith("'weight' in "))
        or ast.unparse(test).endswith(
            (".dim() > 1", ".ndim > 1", ".requires_grad", ".dim() >= 2", ".ndim >= 2")
        )
        for test in _tests(call)
    )


def _tests(call: Call) -> list[ast.expr]:
    """What must hold in the function for the call to be reached; an `else` counts as an unknown test."""
    function = call.context.function
    first = getattr(function, "lineno", 0)
    found: list[ast.expr] = []
    for arm in call.context.arms:
        if getattr(arm.node, "lineno", 0) < first or (function is None and not isinstance(arm.node, ast.If)):
            continue
        test = arm.node.test if isinstance(arm.node, ast.If) and arm.name == "if" else None
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            found += test.values
        else:
            found.append(test if test is not None else ast.Constant(None))
    return found


def _asks_for_kind(test: ast.expr) -> bool:
    text = ast.unparse(test)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance":
        return len(test.args) == 2 and _only_weighted(test.args[1])
    if isinstance(test, ast.Compare) and text.startswith("type("):
        return _only_weighted(test.comparators[0])
    if isinstance(test, ast.Compare) and (found := re.search(r"'(\w+)'", text)):
        return bool(re.fullmatch(r"Linear|Conv\w*|weight", found[1]))
    return text.endswith("weight is not None") or (text.startswith("hasattr(") and "'weight'" in text)


def _only_weighted(classes: ast.expr) -> bool:
    names = classes.elts if isinstance(classes, ast.Tuple | ast.List | ast.Set) else [classes]
    return all(_WEIGHTED_LAYER.match(ast.unparse(name).rpartition(".")[2]) for name in names)


def drawn_later(program: Program, call: Call, holder: Value | None) -> bool:
    """The same weights are drawn at random afterwards, in the same place."""
    return any(
        DRAWS.match(later.op)
        and later.order > call.order
        and later.context.function is call.context.function
        and not _exclude_each_other(later, call)
        and any(value is holder for value in ancestry(subject_of(later), 8))
        for later in program.trace
    )


def _exclude_each_other(one: Call, other: Call) -> bool:
    """Two sides of one branch: `if isinstance(m, nn.Linear)` and its `elif`."""
    return any(
        mine.node is theirs.node and mine.name != theirs.name
        for mine in one.context.arms
        for theirs in other.context.arms
    )


def models_of(program: Program, call: Call, holder: Value | None) -> list[Value]:
    """The models that an initialiser is run over: `model.apply(init)`, `for m in model.modules()`."""
    walk = walked(holder)
    if walk is not None:
        return possible(walk.receiver)
    here = method_of(call)
    return [
        model
        for applied in program.calls(".apply")
        for given in applied.args
        if isinstance(given, Function) and here is not None and given.definition is here.definition
        for model in possible(applied.receiver)
    ]


def side_by_side(program: Program, model: Value) -> bool:
    """Every layer of the model is seen at work, and none gets what another gave: each output has a goal of
    its own, so equal weights part at once (the two maps of a decomposed forecast)."""
    held = {id(piece) for piece in parts(model) if isinstance(piece, Call) and AFFINE.match(piece.op)}
    applied = [one for call in program.calls("()") if (one := affine(call)) is not None]
    ours = [one for one in applied if id(one.weight) in held]
    outputs = {id(one.call) for one in ours}
    return {id(one.weight) for one in ours} == held and not any(
        id(value) in outputs for one in ours for value in ancestry(one.input)
    )


def is_deep(model: Value) -> bool:
    """At least two linear layers: a single one may start at zero (logistic regression, an output head)."""
    held = [piece for piece in parts(model) if isinstance(piece, Call)]
    return sum(bool(AFFINE.match(piece.op)) for piece in held) >= 2 or any(
        isinstance(inner, Call) and AFFINE.match(inner.op) and isinstance(given, Collection) and given.open
        for piece in held
        for given in piece.args
        for inner in contained(given)
    )
