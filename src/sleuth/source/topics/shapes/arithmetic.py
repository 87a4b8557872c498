"""Broadcasting, products and reductions."""

from typing import TYPE_CHECKING

from sleuth.quick_dataclass import replace
from sleuth.source.flow import layer, literal, root, subject
from sleuth.source.interpreter.values import Call, Constant, Value
from sleuth.source.topics.shapes.axes import place_of_axis
from sleuth.source.topics.shapes.shape import SCALAR, Shape, Size
from sleuth.source.topics.shapes.sizes import flat

if TYPE_CHECKING:
    from sleuth.source.topics.shapes.algebra import Shapes

PAIRS = frozenset("max min median mode kthvalue".split())  # with an axis they give values and places


def broadcast(parts: list[Shape | None]) -> Shape | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    rank = max(part.rank for part in known)
    sizes: list[Size] = []
    for place in range(-rank, 0):
        here = [part.sizes[place] for part in known if part.rank >= -place]
        wide = [size for size in here if size != 1]
        sizes.append(next((size for size in wide if size is not None), None) if wide else 1)
    return Shape(tuple(sizes), all(part.sure for part in known))


def product(left: Shape | None, right: Shape | None) -> Shape | None:
    if left is None or right is None or not left.rank or not right.rank:
        return None
    sure = left.sure and right.sure
    if right.rank == 1:
        return Shape(left.sizes[:-1], sure)
    if left.rank == 1:
        return Shape((*right.sizes[:-2], right.sizes[-1]), sure)
    outer_sizes = left.sizes[:-2] if left.rank >= right.rank else right.sizes[:-2]
    return Shape((*outer_sizes, left.sizes[-2], right.sizes[-1]), sure)


def reduced(algebra: "Shapes", short: str, call: Call) -> Shape | None:
    args = call.args if call.receiver is not None else call.args[1:]
    where = call.keywords.get("dim", call.keywords.get("axis"))
    if short == "norm":
        where = where or (args[1] if len(args) > 1 else None)
    elif where is None and args:
        where = args[0]
    if where is None or (literal(where) is None and isinstance(root(where), Constant)):
        return SCALAR if short not in PAIRS or not args else None
    if short in PAIRS and "axis" not in call.keywords:
        return None  # a pair of tensors, taken apart by _paired
    return _without(algebra, call, where)


def _without(algebra: "Shapes", call: Call, where: Value) -> Shape | None:
    inner = algebra.of(subject(call))
    if inner is None:
        return None
    axes = {place_of_axis(part, inner.rank) for part in flat((where,))}
    if None in axes:
        return None
    keep = literal(call.keywords.get("keepdim", call.keywords.get("keepdims"))) is True or _third_is_true(
        call
    )
    left = [
        1 if place in axes else size for place, size in enumerate(inner.sizes) if keep or place not in axes
    ]
    return replace(inner, sizes=tuple(left))


def paired(algebra: "Shapes", value: Value | None) -> Shape | None:
    """The values or the places that `x.max(dim)` and its kin give."""
    pair = root(value)
    if not isinstance(pair, Call):
        return None
    short = layer(pair).rpartition(".")[2]
    where = pair.keywords.get("dim") or next(
        iter(pair.args if pair.receiver is not None else pair.args[1:]), None
    )
    if short in PAIRS and where is not None:
        return _without(algebra, pair, where)
    if short in ("sort", "topk"):
        inner = algebra.of(subject(pair))
        return replace(inner, sizes=(None,) * inner.rank) if inner is not None else None
    return None


def _third_is_true(call: Call) -> bool:
    """`x.sum(1, True)`: keepdim by place."""
    args = call.args if call.receiver is not None else call.args[1:]
    return len(args) > 1 and literal(args[1]) is True
