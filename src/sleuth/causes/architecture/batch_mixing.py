"""Examples of one batch influence each other through a wrong axis or a wrong reshape.

## What happens
`view` and `reshape` renumber memory; they do not swap axes. `x.view(T, B, F)` on a tensor of
shape (B, T, F) runs without complaint and fills each new "example" with pieces of several. On a
2-by-3 tensor of 0 to 5, `view(3, 2)` starts with rows (0, 1), (2, 3); the transpose starts (0,
3), (1, 4).

The commonest form has no reshape at all: `nn.LSTM`, `nn.GRU` and `nn.MultiheadAttention` expect
(time, batch, features) unless you say `batch_first=True`. Given (batch, time, features) the
recurrence runs *over the batch*: the output for example 2 then depends on examples 0, 1 and 2, as
if they were time steps. Training can still look good, since the model may use the company (worst
with sorted batches), and then predictions change with whoever else is in the batch.

Intended mixing: BatchNorm in train mode, contrastive losses with in-batch negatives, minibatch
discrimination, message passing over a graph batch.

## How to tell
- **lint**: `view`/`reshape` with permuted sizes where `permute` or `transpose` was meant, or with
  the batch first after `permute` moved it; a
  recurrent or attention layer without `batch_first=True` fed by a loader, or whose output is read
  as `out[:, -1]` or `out.mean(dim=1)`.
- **probe**: in eval mode, take the gradient of the output of example i with respect to the input;
  any non-zero entry at j != i is a leak. Equivalent: outputs change when the other examples are
  replaced.
- **refuted by**: in eval mode, each example alone gives the same output as within the batch.

## How to fix
```python
self.rnn = nn.LSTM(features, hidden, batch_first=True)
x = x.permute(1, 0, 2)                    # swap axes; view() only renumbers
x = x.flatten(start_dim=1)                # keeps the batch axis; not view(-1, n)
```
Prime sizes help: with batch 7, time 11 and features 13 a wrong reshape usually raises. For
contrastive losses check the encoder alone.

## Often mistaken for
- `softmax-wrong-dim`: the same kind of slip, in the loss or the normalisation; name it when a
  softmax does it.
- `norm-batch-of-one`: batch statistics are meant to mix, and the trouble is too few examples.
- `labels-misaligned`: the features belong to other labels because of data order; one example
  alone gives the same output there.

## Sources
- karpathy-2019: section 2, the advice to use backprop to chart dependencies between examples.
- karpathy-2018: the item on view and permute being used as if they were the same.
- pytorch-lstm: the `batch_first` argument, False by default.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.source.edits import Edits, bracketed, keyword_set
from sleuth.source.flow import layer, possible, subject
from sleuth.source.interpreter.values import Call, Collection, Constant, Value
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.modules import RECURRENT, applied, axis_of, exact, module_around, settled, uses
from sleuth.source.topics.shapes import BATCH, shapes

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement

CONSEQUENCE_OF = "softmax-wrong-dim"
INVITED_BY = {"\\.view\\(|\\.reshape\\(|permute|transpose": 2.0}
PREDICTS = {"noise-inputs": "even", "shuffled-labels": "even"}


# Layers that take (time, batch, features) unless told otherwise, and where `batch_first` stands by position.
_TIME_FIRST = dict.fromkeys(RECURRENT, 4) | {
    "torch.nn.MultiheadAttention": 8,
    "torch.nn.TransformerEncoderLayer": 6,
    "torch.nn.TransformerDecoderLayer": 6,
    "torch.nn.Transformer": 10,
}
_KEEP_LEADING_AXES = frozenset(
    "Embedding Linear Dropout LayerNorm ReLU GELU Tanh relu gelu tanh dropout layer_norm float to cuda "
    "contiguous".split()
)
_STACKS = {"torch.nn.TransformerEncoder", "torch.nn.TransformerDecoder"}
_POOLS = {".mean", ".sum", ".max", ".amax", "torch.mean", "torch.sum", "torch.max", "torch.amax"}
_WIDENS = {"torch.nn.functional.pad", "torch.cat", "torch.concat"}

NEEDS = "view reshape batch_first RNN LSTM GRU Transformer Attention"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _renumbered(program)
    yield from _moved_then_renumbered(program)
    yield from _read_along_the_batch(program)


def _renumbered(program: Program) -> Iterator[Evidence]:
    """`x.view(T, B, F)` of an x that is (B, T, F): sizes in another order, numbers in the old one."""
    for call in program.calls(".view", ".reshape", "torch.reshape"):
        tensor = subject(call)
        axes = [_axis(size, tensor) for size in _sizes(call)]
        known = [axis for axis in axes if axis is not None]
        if 0 not in known or len(known) != len(set(known)) or len(axes) < 2:
            continue
        rest = [axis for axis in known[: known.index(0)] if axis > 0]
        if _renumbered_back(program, call):
            continue
        if rest and axes.index(0) == len(rest) and all(_fills_up(size, tensor) for size in _sizes(call)):
            yield clue(
                "proven",
                call,
                f"`{call.op.rpartition('.')[2]}` is given the sizes in another order, but it does not "
                f"move axes: axis 0 (the batch) does not go to position {axes.index(0)}, and each new row "
                "mixes examples.",
                fix="Swap axes with `transpose` or `permute`.",
                edits=_swapped(call, axes),
            )
        elif axes[0] == 0 and sorted(known) == list(range(len(axes))) != known:
            moved = next(place for place, axis in enumerate(known) if axis != place)
            yield clue(
                "proven",
                call,
                f"`{call.op.rpartition('.')[2]}` is given the tensor's sizes in another order, but it "
                f"does not move axes: axis {known[moved]} does not go to position {moved}, and the values "
                "of each example are scrambled.",
                fix="Swap axes with `transpose` or `permute`.",
                edits=_swapped(call, axes),
            )


def _moved_then_renumbered(program: Program) -> Iterator[Evidence]:
    """`x.permute(1, 0, 2, 3).reshape(len(x), ...)`: the batch is no longer where it is said to be."""
    for call in program.calls(".view", ".reshape", "torch.reshape"):
        sizes = _sizes(call)
        moved = settled(subject(call))
        while isinstance(moved, Call) and moved.op in (".contiguous", ".clone"):
            moved = settled(moved.receiver)
        if not isinstance(moved, Call) or moved.op not in (".permute", "torch.permute") or len(sizes) < 2:
            continue
        order = [exact(place) for place in _sizes(moved)]
        before = subject(moved)
        if len(order) < 3 or 0 not in order[1:] or _axis(sizes[0], before) != 0:
            continue
        if not _renumbered_back(program, call):
            yield clue(
                "proven",
                call,
                f"`permute` on line {spot(moved).line} put axis {order[0]:g} first and the batch at "
                f"position {order.index(0)}: reshaped to one row per example, each row then holds values "
                "of several examples.",
                fix="Keep the batch as axis 0: permute the other axes only.",
            )


def _swapped(call: Call, axes: list[int | None]) -> Edits:
    """`x.view(t, b, f)` → `x.permute(1, 0, 2)`, all sizes being x's own. Not safe: views may follow."""
    node = call.node
    known = [axis for axis in axes if axis is not None]
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or call.receiver is None:
        return ()
    if sorted(known) != list(range(len(axes))):
        return ()
    order = ", ".join(map(str, known))
    return rewrite(node, call.source, f"{bracketed(node.func.value)}.permute({order})", safe=False)


def _renumbered_back(program: Program, call: Call) -> bool:
    """Cut and renumbered once more, or padded before and cut: the relative shift of attention scores, which
    is meant so."""
    cuts = [user for user in uses(program).of(call) if user.op == "[]"]
    widened = settled(subject(call))
    if cuts and isinstance(widened, Call) and widened.op in _WIDENS:
        return True
    later = [user for value in (call, *cuts) for user in uses(program).of(value)]
    return any(user.op in (".view", ".reshape", "torch.reshape", ".view_as", ".reshape_as") for user in later)


def _fills_up(size: Value, tensor: Value | None) -> bool:
    """A size of the tensor itself, or a number that takes what is left."""
    return _axis(size, tensor) is not None or exact(size) is not None


def _sizes(call: Call) -> list[Value]:
    given = list(call.args if call.receiver is not None else call.args[1:])
    if len(given) == 1 and isinstance(inner := settled(given[0]), Collection):
        return list(inner.items)
    return given


def _axis(size: Value, tensor: Value | None) -> int | None:
    """Which axis of the tensor a size is the length of: `x.size(1)`, `x.shape[1]`, `b, t, f = x.shape`."""
    read = settled(size)
    if not isinstance(read, Call):
        return None
    place_of: Value | None = None
    if read.op == ".size" and read.args:
        source, place_of = read.receiver, read.args[0]
    elif read.op == "[]" and isinstance(shape := settled(read.args[0]), Call):
        if shape.op not in ("@shape", ".size") or shape.args:
            return None
        source, place_of = shape.receiver, read.args[1]
    elif read.op == "builtins.len" and read.args:
        return 0 if _has_axes_of(tensor, read.args[0]) else None
    else:
        return None
    number = exact(place_of)
    return int(number) if number is not None and number >= 0 and _has_axes_of(tensor, source) else None


def _has_axes_of(tensor: Value | None, source: Value | None) -> bool:
    """Whether a tensor is the other one, or came from it by layers that leave the first axes alone."""
    origin = settled(source)
    for _ in range(10):
        tensor = settled(tensor)
        if tensor is None or tensor is origin:
            return tensor is not None
        if not isinstance(tensor, Call) or layer(tensor).rpartition(".")[2] not in _KEEP_LEADING_AXES:
            return False
        tensor = subject(tensor)
    return False


def _read_along_the_batch(program: Program) -> Iterator[Evidence]:
    for call in program.calls("()"):
        made = applied(call)
        if made is None or not call.args or not _is_time_first(made) or module_around(call) is None:
            continue
        reason = _batch_first_reading(program, call) or _batch_first_input(program, call)
        if reason and not _has_an_inserted_batch(call.args[0]):
            name = made.op.rpartition(".")[2]
            yield clue(
                "proven",
                _layer_of(made),
                f"`{name}` without `batch_first=True` treats axis 0 as time, and {reason}: it runs over "
                "the examples of the batch as if they were time steps.",
                fix="Pass `batch_first=True`.",
                edits=keyword_set(_layer_of(made), "batch_first", "True"),
            )


def _layer_of(made: Call) -> Call:
    """A stack of layers takes its order of axes from the layer it repeats."""
    inner = settled(made.argument(0, "encoder_layer")) if made.op in _STACKS else made
    return inner if isinstance(inner, Call) else made


def _is_time_first(made: Call) -> bool:
    one = _layer_of(made)
    if one.op not in _TIME_FIRST or "**" in one.keywords:
        return False
    if any(isinstance(given, Collection) and given.kind == "rest" for given in one.args):
        return False
    told = one.argument(_TIME_FIRST[one.op], "batch_first")
    known = settled(told)
    return told is None or (isinstance(known, Constant) and known.value is False)


def _batch_first_reading(program: Program, call: Call) -> str:
    """The output is read as (batch, time, features): `out[:, -1]`, `out.mean(dim=1)`."""
    users = uses(program)
    made = applied(call)
    outputs: list[Value] = [call]
    if made is not None and (made.op in RECURRENT or made.op.endswith("Attention")):
        outputs = [
            user
            for user in users.of(call)
            if user.op == "[]" and exact(user.args[1]) == 0 and user.args[0] is call
        ]
    for output in outputs:
        for user in users.of(output):
            if user.op == "[]" and _picks_a_step(user):
                return f"line {spot(user).line} picks a step on axis 1 of its output"
            if user.op in _POOLS and subject(user) is output and axis_of(user) == 1:
                return f"line {spot(user).line} pools axis 1 of its output"
    return ""


def _picks_a_step(call: Call) -> bool:
    key = settled(call.args[1])
    if not isinstance(key, Collection) or key.kind != "tuple" or len(key.items) < 2:
        return False
    whole = settled(key.items[0])
    return (
        isinstance(whole, Collection)
        and whole.kind == "slice"
        and not whole.items
        and exact(key.items[1]) in (0, -1)
    )


def _batch_first_input(program: Program, call: Call) -> str:
    """The input comes from a loader, which puts the batch first, and nothing moved that axis."""
    shape = shapes(program).of(call.args[0])
    if shape is not None and shape.sure and shape.rank == 3 and shape.sizes[0] == BATCH:
        return "its input comes from a loader with the batch on axis 0"
    return ""


def _has_an_inserted_batch(value: Value) -> bool:
    """One sequence at a time: `x.unsqueeze(1)`, `x.view(len(x), 1, -1)` make a batch of one on axis 1."""
    for option in possible(value):
        for _ in range(6):
            if not isinstance(option, Call):
                break
            if option.op in (".unsqueeze", "torch.unsqueeze") and axis_of(option) == 1:
                return True
            if option.op in (".view", ".reshape", "torch.reshape") and len(_sizes(option)) > 1:
                return exact(_sizes(option)[1]) == 1
            inner = settled(subject(option)) if option.op[:1] == "." or applied(option) else None
            option = inner if inner is not None else Value()
    return False


SHARE = 1e-3  # of all influence on an output; rounding leaves 1e-7


def probe(bench: "Workbench") -> Iterator[Evidence]:
    from sleuth.measure.forward import source_of

    seen = bench.mixing
    if seen.share < SHARE:
        return
    only_back = seen.from_earlier and not seen.from_later
    if only_back and seen.keeps_axes and not hasattr(bench.subject.loader, "dataset"):
        return  # an axis along which influence only runs forward and that the output keeps may well be time
    yield Evidence(
        f"In eval mode {seen.share:.0%} of the influence on one example's output comes from other "
        f"examples of the batch (measured by {seen.method}): somewhere an axis is mistaken for the batch "
        "axis.",
        telling="proven",
        where=bench.first.swapped or source_of(bench.subject.model),
        numbers={"share": seen.share},
        fix="Use transpose or permute where view or reshape swaps axes; set batch_first=True; reduce "
        "over dim >= 1.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_sums_over_examples, scene.sources)


def _sums_over_examples(statement: "Statement") -> int | None:
    """An `einsum` that sums over the letter with which all its operands begin: the examples."""
    written = re.search(r"einsum\(\s*['\"]([a-zA-Z, ]+)->([a-zA-Z ]*)['\"]", statement.text)
    if written is None:
        return None
    first = {part.strip()[:1] for part in written[1].split(",")}
    alone = len(first) == 1 and "," in written[1]
    return 0 if alone and not first & set(written[2]) else None
