"""Which rows a value holds: what it was taken from, and whether any were left out on the way."""

import ast

from sleuth.source.flow import literal, root
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    Either,
    Instance,
    Table,
    Unknown,
    Value,
)
from sleuth.source.topics.splits.statistics import ARITHMETIC, is_number, statistic_of
from sleuth.source.torch_api import is_module

TRAIN_TEST_SPLIT = ("sklearn.model_selection.train_test_split", "sklearn.cross_validation.train_test_split")
RANDOM_SPLIT = ("torch.utils.data.random_split", "jax_dataloader.random_split")
PERMUTATIONS = frozenset(
    {"torch.randperm", "numpy.random.permutation", ".permutation", "jax.random.permutation", "random.sample"}
)
# Facts about a container that hold none of its rows.
_NOT_ROWS = frozenset(
    "builtins.len builtins.range builtins.print @shape @dtype @columns @ndim @device @index .size .numel "
    ".keys .dim .groupby @size builtins.isinstance .predict .predict_proba .decision_function .score".split()
)
COMPARISONS = frozenset("== != < <= > >= is in & | ^ ~ not".split()) | {"is not", "not in"}
_SELECTS = frozenset(
    ".sample .query .head .tail .nlargest .nsmallest .take .groupby next builtins.next".split()
)
_FRAMES = frozenset({"@iloc", "@loc", "@values", ".to_numpy", ".reset_index", ".copy", ".numpy"})
_BARE = frozenset({".tolist", ".numpy", ".long", ".to_numpy", ".astype", "@indices", "@index", "@values"})
_BARE_FUNCTIONS = frozenset(
    {"builtins.list", "torch.from_numpy", "torch.tensor", "torch.as_tensor", "numpy.array", "numpy.asarray"}
)
_TRANSFORMS = frozenset(
    {".transform", ".fit_transform", ".fit_resample", ".fit_sample", ".inverse_transform"}
)


def is_data(value: Value) -> bool:
    return isinstance(value, Call | Instance | Unknown | Collection)


def row_parents(value: Value) -> tuple[Value, ...]:
    """What a value's rows were directly taken from."""
    if isinstance(value, Either):
        return value.options
    if isinstance(value, Carried):
        return tuple(part for part in (value.initial, value.final) if part is not None)
    if isinstance(value, Collection):
        return () if value.kind == "slice" else tuple(value.items)
    if isinstance(value, Table):
        return tuple(value.items.values())
    if isinstance(value, Instance):
        return () if is_module(value) else tuple(value.attributes.values())
    if not isinstance(value, Call):
        return ()
    if value.result is not None:
        return (value.result,)
    op = value.op
    if op in _NOT_ROWS or op in COMPARISONS or op in PERMUTATIONS or statistic_of(value) is not None:
        return ()
    if op in _TRANSFORMS:
        data = value.argument(0, "X")
        return (data,) if data is not None else ()
    if op == "[]":
        return _divided(value) or value.args[:1]
    if op in ARITHMETIC:
        return _carriers(value.args)
    made_from = (*value.args, *value.keywords.values())
    return made_from if value.receiver is None or op == "()" else (value.receiver, *made_from)


def _divided(item: Call) -> tuple[Value, ...]:
    """The array that a part came from: `y_test`, the fourth of `train_test_split(X, y)`, is of `y` alone."""
    split = root(item.args[0])
    if not isinstance(split, Call) or split.op not in TRAIN_TEST_SPLIT or len(item.args) != 2:
        return ()
    place = literal(item.args[1])
    return split.args[place // 2 :][:1] if isinstance(place, int) and place >= 0 else ()


def _carriers(operands: tuple[Value, ...]) -> tuple[Value, ...]:
    """The operand that holds the rows; none where two arrays meet, for then the rows are new ones."""
    carrying = [part for part in operands if not is_number(part)]
    if len(carrying) > 1:
        carrying = [part for part in carrying if not isinstance(root(part), Unknown)]
    return tuple(carrying) if len(carrying) == 1 else ()


def identity(value: Value) -> object:
    """What makes two values one: the object, or for a name that the file never defines, the name."""
    if isinstance(value, Unknown) and isinstance(value.node, ast.Name):
        return value.name
    return id(value)


def selects_rows(call: Call) -> bool:
    """Whether an operation may leave rows out."""
    if call.op == "[]":
        return not picks_columns(call)
    return (
        call.op in _SELECTS
        or call.op in TRAIN_TEST_SPLIT
        or call.op in RANDOM_SPLIT
        or call.op.endswith(".Subset")
    )


def picks_columns(item: Call) -> bool:
    """`df["age"]`, `df[["a", "b"]]`, `x[:, 3]`, `df[df.columns[1:]]`."""
    key = root(item.args[1]) if len(item.args) > 1 else None
    if isinstance(key, Constant):
        return isinstance(key.value, str)
    if isinstance(key, Collection):
        if key.kind == "slice":
            return is_full(key)
        if key.kind == "tuple" and key.items:
            return is_full(key.items[0])
        return bool(key.items) and all(_names_column(part) for part in key.items)
    return _names_column(key)


def _names_column(value: Value | None) -> bool:
    settled = root(value)
    if isinstance(settled, Constant):
        return isinstance(settled.value, str)
    for _ in range(6):
        if not isinstance(settled, Call):
            return False
        if settled.op in ("@columns", ".get_feature_names_out", ".get_support"):
            return True
        settled = root(settled.receiver or (settled.args[0] if settled.args else None))
    return False


def is_full(key: Value | None) -> bool:
    node = key.node if isinstance(key, Collection) and key.kind == "slice" else None
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None


def frame(value: Value | None) -> Value | None:
    """The array or frame behind `.iloc`, `.values` and the like."""
    for _ in range(8):
        value = root(value)
        if isinstance(value, Call) and value.op in _FRAMES and value.receiver is not None:
            value = value.receiver
        else:
            return value
    return value


def container(value: Value | None) -> Value | None:
    inner = frame(value)
    while isinstance(inner, Call) and inner.op == "[]":
        inner = frame(inner.args[0])
    return inner


def bare(value: Value | None) -> Value | None:
    """An index array, whatever container it is in."""
    for _ in range(8):
        value = root(value)
        if isinstance(value, Call) and value.op in _BARE and value.receiver is not None:
            value = value.receiver
        elif isinstance(value, Call) and value.op in _BARE_FUNCTIONS and value.args:
            value = value.args[0]
        else:
            return value
    return value


def first_key(key: Value) -> Value:
    return key.items[0] if isinstance(key, Collection) and key.kind == "tuple" and key.items else key
