"""The shapes of tensors, as far as the source tells them.

Ask `shapes(program)` for the algebra of a program, then:

- `of(value)`: its `Shape`, or None when not even the number of axes is known;
- `size(value)`: what a number written as a size stands for (`x.size(1)`, `8`, `-1` gives None);
- `target_sizes(call)`: the sizes a `view`, `reshape` or `permute` was asked for;
- `data(value)`: the whole data set's tensor that a batch was cut from, through loaders, data sets and splits;
- `outer(left, right)`: whether two shapes broadcast so that BOTH grow, as (N, 1) and (N,) do.

A size is an int, a `Symbol` (two axes with the same symbol have the same length) or None. `Shape.sure` is
False where the number of axes rests on habit: a Linear layer fed with something unknown is taken to see
(batch, features).
"""

import ast
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from sleuth.facts.flow import SAME_NUMBERS, SAME_NUMBERS_FUNCTIONS, layer, literal, number, root, subject
from sleuth.facts.interpreter.values import (
    Call,
    Carried,
    Class,
    Collection,
    Constant,
    Either,
    Function,
    Instance,
    Unknown,
    Value,
)
from sleuth.facts.losses import loss_of
from sleuth.facts.program import Program
from sleuth.facts.topics.episodes import is_made_by_gym


@dataclass(frozen=True)
class Symbol:
    """An axis length that is not known but can be told from others."""

    key: Hashable


Size = int | Symbol | None

BATCH = Symbol("batch")
DEEPEST = 120  # operations followed back; beyond, a shape is not worth the time (and the stack) it takes


@dataclass(frozen=True)
class Shape:
    """The sizes of a tensor's axes. `sure` is False where the number of axes is a habit, not a fact."""

    sizes: tuple[Size, ...]
    sure: bool = True

    @property
    def rank(self) -> int:
        return len(self.sizes)

    def __str__(self) -> str:
        words = [
            str(size) if isinstance(size, int) else "N" if n == 0 else "?" for n, size in self._numbered()
        ]
        return f"({', '.join(words)}{',' if len(words) == 1 else ''})"

    def _numbered(self) -> Iterable[tuple[int, Size]]:
        return enumerate(self.sizes)


SCALAR = Shape(())


def outer(left: Shape, right: Shape) -> bool:
    """Whether broadcasting enlarges both: each has one element, or no axis, where the other has several."""
    if left.rank == right.rank:
        return False  # (N, 1) against (1, N) is written by hand, and meant
    return _grows(left, right) and _grows(right, left)


def _grows(one: Shape, other: Shape) -> bool:
    missing = other.sizes[: max(0, other.rank - one.rank)]
    if any(size != 1 for size in missing):
        return True
    pairs = zip(one.sizes[::-1], other.sizes[::-1], strict=False)
    return any(mine == 1 and theirs != 1 for mine, theirs in pairs)


def shapes(program: Program) -> "Shapes":
    """The algebra of a program, made once."""
    return program.about(Shapes)


_ELEMENTWISE = frozenset(
    "relu sigmoid tanh softmax log_softmax logsigmoid gelu silu mish elu selu leaky_relu softplus hardtanh "
    "relu6 exp log log1p expm1 sqrt rsqrt square abs pow neg sin cos clamp clip clamp_min clamp_max round "
    "floor ceil sign sigmoid_ relu_ tanh_ clamp_ masked_fill masked_fill_ dropout normalize layer_norm "
    "cumsum nan_to_num maximum minimum where lerp logit erf bool logical_not argsort fill_diagonal_ "
    "tril triu hardsigmoid add sub mul div sub_ add_ mul_ div_ true_divide subtract multiply "
    "divide astype copy flip roll".split()
)
_SAME_MODULES = frozenset(
    "ReLU LeakyReLU PReLU ELU SELU GELU SiLU Mish Tanh Sigmoid Softplus Softsign Hardtanh ReLU6 Hardswish "
    "Softmax LogSoftmax LogSigmoid Dropout Dropout1d Dropout2d Dropout3d AlphaDropout BatchNorm1d "
    "BatchNorm2d BatchNorm3d LayerNorm GroupNorm InstanceNorm1d InstanceNorm2d Identity RMSNorm "
    "TransformerEncoder TransformerEncoderLayer".split()
)
_OPERATORS = frozenset("+ - * / ** // % & | ^ == != < <= > >= += -= *= /=".split())
_COMPARISONS = frozenset("== != < <= > >=".split())
_REDUCTIONS = frozenset(
    "sum mean amax amin prod norm std var argmax argmin logsumexp any all nansum nanmean "
    "count_nonzero".split()
)
_PAIRS = frozenset("max min median mode kthvalue".split())  # with an axis they give values and places
_SIZED = frozenset("randn rand zeros ones empty full".split())
_LIKE = frozenset("randn_like rand_like zeros_like ones_like empty_like full_like bernoulli".split())
_LISTS = frozenset("arange linspace randperm logspace bincount permutation".split())
_DRAWS = {"normal": 2, "uniform": 2, "integers": 2, "randint": 2, "gamma": 2, "poisson": 1, "exponential": 1}
_DRAWS |= {
    "standard_normal": 0,
    "random": 0,
    "choice": 1,
    "binomial": 2,
    "lognormal": 2,
    "beta": 2,
    "laplace": 2,
}
_GENERATORS = ("numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator")
_CONVOLUTIONS = {f"torch.nn.{kind}{n}d": n + 2 for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)}
_POOLS = {
    f"torch.nn.{kind}{n}d": n + 2
    for kind in ("MaxPool", "AvgPool", "AdaptiveAvgPool", "AdaptiveMaxPool")
    for n in (1, 2, 3)
}
_RECURRENT = ("torch.nn.RNN", "torch.nn.GRU", "torch.nn.LSTM")
_TABLES = frozenset(
    f"sklearn.datasets.{name}"
    for name in "load_iris load_digits load_wine load_breast_cancer load_diabetes fetch_california_housing "
    "make_regression make_classification make_blobs make_moons make_circles make_friedman1".split()
)
_FRAMES = ("pandas.read_csv", "pandas.DataFrame", "pandas.read_parquet", "pandas.read_excel")
_COPIES = frozenset({"tensor", "as_tensor", "array", "asarray", "FloatTensor", "Tensor", "from_numpy"})
_SPLITS = ("split", "chunk", "unbind", "array_split")


class Shapes:
    """Shapes of the values of one program, each worked out once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._memory: dict[int, tuple[Value, Shape | None]] = {}
        self._depth = 0
        self._items: dict[ast.AST, Value] | None = None
        self._staged: set[int] | None = None

    # ---------------------------------------------------------------- the four questions

    def of(self, value: Value | None) -> Shape | None:
        """The shape of a value; None when the number of its axes is not known."""
        if value is None or self._depth > DEEPEST:
            return None
        if id(value) in self._memory:
            return self._memory[id(value)][1]
        self._depth += 1
        self._memory[id(value)] = (value, None)  # a value that needs itself has no known shape
        try:
            found = self._work_out(value)
        finally:
            self._depth -= 1
        self._memory[id(value)] = (value, found)
        return found

    def size(self, value: Value | None) -> Size:
        """The length a number written as a size stands for."""
        settled = root(value)
        if isinstance(settled, Constant):
            usable = isinstance(settled.value, int) and settled.value >= 0 and not self._is_staged(settled)
            return settled.value if usable and isinstance(settled.value, int) else None
        if isinstance(settled, Unknown) and settled.name:
            return Symbol(settled.name)
        if isinstance(settled, Call):
            return self._measured(settled)
        return None

    def target_sizes(self, call: Call) -> tuple[Size, ...] | None:
        """The sizes (or, for `permute`, the places of the axes) that a reshaping call names."""
        return self._sizes(
            call.args if call.receiver is not None else call.args[1:], call.keywords.get("shape")
        )

    def data(self, value: Value | None) -> Value | None:
        """The tensor of the whole data set that a batch, a split or a slice of rows was cut from."""
        for _ in range(30):
            settled = root(value)
            cut = self._cut_from(settled) if isinstance(settled, Call) else None
            if cut is None:
                return settled
            value = cut
        return root(value)

    # ---------------------------------------------------------------- values

    def _work_out(self, value: Value) -> Shape | None:
        if isinstance(value, Constant):
            return SCALAR if isinstance(value.value, int | float) else None
        if isinstance(value, Either):
            return self._agreed(self.of(option) for option in value.options)
        if isinstance(value, Carried):
            return self._carried(value)
        if isinstance(value, Collection):
            return self._listed(value)
        if isinstance(value, Call):
            return self.of(value.result) if value.result is not None else self._call(value)
        if isinstance(value, Unknown):
            return SCALAR if value.name == "index" and isinstance(value.node, ast.For) else None
        return None

    @staticmethod
    def _agreed(found: Iterable[Shape | None]) -> Shape | None:
        options = list(found)
        first = options[0] if options else None
        if first is None or any(option is None or option.rank != first.rank for option in options):
            return None
        known = [option for option in options if option is not None]
        sizes = tuple(
            sizes[0] if len(set(sizes)) == 1 else None
            for sizes in zip(*(o.sizes for o in known), strict=True)
        )
        return Shape(sizes, all(option.sure for option in known))

    def _carried(self, value: Carried) -> Shape | None:
        start = self.of(value.initial)
        self._memory[id(value)] = (value, start)
        if value.final is None or start is None:
            return start
        end = self.of(value.final)
        if end is not None and end.rank == start.rank:
            return start
        return None

    def _listed(self, value: Collection) -> Shape | None:
        """`[1.0, 2.0]`: as an array it would have one axis more than its items."""
        inner = self.of(value.items[0]) if value.items and value.kind in ("list", "tuple") else None
        if inner is None:
            return None
        return Shape((None if value.open else len(value.items), *inner.sizes), inner.sure)

    # ---------------------------------------------------------------- calls

    def _call(self, call: Call) -> Shape | None:
        name = layer(call)
        if name in _OPERATORS:
            return self._broadcast([self.of(part) for part in call.args])
        if name in ("neg", "~", "pos", "not"):
            return self.of(call.args[0])
        if name == "[]":
            return self._item(call)
        if name == "next":
            return self._element(call.args[0])
        if name == "@" or name.rpartition(".")[2] in ("matmul", "mm", "bmm"):
            parts = call.args if call.receiver is None else (call.receiver, *call.args)
            return self._product(self.of(parts[0]), self.of(parts[1])) if len(parts) > 1 else None
        if name.startswith("torch.nn.") and name[9:10].isupper():
            return self._module(name, call)
        if loss_of(call) is not None:
            return self._loss(call)
        return self._function(name, call)

    def _function(self, name: str, call: Call) -> Shape | None:
        short = name.rpartition(".")[2].lstrip("@")
        is_library = name.startswith(("torch.", "numpy.", "jax."))
        if not (is_library or name[:1] in ".@") and not name.startswith(
            ("builtins.", "sklearn.", "pandas.", "einops.")
        ):
            return None
        if is_library and (made := self._constructed(name, short, call)) is not None:
            return made
        if (reshaped := self._reshaped(short, call)) is not None:
            return reshaped
        if short in SAME_NUMBERS or name in SAME_NUMBERS_FUNCTIONS:
            return self.of(subject(call)) if short in _KEEPS_SHAPE else None
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
                return self._broadcast([self.of(part) for part in parts if part is not None])
            return self.of(subject(call))
        if short in _REDUCTIONS or short in _PAIRS:
            return self._reduced(short, call)
        if name in ("builtins.len", "builtins.float", "builtins.int", "builtins.round") or short in (
            "item",
            "numel",
        ):
            return SCALAR
        if short == "gather":
            return self._gathered(call)
        if short in _DRAWS and isinstance(call.receiver, Call) and call.receiver.op in _GENERATORS:
            return self._drawn(short, call)
        if name in ("@values", "@indices"):
            return self._paired(call.receiver) or self.of(call.receiver)
        if name == ".to_numpy":
            return self.of(call.receiver)
        if short == "fit_transform" and isinstance(call.receiver, Call) and "Scaler" in call.receiver.op:
            return self.of(call.args[0]) if call.args else None
        if name in ("@target", "@data") and isinstance(call.receiver, Call) and call.receiver.op in _TABLES:
            return Shape((BATCH,)) if name == "@target" else Shape((BATCH, None))
        return None

    def _loss(self, call: Call) -> Shape | None:
        use = loss_of(call)
        if use is None or use.reduction == "none" or "reduce" in call.keywords:
            return None
        return SCALAR

    def _constructed(self, name: str, short: str, call: Call) -> Shape | None:
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
            return self.of(call.args[0]) if call.args else None
        if name.startswith("numpy.random.") and short in _DRAWS:
            return self._drawn(short, call)
        if short in _SIZED:
            count = (
                1
                if short == "full" or name.startswith(("numpy.zeros", "numpy.ones", "numpy.empty", "jax."))
                else None
            )
            sizes = self._sizes(call.args[:count], call.keywords.get("size", call.keywords.get("shape")))
            return Shape(sizes) if sizes is not None else None
        if short == "randint" and name.startswith("torch."):
            last = call.keywords.get("size") or (call.args[-1] if call.args else None)
            sizes = self._sizes((last,) if last is not None else ())
            return Shape(sizes) if sizes is not None and isinstance(root(last), Collection) else None
        if short in _LIKE:
            return self.of(call.args[0]) if call.args else None
        if short in _LISTS:
            return Shape((None,))
        if short == "one_hot":
            inner = self.of(call.args[0]) if call.args else None
            return (
                replace(inner, sizes=(*inner.sizes, self.size(call.argument(1, "num_classes"))))
                if inner
                else None
            )
        if short in ("stack", "column_stack", "cat", "concatenate", "concat", "vstack", "hstack"):
            return self._joined(short, call)
        if short == "einsum":
            pattern = literal(call.args[0]) if call.args else None
            answer = pattern.partition("->")[2].replace(" ", "") if isinstance(pattern, str) else ""
            return (
                Shape((None,) * len(answer))
                if answer and "." not in answer and " " not in str(pattern)
                else None
            )
        return None

    def _gathered(self, call: Call) -> Shape | None:
        """As the index; of one that only tells `unsqueeze(1)`, the rest follows from what it picks from."""
        index = call.argument(1, "index") if call.receiver is not None else call.argument(2, "index")
        known, source = self.of(index), self.of(subject(call))
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

    def _drawn(self, short: str, call: Call) -> Shape | None:
        size = call.argument(_DRAWS[short], "size")
        sizes = self._sizes((size,)) if size is not None else ()
        return Shape(sizes) if sizes is not None else None

    def _joined(self, short: str, call: Call) -> Shape | None:
        parts = root(call.args[0]) if call.args else None
        first = self.of(parts.items[0]) if isinstance(parts, Collection) and parts.items else None
        if first is None:
            return None
        if short == "column_stack":
            return Shape((first.sizes[0] if first.sizes else None, None))
        if short != "stack":
            return Shape((None,) * first.rank, first.sure)
        axis = self._axis(call.argument(1, "dim") or call.keywords.get("axis"), first.rank + 1, 0)
        if axis is None:
            return None
        return Shape((*first.sizes[:axis], None, *first.sizes[axis:]), first.sure)

    # ---------------------------------------------------------------- other shape, same numbers

    def _reshaped(self, short: str, call: Call) -> Shape | None:
        args = call.args if call.receiver is not None else call.args[1:]
        inner = self.of(subject(call))
        if short in ("view", "reshape", "expand", "repeat", "broadcast_to", "tile"):
            sizes = self._sizes(args, call.keywords.get("shape"))
            return Shape(sizes) if sizes is not None else None
        if short in ("view_as", "reshape_as", "expand_as"):
            return self.of(args[0]) if args else None
        if short == "flatten" and not args and not call.keywords:
            return Shape((None,))
        if short == "ravel":
            return Shape((None,))
        if inner is None:
            return None
        return self._rearranged(short, inner, args, call)

    def _rearranged(self, short: str, inner: Shape, args: tuple[Value, ...], call: Call) -> Shape | None:
        keywords = call.keywords
        first = args[0] if args else keywords.get("dim", keywords.get("start_dim", keywords.get("axis")))
        if short == "unsqueeze" or short == "expand_dims":
            axis = self._axis(first, inner.rank + 1)
            return self._with(inner, axis, (1,), 0)
        if short == "squeeze":
            return self._squeezed(inner, first)
        if short == "flatten":
            start, end = (
                self._axis(first, inner.rank, 0),
                self._axis(_second(args, keywords, "end_dim"), inner.rank, -1),
            )
            if start is None or end is None or end < start:
                return None
            return self._with(
                inner, start, (None,) if end > start else (inner.sizes[start],), end - start + 1
            )
        if short in ("transpose", "swapaxes", "swapdims") and len(args) == 2:
            one, two = self._axis(args[0], inner.rank), self._axis(args[1], inner.rank)
            if one is None or two is None:
                return None
            sizes = list(inner.sizes)
            sizes[one], sizes[two] = sizes[two], sizes[one]
            return replace(inner, sizes=tuple(sizes))
        if short == "permute" or (short == "transpose" and args):
            places = [self._axis(part, inner.rank) for part in _flat(args)]
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

    def _squeezed(self, inner: Shape, where: Value | None) -> Shape | None:
        if where is None:
            return replace(inner, sizes=tuple(size for size in inner.sizes if size != 1))
        axis = self._axis(where, inner.rank)
        if axis is None or inner.sizes[axis] is None:
            return None
        return self._with(inner, axis, (), 1) if inner.sizes[axis] == 1 else inner

    @staticmethod
    def _with(inner: Shape, axis: int | None, new: tuple[Size, ...], instead_of: int) -> Shape | None:
        if axis is None:
            return None
        return replace(inner, sizes=(*inner.sizes[:axis], *new, *inner.sizes[axis + instead_of :]))

    def _axis(self, value: Value | None, rank: int, default: int | None = None) -> int | None:
        written = number(value) if value is not None else default
        if written is None or not -rank <= written < rank:
            return None
        return int(written) % rank

    def _sizes(self, args: tuple[Value, ...], named: Value | None = None) -> tuple[Size, ...] | None:
        """Sizes given one by one, or as one tuple; None when there may be more than are written."""
        parts = _flat(args or ((named,) if named is not None else ()))
        if any(isinstance(part, Collection) for part in parts):
            return None
        if len(parts) == 1 and not self._is_one_size(parts[0]):
            return None
        return tuple(self.size(part) for part in parts)

    def _is_one_size(self, value: Value) -> bool:
        """`x.view(n)`: a number, not a shape that happens to have a name."""
        settled = root(value)
        if isinstance(settled, Constant):
            return isinstance(settled.value, int)
        return isinstance(settled, Call) and (
            settled.op in ("*", "//", "+", "-") or self._measured(settled) is not None
        )

    def _measured(self, call: Call) -> Size:
        """`len(x)`, `x.shape[1]`, `x.size(0)`: an axis of something else."""
        if call.op == "builtins.len" and call.args:
            return self._length(call.args[0], 0)
        if call.op == ".size" and call.args:
            return self._length(call.receiver, number(call.args[0]))
        if call.op == "[]" and len(call.args) == 2:
            whole = root(call.args[0])
            if isinstance(whole, Call) and (whole.op == "@shape" or (whole.op == ".size" and not whole.args)):
                return self._length(whole.receiver, number(call.args[1]))
        if call.op == "builtins.int":
            return Symbol(id(call))
        return None

    def _length(self, value: Value | None, place: float | None) -> Size:
        if place is None:
            return None
        known, axis = self.of(value), int(place)
        if known is not None and -known.rank <= axis < known.rank and known.sizes[axis] is not None:
            return known.sizes[axis]
        return Symbol((id(root(value)), axis))

    # ---------------------------------------------------------------- arithmetic

    def _broadcast(self, parts: list[Shape | None]) -> Shape | None:
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

    @staticmethod
    def _product(left: Shape | None, right: Shape | None) -> Shape | None:
        if left is None or right is None or not left.rank or not right.rank:
            return None
        sure = left.sure and right.sure
        if right.rank == 1:
            return Shape(left.sizes[:-1], sure)
        if left.rank == 1:
            return Shape((*right.sizes[:-2], right.sizes[-1]), sure)
        outer_sizes = left.sizes[:-2] if left.rank >= right.rank else right.sizes[:-2]
        return Shape((*outer_sizes, left.sizes[-2], right.sizes[-1]), sure)

    def _reduced(self, short: str, call: Call) -> Shape | None:
        args = call.args if call.receiver is not None else call.args[1:]
        where = call.keywords.get("dim", call.keywords.get("axis"))
        if short == "norm":
            where = where or (args[1] if len(args) > 1 else None)
        elif where is None and args:
            where = args[0]
        if where is None or (literal(where) is None and isinstance(root(where), Constant)):
            return SCALAR if short not in _PAIRS or not args else None
        if short in _PAIRS and "axis" not in call.keywords:
            return None  # a pair of tensors, taken apart by _paired
        return self._without(call, where)

    def _without(self, call: Call, where: Value) -> Shape | None:
        inner = self.of(subject(call))
        if inner is None:
            return None
        axes = {self._axis(part, inner.rank) for part in _flat((where,))}
        if None in axes:
            return None
        keep = literal(call.keywords.get("keepdim", call.keywords.get("keepdims"))) is True or _third_is_true(
            call
        )
        left = [
            1 if place in axes else size
            for place, size in enumerate(inner.sizes)
            if keep or place not in axes
        ]
        return replace(inner, sizes=tuple(left))

    def _paired(self, value: Value | None) -> Shape | None:
        """The values or the places that `x.max(dim)` and its kin give."""
        pair = root(value)
        if not isinstance(pair, Call):
            return None
        short = layer(pair).rpartition(".")[2]
        where = pair.keywords.get("dim") or next(
            iter(pair.args if pair.receiver is not None else pair.args[1:]), None
        )
        if short in _PAIRS and where is not None:
            return self._without(pair, where)
        if short in ("sort", "topk"):
            inner = self.of(subject(pair))
            return replace(inner, sizes=(None,) * inner.rank) if inner is not None else None
        return None

    # ---------------------------------------------------------------- layers

    def _module(self, name: str, call: Call) -> Shape | None:
        made = call.receiver
        given = self.of(call.args[0]) if call.args else None
        if not isinstance(made, Call):
            return None
        if name in ("torch.nn.Linear", "torch.nn.LazyLinear"):
            width = self.size(made.argument(0 if "Lazy" in name else 1, "out_features"))
            before = given.sizes[:-1] if given is not None and given.rank else (BATCH,)
            return Shape((*before, width), given is not None and given.sure)
        if name in _CONVOLUTIONS or name in _POOLS:
            rank = _CONVOLUTIONS.get(name) or _POOLS[name]
            batch = given.sizes[0] if given is not None and given.rank == rank else BATCH
            channels = self.size(made.argument(1, "out_channels")) if name in _CONVOLUTIONS else None
            ends = self._pooled_to_one(name, made)
            return Shape(
                (batch, channels, *((1,) * (rank - 2) if ends else (None,) * (rank - 2))), given is not None
            )
        if name == "torch.nn.Flatten":
            return Shape(
                (given.sizes[0] if given is not None and given.rank else BATCH, None), given is not None
            )
        if name == "torch.nn.Embedding":
            return (
                replace(given, sizes=(*given.sizes, self.size(made.argument(1, "embedding_dim"))))
                if given
                else None
            )
        if name.removeprefix("torch.nn.") in _SAME_MODULES:
            return given
        return None

    @staticmethod
    def _pooled_to_one(name: str, made: Call) -> bool:
        return "Adaptive" in name and literal(made.argument(0, "output_size")) == 1

    # ---------------------------------------------------------------- picking parts

    def _item(self, call: Call) -> Shape | None:
        if len(call.args) != 2:
            return None
        whole, key = root(call.args[0]), call.args[1]
        place = literal(key)
        if isinstance(whole, Call) and isinstance(place, int) and not isinstance(place, bool):
            special = self._component(whole, place)
            if special is not None:
                return special
        if isinstance(whole, Call) and whole.op in _FRAMES:
            return Shape((BATCH,)) if isinstance(place, str) else None
        if isinstance(whole, Collection) and isinstance(place, int) and isinstance(call.node, ast.Tuple):
            column = self._converted_column(whole, place)
            if column is not None:
                return column
        inner = self.of(call.args[0])
        return self._indexed(inner, key, call) if inner is not None else None

    def _indexed(self, inner: Shape, key: Value, call: Call) -> Shape | None:
        settled = root(key)
        parts = settled.items if isinstance(settled, Collection) and settled.kind == "tuple" else [key]
        left: list[Size] = list(inner.sizes)
        sizes: list[Size] = []
        for part in parts:
            here = root(part)
            if isinstance(here, Constant) and here.value is None:
                sizes.append(1)
            elif isinstance(here, Constant) and here.value is Ellipsis:
                return None
            elif isinstance(here, Collection) and here.kind == "slice" and left:
                size = left.pop(0)
                sizes.append(size if not here.items else size if isinstance(size, Symbol) else None)
            elif left:
                taken = self._picked(here, call)
                if taken is None:
                    return None
                del left[: max(1, taken[1])]
                sizes += taken[0]
            else:
                return None
        return replace(inner, sizes=(*sizes, *left))

    def _picked(self, key: Value | None, call: Call) -> tuple[list[Size], int] | None:
        """What an index leaves of the axes it meets, and how many it meets."""
        if isinstance(key, Unknown) and isinstance(key.node, ast.arg):
            inside = getattr(call.context.function, "name", "")
            return ([], 1) if inside == "__getitem__" else None
        known = self.of(key)
        if known is None:
            return None
        if isinstance(key, Call) and key.op in _COMPARISONS:
            return [None], known.rank
        return list(known.sizes), 1

    def _component(self, whole: Call, place: int) -> Shape | None:
        """One of several results: of a loader, a split, a recurrent layer, a data set with known columns."""
        if whole.op in ("next", "builtins.next") and whole.args:
            return self._batch(whole.args[0], place)
        name = layer(whole)
        if name in _RECURRENT and place == 0:
            given = self.of(whole.args[0]) if whole.args else None
            return (
                replace(given, sizes=(*given.sizes[:-1], None))
                if given is not None
                else Shape((None,) * 3, False)
            )
        if whole.op == "sklearn.model_selection.train_test_split" and place < 2 * len(whole.args):
            inner = self.of(whole.args[place // 2])
            return (
                replace(inner, sizes=(None, *inner.sizes[1:])) if inner is not None and inner.rank else None
            )
        if whole.op in _TABLES and (
            whole.op.startswith("sklearn.datasets.make") or "return_X_y" in whole.keywords
        ):
            return Shape((BATCH, None)) if place == 0 else Shape((BATCH,)) if place == 1 else None
        if name.rpartition(".")[2] in _PAIRS or name.rpartition(".")[2] in ("sort", "topk"):
            return self._paired(whole)
        if whole.op == ".step" and place in (1, 2, 3) and is_made_by_gym(whole.receiver):
            return SCALAR  # the reward and the flags of one environment
        return self._column(whole, place)

    def _converted_column(self, several: Collection, place: int) -> Shape | None:
        """`s, a, r = (torch.tensor(column) for column in zip(*rows))`: every column converted alike."""
        one = root(several.items[0]) if several.open and len(several.items) == 1 else None
        for _ in range(6):
            if not isinstance(one, Call):
                break
            short = layer(one).rpartition(".")[2]
            if short not in _COPIES and short not in _KEEPS_SHAPE:
                return None
            one = root(subject(one))
        # An element of `zip(*rows)` is seen as a tuple with an item from each of what was zipped.
        is_row = isinstance(one, Collection) and one.kind == "tuple" and len(one.items) == 1
        return self._stored(one.items[0], place) if isinstance(one, Collection) and is_row else None

    def _column(self, drawn: Value | None, place: int) -> Shape | None:
        """One column of rows drawn from a buffer: `zip(*random.sample(buffer, n))`, converted or not."""
        made = root(drawn)
        if isinstance(made, Call) and made.op == "builtins.map" and len(made.args) == 2:
            made = root(made.args[1])
        if not (isinstance(made, Call) and made.op == "builtins.zip" and len(made.args) == 1):
            return None
        spread = made.args[0]
        rows = spread.items if isinstance(spread, Collection) and spread.kind == "rest" else []
        return self._stored(rows[0], place) if len(rows) == 1 else None

    def _stored(self, rows: Value, place: int) -> Shape | None:
        """What lies at one place of the rows in a buffer, a batch of it."""
        drawn = root(rows)
        if not (isinstance(drawn, Call) and drawn.op in ("random.sample", "random.choices") and drawn.args):
            return None
        buffer = root(drawn.args[0])
        stored = [
            root(call.args[0])
            for call in self._program.calls(".append")
            if root(call.receiver) is buffer and len(call.args) == 1
        ]
        cells = [
            self.of(row.items[place]) if isinstance(row, Collection) and place < len(row.items) else None
            for row in stored
        ]
        cell = self._agreed(cells) if cells else None
        return Shape((BATCH, *cell.sizes), cell.sure) if cell is not None else None

    def _element(self, iterable: Value) -> Shape | None:
        settled = root(iterable)
        if isinstance(settled, Call):
            if settled.op == "builtins.range":
                return SCALAR
            short = layer(settled).rpartition(".")[2]
            if short in _SPLITS and short != "unbind":
                return self._unsized(self.of(subject(settled)))
            if self._dataset(settled) is not None:
                return self._batch(settled, None)
        inner = self.of(settled)
        return replace(inner, sizes=inner.sizes[1:]) if inner is not None and inner.rank else None

    @staticmethod
    def _unsized(shape: Shape | None) -> Shape | None:
        return replace(shape, sizes=(None, *shape.sizes[1:])) if shape is not None and shape.rank else None

    # ---------------------------------------------------------------- loaders and data sets

    def _batch(self, iterable: Value, place: int | None) -> Shape | None:
        """The shape of one part of a loader's batch."""
        dataset = self._dataset(iterable)
        if dataset is None:
            return None
        example = self._example(dataset, place)
        if example is None:
            return None
        shape = self.of(example[0])
        if shape is None or (example[1] and not shape.rank):
            return None
        return Shape((BATCH, *(shape.sizes[1:] if example[1] else shape.sizes)), shape.sure)

    def _dataset(self, iterable: Value | None) -> Value | None:
        settled = root(iterable)
        for _ in range(6):
            if (
                isinstance(settled, Call)
                and settled.op in ("builtins.iter", "tqdm.tqdm", "tqdm.auto.tqdm")
                and settled.args
            ):
                settled = root(settled.args[0])
        if isinstance(settled, Call) and settled.op == "torch.utils.data.DataLoader":
            batched = "collate_fn" not in settled.keywords and "batch_sampler" not in settled.keywords
            return settled.argument(0, "dataset") if batched else None
        return None

    def _example(self, dataset: Value | None, place: int | None) -> tuple[Value, bool] | None:
        """One part of an example, and whether its first axis still counts the examples."""
        settled = root(dataset)
        for _ in range(6):
            if isinstance(settled, Call) and settled.op == "torch.utils.data.Subset":
                settled = root(settled.argument(0, "dataset"))
            elif (
                isinstance(settled, Call)
                and settled.op == "[]"
                and isinstance(split := root(settled.args[0]), Call)
            ):
                settled = root(split.args[0]) if split.op.endswith("random_split") and split.args else None
        if isinstance(settled, Call) and settled.op == "torch.utils.data.TensorDataset" and place is not None:
            whole = place < len(settled.args) and not any(
                isinstance(part, Collection) for part in settled.args
            )
            return (settled.args[place], True) if whole else None
        if isinstance(settled, Instance):
            return self._given_by(settled.cls, place)
        return None

    def _given_by(self, cls: Class, place: int | None) -> tuple[Value, bool] | None:
        getter = cls.member("__getitem__")
        given = (
            root(self._returned(getter.definition))
            if isinstance(getter, Function) and getter.definition
            else None
        )
        if place is None:
            return (given, False) if given is not None else None
        if isinstance(given, Collection) and not given.open and place < len(given.items):
            return given.items[place], False
        return None

    def _returned(self, definition: ast.AST) -> Value | None:
        if self._items is None:
            self._items = {
                call.receiver.definition: call.result
                for call in self._program.calls("def")
                if isinstance(call.receiver, Function)
                and call.receiver.definition is not None
                and call.result is not None
            }
        return self._items.get(definition)

    def _cut_from(self, call: Call) -> Value | None:
        """What a value is a batch, a split, a slice or a plain copy of."""
        short = layer(call).rpartition(".")[2].lstrip("@")
        if call.op == "[]" and len(call.args) == 2:
            whole, place = root(call.args[0]), literal(call.args[1])
            if (
                isinstance(whole, Call)
                and whole.op in ("next", "builtins.next")
                and isinstance(place, int)
                and whole.args
            ):
                example = self._example(self._dataset(whole.args[0]), place)
                return example[0] if example is not None else None
            if isinstance(whole, Call) and isinstance(place, int):
                if whole.op == "sklearn.model_selection.train_test_split" and place < 2 * len(whole.args):
                    return whole.args[place // 2]
                if whole.op in _TABLES:
                    return None
            return call.args[0]
        if short in SAME_NUMBERS or short in (
            "tensor",
            "as_tensor",
            "from_numpy",
            "array",
            "asarray",
            "astype",
            "values",
        ):
            return subject(call)
        return None

    # ---------------------------------------------------------------- numbers that nobody wrote

    def _is_staged(self, constant: Constant) -> bool:
        """Whether a number is only the default of a function or class that this file never calls itself."""
        if self._staged is None:
            self._staged = set()
            for call in self._program.calls("def"):
                function = call.receiver
                if isinstance(call.node, ast.FunctionDef | ast.ClassDef) and isinstance(function, Function):
                    spec = getattr(function.definition, "args", None)
                    if spec is not None:
                        self._staged |= {
                            id(node) for node in (*spec.defaults, *spec.kw_defaults) if node is not None
                        }
        return id(constant.node) in self._staged


_KEEPS_SHAPE = SAME_NUMBERS - set(
    "view reshape squeeze unsqueeze flatten permute transpose t expand expand_as mT T mH H movedim swapaxes "
    "unflatten ravel view_as reshape_as".split()
)


def _flat(values: Iterable[Value]) -> list[Value]:
    """Arguments given one by one or as one tuple."""
    parts: list[Value] = []
    for value in values:
        settled = root(value)
        if isinstance(settled, Collection) and settled.kind in ("tuple", "list") and not settled.open:
            parts += settled.items
        else:
            parts.append(value)
    return parts


def _second(args: tuple[Value, ...], keywords: dict[str, Value], name: str) -> Value | None:
    return args[1] if len(args) > 1 else keywords.get(name)


def _third_is_true(call: Call) -> bool:
    """`x.sum(1, True)`: keepdim by place."""
    args = call.args if call.receiver is not None else call.args[1:]
    return len(args) > 1 and literal(args[1]) is True


__all__ = ["BATCH", "Shape", "Shapes", "Size", "Symbol", "outer", "shapes"]
