"""The shape of what an operation gives: which part of the algebra answers for it."""

from typing import TYPE_CHECKING

from sleuth.source.flow import SAME_NUMBERS, SAME_NUMBERS_FUNCTIONS, layer, subject
from sleuth.source.interpreter.values import Call
from sleuth.source.losses import loss_of
from sleuth.source.topics.shapes.arithmetic import PAIRS, broadcast, paired, product, reduced
from sleuth.source.topics.shapes.axes import KEEPS_SHAPE, reshape
from sleuth.source.topics.shapes.datasets import TABLES
from sleuth.source.topics.shapes.layers import shape_of_layer
from sleuth.source.topics.shapes.making import DRAWS, constructed, drawn, gathered
from sleuth.source.topics.shapes.picking import picked_item, shape_of_element
from sleuth.source.topics.shapes.shape import BATCH, SCALAR, Shape

if TYPE_CHECKING:
    from sleuth.source.topics.shapes.algebra import Shapes

_ELEMENTWISE = frozenset(
    "relu sigmoid tanh softmax log_softmax logsigmoid gelu silu mish elu selu leaky_relu softplus hardtanh "
    "relu6 exp log log1p expm1 sqrt rsqrt square abs pow neg sin cos clamp clip clamp_min clamp_max round "
    "floor ceil sign sigmoid_ relu_ tanh_ clamp_ masked_fill masked_fill_ dropout normalize layer_norm "
    "cumsum nan_to_num maximum minimum where lerp logit erf bool logical_not argsort fill_diagonal_ "
    "tril triu hardsigmoid add sub mul div sub_ add_ mul_ div_ true_divide subtract multiply "
    "divide astype copy flip roll".split()
)
_OPERATORS = frozenset("+ - * / ** // % & | ^ == != < <= > >= += -= *= /=".split())
_REDUCTIONS = frozenset(
    "sum mean amax amin prod norm std var argmax argmin logsumexp any all nansum nanmean "
    "count_nonzero".split()
)
_GENERATORS = ("numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator")


def shape_of_call(algebra: "Shapes", call: Call) -> Shape | None:
    name = layer(call)
    if name in _OPERATORS:
        return broadcast([algebra.of(part) for part in call.args])
    if name in ("neg", "~", "pos", "not"):
        return algebra.of(call.args[0])
    if name == "[]":
        return picked_item(algebra, call)
    if name == "next":
        return shape_of_element(algebra, call.args[0])
    if name == "@" or name.rpartition(".")[2] in ("matmul", "mm", "bmm"):
        parts = call.args if call.receiver is None else (call.receiver, *call.args)
        return product(algebra.of(parts[0]), algebra.of(parts[1])) if len(parts) > 1 else None
    if name.startswith("torch.nn.") and name[9:10].isupper():
        return shape_of_layer(algebra, name, call)
    if loss_of(call) is not None:
        return _shape_of_loss(call)
    return _shape_of_function(algebra, name, call)


def _shape_of_function(algebra: "Shapes", name: str, call: Call) -> Shape | None:
    short = name.rpartition(".")[2].lstrip("@")
    is_library = name.startswith(("torch.", "numpy.", "jax."))
    if not (is_library or name[:1] in ".@") and not name.startswith(
        ("builtins.", "sklearn.", "pandas.", "einops.")
    ):
        return None
    if name in ("builtins.len", "builtins.float", "builtins.int", "builtins.round") or short in (
        "item",
        "numel",
    ):
        return SCALAR
    if is_library and (made := constructed(algebra, name, short, call)) is not None:
        return made
    if (reshaped := reshape(algebra, short, call)) is not None:
        return reshaped
    if short in SAME_NUMBERS or name in SAME_NUMBERS_FUNCTIONS:
        return algebra.of(subject(call)) if short in KEEPS_SHAPE else None
    if short in _ELEMENTWISE:
        parts = [subject(call), *(call.args if call.receiver is not None else call.args[1:])]
        if short in (
            "add",
            "sub",
            "mul",
            "div",
            "subtract",
            "multiply",
            "divide",
            "maximum",
            "minimum",
            "where",
        ):
            return broadcast([algebra.of(part) for part in parts if part is not None])
        return algebra.of(subject(call))
    if short in _REDUCTIONS or short in PAIRS:
        return reduced(algebra, short, call)
    if short == "gather":
        return gathered(algebra, call)
    if short in DRAWS and isinstance(call.receiver, Call) and call.receiver.op in _GENERATORS:
        return drawn(algebra, short, call)
    if name in ("@values", "@indices"):
        return paired(algebra, call.receiver) or algebra.of(call.receiver)
    if name == ".to_numpy":
        return algebra.of(call.receiver)
    if short == "fit_transform" and isinstance(call.receiver, Call) and "Scaler" in call.receiver.op:
        return algebra.of(call.args[0]) if call.args else None
    if name in ("@target", "@data") and isinstance(call.receiver, Call) and call.receiver.op in TABLES:
        return Shape((BATCH,)) if name == "@target" else Shape((BATCH, None))
    return None


def _shape_of_loss(call: Call) -> Shape | None:
    use = loss_of(call)
    if use is None or use.reduction == "none" or "reduce" in call.keywords:
        return None
    return SCALAR
