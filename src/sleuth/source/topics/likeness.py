"""Whether two values are the same numbers, though they were written twice or have other shapes."""

from sleuth.source.flow import SAME_NUMBERS, SAME_NUMBERS_FUNCTIONS, layer, literal, subject
from sleuth.source.interpreter.values import Call, Collection, Constant, Value
from sleuth.source.topics.modules import settled

_ROUNDS = frozenset((".long", ".int"))  # these hand on other numbers than they get
# What these were drawn as cannot be drawn again: written twice, they are two.
_CHANCE = (
    "rand",
    "bernoulli",
    "multinomial",
    "sample",
    "dropout",
    "Dropout",
    "normal",
    "next",
    "exponential",
)
_SHAPE_OPTIONS = frozenset(("keepdim", "dtype"))


def core(value: Value | None) -> Value | None:
    """The value before axes were added, moved or joined, and before it was copied or cast."""
    for _ in range(60):
        value = settled(value)
        if not isinstance(value, Call) or not only_reshapes(value):
            return value
        value = subject(value)
    return value


def only_reshapes(call: Call) -> bool:
    """Whether all numbers stay and none is left out; `x[:, None]` does, `x[0]` does not."""
    name = layer(call)
    if name == "[]":
        return len(call.args) == 2 and _adds_axes(call.args[1])
    if name[:1] in ".@":
        return name.lstrip(".@") in SAME_NUMBERS and name not in _ROUNDS
    return name in SAME_NUMBERS_FUNCTIONS


def _adds_axes(key: Value) -> bool:
    known = settled(key)
    if isinstance(known, Collection):
        if known.kind == "slice":
            return not known.items
        return not known.open and all(map(_adds_axes, known.items))
    return isinstance(known, Constant) and (known.value is None or known.value is ...)


def alike(one: Value | None, other: Value | None, depth: int = 6) -> bool:
    """Whether two values are surely the same numbers: one object, or the same written twice."""
    one, other = core(one), core(other)
    if one is None or other is None:
        return False
    if one is other:
        return True
    if isinstance(one, Constant) and isinstance(other, Constant):
        return type(one.value) is type(other.value) and one.value == other.value
    if not isinstance(one, Call) or not isinstance(other, Call) or depth == 0:
        return False
    if one.op != other.op or any(word in layer(one) for word in _CHANCE):
        return False
    return _same_arguments(one, other, depth)


def _same_arguments(one: Call, other: Call, depth: int) -> bool:
    if (one.receiver is None) is not (other.receiver is None) or len(one.args) != len(other.args):
        return False
    if one.receiver is not None and not alike(one.receiver, other.receiver, depth - 1):
        return False
    names = {*one.keywords, *other.keywords} - _SHAPE_OPTIONS
    pairs: list[tuple[Value | None, Value | None]] = [*zip(one.args, other.args, strict=True)]
    pairs += [(one.keywords.get(name), other.keywords.get(name)) for name in names]
    return all(_same_argument(left, right, depth) for left, right in pairs)


def _same_argument(left: Value | None, right: Value | None, depth: int) -> bool:
    if left is None or right is None:
        return left is right
    known, other = settled(left), settled(right)
    if isinstance(known, Collection) and isinstance(other, Collection):
        return len(known.items) == len(other.items) and all(
            _same_argument(a, b, depth) for a, b in zip(known.items, other.items, strict=True)
        )
    if isinstance(known, Constant) and known.value is None:
        return isinstance(other, Constant) and literal(other) is None
    return alike(left, right, depth - 1)
