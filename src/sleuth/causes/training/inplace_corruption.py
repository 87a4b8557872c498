"""An in-place write changes a value that autograd, or the model, still needs.

## What happens
Torch counts writes to each tensor and raises at `backward()` if a saved value has changed. Two
doors go around the counter: `.data`, and a NumPy array that shares the memory. Write through
either and the gradient is wrong without a warning. `y = x.exp(); y.data.mul_(2)` gives exactly twice
the true gradient, because exp saves its own output. The same write through `.detach()` or under
`no_grad` is counted and raises.

A second kind damages the forward value instead, and autograd is right not to complain.
`nn.ReLU(inplace=True)` on a tensor that a skip connection uses again turns `relu(h)+h` into
`2*relu(h)`. `x /= 255` on an array that a dataset caches divides again in each epoch. `+=` on an
argument changes the caller's tensor.

```python
h = self.conv(x)
out = self.relu(h)          # ReLU(inplace=True): h itself is now clipped
return out + h              # the identity branch lost its negative half
```

## How to tell
- **lint**: writes through `.data` or a `.numpy()` view between forward and backward; an in-place
  activation or augmented assignment whose target is read again later; in-place arithmetic on a
  tensor that came straight from a dataset or a cache.
- **watch**: the version error at `backward()`; or an input that has other values when the backward
  pass comes to it, though no torch operation wrote them (a numpy buffer filled again); or cached
  batches whose values drift from epoch to epoch.
- **refuted by**: the same step with every in-place operation replaced by its copying form gives
  the same loss and the same gradients.

## How to fix
```python
h = self.conv(x)
out = F.relu(h)             # a new tensor
return out + h
```
Write `x = x / 255`, `mask = mask.clone()` before editing, and `with torch.no_grad(): p.copy_(w)`
in place of `p.data = w` for intended parameter edits. Do not chase every `inplace=True`: directly
after a convolution or batch norm whose output nothing else reads it is correct and saves memory.
Hand-written SGD on `p.data` after `backward()` is fine too; the graph has been used by then.

## Often mistaken for
- `step-before-backward`: the same error, but the tensor in the message is a weight and the writer
  is the optimizer.
- `hidden-state-not-detached`: the error appears from the second batch on and names a recurrent
  weight; the cure is to detach the state.
- `wrong-gradient`: there a custom backward is wrong even when nothing is overwritten.

## Sources
- pytorch-autograd: "In-place correctness checks"; the version counter and what it protects.
- pytorch-detach: note on shared storage; writes through a detached tensor trip the checks.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.event_order import events
from sleuth.record.questions import at, raised
from sleuth.source.edits import Edits, keyword_set
from sleuth.source.flow import depends_on, layer, literal, makers, possible, subject
from sleuth.source.interpreter.values import Call, Collection, Instance, Unknown, Value
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.gradients import applications, reached, surely_reached
from sleuth.source.topics.modes import excludes, function_of, has_weights, is_model, users

if TYPE_CHECKING:
    from sleuth.record.entries import Record

CONSEQUENCE_OF = "step-before-backward"
RAISES = {
    "modified by an inplace operation": "A value that backward needs was overwritten in place.",
}
PREDICTS = {"same-batch": "even"}

ACTIVATIONS = frozenset(
    [
        "ReLU",
        "ReLU6",
        "LeakyReLU",
        "ELU",
        "SELU",
        "CELU",
        "SiLU",
        "Mish",
        "Hardswish",
        "Hardtanh",
        "Hardsigmoid",
        "RReLU",
        "Threshold",
        "Dropout",
        "Dropout2d",
        "Dropout3d",
        "relu",
        "relu6",
        "leaky_relu",
        "elu",
        "selu",
        "celu",
        "silu",
        "mish",
        "hardswish",
        "hardtanh",
        "rrelu",
        "threshold",
        "dropout",
    ]
)
# Applying one of these to what they made changes nothing more.
IDEMPOTENT = frozenset(["ReLU", "ReLU6", "relu", "relu6", "relu_", "Hardtanh", "hardtanh"])
ARITHMETIC = frozenset(["+=", "-=", "*=", "/="])
WRITES = frozenset(
    [
        ".mul_",
        ".add_",
        ".sub_",
        ".div_",
        ".clamp_",
        ".fill_",
        ".zero_",
        ".copy_",
        ".exp_",
        ".log_",
        ".sqrt_",
        ".pow_",
        ".normal_",
        ".masked_fill_",
        ".sigmoid_",
        ".tanh_",
        ".neg_",
        ".relu_",
    ]
)
# Functions whose derivative is computed from their own output, which autograd therefore keeps.
SAVES_OUTPUT = frozenset(
    [
        "exp",
        "expm1",
        "sqrt",
        "rsqrt",
        "reciprocal",
        "sigmoid",
        "tanh",
        "softmax",
        "log_softmax",
        "logsumexp",
        "relu",
        "tan",
        "Sigmoid",
        "Tanh",
        "Softmax",
        "LogSoftmax",
        "ReLU",
    ]
)
VIEWS = frozenset(
    [
        ".view",
        ".squeeze",
        ".unsqueeze",
        ".transpose",
        ".permute",
        ".t",
        ".movedim",
        ".swapaxes",
        ".unflatten",
        ".view_as",
        "@T",
        "@mT",
        "torch.squeeze",
        "torch.unsqueeze",
        "torch.transpose",
        "torch.permute",
    ]
)


def lint(program: Program) -> Iterator[Evidence]:
    yield from _clipped_skips(program)
    yield from _behind_the_counter(program)
    yield from _views_of_the_data(program)
    yield from _saved_outputs(program)


def _clipped_skips(program: Program) -> Iterator[Evidence]:
    """An in-place activation, or `+=`, on a tensor that is read again afterwards under another name."""
    writes = [(call, target) for call in _inplace_calls(program) if (target := subject(call)) is not None]
    writes += [(call, call.args[0]) for call in program.calls(*ARITHMETIC) if _is_activation(call.args[0])]
    if not writes:
        return
    for call, target in writes:
        if not call.context.sites or _already_clipped(call, target):
            continue
        for later in _readers(program, target, call):
            yield clue(
                "proven",
                call,
                f"This writes into the tensor that line {spot(later).line} reads again: by then it no "
                "longer holds the output of the earlier layer.",
                fix="Use the out-of-place form (`inplace=False`, `x = x + y`) here.",
                edits=_as_new_tensor(call),
            )
            break


def _as_new_tensor(call: Call) -> Edits:
    """`x += y` → `x = x + y`, `inplace=True` → `inplace=False`: the same numbers, nothing overwritten."""
    node, source = call.node, call.source
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and source is not None:
        change = ast.get_source_segment(source.text, node.value)
        plain = isinstance(node.value, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
        sign = ast.unparse(ast.BinOp(ast.Name("a"), node.op, ast.Name("b")))[2:-2]
        right = change if plain else f"({change})"
        return rewrite(node, source, f"{node.target.id} = {node.target.id} {sign} {right}") if change else ()
    if isinstance(node, ast.Call) and any(entry.arg == "inplace" for entry in node.keywords):
        return keyword_set(call, "inplace", "False", safe=True)
    if call.op == "()" and isinstance(call.receiver, Call) and "inplace" in call.receiver.keywords:
        return keyword_set(call.receiver, "inplace", "False", safe=True)
    return ()


def _inplace_calls(program: Program) -> Iterator[Call]:
    exchanged = _in_edited_lists(program)
    for call in program.calls("()"):
        made = call.receiver
        if isinstance(made, Call) and made.op.removeprefix("torch.nn.") in ACTIVATIONS:
            flag = made.keywords.get("inplace")
            if flag is None and made.op in ("torch.nn.ReLU", "torch.nn.ReLU6", "torch.nn.SiLU") and made.args:
                flag = made.args[0]
            # a list of layers filled in a loop may be edited before it becomes a stack
            if literal(flag) is True and not made.context.loops and id(made) not in exchanged:
                yield call
    for name in ACTIVATIONS:
        for call in program.calls(f"torch.nn.functional.{name}"):
            if literal(call.keywords.get("inplace")) is True:
                yield call
    yield from program.calls(".relu_", "torch.relu_", "torch.nn.functional.relu_")


def _in_edited_lists(program: Program) -> set[int]:
    """What is still seen in a list of unknown length after `layers[0] = ...`: it may have made way."""
    lists = (call.receiver for call in program.calls("[]="))
    return {id(item) for held in lists if isinstance(held, Collection) and held.open for item in held.items}


def _already_clipped(call: Call, target: Value) -> bool:
    """The tensor came from the same kind of activation: writing it again changes no number."""
    name = layer(call).rpartition(".")[2]
    return name in IDEMPOTENT and any(
        layer(maker).rpartition(".")[2] in IDEMPOTENT for maker in makers(target)
    )


def _is_activation(value: Value) -> bool:
    """A tensor with a history: what a layer gave."""
    return any(
        maker.op == "()" and is_model(maker.receiver) and maker.context.grad for maker in makers(value, 20)
    ) and isinstance(value, Call)


def _readers(program: Program, target: Value, write: Call) -> Iterator[Call]:
    """Later operations in the same function call that take the very same tensor."""
    site = write.context.sites[-1]
    for call in users(program).get(id(target), ()):
        if call.order <= write.order or call.node is write.node or excludes(call.context, write.context):
            continue
        if call.op in ("def", "@shape", ".size", "builtins.len", "[]=", ".dim", "@device", "@dtype"):
            continue
        if any(here.node is write.node for here in call.context.sites):  # another choice of what is called
            continue
        if call.result is not None or not any(site is here for here in call.context.sites):
            continue
        if any(value is target for given in (call.receiver, *call.args) for value in _shallow(given)):
            if layer(call) != layer(write) or layer(call).rpartition(".")[2] not in IDEMPOTENT:
                yield call


def _shallow(value: Value | None) -> Iterator[Value]:
    if isinstance(value, Collection):  # what a list filled on the way holds in the end is not certain
        yield from () if value.open else value.items
    elif value is not None:
        yield value


def _behind_the_counter(program: Program) -> Iterator[Evidence]:
    """Writes through `.data` or `.numpy()` into a tensor that a loss still needs."""
    writes: list[tuple[Call, Value]] = []
    for call in program.calls(*WRITES, "[]=", *ARITHMETIC):
        target = call.args[0] if call.op in ARITHMETIC else call.receiver
        while isinstance(target, Call) and target.op == "[]":
            target = target.args[0]
        if (owner := _uncounted(target)) is not None:
            writes.append((call, owner))
    if not writes:
        return
    for backward in program.training.of("backward"):
        behind = {id(value) for value in reached(backward.about)}
        for call, owner in writes:
            if call.order < backward.call.order and id(owner) in behind and _has_history(owner):
                yield clue(
                    "proven",
                    call,
                    "This changes a tensor without autograd noticing, before backward() on line "
                    f"{backward.line} uses it: the gradient is computed from the overwritten values, "
                    "without an error.",
                    fix="Make a new tensor (`y = y * 2`) instead of writing through `.data` or `.numpy()`.",
                )


# Other names of the same memory. Of these only `.data` and `.numpy()` hide a write from autograd's counter.
_SAME_MEMORY = VIEWS | {"@data", ".numpy", ".detach", ".cpu"}


def _uncounted(target: Value | None) -> Value | None:
    """The tensor behind `x.data`, `x.detach().numpy()`: who writes there is not counted."""
    hidden = False
    while isinstance(target, Call) and target.op in _SAME_MEMORY and target.receiver is not None:
        hidden |= target.op in ("@data", ".numpy")
        target = target.receiver
    return target if hidden else None


def _has_history(value: Value | None) -> bool:
    return isinstance(value, Call) and any(
        maker.context.grad
        and (maker.op == "()" or maker.op.startswith(("torch.", ".")))
        and not _is_leaf(maker)
        for maker in makers(value, 20)
    )


def _is_leaf(maker: Call) -> bool:
    return maker.op in (
        "torch.nn.Parameter",
        "torch.tensor",
        "torch.randn",
        "torch.zeros",
        "torch.rand",
        "torch.ones",
    )


def _views_of_the_data(program: Program) -> Iterator[Evidence]:
    """In-place arithmetic on an item of the stored data: it is changed again in every epoch."""
    for call in program.calls("-=", "/=", "*=", *WRITES, "[]="):
        item = call.args[0] if call.op in ARITHMETIC else call.receiver
        if (
            not isinstance(item, Call)
            or item.op != "[]"
            or item.context.function is not call.context.function
        ):
            continue
        if not _written_through_a_name(call) or _same_each_time(call, item):
            continue
        if not (_in_getitem(call, item) or _slice_in_epochs(program, call, item)):
            continue
        yield clue(
            "likely",
            call,
            f"The item read on line {spot(item).line} is a view of the stored data: this write changes "
            "the data set itself, and every epoch applies it again.",
            fix="Work on a copy (`x = x / 255`, or `.clone()` / `.copy()` before editing).",
        )


def _written_through_a_name(call: Call) -> bool:
    """`x[...] = 0` and `x /= 2` on a local name; `self.table[i][j] = v` is meant to change the table."""
    node = call.node
    target: ast.expr | None = node.target if isinstance(node, ast.AugAssign) else None
    if isinstance(node, ast.Subscript):
        target = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        target = node.func.value
    return isinstance(target, ast.Name)


def _same_each_time(call: Call, item: Call) -> bool:
    """`item["label"] = labels[i]` sets an entry of a dict to what it is anyway, however often."""
    if call.op != "[]=":
        return False
    key, value = call.args
    return isinstance(literal(key), str) and not depends_on(value, item)


def _in_getitem(call: Call, item: Call) -> bool:
    """Inside a dataset's `__getitem__`, on what its own table holds, and certainly an array."""
    if not call.context.sites or getattr(function_of(call.context.sites[-1]), "name", "") != "__getitem__":
        return False
    table = item.args[0]
    owned = (isinstance(table, Call) and table.op[:1] == "@") or _is_attribute(item)
    index = item.args[1]
    return owned and isinstance(index, Unknown) and (call.op not in ARITHMETIC or _is_array(item, call))


def _is_attribute(item: Call) -> bool:
    node = item.node
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == "self"
    )


def _is_array(item: Call, write: Call) -> bool:
    """A label is a number, immune to in-place writes; what is scaled by 255 or statistics is an image."""
    return any(
        (isinstance(option, Call) and option.op in (".mean", ".std", ".max", ".min", "@mean", "@std"))
        or literal(option) in (255, 255.0, 127.5)
        for option in possible(write.args[1])
    )


def _slice_in_epochs(program: Program, call: Call, item: Call) -> bool:
    """A slice of a tensor made outside the epoch loop, in a loop that trains."""
    key = item.args[1] if len(item.args) > 1 else None
    base = item.args[0]
    if not (isinstance(key, Collection) and key.kind == "slice") or len(call.context.loops) < 2:
        return False
    if not isinstance(base, Call) or base.context.loops or isinstance(base, Instance):
        return False
    return any(event.inside(call.context.loops[-1]) for event in program.training.of("backward"))


def _saved_outputs(program: Program) -> Iterator[Evidence]:
    """`a = torch.exp(s); a /= a.sum()`: the derivative of exp is its output, which is then overwritten."""
    for call in sorted(program.calls(*WRITES, *ARITHMETIC, "[]="), key=lambda write: write.order):
        target: Value | None = call.args[0] if call.op in ARITHMETIC else call.receiver
        while isinstance(target, Call) and target.op in VIEWS:  # a view counts its writes with the whole
            target = subject(target)
        if not isinstance(target, Call) or not call.context.grad or not target.context.grad:
            continue
        name = layer(target).rpartition(".")[2]
        if name not in SAVES_OUTPUT or not _is_tensor_function(target):
            continue
        if target.context.function is call.context.function and _judged_with_gradient(call, target):
            yield clue(
                "proven",
                call,
                f"`{name}` on line {spot(target).line} keeps its output for the backward pass, and this "
                "overwrites it: backward() fails, or silently computes a wrong gradient.",
                fix="Use the out-of-place form (`a = a / a.sum()`).",
                edits=_as_new_tensor(call),
            )


def _is_tensor_function(call: Call) -> bool:
    if call.op == "()":
        made = call.receiver
        # an in-place activation hands on its input, which the rule above looks after
        return isinstance(made, Call) and made.op.startswith("torch.nn.") and not made.args
    return call.op[:1] == "." or call.op.startswith("torch.")


def _judged_with_gradient(write: Call, made: Call) -> bool:
    """The function's input comes from layers with weights, and no branch keeps this for inference only."""
    if any(
        "training" in ast.unparse(arm.node.test) for arm in write.context.arms if hasattr(arm.node, "test")
    ):
        return False
    return any(
        has_weights(one.receiver) and one.context.grad for one in applications(surely_reached(subject(made)))
    )


def watch(record: "Record") -> Iterator[Evidence]:
    yield from _filled_anew(record)
    where = raised(
        record,
        "modified by an inplace operation",
        "a leaf Variable that requires grad is being used in an in-place",
    )
    if where is None:
        return
    # A weight overwritten by the optimizer between forward and backward is another story.
    order = [name for step in record.steps[-1:] for name, _, _ in events(record, step)]
    by_optimizer = bool(record.steps) and "backward" not in order
    message = record.end.message.splitlines()[0][:140] if record.end else ""
    yield Evidence(
        f'The run stopped with "{message}": a value that backward needs was overwritten after the forward '
        "pass used it.",
        telling="open" if by_optimizer else "proven",
        where=where,
        fix="Write `x = x + y` in place of `x += y` on the way from the parameters to the loss.",
    )


def _filled_anew(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Overwritten

    for seen in record.of(Overwritten)[:1]:
        yield Evidence(
            "The input of the model here was overwritten before the backward pass used it, through "
            "memory shared with NumPy or a buffer: the gradients are computed for other inputs than the "
            "loss.",
            telling="proven",
            where=at(seen),
            numbers={"step": seen.n},
            fix="Create a new tensor for every call: copy from a buffer that is reused "
            "(`torch.tensor(buffer)`, `torch.from_numpy(buffer.copy())`).",
        )
