"""The shape of one part: `x[i]`, a column of a batch, an element of an iterable."""

import ast
from typing import TYPE_CHECKING

from sleuth.quick_dataclass import replace
from sleuth.source.flow import layer, literal, root, subject
from sleuth.source.interpreter.values import Call, Collection, Constant, Unknown, Value
from sleuth.source.topics.environments import is_made_by_gym
from sleuth.source.topics.shapes.arithmetic import PAIRS, paired
from sleuth.source.topics.shapes.axes import KEEPS_SHAPE
from sleuth.source.topics.shapes.datasets import TABLES, dataset_of, shape_of_batch
from sleuth.source.topics.shapes.shape import BATCH, SCALAR, Shape, Size, Symbol, agreed
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.source.topics.shapes.algebra import Shapes

_COMPARISONS = frozenset("== != < <= > >=".split())
_RECURRENT = ("torch.nn.RNN", "torch.nn.GRU", "torch.nn.LSTM")
_FRAMES = ("pandas.read_csv", "pandas.DataFrame", "pandas.read_parquet", "pandas.read_excel")
_COPIES = frozenset({"tensor", "as_tensor", "array", "asarray", "FloatTensor", "Tensor", "from_numpy"})
_SPLITS = ("split", "chunk", "unbind", "array_split")


def picked_item(algebra: "Shapes", call: Call) -> Shape | None:
    if len(call.args) != 2:
        return None
    whole, key = root(call.args[0]), call.args[1]
    place = literal(key)
    if isinstance(whole, Call) and isinstance(place, int) and not isinstance(place, bool):
        special = _component(algebra, whole, place)
        if special is not None:
            return special
    if isinstance(place, str) and (frame := _is_frame(whole)) is not None:
        return Shape((BATCH,), frame)
    if isinstance(whole, Call) and whole.op in _FRAMES:
        return None
    if isinstance(whole, Collection) and isinstance(place, int) and isinstance(call.node, ast.Tuple):
        column = _converted_column(algebra, whole, place)
        if column is not None:
            return column
    inner = algebra.of(call.args[0])
    return _indexed(algebra, inner, key, call) if inner is not None else None


_STILL_A_FRAME = frozenset(
    ".dropna .fillna .sample .reset_index .sort_values .sort_index .copy .head .tail .query .drop .rename "
    ".drop_duplicates .assign .set_index @iloc @loc".split()
)
_NAMED_FRAME = Pattern(r"^(df|data_?frame)(_\w+|\d)?$|_df$")


def _is_frame(value: Value | None, depth: int = 12) -> bool | None:
    """Whether a value is a table of pandas: True by how it was made, False by its name alone, None if not."""
    value = root(value)
    if isinstance(value, Unknown):
        return False if _NAMED_FRAME.search(value.name) else None
    if not isinstance(value, Call) or depth == 0:
        return None
    if value.op in _FRAMES:
        return True
    if value.op in _STILL_A_FRAME:
        return _is_frame(value.receiver, depth - 1)
    key = root(value.args[1]) if value.op == "[]" and len(value.args) == 2 else None
    rows = isinstance(key, Collection) and key.kind in ("slice", "list")
    rows |= isinstance(key, Call) and key.op in _COMPARISONS
    return _is_frame(value.args[0], depth - 1) if rows else None


def _indexed(algebra: "Shapes", inner: Shape, key: Value, call: Call) -> Shape | None:
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
            taken = _picked(algebra, here, call)
            if taken is None:
                return None
            del left[: max(1, taken[1])]
            sizes += taken[0]
        else:
            return None
    return replace(inner, sizes=(*sizes, *left))


def _picked(algebra: "Shapes", key: Value | None, call: Call) -> tuple[list[Size], int] | None:
    """What an index leaves of the axes it meets, and how many it meets."""
    if isinstance(key, Unknown) and isinstance(key.node, ast.arg):
        inside = getattr(call.context.function, "name", "")
        return ([], 1) if inside == "__getitem__" else None
    known = algebra.of(key)
    if known is None:
        return None
    if isinstance(key, Call) and key.op in _COMPARISONS:
        return [None], known.rank
    return list(known.sizes), 1


def _component(algebra: "Shapes", whole: Call, place: int) -> Shape | None:
    """One of several results: of a loader, a split, a recurrent layer, a data set with known columns."""
    if whole.op in ("next", "builtins.next") and whole.args:
        return shape_of_batch(algebra, whole.args[0], place)
    name = layer(whole)
    if name in _RECURRENT and place == 0:
        given = algebra.of(whole.args[0]) if whole.args else None
        return (
            replace(given, sizes=(*given.sizes[:-1], None))
            if given is not None
            else Shape((None,) * 3, False)
        )
    if whole.op == "sklearn.model_selection.train_test_split" and place < 2 * len(whole.args):
        inner = algebra.of(whole.args[place // 2])
        return replace(inner, sizes=(None, *inner.sizes[1:])) if inner is not None and inner.rank else None
    if whole.op in TABLES and (
        whole.op.startswith("sklearn.datasets.make") or "return_X_y" in whole.keywords
    ):
        return Shape((BATCH, None)) if place == 0 else Shape((BATCH,)) if place == 1 else None
    if name.rpartition(".")[2] in PAIRS or name.rpartition(".")[2] in ("sort", "topk"):
        return paired(algebra, whole)
    if whole.op == ".step" and place in (1, 2, 3) and is_made_by_gym(whole.receiver):
        return SCALAR  # the reward and the flags of one environment
    return _column(algebra, whole, place)


def _converted_column(algebra: "Shapes", several: Collection, place: int) -> Shape | None:
    """`s, a, r = (torch.tensor(column) for column in zip(*rows))`: every column converted alike."""
    one = root(several.items[0]) if several.open and len(several.items) == 1 else None
    for _ in range(6):
        if not isinstance(one, Call):
            break
        short = layer(one).rpartition(".")[2]
        if short not in _COPIES and short not in KEEPS_SHAPE:
            return None
        one = root(subject(one))
    # An element of `zip(*rows)` is seen as a tuple with an item from each of what was zipped.
    is_row = isinstance(one, Collection) and one.kind == "tuple" and len(one.items) == 1
    return _stored(algebra, one.items[0], place) if isinstance(one, Collection) and is_row else None


def _column(algebra: "Shapes", drawn: Value | None, place: int) -> Shape | None:
    """One column of rows drawn from a buffer: `zip(*random.sample(buffer, n))`, converted or not."""
    made = root(drawn)
    if isinstance(made, Call) and made.op == "builtins.map" and len(made.args) == 2:
        made = root(made.args[1])
    if not (isinstance(made, Call) and made.op == "builtins.zip" and len(made.args) == 1):
        return None
    spread = made.args[0]
    rows = spread.items if isinstance(spread, Collection) and spread.kind == "rest" else []
    return _stored(algebra, rows[0], place) if len(rows) == 1 else None


def _stored(algebra: "Shapes", rows: Value, place: int) -> Shape | None:
    """What lies at one place of the rows in a buffer, a batch of it."""
    drawn = root(rows)
    if not (isinstance(drawn, Call) and drawn.op in ("random.sample", "random.choices") and drawn.args):
        return None
    buffer = root(drawn.args[0])
    stored = [
        root(call.args[0])
        for call in algebra.program.calls(".append")
        if root(call.receiver) is buffer and len(call.args) == 1
    ]
    cells = [
        algebra.of(row.items[place]) if isinstance(row, Collection) and place < len(row.items) else None
        for row in stored
    ]
    cell = agreed(cells) if cells else None
    return Shape((BATCH, *cell.sizes), cell.sure) if cell is not None else None


def shape_of_element(algebra: "Shapes", iterable: Value) -> Shape | None:
    settled = root(iterable)
    if isinstance(settled, Call):
        if settled.op == "builtins.range":
            return SCALAR
        short = layer(settled).rpartition(".")[2]
        if short in _SPLITS and short != "unbind":
            return _unsized(algebra.of(subject(settled)))
        if dataset_of(settled) is not None:
            return shape_of_batch(algebra, settled, None)
    inner = algebra.of(settled)
    return replace(inner, sizes=inner.sizes[1:]) if inner is not None and inner.rank else None


def _unsized(shape: Shape | None) -> Shape | None:
    return replace(shape, sizes=(None, *shape.sizes[1:])) if shape is not None and shape.rank else None
