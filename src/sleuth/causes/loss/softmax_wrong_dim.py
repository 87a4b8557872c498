"""Softmax, argmax or a normalisation runs over the batch or another wrong axis.

## What happens
The shapes all match, so nothing complains. With `softmax(dim=0)` on a (batch, classes) tensor it is
the columns that sum to 1: the examples of a batch compete for each class, and one example's score
depends on who sits beside it. Training sees a moving target, and at batch size 1 every
"probability" is exactly 1.

The loss at the start tells. `log_softmax(dim=0)` with `nll_loss` begins at ln(batch size), 4.16 for
64 rows, instead of ln(classes), 2.30 for 10. Sequences are the usual place: after `transpose`
or `batch_first=True` the class axis is last while the old `dim=1` now means time. Another is
`nn.Softmax()` with no `dim`: PyTorch guesses 0 for tensors with one or three axes, otherwise 1, and
only warns. `argmax` and `F.normalize` (default `dim=1`) slip in the same way, and a wrong `argmax`
spoils only the metric, not the training.

```python
logits = self.head(h)                   # (batch, time, classes)
logp = F.log_softmax(logits, dim=1)     # normalises over time
```

`dim=0` is right for a one-dimensional tensor, and for weights over a list of heads or experts that
lie on axis 0.

## How to tell
- **lint**: `softmax`, `log_softmax` or `argmax` with `dim=0` on a batched output, with no `dim` at
  all, or with a `dim` that disagrees with the later `transpose` or `view`; vectors of unit length over
  another axis than the one that their product sums over.
- **probe**: a softmax runs over the axis of the examples, or over an axis that the product after
  it does not sum over; log-probabilities for `nll_loss` add to one on another axis than that of the
  classes.
- **experiment**: corrected from outside, every softmax normalises over the last axis; examples no
  longer share their probabilities.
- **refuted by**: the outputs (exponentiated, for `log_softmax`) sum to 1 along the class axis.

## How to fix
Name the class axis, and count it from the end if classes come last.

```python
logp = F.log_softmax(logits, dim=-1)                    # (..., classes)
loss = F.cross_entropy(logits.transpose(1, 2), y)       # wants (batch, classes, time)
```

Better still, give logits to `cross_entropy` and write no softmax. Note that it takes axis 1 as the
class axis of anything with two or more axes; a (batch, time, classes) tensor must be transposed or
flattened to (batch * time, classes).

## Often mistaken for
- `batch-mixing`: examples influence each other there as well, but through a `view` or a wrong axis
  in the body; here the sums over the axes point at the softmax.
- `init-loss-off`: the odd first loss is a symptom; ln(batch size) is this cause's signature.

## Sources
- fsdl-2021: the list of most common bugs; wrong tensor shapes come first because they fail
  silently.
- pytorch-cross-entropy: section on shapes; where the class axis of the input has to be.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling
from sleuth.source.edits import Edits, argument_node, keyword_set
from sleuth.source.flow import layer, literal, root, subject
from sleuth.source.interpreter.calls import TRANSFORMS
from sleuth.source.interpreter.values import Call, Function, Value
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.activations import axis_of, kind, origins
from sleuth.source.topics.modes import function_of
from sleuth.source.topics.shapes import BATCH, Shape, Shapes, shapes

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench

CHANGES_LOSS = True
LOOKS_LIKE = {"metric apart from loss": "rarely"}
INVITED_BY = {"softmax|sigmoid": 3.0, "mask|Transformer|Attention": 3.0}
PREDICTS = {"same-batch": "even", "shuffled-labels": "even", "noise-inputs": "even"}

_SOFTMAXES = tuple(
    f"{home}{name}" for home in ("torch.", "torch.nn.functional.", ".") for name in ("softmax", "log_softmax")
)
_PRODUCTS = ("@", "torch.matmul", "torch.bmm", ".matmul", ".bmm", "torch.mm", ".mm")
_PICKS = ("argmax", "max", "topk", "gather")
# Between the weights and the product: what changes neither the axes nor what they mean.
_HARMLESS = (
    "dropout",
    "Dropout",
    "masked_fill",
    "to",
    "float",
    "half",
    "type_as",
    "contiguous",
    "clone",
    "nan_to_num",
)

NEEDS = "softmax argmax Softmax normalize norm( nll max( gather"


def lint(program: Program) -> Iterator[Evidence]:
    algebra = shapes(program)
    for product in program.calls(*_PRODUCTS):
        weights = _softmax_behind(product.receiver or next(iter(product.args), None))
        if weights is not None:
            yield from _attention(algebra, weights, product)
        yield from _likeness(product)
    for call in program.calls("torch.einsum"):
        yield from _einsum(call)
    for use in program.losses:
        if use.name == "nll_loss":
            yield from _likelihood(algebra, _softmax_behind(use.input, folds=True), use.call)
    for pick in program.calls(*(f"{home}{name}" for home in ("torch.", ".") for name in _PICKS)):
        scores = _softmax_behind(subject(pick))
        if scores is None or _is_similarity(scores):
            continue
        if axis_of(pick) in (1, -1) and axis_of(scores) == 0:
            yield _wrong(scores, "likely", f"line {spot(pick).line} picks a class along axis {axis_of(pick)}")
    yield from _over_the_batch(program, algebra)
    yield from _over_one(program, algebra)


def _softmax_behind(value: Value | None, folds: bool = False) -> Call | None:
    """The softmax that made a value, when nothing since has moved its axes."""
    for _ in range(12):
        value = root(value)
        if not isinstance(value, Call):
            return None
        short = layer(value).rpartition(".")[2]
        if kind(value) in ("softmax", "log_softmax"):
            return value
        if short in _HARMLESS or (folds and _keeps_the_last_axis(short, value)):
            value = subject(value)
        else:
            return None
    return None


def _keeps_the_last_axis(short: str, call: Call) -> bool:
    """`view(-1, classes)`, `flatten(0, 1)`: leading axes folded, the classes still last."""
    if short in ("view", "reshape"):
        return len(call.args) == 2 and literal(call.args[0]) == -1
    return short == "flatten" and len(call.args) == 2 and literal(call.args[0]) == 0


def _attention(algebra: Shapes, weights: Call, product: Call) -> Iterator[Evidence]:
    """`softmax(scores) @ values` sums over the last axis, so that is the one the weights must sum to 1 on."""
    shape, axis = algebra.of(subject(weights)), axis_of(weights)
    rank = shape.rank if shape is not None else _least_rank(subject(weights))
    if axis is None or axis in (-1, rank - 1) or rank < 2:
        return
    known = shape.rank if shape is not None and shape.sure else _exact_rank(subject(weights))
    # Counted from the end, the last axis but one of a product is that of the queries, however many there are.
    queries = axis == -2 and _least_rank(subject(weights)) >= 2
    if axis == 0 or queries or (known and axis != known - 1 and axis > 0):
        telling: Telling = "proven" if axis == 0 else "likely"
        reason = f"the product on line {spot(product).line} sums over the last axis"
        yield _wrong(weights, telling, reason)


def _likeness(product: Call) -> Iterator[Evidence]:
    """`normalize(a, dim=0) @ normalize(b, dim=0).T` sums over the last axes, where unit length is wanted."""
    parts = [product.receiver, *product.args] if product.receiver is not None else [*product.args]
    left, right = (_without_weight(part) for part in parts) if len(parts) == 2 else (None, None)
    if not isinstance(right, Call) or right.op not in ("@T", ".t", "@mT", ".transpose", "torch.transpose"):
        return
    scaled = [one for one in (left, root(subject(right))) if isinstance(one, Call) and _unit_axis(one) == 0]
    if len(scaled) == 2:
        yield clue(
            "proven",
            scaled[0],
            f"This normalises over axis 0, the examples, and the product on line {spot(product).line} "
            "sums over the last axis: the results are not cosines, and each depends on the whole batch.",
            fix="Normalise over the feature axis: `dim=-1`.",
        )


def _without_weight(value: Value) -> Value | None:
    """`20 * a`, `a / tau`: a number stretches all vectors alike."""
    made = root(value)
    if isinstance(made, Call) and made.op in ("*", "/") and len(made.args) == 2:
        rest = [part for part in made.args if literal(part) is None]
        return root(rest[0]) if len(rest) == 1 else made
    return made


def _unit_axis(call: Call) -> object:
    """The axis over which vectors get length 1: `normalize(x, dim=k)`, `x / x.norm(dim=k, keepdim=True)`."""
    if call.op == "torch.nn.functional.normalize":
        return literal(call.argument(2, "dim"))
    length = root(call.args[1]) if call.op == "/" and len(call.args) == 2 else None
    if not isinstance(length, Call) or root(subject(length)) is not root(call.args[0]):
        return None
    norms = (".norm", "torch.norm", "torch.linalg.norm", "torch.linalg.vector_norm")
    return literal(length.keywords.get("dim")) if length.op in norms else None


def _einsum(call: Call) -> Iterator[Evidence]:
    """`einsum("bqk,bkd->bqd", softmax(scores), values)`: the weights must sum to 1 over what vanishes."""
    pattern = literal(call.args[0]) if call.args else None
    if not isinstance(pattern, str) or "->" not in pattern or "." in pattern or "(" in pattern:
        return
    parts, _, result = pattern.partition("->")
    for names, operand in zip(parts.split(","), call.args[1:], strict=False):
        axes = names.split() if " " in names.strip() else list(names.strip())
        kept = result.split() if " " in result.strip() else list(result.strip())
        weights = _softmax_behind(operand)
        axis = axis_of(weights) if weights is not None else None
        summed = [name for name in axes if name not in kept]
        if weights is None or axis is None or not summed or not -len(axes) <= axis < len(axes):
            continue
        # Over its own last axis a softmax gives classes, unless queries and keys made its scores.
        if axis % len(axes) == len(axes) - 1 and not _scores_pairs(subject(weights)):
            continue
        if axes[axis] in kept and not _remixed(axes, axis, summed, kept):
            telling: Telling = "proven" if axis % len(axes) == 0 else "likely"
            yield _wrong(weights, telling, f"the product on line {spot(call).line} sums over `{summed[0]}`")


def _remixed(axes: list[str], axis: int, summed: list[str], kept: list[str]) -> bool:
    """`b h q k, h g -> b g q k`: the weights stay weights of the keys, and only their heads are mixed."""
    if axis % len(axes) != len(axes) - 1 or len(summed) != 1 or len(kept) != len(axes):
        return False
    changed = [before for before, after in zip(axes, kept, strict=True) if before != after]
    return changed == summed


def _scores_pairs(value: Value | None) -> bool:
    """Scores of everything against everything: a product of two tensors."""
    made, _ = origins(value, through=("/", "*", "+", "-", "masked_fill", "div", "mul"))
    return any(call.op == "torch.einsum" or call.op in _PRODUCTS for call in made)


def _least_rank(value: Value | None) -> int:
    """How many axes a product of matrices has at least, told by the axes that its parts name."""
    for _ in range(6):
        value = root(value)
        if not isinstance(value, Call):
            return 0
        if value.op in _PRODUCTS:
            parts = (*value.args, *((value.receiver,) if value.receiver is not None else ()))
            return max(2, *(_named_axes(part) for part in parts))
        if value.op in ("/", "*", "+", "-", ".masked_fill", ".div", ".mul"):
            value = value.receiver or value.args[0]
        else:
            return 0
    return 0


def _exact_rank(value: Value | None) -> int:
    """How many axes the product of queries and keys has, told by the two that `k.transpose(2, 3)` swaps."""
    for _ in range(6):
        value = root(value)
        if not isinstance(value, Call):
            return 0
        if value.op in _PRODUCTS:
            if value.op.endswith("bmm"):
                return 3
            keys = root(value.args[-1])
            named = [literal(part) for part in keys.args] if isinstance(keys, Call) else []
            swaps = isinstance(keys, Call) and keys.op == ".transpose"
            places = sorted(part for part in named if isinstance(part, int))
            return places[1] + 1 if swaps and len(places) == 2 and 0 < places[0] == places[1] - 1 else 0
        if value.op in ("/", "*", "+", "-", ".masked_fill", ".div", ".mul"):
            value = value.receiver or value.args[0]
        else:
            return 0
    return 0


def _named_axes(value: Value | None) -> int:
    made = root(value)
    if not isinstance(made, Call) or made.op not in (".transpose", "torch.transpose", ".permute"):
        return 0
    if made.op == ".permute":
        return len(made.args)
    named = [literal(part) for part in made.args]
    return max((part + 1 if part >= 0 else -part for part in named if isinstance(part, int)), default=0)


def _likelihood(algebra: Shapes, scores: Call | None, loss: Call) -> Iterator[Evidence]:
    if scores is None or _is_similarity(scores):
        return
    axis, shape = axis_of(scores), algebra.of(subject(scores))
    folded = _softmax_behind(loss.args[0] if loss.args else None) is None
    line = spot(loss).line
    if axis == 0 and (shape is None or shape.rank > 1):
        sure = shape is not None and shape.sure
        yield _wrong(
            scores, "proven" if sure else "likely", f"`nll_loss` on line {line} reads classes along axis 1"
        )
    elif (
        folded and shape is not None and shape.sure and axis is not None and axis not in (-1, shape.rank - 1)
    ):
        yield _wrong(
            scores, "proven", f"the classes that `nll_loss` on line {line} reads are on the last axis"
        )


def _over_the_batch(program: Program, algebra: Shapes) -> Iterator[Evidence]:
    """A softmax over an axis that counts examples, or over the one torch guesses for three axes."""
    for_one = _written_for_one(program)
    modules = (call for call in program.calls("()") if kind(call) in ("softmax", "log_softmax"))
    for call in (*program.calls(*_SOFTMAXES), *modules):
        shape, axis = algebra.of(subject(call)), axis_of(call)
        if shape is None or not shape.sure or shape.rank < 2 or _is_similarity(call):
            continue
        if for_one and for_one & {function_of(site) for site in call.context.sites}:
            continue  # no axis of examples here, whatever the model says of its own input
        if _names_no_axis(call):
            if shape.rank == 3:
                yield _wrong(call, "likely", "no axis is given, and torch takes axis 0 for three axes")
        elif axis is not None and axis % shape.rank == 0 and _counts_examples(shape):
            yield _wrong(call, "proven", "axis 0 is the batch")


def _written_for_one(program: Program) -> set[object]:
    """The functions that `vmap` calls with one example at a time."""
    found: set[object] = set()
    for call in program.calls("torch.vmap", "torch.func.vmap"):
        made = root(next(iter(call.args), None))
        while isinstance(made, Call) and made.args and made.op in (*TRANSFORMS, "functools.partial"):
            made = root(made.args[0])
        if isinstance(made, Function):
            found.add(made.definition)
    return found


def _over_one(program: Program, algebra: Shapes) -> Iterator[Evidence]:
    """`softmax(self.score(x), dim=-1)` with one score for each position: every weight is 1."""
    judged = {id(call) for use in program.losses for call in origins(use.input)[0]}
    modules = (call for call in program.calls("()") if kind(call) == "softmax")
    for call in (*program.calls(*(name for name in _SOFTMAXES if "log" not in name)), *modules):
        shape, axis = algebra.of(subject(call)), axis_of(call)
        if axis is not None and axis == _new_axis(subject(call)):
            yield clue(
                "proven",
                call,
                f"This `softmax` runs over axis {axis}, which `unsqueeze` has just made and which has one "
                "element: each result is 1, whatever the scores are.",
                fix="Use the axis of the positions that compete, such as `dim=1` of (batch, time, 1).",
            )
            continue
        made, complete = origins(subject(call))
        scores = complete and all(layer(one) == "torch.nn.Linear" for one in made)
        if shape is None or not shape.rank or shape.sizes[-1] != 1 or id(call) in judged or not scores:
            continue
        if axis == -1 or (shape.sure and shape.rank > 1 and axis == shape.rank - 1):
            yield clue(
                "proven",
                call,
                f"This `softmax` runs over axis {axis}, which has one element: each result is 1, whatever "
                f"the layer on line {spot(made[0]).line} returns.",
                fix="Use the axis of the positions that compete, such as `dim=1` of (batch, time, 1).",
            )


def _new_axis(value: Value | None) -> object:
    """k, given `x.unsqueeze(k)`."""
    made = root(value)
    if not isinstance(made, Call) or made.op not in (".unsqueeze", "torch.unsqueeze"):
        return None
    return literal(made.argument(0 if made.op[:1] == "." else 1, "dim"))


def _is_similarity(softmax: Call) -> bool:
    """A table of examples against examples may be read along either axis."""
    made, _ = origins(subject(softmax), through=("*", "/"))
    return any(call.op in (*_PRODUCTS, "torch.einsum", "torch.cdist") for call in made)


def _names_no_axis(call: Call) -> bool:
    made = call.receiver if call.op == "()" else call
    if not isinstance(made, Call) or made.keywords.keys() & {"dim", "axis", "**"}:
        return False
    return not made.args if call.op == "()" else len(call.args) + (call.receiver is not None) == 1


def _counts_examples(shape: Shape) -> bool:
    return shape.sizes[0] == BATCH and shape.sizes[1] != 1


def _wrong(softmax: Call, telling: Telling, reason: str) -> Evidence:
    axis = axis_of(softmax)
    where = f"axis {axis}" if axis is not None else "an axis chosen by torch"
    return clue(
        telling,
        softmax,
        f"This `{layer(softmax).rpartition('.')[2]}` sums to 1 over {where}, but {reason}: unrelated "
        "examples or positions compete with each other.",
        fix="Use the axis that holds the classes (or keys), usually `dim=-1`.",
        edits=_over_the_last(softmax),
    )


def _over_the_last(softmax: Call) -> Edits:
    """`dim=-1` in the call, or in the layer that is applied. Not safe: the classes may stand elsewhere."""
    made = softmax.receiver if softmax.op == "()" else softmax
    node = made.node if isinstance(made, Call) else None
    if not isinstance(made, Call) or not isinstance(node, ast.Call):
        return ()
    place = 0 if made is softmax.receiver or softmax.op[:1] == "." else 1
    written = argument_node(made, place, "dim")
    if written is not None:
        return rewrite(written, made.source, "-1", safe=False)
    if place == 0 and not node.args and not node.keywords:
        return rewrite(node, made.source, f"{ast.unparse(node.func)}(dim=-1)", safe=False)
    return keyword_set(made, "dim", "-1")


def probe(bench: "Workbench") -> Iterator[Evidence]:
    yield from _not_over_classes(bench)
    for softmax in bench.first.softmaxes:
        if not softmax.over_examples and not softmax.wrong_for_product:
            continue
        if softmax.over_examples:
            what = f"the axis of the {softmax.shape[0]} examples, so that examples compete with each other"
        else:
            what = "an axis over which the product after it does not sum: the weights do not add to 1"
        yield Evidence(
            f"A softmax on a tensor of shape {softmax.shape} runs over axis {softmax.axis}: {what}.",
            telling="proven",
            where=softmax.where,
            numbers={"axis": softmax.axis},
            fix="Use `dim=-1` for attention weights and class scores on the last axis.",
        )


def _not_over_classes(bench: "Workbench") -> Iterator[Evidence]:
    """`nll_loss` has its classes on axis 1, and what it is given adds to one on another."""
    for use in bench.first.losses:
        if use.odd_axis is None:
            continue
        made = [s for s in bench.first.softmaxes if s.axis == use.odd_axis and s.shape == use.input_shape]
        yield Evidence(
            f"`{use.name}` gets log-probabilities of shape {use.input_shape} that add to one on axis "
            f"{use.odd_axis}, and its {use.classes} classes are on axis 1: positions compete with each "
            "other instead of classes.",
            telling="proven",
            where=made[0].where if made else use.where,
            numbers={"axis": use.odd_axis, "classes": use.classes},
            fix="Use `dim=1`: the loss expects classes on the second axis.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.last_axis_softmax(world)
