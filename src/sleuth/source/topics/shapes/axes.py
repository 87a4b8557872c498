"""Operations that give the same numbers another shape: view, permute, squeeze and their kin."""

from typing import TYPE_CHECKING

from sleuth.quick_dataclass import replace
from sleuth.source.flow import SAME_NUMBERS, number, subject
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.topics.shapes.shape import Shape, Size
from sleuth.source.topics.shapes.sizes import flat, sizes_given

if TYPE_CHECKING:
    from sleuth.source.topics.shapes.algebra import Shapes

KEEPS_SHAPE = SAME_NUMBERS - set(
    "view reshape squeeze unsqueeze flatten permute transpose t expand expand_as mT T mH H movedim swapaxes "
    "unflatten ravel view_as reshape_as".split()
)


def reshape(algebra: "Shapes", short: str, call: Call) -> Shape | None:
    args = call.args if call.receiver is not None else call.args[1:]
    inner = algebra.of(subject(call))
    if short in ("view", "reshape", "expand", "repeat", "broadcast_to", "tile"):
        sizes = sizes_given(algebra, args, call.keywords.get("shape"))
        return Shape(sizes) if sizes is not None else None
    if short in ("view_as", "reshape_as", "expand_as"):
        return algebra.of(args[0]) if args else None
    if short == "flatten" and not args and not call.keywords:
        return Shape((None,))
    if short == "ravel":
        return Shape((None,))
    if inner is None:
        return None
    return _rearranged(short, inner, args, call)


def _rearranged(short: str, inner: Shape, args: tuple[Value, ...], call: Call) -> Shape | None:
    keywords = call.keywords
    first = args[0] if args else keywords.get("dim", keywords.get("start_dim", keywords.get("axis")))
    if short == "unsqueeze" or short == "expand_dims":
        axis = place_of_axis(first, inner.rank + 1)
        return _with(inner, axis, (1,), 0)
    if short == "squeeze":
        return _squeezed(inner, first)
    if short == "flatten":
        start, end = (
            place_of_axis(first, inner.rank, 0),
            place_of_axis(_second(args, keywords, "end_dim"), inner.rank, -1),
        )
        if start is None or end is None or end < start:
            return None
        return _with(inner, start, (None,) if end > start else (inner.sizes[start],), end - start + 1)
    if short in ("transpose", "swapaxes", "swapdims") and len(args) == 2:
        one, two = place_of_axis(args[0], inner.rank), place_of_axis(args[1], inner.rank)
        if one is None or two is None:
            return None
        sizes = list(inner.sizes)
        sizes[one], sizes[two] = sizes[two], sizes[one]
        return replace(inner, sizes=tuple(sizes))
    if short == "permute" or (short == "transpose" and args):
        places = [place_of_axis(part, inner.rank) for part in flat(args)]
        known = [place for place in places if place is not None]
        return (
            replace(inner, sizes=tuple(inner.sizes[place] for place in known))
            if len(known) == inner.rank
            else None
        )
    if short in ("t", "T", "H") or (short == "transpose" and not args):
        return replace(inner, sizes=inner.sizes[::-1])
    if short in ("mT", "mH") and inner.rank >= 2:
        return replace(inner, sizes=(*inner.sizes[:-2], inner.sizes[-1], inner.sizes[-2]))
    return None


def _squeezed(inner: Shape, where: Value | None) -> Shape | None:
    if where is None:
        return replace(inner, sizes=tuple(size for size in inner.sizes if size != 1))
    axis = place_of_axis(where, inner.rank)
    if axis is None or inner.sizes[axis] is None:
        return None
    return _with(inner, axis, (), 1) if inner.sizes[axis] == 1 else inner


def _with(inner: Shape, axis: int | None, new: tuple[Size, ...], instead_of: int) -> Shape | None:
    if axis is None:
        return None
    return replace(inner, sizes=(*inner.sizes[:axis], *new, *inner.sizes[axis + instead_of :]))


def place_of_axis(value: Value | None, rank: int, default: int | None = None) -> int | None:
    written = number(value) if value is not None else default
    if written is None or not -rank <= written < rank:
        return None
    return int(written) % rank


def _second(args: tuple[Value, ...], keywords: dict[str, Value], name: str) -> Value | None:
    return args[1] if len(args) > 1 else keywords.get(name)
