"""Weights start at zero or all equal, so the units of a layer stay copies of each other.

## What happens
Two units with the same incoming and outgoing weights compute the same thing, get the same
gradient, and remain equal for ever. A layer of 32 such units is one unit. With all weights at
zero it is worse: in a ReLU net of two layers neither weight matrix ever receives a gradient, and
only the output bias trains. The loss then settles at the entropy of the label frequencies: 1.386
for four even classes.

Measured on a task that asks which of four features is largest (8-32-4 net, Adam, 500 steps): all
zero gave loss 1.385 and 27% accuracy; all 0.1 gave 0.98 and 53%, with 32 rows of the first matrix
still identical to the last bit. That second kind is the silent one: it learns something.

Zero is right in places: biases; the last layer of a residual branch or its scale; one factor of a
LoRA pair (`B` = 0, `A` random); a policy head; ControlNet-style connections. There the other
paths are random, so symmetry is broken elsewhere. Dropout breaks symmetry too, slowly.

## How to tell
- **lint**: two products in a row whose weights were made all equal (`torch.zeros` in an
  `nn.Parameter`, `zeros_`, `ones_`, `constant_`, `fill_`) and not drawn afterwards; or an
  initialiser that does so to every linear layer of a model. A single such layer is left alone.
- **probe**: rows of a weight matrix are all identical; or hidden weights get a gradient of
  exactly zero at step 0 while the output bias does not.
- **watch**: the number of distinct rows stays 1 over training.
- **refuted by**: the rows of every hidden weight matrix differ from each other before training.

## How to fix
Leave PyTorch's defaults, or draw the weights at random; only biases may be zero.
```python
def init(m):
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
        nn.init.zeros_(m.bias)
model.apply(init)
```
A bare `nn.Parameter(torch.empty(...))` is uninitialised memory and often happens to be zero: give
it an explicit draw. Keep deliberate zeros that close a residual branch.

## Often mistaken for
- `dead-relu`: those units are zero but their weights differ; here the rows are equal.
- `frozen-params`: `requires_grad` is True here, and the gradient is zero or the same for all
  units.

## Sources
- goodfellow-2016-ch8: section 8.4, on breaking symmetry between units as the firm requirement on
  initial weights.
- cs231n-nn2: the part on weight initialisation, "Pitfall: all zero initialization".
- hu-2021: section 4.1, an example of a deliberate zero: one factor zero, the other random.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.facts.flow import ancestry, literal, number, parents, possible, root
from sleuth.facts.interpreter.values import (
    Call,
    Carried,
    Collection,
    Either,
    Function,
    Instance,
    Table,
    Unknown,
    Value,
)
from sleuth.facts.program import Program, clue, place
from sleuth.facts.topics.modes import parts
from sleuth.facts.topics.modules import (
    AFFINE,
    Affine,
    affine,
    contained,
    exact,
    method_of,
    parameter,
    settled,
)
from sleuth.facts.torch_api import is_module
from sleuth.facts.words import Pattern
from sleuth.finding import Finding, Where

if TYPE_CHECKING:
    from sleuth.facts.bench import Bench


_CONSTANT = frozenset(
    "torch.nn.init.zeros_ torch.nn.init.ones_ torch.nn.init.constant_ .zero_ .fill_".split()
)
_FLAT = frozenset(
    "torch.zeros torch.ones torch.full torch.zeros_like torch.ones_like torch.full_like".split()
)
_DRAWS = Pattern(
    r"^(torch\.nn\.init\.(xavier|kaiming|normal|uniform|orthogonal|trunc|sparse|eye|dirac)\w*|"
    r"\.(normal|uniform|copy|trunc_normal|random|bernoulli)_|timm\.\S*trunc_normal\w*)$"
)
_WEIGHTED_LAYER = Pattern(r"^(Lazy)?(Linear|Conv[123]d)$")

NEEDS = "zero constant ones fill full"


def lint(program: Program) -> Iterator[Finding]:
    yield from _stacked(program)
    yield from _by_an_initialiser(program)
    yield from _in_jax(program)
    yield from _flax(program)


def _stacked(program: Program) -> Iterator[Finding]:
    """Two products in a row, both with weights that are all equal: the units between them stay copies."""
    made_equal = any(True for _ in program.calls(*sorted(_FLAT | _CONSTANT)))
    flat = _flat_weights(program) if made_equal else {}
    if not flat:
        return
    told: set[int] = set()
    products = [one for call in program.trace if (one := affine(call)) is not None]
    constant = {id(one.call): one for one in products if _key(one) in flat}
    for one in constant.values():
        for value in _straight_behind(one.input):
            before = constant.get(id(value))
            if before is not None and _key(before) not in told:
                told.update((_key(before), _key(one)))
                where = flat[_key(before)]
                also = place(flat[_key(one)]).line
                yield clue(
                    "error",
                    where,
                    "All these weights start equal, and so do those of the layer behind "
                    f"({'made here, too' if also == place(where).line else f'line {also}'}): "
                    "the units between them get the same gradient and stay copies of each other.",
                    fix="Draw the weights at random (`nn.init.kaiming_normal_`); only biases may be zero.",
                )
                break


def _key(one: Affine) -> int:
    return id(one.weight)


def _flat_weights(program: Program) -> dict[int, Call]:
    """Weights whose elements are all equal when training starts, by id: the place that made them so."""
    flat: dict[int, Call] = {}
    for call in program.trace:
        if call.op in ("torch.nn.Parameter", ".requires_grad_") or call.op in _FLAT:
            leaf = parameter(call)
            if leaf is not None and _all_equal(leaf):
                flat[id(leaf)] = leaf
        elif call.op in _CONSTANT:
            target = _target(call)
            if target is not None:
                flat[id(target)] = call
        elif call.op in ("@weight=", "@data="):
            target = _target(call)
            if target is not None and _all_equal(settled(call.args[0])):
                flat[id(target)] = call
            elif target is not None:
                flat.pop(id(target), None)
        elif _DRAWS.match(call.op) or call.op == "[]=":
            target = _target(call)
            if target is not None:
                flat.pop(id(target), None)
            elif call.op != "[]=" and flat and _is_from_a_loop(_peeled(_subject(call))):
                flat.clear()  # some initialiser for all parameters
        elif call.op == ".load_state_dict":
            flat.clear()
    return flat


def _subject(call: Call) -> Value | None:
    if call.op[:1] in ".@[":
        return call.receiver
    return call.argument(0, "tensor")


def _peeled(value: Value | None) -> Value | None:
    for _ in range(5):
        value = settled(value)
        if not isinstance(value, Call) or value.op not in ("@data", ".detach", ".view"):
            return value
        value = value.receiver
    return value


def _target(call: Call) -> Call | None:
    """The weight that an initialiser fills: a leaf, or the layer that holds it."""
    if call.op == "@weight=":
        layer = settled(call.receiver)
        return layer if isinstance(layer, Call) and AFFINE.match(layer.op) else None
    value = _peeled(_subject(call))
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
    if not isinstance(value, Call) or value.op not in _FLAT:
        return False
    shape = settled(value.args[0]) if value.args else None
    given = shape.items if isinstance(shape, Collection) else value.args
    return value.op.endswith("_like") or len(given) >= 2


_JOINS = frozenset(
    "+ - * / torch.add torch.mul torch.cat torch.stack .add .mul .addcmul torch.addcmul".split()
)


def _straight_behind(value: Value | None) -> Iterator[Call]:
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


_LEAVES = _FLAT | {"torch.nn.Parameter"}


def _is_no_data(value: Value) -> bool:
    """A number, a module, or a parameter (a bias): nothing that differs between examples."""
    made = root(value)
    return number(value) is not None or is_module(value) or (isinstance(made, Call) and made.op in _LEAVES)


def _by_an_initialiser(program: Program) -> Iterator[Finding]:
    """An initialiser for all linear layers (or all parameters) of a model that makes their weights equal."""
    for call in program.calls(*sorted(_CONSTANT)):
        value = _peeled(_subject(call))
        if isinstance(value, Call) and value.op == "@weight":
            holder = settled(value.receiver)
            generic = (
                _is_from_a_loop(holder)
                or (isinstance(holder, Unknown) and isinstance(holder.node, ast.arg))
                or _is_any_module(call, holder)
            )
            if not generic or not _for_every_layer(call) or _drawn_later(program, call, holder):
                continue
            models = _models_of(program, call, holder)
        else:
            holder = value
            if not _is_from_a_loop(value) or not _for_every_weight(call):
                continue
            models = [model for model in _models_of(program, call, value) if not isinstance(model, Unknown)]
            if _drawn_later(program, call, holder) or not models:
                continue  # a helper that zeroes what it is given
        known = [model for model in models if isinstance(model, Instance | Call)]
        if known and not any(_is_deep(model) for model in known):
            continue
        yield clue(
            "error" if known else "warning",
            call,
            "This gives every weight of a layer the same value: all its units compute the same, get the same "
            "gradient and stay equal.",
            fix="Draw weights at random (or leave PyTorch's defaults); set only biases to a constant.",
        )


def _is_any_module(call: Call, holder: Value | None) -> bool:
    """The first parameter of a static method is no `self`, whatever object the method was found on."""
    definition = getattr(method_of(call), "definition", None)
    marks = [ast.unparse(mark) for mark in getattr(definition, "decorator_list", [])]
    return "staticmethod" in marks and isinstance(holder, Instance)


def _is_from_a_loop(value: Value | None) -> bool:
    """An element of `model.modules()`, `model.parameters()` and the like."""
    return _walked(value) is not None


def _walked(value: Value | None) -> Call | None:
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


def _for_every_layer(call: Call) -> bool:
    """The branches around ask only for the kind of layer: `if isinstance(m, nn.Linear)`."""
    tests = _tests(call)
    return bool(tests) and all(_asks_for_kind(test) for test in tests)


def _for_every_weight(call: Call) -> bool:
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


def _drawn_later(program: Program, call: Call, holder: Value | None) -> bool:
    """The same weights are drawn at random afterwards, in the same place."""
    return any(
        _DRAWS.match(later.op)
        and later.order > call.order
        and later.context.function is call.context.function
        and not _exclude_each_other(later, call)
        and any(value is holder for value in ancestry(_subject(later), 8))
        for later in program.trace
    )


def _exclude_each_other(one: Call, other: Call) -> bool:
    """Two sides of one branch: `if isinstance(m, nn.Linear)` and its `elif`."""
    return any(
        mine.node is theirs.node and mine.name != theirs.name
        for mine in one.context.arms
        for theirs in other.context.arms
    )


def _models_of(program: Program, call: Call, holder: Value | None) -> list[Value]:
    """The models that an initialiser is run over: `model.apply(init)`, `for m in model.modules()`."""
    walked = _walked(holder)
    if walked is not None:
        return possible(walked.receiver)
    here = method_of(call)
    return [
        model
        for applied in program.calls(".apply")
        for given in applied.args
        if isinstance(given, Function) and here is not None and given.definition is here.definition
        for model in possible(applied.receiver)
    ]


def _is_deep(model: Value) -> bool:
    """At least two linear layers: a single one may start at zero (logistic regression, an output head)."""
    held = [piece for piece in parts(model) if isinstance(piece, Call)]
    return sum(bool(AFFINE.match(piece.op)) for piece in held) >= 2 or any(
        isinstance(inner, Call) and AFFINE.match(inner.op) and isinstance(given, Collection) and given.open
        for piece in held
        for given in piece.args
        for inner in contained(given)
    )


_JAX_FLAT = ("jax.numpy.zeros", "jax.numpy.ones", "jax.numpy.full")
_JAX_PRODUCTS = ("@", "jax.numpy.dot", "jax.numpy.matmul")


def _in_jax(program: Program) -> Iterator[Finding]:
    """Two products in a row with matrices of equal numbers, which JAX keeps in dicts, lists and tuples."""
    if not any(True for _ in program.calls(*_JAX_FLAT)):
        return
    flat = _flat_entries(program)
    products = {id(call): call for call in program.calls(*_JAX_PRODUCTS) if len(call.args) == 2}
    constant = {key: made for key, call in products.items() if (made := _flat_matrix(call.args[1], flat))}
    told: set[int] = set()
    for key, made in constant.items():
        for value in ancestry(products[key].args[0], 200):
            before = constant.get(id(value))
            if before is None or id(before) in told:
                continue
            # A product that feeds itself: layer after layer of a list, or (fine) the steps of a recurrence.
            if before is made and not _is_of_each_layer(products[key].args[1]):
                continue
            told.update((id(before), id(made)))
            also = "made here, too" if before is made else f"line {place(made).line}"
            yield clue(
                "error",
                before,
                f"All these weights start equal, and so do those of the layer behind ({also}): the units "
                "between them get the same gradient and stay copies of each other.",
                fix="Draw the weights at random (`jax.random.normal`); only biases may be 0.",
            )
            break


def _flat_matrix(value: Value, flat: dict[object, Call]) -> Call | None:
    """The matrix of equal numbers that a value is, by itself or by its key.

    Functions that are differentiated may get their parameters from outside: then the keys tell them apart.
    """
    made = root(value)
    if isinstance(made, Call) and made.op in _JAX_FLAT and _is_matrix(made):
        return made
    return flat.get(_key_of(made))


def _is_of_each_layer(value: Value) -> bool:
    """`layer["w"]`, where `layer` goes through a list of them."""
    return any(isinstance(part, Call) and part.op == "next" for part in ancestry(value, 4))


def _flat_entries(program: Program) -> dict[object, Call]:
    """Keys under which every dict of the program that has them holds a matrix of equal numbers."""
    tables = {
        id(table): table
        for call in program.trace
        for given in (call.result, *call.args)
        for table in possible(given)
        if isinstance(table, Table)
    }
    flat: dict[object, Call] = {}
    drawn: set[object] = set()
    for table in tables.values():
        for key, item in table.items.items():
            made = settled(item)
            if isinstance(made, Call) and made.op in _JAX_FLAT and _is_matrix(made):
                flat[key] = made
            else:
                drawn.add(key)
    return {key: made for key, made in flat.items() if key not in drawn}


def _is_matrix(made: Call) -> bool:
    shape = settled(made.argument(0, "shape"))
    return isinstance(shape, Collection) and len(shape.items) >= 2


def _key_of(value: Value | None) -> object:
    item = settled(value)
    return (
        literal(item.args[1]) if isinstance(item, Call) and item.op == "[]" and len(item.args) == 2 else None
    )


def _flax(program: Program) -> Iterator[Finding]:
    """Two flax layers in a row whose `kernel_init` makes all weights equal."""
    constant = {
        id(call): call
        for call in program.calls("()")
        if isinstance(call.receiver, Call) and _starts_equal(call.receiver)
    }
    told: set[int] = set()
    for call in constant.values():
        for value in (part for given in call.args for part in ancestry(given, 200)):
            before = constant.get(id(value))
            if before is not None and before is not call and id(before) not in told:
                told.update((id(before), id(call)))
                yield clue(
                    "error",
                    before.receiver or before,
                    "All weights of this layer start equal, and so do those of the layer behind it (line "
                    f"{place(call).line}): the units between them get the same gradient and stay copies of "
                    "each other.",
                    fix="Leave `kernel_init` at its default, which draws at random; only biases may be 0.",
                )
                break


def _starts_equal(layer: Call) -> bool:
    if not layer.op.startswith("flax.") or not layer.op.endswith((".Dense", ".Linear", ".Conv")):
        return False
    given = layer.keywords.get("kernel_init")
    name = given.op if isinstance(given, Call) else getattr(given, "name", "")
    return bool(re.search(r"initializers\.(zeros|ones|constant)", name))


def probe(bench: "Bench") -> Iterator[Finding]:
    alike = [p for p in bench.first.gradients.weights if p.symmetric]
    if alike:
        name = alike[0].name
        yield Finding(
            f"All units of `{name}` {alike[0].shape} have the same weights and get the same gradient: "
            "they stay copies "
            f"of each other, and the layer is worth one unit ({len(alike)} such layers).",
            severity="error",
            credence=0.93,
            where=Where(module=alike[0].module or None),
            numbers={"layers": len(alike), "first": name},
            fix="Draw weights at random (Kaiming or Xavier); zero is for biases and last layers of "
            "residual branches.",
        )
