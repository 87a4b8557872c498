"""Lengths of axes written as numbers: `8`, `x.size(1)`, `len(x)`, one by one or as a tuple."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sleuth.source.flow import number, root
from sleuth.source.interpreter.values import Call, Collection, Constant, Value
from sleuth.source.topics.shapes.shape import Size, Symbol

if TYPE_CHECKING:
    from sleuth.source.topics.shapes.algebra import Shapes


def sizes_given(
    algebra: "Shapes", args: tuple[Value, ...], named: Value | None = None
) -> tuple[Size, ...] | None:
    """Sizes given one by one, or as one tuple; None when there may be more than are written."""
    parts = flat(args or ((named,) if named is not None else ()))
    if any(isinstance(part, Collection) for part in parts):
        return None
    if len(parts) == 1 and not _is_one_size(algebra, parts[0]):
        return None
    return tuple(algebra.size(part) for part in parts)


def _is_one_size(algebra: "Shapes", value: Value) -> bool:
    """`x.view(n)`: a number, not a shape that happens to have a name."""
    settled = root(value)
    if isinstance(settled, Constant):
        return isinstance(settled.value, int)
    return isinstance(settled, Call) and (
        settled.op in ("*", "//", "+", "-") or measured(algebra, settled) is not None
    )


def measured(algebra: "Shapes", call: Call) -> Size:
    """`len(x)`, `x.shape[1]`, `x.size(0)`: an axis of something else."""
    if call.op == "builtins.len" and call.args:
        return _length(algebra, call.args[0], 0)
    if call.op == ".size" and call.args:
        return _length(algebra, call.receiver, number(call.args[0]))
    if call.op == "[]" and len(call.args) == 2:
        whole = root(call.args[0])
        if isinstance(whole, Call) and (whole.op == "@shape" or (whole.op == ".size" and not whole.args)):
            return _length(algebra, whole.receiver, number(call.args[1]))
    if call.op == "builtins.int":
        return Symbol(id(call))
    return None


def _length(algebra: "Shapes", value: Value | None, place: float | None) -> Size:
    if place is None:
        return None
    known, axis = algebra.of(value), int(place)
    if known is not None and -known.rank <= axis < known.rank and known.sizes[axis] is not None:
        return known.sizes[axis]
    return Symbol((id(root(value)), axis))


def flat(values: Iterable[Value]) -> list[Value]:
    """Arguments given one by one or as one tuple."""
    parts: list[Value] = []
    for value in values:
        settled = root(value)
        if isinstance(settled, Collection) and settled.kind in ("tuple", "list") and not settled.open:
            parts += settled.items
        else:
            parts.append(value)
    return parts
