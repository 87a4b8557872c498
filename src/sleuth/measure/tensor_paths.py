"""Ways through the record of a run: what made a tensor, what it depends on, what squashed it last."""

from collections.abc import Iterable

from torch import Tensor

from sleuth.measure.forward import Op, Run

# Backward nodes that change neither the values nor their meaning.
_LAYOUT = (
    "View",
    "UnsafeView",
    "Reshape",
    "Squeeze",
    "Unsqueeze",
    "Transpose",
    "TBackward",
    "Permute",
    "Clone",
    "Select",
    "Slice",
    "Expand",
    "ToCopy",
    "Alias",
    "Flatten",
    "Index",
)
# Ops that hand values on in another layout, by the name of the torch function.
LAYOUT_OPS = frozenset(
    "view reshape flatten squeeze unsqueeze transpose permute contiguous getitem select chunk split unbind "
    "unflatten to type float expand t T mT H movedim swapaxes".split()
)
_SQUASHES = (
    "LogSoftmax",
    "Softmax",
    "Sigmoid",
    "Relu",
    "Tanh",
    "Hardtanh",
    "Softplus",
    "Clamp",
    "LogSigmoid",
)


def last_squash(tensor: Tensor) -> str:
    """The activation that gave these values their range, such as `softmax`; empty when there is none."""
    node = tensor.grad_fn
    while node is not None:
        name = node.name()
        for squash in _SQUASHES:
            if name.startswith(squash + "Backward"):
                return squash.lower()
        if not name.startswith(_LAYOUT) or not node.next_functions:
            return ""
        node = node.next_functions[0][0]
    return ""


def makers(run: Run) -> dict[int, Op]:
    """id of a tensor → the operation that made it."""
    made: dict[int, Op] = {}
    for op in run.ops:
        for tensor in op.outputs:
            made.setdefault(id(tensor), op)
    return made


def reached_from(run: Run, sources: Iterable[Tensor]) -> set[int]:
    """ids of all tensors computed from these."""
    reached = {id(tensor) for tensor in sources}
    calls = sorted(run.calls, key=lambda call: call.number)
    position = 0
    for number, op in enumerate(run.ops):
        while position < len(calls) and calls[position].number <= number:
            _through(calls[position].inputs, calls[position].outputs, reached)
            position += 1
        _through(op.inputs, op.outputs, reached)
    for call in calls[position:]:
        _through(call.inputs, call.outputs, reached)
    return reached


def _through(given: Iterable[Tensor], made: Iterable[Tensor], reached: set[int]) -> None:
    if any(id(tensor) in reached for tensor in given):
        reached.update(id(tensor) for tensor in made)


def same_values(tensor: Tensor, made: dict[int, Op]) -> set[int]:
    """ids of the tensor and of those it is only another layout of."""
    found = {id(tensor)}
    while (op := made.get(id(tensor))) is not None and op.name in LAYOUT_OPS:
        tensor = op.inputs[0]
        if id(tensor) in found:
            break
        found.add(id(tensor))
    return found


def graph_nodes(loss: Tensor, limit: int = 200_000) -> list[object]:
    """Every backward node behind a tensor."""
    seen: dict[object, None] = {}
    todo: list[object] = [loss.grad_fn] if loss.grad_fn is not None else []
    while todo and len(seen) < limit:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen[node] = None
        todo.extend(parent for parent, _ in getattr(node, "next_functions", ()))
    return list(seen)
