"""Prediction and target shapes differ, broadcast silently, and every pair is compared.

## What happens
The model learns to predict the mean and stays there. A prediction of shape (N, 1) minus a target of
shape (N,) is an (N, N) matrix: each prediction is compared with *every* target of the batch. The
mean of that matrix is var(prediction) + var(target) + (difference of means) squared, and its
minimum is a constant prediction. So the loss falls at first, then stops at the variance of the
target, however good the features are. A linear model on noiseless linear data ended at 6.52, the
variance of its target, with a prediction std of 3e-08.

```python
pred = model(x)                      # (64, 1)
loss = ((pred - y) ** 2).mean()      # y is (64,): a 64 x 64 matrix, no warning
```

`F.mse_loss`, `l1_loss`, `smooth_l1_loss` and `huber_loss` emit a `UserWarning` and go on; logs
swallow it. `binary_cross_entropy` and its logits version raise an error, so the bug lives mostly in
regression, in hand-written losses, value functions and metrics. `poisson_nll_loss` and `kl_div`
accept the pair without a warning. The same subtraction in NumPy (an R2 or an accuracy by hand) spoils
the metric only.

## How to tell
- **lint**: arithmetic between a model's output whose last layer has one unit and a target that was
  never given that axis; `squeeze()` without an argument, which also eats a batch of one.
- **probe**: the shapes differ at the loss, and the gradient pushes all predictions of the batch
  towards one common value.
- **watch**: the loss levels off at the target's variance, predictions have a std near zero, and
  the recorded warning says that the target size differs from the input size.
- **experiment**: corrected from outside, a target with as many values as the prediction takes its
  shape; the loss can fall below the variance of the target.
- **refuted by**: prediction and target have identical shapes where they meet.

## How to fix
Make the shapes equal on purpose, and say so in an assertion that will hold for the next person.

```python
pred = model(x).squeeze(-1)          # (N,)
assert pred.shape == y.shape, (pred.shape, y.shape)
loss = F.mse_loss(pred, y)
```

Turn the warning into an error while you develop:
`warnings.filterwarnings("error", message="Using a target size")`. Broadcasting a
weight, a mask or one scalar target against the batch is intended and fine.

## Often mistaken for
- `input-destroyed`: predictions also collapse to the mean, but shapes agree and noise inputs do as
  well.
- `lr-too-low`: a flat loss too, yet it moves when the rate rises; this one stays at the variance.
- `underpowered-model`: cannot fit one batch either; compare shapes before adding layers.

## Sources
- pytorch-broadcasting: General semantics; how (N, 1) and (N,) become (N, N).
- fsdl-2021: the list of most common bugs; accidental broadcasting as the shape error that stays
  silent.
"""

import ast
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import at, by_line, loss_calls, needed
from sleuth.source.edits import Edits, method_added
from sleuth.source.flow import ancestry, keeps_numbers, layer, literal, parents, root
from sleuth.source.interpreter.values import Call, Constant, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.activations import origins
from sleuth.source.topics.shapes import Shape, Shapes, outer, shapes
from sleuth.torch_losses import COMPARES_NUMBERS

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import Record

CHANGES_LOSS = True
LOOKS_LIKE = {"stuck from the start": "even", "constant output": "usually"}
INVITED_BY = {"mse_loss|MSELoss|L1Loss": 2.0}
PREDICTS = {"same-batch": "usually", "noise-inputs": "usually", "shuffled-labels": "usually"}


# These raise no error on two shapes; the cross-entropies do.
_SILENT = COMPARES_NUMBERS | {"poisson_nll_loss", "kl_div", "gaussian_nll_loss"}
_DIFFERENCES = ("-", "torch.sub", ".sub", "torch.subtract")
_MEASURES = (
    *("**", ".pow", ".abs", ".square", "builtins.abs"),
    *(f"{home}.{name}" for home in ("torch", "numpy", "jax.numpy") for name in ("abs", "square", "pow")),
)


# Vectors that number something else than examples.
_GRIDS = ("torch.nn.Parameter", "torch.linspace", "torch.arange", "torch.logspace", "torch.quantile")


def lint(program: Program) -> Iterator[Evidence]:
    algebra = shapes(program)
    for use in program.losses:
        if use.name in _SILENT and use.input is not None and use.target is not None:
            yield from _judge(algebra, use.call, use.input, use.target, f"`{use.name}`")
    for call in _squared_differences(program):
        left, right = call.args if call.receiver is None else (call.receiver, *call.args)
        yield from _judge(algebra, call, left, right, "this difference")


def _squared_differences(program: Program) -> Iterator[Call]:
    """Differences that are squared or made absolute: errors of a prediction, by hand."""
    seen: set[int] = set()
    for measure in program.calls(*_MEASURES):
        inner = root(measure.receiver if measure.receiver is not None else next(iter(measure.args), None))
        if isinstance(inner, Call) and inner.op in _DIFFERENCES and id(inner) not in seen:
            if len(inner.args) + (inner.receiver is not None) == 2:
                seen.add(id(inner))
                yield inner


def _judge(algebra: Shapes, call: Call, left: Value, right: Value, what: str) -> Iterator[Evidence]:
    one, other = algebra.of(left), algebra.of(right)
    if one is None or other is None or not outer(one, other):
        return
    flat = min((one, other), key=lambda shape: shape.rank)
    if not flat.rank or _widened_here(call, left) or _widened_here(call, right):
        return
    if not (_learned(left) or _learned(right)) or not _both_count_examples(left, right, one, other):
        return
    yield clue(
        "proven" if one.sure and other.sure else "likely",
        call,
        f"{what[0].upper()}{what[1:]} meets shapes {one} and {other}, which broadcast to a table of every "
        f"prediction against every target: the best the model can do is predict {_centre(flat)}.",
        fix="`squeeze(-1)` the prediction or `unsqueeze(-1)` the target, and assert that the shapes agree.",
        edits=_squeezed(call, left, one, other),
    )


def _squeezed(call: Call, left: Value, one: Shape, other: Shape) -> Edits:
    """The column made a row of numbers, where it is surely a column and the other surely flat."""
    node = call.node
    tall, flat = (one, other) if one.rank > other.rank else (other, one)
    if not (one.sure and other.sure) or tall.rank != 2 or flat.rank != 1 or tall.sizes[-1] != 1:
        return ()
    if isinstance(node, ast.BinOp):
        return method_added(node.left if tall is one else node.right, call.source, "squeeze(-1)")
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return ()
    return method_added(node.args[0 if tall is one else 1], call.source, "squeeze(-1)")


def _both_count_examples(left: Value, right: Value, one: Shape, other: Shape) -> bool:
    """A column of examples against centres, bins or thresholds is a table on purpose."""
    tall, flat, vector = (one, other, right) if one.rank > other.rank else (other, one, left)
    lengths = (flat.sizes[0], tall.sizes[-flat.rank - 1])
    if _picked_alike(left, right):
        return True
    if (
        lengths[0] != lengths[1]
        and any(isinstance(length, int) for length in lengths)
        and None not in lengths
    ):
        return False
    made, _ = origins(vector)
    return not any(call.op in _GRIDS for call in made)


def _picked_alike(left: Value, right: Value) -> bool:
    """Rows of both sides were taken with one index: `model(x[chosen])`, `y[chosen]`."""
    keys = [
        {id(here.args[1]) for here in ancestry(side, 60) if isinstance(here, Call) and here.op == "[]"}
        - {id(here.args[1]) for here in ancestry(side, 60) if isinstance(here, Call) and _is_place(here)}
        for side in (left, right)
    ]
    return not keys[0].isdisjoint(keys[1])


def _is_place(item: Call) -> bool:
    """`pair[0]`, as opposed to rows picked by computed places."""
    return item.op == "[]" and not isinstance(root(item.args[1]), Call)


def _centre(flat: Shape) -> str:
    return "the mean target" if flat.rank == 1 else "an average"


def _widened_here(call: Call, operand: Value) -> bool:
    """`a.unsqueeze(1) - b`, `a[:, None] - b`: an axis added in the very expression is meant."""
    made = root(operand)
    if not isinstance(made, Call) or not _adds_an_axis(made):
        return False
    return made.source is call.source and _inside(made.node, call.node)


def _adds_an_axis(call: Call) -> bool:
    if call.op != "[]":
        return layer(call).rpartition(".")[2] in ("unsqueeze", "expand_dims")
    key = call.args[1]
    return any(literal(part) is None and isinstance(part, Constant) for part in (key, *parents(key)))


def _inside(inner: ast.AST | None, outer_node: ast.AST | None) -> bool:
    return outer_node is not None and any(node is inner for node in ast.walk(outer_node))


def _learned(value: Value) -> bool:
    """Whether a layer or a model took part in making the value."""
    for here in ancestry(value, 60):
        if isinstance(here, Call) and here.op == "()" and not keeps_numbers(here):
            return True
    return False


def probe(bench: "Workbench") -> Iterator[Evidence]:
    elementwise = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
    met: list[tuple[Where, str, tuple[int, ...], tuple[int, ...]]] = [
        (use.where, use.name, use.input_shape, use.target_shape)
        for use in bench.first.losses
        if use.name in elementwise and use.input_shape != use.target_shape and use.target_shape
    ]
    met += [(f.where, f.operation, f.shapes[0], f.shapes[1]) for f in bench.first.broadcasts]
    for where, name, first, second in met:
        yield Evidence(
            f"Shapes {first} and {second} meet in `{name}` and are broadcast: every prediction is "
            "compared with every target, and the best the model can do is the mean.",
            telling="proven",
            where=where,
            numbers={"left": str(first), "right": str(second)},
            fix="Give both the same shape: `prediction.squeeze(-1)` or `target.unsqueeze(-1)`.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.matching_shapes(world)


_SHAPED = ("cross_entropy", "nll_loss", "ctc_loss", "cosine_embedding_loss", "multi_margin_loss", "kl_div")


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Warned

    calls = needed(loss_calls(record), "loss calls")
    for same in by_line(calls).values():
        call = next((call for call in same if _blown_up(call.input_shape, call.target_shape)), None)
        if call is None or call.function in _SHAPED:
            continue
        seen = call.output_std_over_batch
        yield Evidence(
            f"`{call.function}` compares predictions of shape {_spelled(call.input_shape)} with targets "
            f"of shape {_spelled(call.target_shape)}: every prediction is compared with every target, and "
            "the best prediction is their mean"
            + (f" (the predictions have a std of only {seen:.2g})." if seen is not None else "."),
            telling="proven",
            where=at(call),
            numbers={"input_shape": _spelled(call.input_shape), "target_shape": _spelled(call.target_shape)},
            fix="Give both the same shape: `prediction.squeeze(-1)` or `target.unsqueeze(-1)`.",
        )
        return
    for warned in record.of(Warned):
        if "target size" in warned.text and "different to the input size" in warned.text:
            yield Evidence(
                f"torch warned: {warned.text.splitlines()[0][:140]} The shapes broadcast, so the loss "
                "compares each prediction with every target.",
                telling="proven",
                where=at(warned),
                fix="Give prediction and target the same shape.",
            )
            return


def _blown_up(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether both sides are stretched: the result has more elements than either."""
    if not one or not other or one == other:
        return False
    pairs = list(zip_longest(reversed(one), reversed(other), fillvalue=1))
    return any(a > b for a, b in pairs) and any(b > a for a, b in pairs)


def _spelled(shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
