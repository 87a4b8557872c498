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
- **watch**: the number of distinct rows stays 1 over training; or two tables that are multiplied
  with each other, such as those of users and items, stay at exactly zero.
- **experiment**: corrected from outside, layers whose weights are all equal start at random; units
  become different and the loss falls.
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
from itertools import pairwise
from typing import TYPE_CHECKING

from sleuth.causes.architecture.zero_init.equal_weights.in_jax import (
    JAX_FLAT,
    JAX_PRODUCTS,
    flat_entries,
    flat_matrix,
    is_of_each_layer,
    starts_equal,
)
from sleuth.causes.architecture.zero_init.equal_weights.in_torch import (
    CONSTANT,
    FLAT,
    flat_weights,
    is_from_a_loop,
    peeled,
    picks_one,
    straight_behind,
    subject_of,
)
from sleuth.causes.architecture.zero_init.equal_weights.initialisers import (
    drawn_later,
    for_every_layer,
    for_every_weight,
    is_any_module,
    is_deep,
    models_of,
    side_by_side,
)
from sleuth.finding import Evidence, Where
from sleuth.record.questions import loaded, module_of, needed, where_module
from sleuth.source.flow import ancestry
from sleuth.source.interpreter.values import Call, Instance, Unknown, Value
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.modules import Affine, affine, settled

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Layers, Model, Parameter, Record

LOOKS_LIKE = {"stuck from the start": "even", "constant output": "even"}
NEEDS = "zeros ones full fill constant zero_( //"
PREDICTS = {"same-batch": "usually", "noise-inputs": "usually", "shuffled-labels": "usually"}


def lint(program: Program) -> Iterator[Evidence]:
    yield from _stacked(program)
    yield from _by_an_initialiser(program)
    yield from _in_jax(program)
    yield from _flax(program)
    yield from _floored(program)


def _floored(program: Program) -> Iterator[Evidence]:
    """`std = 1 // width ** 0.5`, times a draw: the floor of a fraction is 0, and so is every weight."""
    from sleuth.causes.architecture.zero_init.equal_weights.floored import floored_scales

    for division in floored_scales(program.source):
        yield clue(
            "proven",
            Value(division, program.source),
            f"`{ast.unparse(division)}` is rounded down to 0 for every size above 1, and weights are "
            "drawn with that scale: all start at 0, and the units of a layer stay identical.",
            fix="Divide with `/`.",
            edits=rewrite(
                division,
                program.source,
                f"{ast.unparse(division.left)} / {ast.unparse(division.right)}",
                safe=False,
            ),
        )


def _stacked(program: Program) -> Iterator[Evidence]:
    """Two products in a row, both with weights that are all equal: the units between them stay copies."""
    made_equal = any(True for _ in program.calls(*sorted(FLAT | CONSTANT)))
    flat = flat_weights(program) if made_equal else {}
    if not flat:
        return
    told: set[int] = set()
    products = [one for call in program.trace if (one := affine(call)) is not None]
    constant = {id(one.call): one for one in products if _key(one) in flat}
    for one in constant.values():
        for value in straight_behind(one.input):
            before = constant.get(id(value))
            if before is not None and _key(before) not in told:
                if _key(before) == _key(one) and picks_one(flat[_key(one)]):
                    continue  # its neighbours in the list are drawn
                told.update((_key(before), _key(one)))
                where = flat[_key(before)]
                also = spot(flat[_key(one)]).line
                yield clue(
                    "proven",
                    where,
                    "All these weights start equal, and so do those of the next layer "
                    f"({'also created here' if also == spot(where).line else f'line {also}'}): the units "
                    "between them get the same gradient and stay copies of each other.",
                    fix="Draw the weights at random (`nn.init.kaiming_normal_`); only biases may be zero.",
                )
                break


def _key(one: Affine) -> int:
    return id(one.weight)


def _by_an_initialiser(program: Program) -> Iterator[Evidence]:
    """An initialiser for all linear layers (or all parameters) of a model that makes their weights equal."""
    for call in program.calls(*sorted(CONSTANT)):
        value = peeled(subject_of(call))
        if isinstance(value, Call) and value.op == "@weight":
            holder = settled(value.receiver)
            generic = (
                is_from_a_loop(holder)
                or (isinstance(holder, Unknown) and isinstance(holder.node, ast.arg))
                or is_any_module(call, holder)
            )
            if not generic or not for_every_layer(call) or drawn_later(program, call, holder):
                continue
            models = models_of(program, call, holder)
        else:
            holder = value
            if not is_from_a_loop(value) or not for_every_weight(call):
                continue
            models = [model for model in models_of(program, call, value) if not isinstance(model, Unknown)]
            if drawn_later(program, call, holder) or not models:
                continue  # a helper that zeroes what it is given
        known = [model for model in models if isinstance(model, Instance | Call)]
        if known and not any(is_deep(model) and not side_by_side(program, model) for model in known):
            continue
        yield clue(
            "proven" if known else "likely",
            call,
            "This gives every weight of a layer the same value: all its units compute the same, get the same "
            "gradient and stay equal.",
            fix="Draw weights at random (or leave PyTorch's defaults); set only biases to a constant.",
        )


def _in_jax(program: Program) -> Iterator[Evidence]:
    """Two products in a row with matrices of equal numbers, which JAX keeps in dicts, lists and tuples."""
    if not any(True for _ in program.calls(*JAX_FLAT)):
        return
    flat = flat_entries(program)
    products = {id(call): call for call in program.calls(*JAX_PRODUCTS) if len(call.args) == 2}
    constant = {key: made for key, call in products.items() if (made := flat_matrix(call.args[1], flat))}
    told: set[int] = set()
    for key, made in constant.items():
        for value in ancestry(products[key].args[0], 200):
            before = constant.get(id(value))
            if before is None or id(before) in told:
                continue
            # A product that feeds itself: layer after layer of a list, or (fine) the steps of a recurrence.
            if before is made and not is_of_each_layer(products[key].args[1]):
                continue
            told.update((id(before), id(made)))
            also = "also created here" if before is made else f"line {spot(made).line}"
            yield clue(
                "proven",
                before,
                f"All these weights start equal, and so do those of the next layer ({also}): the units "
                "between them get the same gradient and stay copies of each other.",
                fix="Draw the weights at random (`jax.random.normal`); only biases may be 0.",
            )
            break


def _flax(program: Program) -> Iterator[Evidence]:
    """Two flax layers in a row whose `kernel_init` makes all weights equal."""
    constant = {
        id(call): call
        for call in program.calls("()")
        if isinstance(call.receiver, Call) and starts_equal(call.receiver)
    }
    told: set[int] = set()
    for call in constant.values():
        for value in (part for given in call.args for part in ancestry(given, 200)):
            before = constant.get(id(value))
            if before is not None and before is not call and id(before) not in told:
                told.update((id(before), id(call)))
                yield clue(
                    "proven",
                    before.receiver or before,
                    "All weights of this layer start equal, and so do those of the next layer (line "
                    f"{spot(call).line}): the units between them get the same gradient and stay copies of "
                    "each other.",
                    fix="Leave `kernel_init` at its default, which draws at random; only biases may be 0.",
                )
                break


def probe(bench: "Workbench") -> Iterator[Evidence]:
    alike = [p for p in bench.first.gradients.weights if p.symmetric and not bench.wakes(p)]
    if alike:
        name = alike[0].name
        yield Evidence(
            f"All units of `{name}` {alike[0].shape} have the same weights and get the same gradient: "
            f"they stay copies of each other, and the layer acts like a single unit ({len(alike)} such "
            "layers).",
            telling="proven",
            where=Where(module=alike[0].module or None),
            numbers={"layers": len(alike), "first": name},
            fix="Draw weights at random (Kaiming or Xavier); zero is for biases and last layers of "
            "residual branches.",
        )
        return
    kinds = ("Linear", "Conv1d", "Conv2d", "Conv3d")
    flat = [p for p in bench.first.gradients.weights if p.kind in kinds and 0 <= p.std < 1e-5 * abs(p.mean)]
    if flat and max(flat[0].shape) > 1:
        yield Evidence(
            f"Every weight of `{flat[0].name}` {flat[0].shape} is {flat[0].mean:.3g} ({len(flat)} such "
            "layers): its units differ at most in their biases and learn nearly the same.",
            telling="likely",
            where=Where(module=flat[0].module or None),
            numbers={"layers": len(flat), "value": flat[0].mean},
            fix="Draw weights at random (Kaiming or Xavier).",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.initialised_anew(world, only_equal=True)


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Model

    told = list(_never_moved(record))
    yield from told
    if told:
        return
    for model in needed([model for model in record.of(Model) if model.parameters], "parameters of models"):
        matrices = [p for p in model.parameters if len(p.shape) >= 2 and min(p.shape[:2]) > 1 and p.trainable]
        kinds = {layer.name: layer.type for layer in model.layers}
        matrices = [p for p in matrices if "Embedding" not in kinds.get(module_of(p.name), "")]
        matrices = [p for p in matrices if not _beside_a_drawn_one(p, model)]
        last = [p for p in model.parameters if len(p.shape) >= 2 and not _beside_a_drawn_one(p, model)][-1:]
        # One layer at zero between random ones is a known trick (heads, residual branches, adapters): its
        # neighbours tell the units apart. Two in a row, and nothing does.
        pairs = [(a, b) for a, b in pairwise(matrices) if a.equal_rows and (b.equal_rows or b.norm == 0)]
        if last and matrices and matrices[-1].equal_rows and last[0] is not matrices[-1] and last[0].std == 0:
            pairs.append((matrices[-1], last[0]))
        if pairs and model.n == 0 and not loaded(record, until=0):
            one, other = pairs[0]
            passed = _passed(record, model, one)
            yield Evidence(
                f"All rows of `{one.name}` are equal, and so are those of `{other.name}` after it (std "
                f"{one.std:.2g} and {other.std:.2g}): its {one.shape[0]} units compute the same, get the "
                "same gradient and stay copies of each other"
                + ("." if not passed else ", unless a skip connection bypasses them."),
                telling="aside" if passed else "proven",
                where=where_module(record, module_of(one.name)),
                numbers={"units": one.shape[0], "pairs": len(pairs)},
                fix="Initialise weights at random (PyTorch's default works); only biases may start at zero.",
            )


def _beside_a_drawn_one(equal: "Parameter", model: "Model") -> bool:
    """Its module has another matrix of that shape which was drawn: the two together tell units apart, as
    means and spreads of random weights do."""
    return equal.std == 0 and any(
        p.shape == equal.shape and module_of(p.name) == module_of(equal.name) and p.std and not p.equal_rows
        for p in model.parameters
    )


LONG, OFTEN = 20, 5  # steps, and samples of them; a gate before a gate opens within three or four steps


def _never_moved(record: "Record") -> Iterator[Evidence]:
    """Two tables or more that are zero, take part, and get a gradient of exactly zero from first to last.

    Each is multiplied with another that is zero: none of them can be the first to move. One alone may be a
    token that no batch held.
    """
    from sleuth.record.entries import Layers, Model

    samples = [seen for seen in record.of(Layers) if seen.gradients]
    if len(samples) < OFTEN or samples[-1].n < LONG:
        return
    for model in record.of(Model):
        still = [
            parameter
            for parameter in model.parameters
            if len(parameter.shape) >= 2 and min(parameter.shape[:2]) > 1 and parameter.trainable
            if parameter.norm == 0 and all(_rests_at_zero(seen, parameter.name) for seen in samples)
        ]
        if len(still) > 1:
            yield Evidence(
                f"`{still[0].name}` and `{still[-1].name}` start at zero and are still zero after "
                f"{samples[-1].n + 1} steps: they are multiplied with each other, so neither gets a "
                "gradient while the other is zero.",
                telling="proven",
                where=where_module(record, module_of(still[0].name)),
                numbers={"tables": len(still), "steps": samples[-1].n + 1},
                fix="Draw at least one of them at random, such as `nn.init.normal_(table.weight, std=0.1)`.",
            )


def _rests_at_zero(seen: "Layers", name: str) -> bool:
    """At zero, with a gradient that is there and zero, in a module that was called."""
    called = module_of(name) in seen.activations
    return called and seen.weights.get(name) == 0 and seen.gradients.get(name) == 0


def _passed(record: "Record", model: "Model", zero: "Parameter") -> bool:
    """Whether a layer before one of zeros gets a gradient: no chain leads it through zeros, so a path leads
    past them, as around a residual branch, which may well end in zeros at first."""
    from sleuth.record.entries import Layers

    names = [parameter.name for parameter in model.parameters]
    before = names[: names.index(zero.name)]
    return any(
        seen.weights.get(zero.name) == 0 and any(seen.gradients.get(name) for name in before)
        for seen in record.of(Layers)
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import where_written
    from sleuth.places.scene import last_resort

    return last_resort(where_written(finding, scene, _is_zero), finding, _gives_one_value, scene)


def _is_zero(parameter: "Parameter") -> float:
    return 1.0 if len(parameter.shape) >= 2 and parameter.std == 0 else 0.0


def _gives_one_value(statement: "Statement") -> int | None:
    """Where weights that belong to no layer are given one value."""
    if not re.search(r"\b(zeros|ones|full)\(", statement.text):
        return None
    if re.search(r"Parameter\(|requires_grad", statement.text):
        return 0
    named = re.fullmatch(r"(self\.)?(w|W|weights?|theta|kernel)(_?\w{0,3})", statement.targets)
    return 1 if named else None
