"""Weights of PyTorch programs whose elements are all equal, and what stands straight behind them."""

import ast
from collections.abc import Iterator

from sleuth.source.flow import ancestry, number, parents, root
from sleuth.source.interpreter.values import Call, Carried, Collection, Either, Value
from sleuth.source.program import Program
from sleuth.source.topics.modules import AFFINE, affine, exact, parameter, settled
from sleuth.source.torch_api import is_module
from sleuth.source.word_search import Pattern

CONSTANT = frozenset("torch.nn.init.zeros_ torch.nn.init.ones_ torch.nn.init.constant_ .zero_ .fill_".split())
FLAT = frozenset("torch.zeros torch.ones torch.full torch.zeros_like torch.ones_like torch.full_like".split())
DRAWS = Pattern(
    r"^(torch\.nn\.init\.(xavier|kaiming|normal|uniform|orthogonal|trunc|sparse|eye|dirac)\w*|"
    r"\.(normal|uniform|copy|trunc_normal|random|bernoulli)_|timm\.\S*trunc_normal\w*)$"
)


def flat_weights(program: Program) -> dict[int, Call]:
    """Weights whose elements are all equal when training starts, by id: the place that made them so."""
    flat: dict[int, Call] = {}
    for call in program.trace:
        if call.op in ("torch.nn.Parameter", ".requires_grad_") or call.op in FLAT:
            leaf = parameter(call)
            if leaf is not None and _all_equal(leaf):
                flat[id(leaf)] = leaf
        elif call.op in CONSTANT:
            target = _target(call)
            if target is not None:
                flat[id(target)] = call
        elif call.op in ("@weight=", "@data="):
            target = _target(call)
            if target is not None and _all_equal(settled(call.args[0])):
                flat[id(target)] = call
            elif target is not None:
                flat.pop(id(target), None)
        elif DRAWS.match(call.op) or call.op == "[]=":
            target = _target(call)
            if target is not None:
                flat.pop(id(target), None)
            elif call.op != "[]=" and flat and is_from_a_loop(peeled(subject_of(call))):
                flat.clear()  # some initialiser for all parameters
        elif call.op == ".load_state_dict":
            flat.clear()
    return flat


def subject_of(call: Call) -> Value | None:
    if call.op[:1] in ".@[":
        return call.receiver
    return call.argument(0, "tensor")


def peeled(value: Value | None) -> Value | None:
    for _ in range(5):
        value = settled(value)
        if not isinstance(value, Call) or value.op not in ("@data", ".detach", ".view"):
            return value
        value = value.receiver
    return value


def picks_one(call: Call) -> bool:
    """`layers[-1].weight`: of all layers that one line made, a single one is filled."""
    value = peeled(subject_of(call))
    node = value.node if isinstance(value, Call) and value.op == "@weight" else None
    picked = node.value if isinstance(node, ast.Attribute) else None
    place = picked.slice if isinstance(picked, ast.Subscript) else None
    return isinstance(place.operand if isinstance(place, ast.UnaryOp) else place, ast.Constant)


def _target(call: Call) -> Call | None:
    """The weight that an initialiser fills: a leaf, or the layer that holds it."""
    if call.op == "@weight=":
        layer = settled(call.receiver)
        return layer if isinstance(layer, Call) and AFFINE.match(layer.op) else None
    value = peeled(subject_of(call))
    if isinstance(value, Call) and value.op == "@weight":
        layer = settled(value.receiver)
        return layer if isinstance(layer, Call) and AFFINE.match(layer.op) else None
    return parameter(value)


def _all_equal(value: Value | None) -> bool:
    """`torch.zeros(a, b)`, `torch.ones(a, b) * 0.01`, also within nn.Parameter; a vector is no matrix."""
    value = settled(value)
    if isinstance(value, Call) and value.op == "torch.nn.Parameter" and value.args:
        return _all_equal(value.args[0])
    if isinstance(value, Call) and value.op in ("*", "/", "+", "-"):
        sides = [settled(part) for part in value.args]
        return any(_all_equal(side) for side in sides) and any(exact(side) is not None for side in sides)
    if not isinstance(value, Call) or value.op not in FLAT:
        return False
    shape = settled(value.args[0]) if value.args else None
    given = shape.items if isinstance(shape, Collection) else value.args
    return value.op.endswith("_like") or len(given) >= 2


_JOINS = frozenset(
    "+ - * / torch.add torch.mul torch.cat torch.stack .add .mul .addcmul torch.addcmul".split()
)


def straight_behind(value: Value | None) -> Iterator[Call]:
    """What feeds a layer and nothing else does: a sum or product with other data brings in other numbers.

    So it is with a zero-initialised modulation or residual branch, which starts as no change on purpose.
    """
    queue = [value]
    seen: set[int] = set()
    while queue and len(seen) < 400:
        here = queue.pop()
        if here is None or id(here) in seen:
            continue
        seen.add(id(here))
        if not isinstance(here, Call):
            queue.extend(parents(here) if isinstance(here, Either | Carried) else ())
            continue
        yield here
        if here.result is not None:
            queue.append(here.result)
        elif affine(here) is None:
            data = [part for part in parents(here) if not _is_no_data(part)]
            if here.op not in _JOINS or len(data) == 1:
                queue.extend(data[:1])


_LEAVES = FLAT | {"torch.nn.Parameter"}


def _is_no_data(value: Value) -> bool:
    """A number, a module, or a parameter (a bias): nothing that differs between examples."""
    made = root(value)
    return number(value) is not None or is_module(value) or (isinstance(made, Call) and made.op in _LEAVES)


def is_from_a_loop(value: Value | None) -> bool:
    """An element of `model.modules()`, `model.parameters()` and the like."""
    return walked(value) is not None


def walked(value: Value | None) -> Call | None:
    for here in ancestry(value, 6):
        if isinstance(here, Call) and here.op.lstrip(".") in (
            "modules",
            "children",
            "named_modules",
            "named_children",
            "parameters",
            "named_parameters",
        ):
            return here
    return None
