"""The shapes of tensors made from sizes, from lists, from draws and from other tensors."""

from typing import TYPE_CHECKING

from sleuth.quick_dataclass import replace
from sleuth.source.flow import layer, literal, root, subject
from sleuth.source.interpreter.values import Call, Collection
from sleuth.source.topics.shapes.axes import place_of_axis
from sleuth.source.topics.shapes.shape import Shape
from sleuth.source.topics.shapes.sizes import sizes_given

if TYPE_CHECKING:
    from sleuth.source.topics.shapes.algebra import Shapes

_SIZED = frozenset("randn rand zeros ones empty full".split())
_LIKE = frozenset("randn_like rand_like zeros_like ones_like empty_like full_like bernoulli".split())
_LISTS = frozenset("arange linspace randperm logspace bincount permutation".split())
DRAWS = {"normal": 2, "uniform": 2, "integers": 2, "randint": 2, "gamma": 2, "poisson": 1, "exponential": 1}
DRAWS |= {
    "standard_normal": 0,
    "random": 0,
    "choice": 1,
    "binomial": 2,
    "lognormal": 2,
    "beta": 2,
    "laplace": 2,
}


def constructed(algebra: "Shapes", name: str, short: str, call: Call) -> Shape | None:
    """Tensors made from sizes, from lists, from arrays."""
    if short in (
        "tensor",
        "as_tensor",
        "FloatTensor",
        "Tensor",
        "array",
        "asarray",
        "from_numpy",
        "LongTensor",
    ):
        return algebra.of(call.args[0]) if call.args else None
    if name.startswith("numpy.random.") and short in DRAWS:
        return drawn(algebra, short, call)
    if short in _SIZED:
        count = (
            1
            if short == "full" or name.startswith(("numpy.zeros", "numpy.ones", "numpy.empty", "jax."))
            else None
        )
        sizes = sizes_given(algebra, call.args[:count], call.keywords.get("size", call.keywords.get("shape")))
        return Shape(sizes) if sizes is not None else None
    if short == "randint" and name.startswith("torch."):
        last = call.keywords.get("size") or (call.args[-1] if call.args else None)
        sizes = sizes_given(algebra, (last,) if last is not None else ())
        return Shape(sizes) if sizes is not None and isinstance(root(last), Collection) else None
    if short in _LIKE:
        return algebra.of(call.args[0]) if call.args else None
    if short in _LISTS:
        return Shape((None,))
    if short == "one_hot":
        inner = algebra.of(call.args[0]) if call.args else None
        return (
            replace(inner, sizes=(*inner.sizes, algebra.size(call.argument(1, "num_classes"))))
            if inner
            else None
        )
    if short in ("stack", "column_stack", "cat", "concatenate", "concat", "vstack", "hstack"):
        return _joined(algebra, short, call)
    if short == "einsum":
        pattern = literal(call.args[0]) if call.args else None
        answer = pattern.partition("->")[2].replace(" ", "") if isinstance(pattern, str) else ""
        return (
            Shape((None,) * len(answer)) if answer and "." not in answer and " " not in str(pattern) else None
        )
    return None


def gathered(algebra: "Shapes", call: Call) -> Shape | None:
    """As the index; of one that only tells `unsqueeze(1)`, the rest follows from what it picks from."""
    index = call.argument(1, "index") if call.receiver is not None else call.argument(2, "index")
    known, source = algebra.of(index), algebra.of(subject(call))
    made = root(index)
    if known is not None or source is None or source.rank != 2 or not isinstance(made, Call):
        return known
    where = made.argument(0 if made.receiver is not None else 1, "dim")
    along = call.argument(0 if call.receiver is not None else 1, "dim")
    # Counted from the end, an axis does not tell how many there are.
    told = {literal(where), literal(along)} <= ({1, -1} if source.sure else {1})
    if layer(made).rpartition(".")[2] == "unsqueeze" and told:
        return Shape((source.sizes[0], 1), False)
    return None


def drawn(algebra: "Shapes", short: str, call: Call) -> Shape | None:
    size = call.argument(DRAWS[short], "size")
    sizes = sizes_given(algebra, (size,)) if size is not None else ()
    return Shape(sizes) if sizes is not None else None


def _joined(algebra: "Shapes", short: str, call: Call) -> Shape | None:
    parts = root(call.args[0]) if call.args else None
    first = algebra.of(parts.items[0]) if isinstance(parts, Collection) and parts.items else None
    if first is None:
        return None
    if short == "column_stack":
        return Shape((first.sizes[0] if first.sizes else None, None))
    if short != "stack":
        return Shape((None,) * first.rank, first.sure)
    axis = place_of_axis(call.argument(1, "dim") or call.keywords.get("axis"), first.rank + 1, 0)
    if axis is None:
        return None
    return Shape((*first.sizes[:axis], None, *first.sizes[axis:]), first.sure)
