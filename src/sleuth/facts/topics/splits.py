"""How a program divides its data: the splits, their parts, and which rows a value holds.

A split is found by what it does (a splitter of a library, two complementary cuts of one array, a mask and its
opposite, folds), not by the names of its parts.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sleuth.facts.flow import literal, root
from sleuth.facts.interpreter.values import (
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
from sleuth.facts.program import Program
from sleuth.facts.torch_api import is_module

TRAIN_TEST_SPLIT = ("sklearn.model_selection.train_test_split", "sklearn.cross_validation.train_test_split")
RANDOM_SPLIT = ("torch.utils.data.random_split", "jax_dataloader.random_split")
# Splitters whose folds are drawn at random, always or when told to.
ALWAYS_SHUFFLED = frozenset({"ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit"})
FOLDERS = ALWAYS_SHUFFLED | {
    "KFold",
    "StratifiedKFold",
    "GroupKFold",
    "StratifiedGroupKFold",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "LeaveOneOut",
    "LeavePOut",
    "LeaveOneGroupOut",
    "TimeSeriesSplit",
    "PredefinedSplit",
}
# Functions that split, fit and score inside; place of the data among their arguments.
CROSS_VALIDATORS = frozenset(
    f"sklearn.model_selection.{name}"
    for name in (
        "cross_val_score",
        "cross_validate",
        "cross_val_predict",
        "learning_curve",
        "validation_curve",
        "permutation_test_score",
    )
)
SEARCHES = frozenset(
    f"sklearn.model_selection.{name}"
    for name in ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
)
PERMUTATIONS = frozenset(
    {"torch.randperm", "numpy.random.permutation", ".permutation", "jax.random.permutation", "random.sample"}
)

# What a statistic over all rows is called, as a method or as a function.
STATISTICS = frozenset(
    "mean std var median min max amin amax nanmean nanstd nanmin nanmax nanmedian quantile percentile "
    "std_mean var_mean aminmax ptp mode".split()
)
_STATISTIC_MODULES = ("numpy.", "torch.", "jax.numpy.", "builtins.", "statistics.")
# Facts about a container that hold none of its rows.
_NOT_ROWS = frozenset(
    "builtins.len builtins.range builtins.print @shape @dtype @columns @ndim @device @index .size .numel "
    ".keys .dim .groupby @size builtins.isinstance .predict .predict_proba .decision_function .score".split()
)
_ARITHMETIC = frozenset("+ - * / ** // += -= *= /=".split())
_COMPARISONS = frozenset("== != < <= > >= is in & | ^ ~ not".split()) | {"is not", "not in"}
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


@dataclass(frozen=True, eq=False)
class Split:
    """One division of data. `shuffled` is None where that is not known."""

    call: Call
    shuffled: bool | None
    whole: tuple[Value, ...]
    train: tuple[Value, ...] = ()
    held_out: tuple[Value, ...] = ()
    how: str = ""

    @property
    def line(self) -> int:
        return getattr(self.call.node, "lineno", 0)


@dataclass(frozen=True, eq=False)
class Splits:
    """The splits of a program and the index that finds their parts."""

    program: Program
    found: list[Split] = field(default_factory=list)

    @cached_property
    def items_of(self) -> dict[int, list[Call]]:
        """`x[...]` by x, whether x is an array or a frame's `iloc`."""
        index: dict[int, list[Call]] = {}
        for call in self.program.calls("[]"):
            index.setdefault(id(frame(call.args[0])), []).append(call)
        return index

    @cached_property
    def items_by(self) -> dict[int, list[Call]]:
        """`x[key]` and `Subset(x, key)` by key."""
        index: dict[int, list[Call]] = {}
        for call in self.program.calls("[]", "torch.utils.data.Subset"):
            if len(call.args) == 2 and not isinstance(call.args[1], Constant):
                index.setdefault(id(bare(first_key(call.args[1]))), []).append(call)
        return index

    @cached_property
    def writes(self) -> dict[int, list[Call]]:
        """`x[key] = value` by x."""
        index: dict[int, list[Call]] = {}
        for call in self.program.calls("[]="):
            index.setdefault(id(root(frame(call.receiver))), []).append(call)
        for call in self.program.calls(".fillna"):
            if literal(call.keywords.get("inplace")) is True:
                index.setdefault(id(root(_container(call.receiver))), []).append(call)
        return index

    @cached_property
    def parts(self) -> frozenset[int]:
        """Everything that is one part of some split."""
        return frozenset(id(part) for split in self.found for part in (*split.train, *split.held_out))

    def rows(
        self, value: Value | None, whole: bool = False, before: int | None = None, joined: bool = True
    ) -> Iterator[Value]:
        """The value and what its rows came from; with `whole`, only as long as no row was left out.

        Without `joined`, the walk ends where several arrays were put together. What was written into a
        container earlier than `before` counts as its content.
        """
        queue: list[Value] = [value] if value is not None else []
        seen: set[int] = set()
        while queue and len(seen) < 600:
            here = queue.pop(0)
            if id(here) in seen:
                continue
            seen.add(id(here))
            yield here
            if whole and isinstance(here, Call) and selects_rows(here):
                continue
            if not joined and isinstance(here, Collection) and len(here.items) > 1:
                continue
            queue.extend(row_parents(here))
            if before is not None:
                for write in self.writes.get(id(here), ()):
                    if write.order < before:
                        queue.append(write.args[1] if write.op == "[]=" else write)

    def is_part(self, value: Value | None) -> bool:
        """Whether the rows came out of a split."""
        return any(id(here) in self.parts for here in self.rows(value))

    def share_rows(self, fitted: Value | None, split: Split) -> bool:
        """Whether a value holds all rows of what a split divides."""
        mine = {identity(here) for here in self.rows(fitted, whole=True) if _is_data(here)}
        if any(id(here) in self.parts for here in self.rows(fitted, whole=True)):
            return False
        return any(
            identity(here) in mine for data in split.whole for here in self.rows(data) if _is_data(here)
        )


def _is_data(value: Value) -> bool:
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
    if op in _NOT_ROWS or op in _COMPARISONS or op in PERMUTATIONS or statistic_of(value) is not None:
        return ()
    if op in _TRANSFORMS:
        data = value.argument(0, "X")
        return (data,) if data is not None else ()
    if op == "[]":
        return value.args[:1]
    if op in _ARITHMETIC:
        return _carriers(value.args)
    made_from = (*value.args, *value.keywords.values())
    return made_from if value.receiver is None or op == "()" else (value.receiver, *made_from)


def statistic_of(call: Value | None) -> Value | None:
    """What a mean, spread or extreme over all rows was computed from; None where rows are kept (axis=1)."""
    if not isinstance(call, Call):
        return None
    name = call.op.rpartition(".")[2]
    if name not in STATISTICS:
        return None
    if call.op.startswith("."):
        data, place = call.receiver, 0
    elif call.op.startswith(_STATISTIC_MODULES) and call.args:
        data, place = call.args[0], 1
    else:
        return None
    if name in ("quantile", "percentile"):
        place += 1
    for key in ("axis", "dim"):
        if key in call.keywords:
            return data if _is_row_axis(call.keywords[key]) else None
    axis = call.args[place] if len(call.args) > place else None
    return data if axis is None or _is_row_axis(axis) else None


def _is_row_axis(axis: Value) -> bool:
    settled = root(axis)
    if isinstance(settled, Collection):
        return any(literal(item) == 0 for item in settled.items)
    return isinstance(settled, Constant) and settled.value in (0, None) and settled.value is not False


def statistics_in(value: Value | None) -> list[Call]:
    """The statistics that a number (`x.std(0) + 1e-8`, `x.max() - x.min()`) is made of."""
    found: list[Call] = []
    queue: list[Value] = [value] if value is not None else []
    for _ in range(40):
        if not queue:
            break
        here = queue.pop(0)
        if isinstance(here, Call):
            if here.result is not None:
                queue.append(here.result)
            elif statistic_of(here) is not None:
                found.append(here)
            elif here.op in _ARITHMETIC or here.op in (
                "numpy.sqrt",
                "torch.sqrt",
                "numpy.maximum",
                "numpy.where",
            ):
                queue.extend(here.args)
            elif here.op in ("[]", "@values") or here.op.startswith("."):
                queue.extend(part for part in (here.receiver, *here.args[:1]) if part is not None)
        elif isinstance(here, Either | Carried):
            queue.extend(row_parents(here))
    return found


def is_number(value: Value | None) -> bool:
    """A literal or a statistic, or something computed from nothing else."""
    settled = root(value)
    if isinstance(settled, Call):
        if statistic_of(settled) is not None:
            return True
        if settled.op in _ARITHMETIC or settled.op.rpartition(".")[2] in (
            "sqrt",
            "clamp",
            "clip",
            "view",
            "reshape",
        ):
            return all(is_number(part) for part in (settled.receiver, *settled.args) if part is not None)
        if settled.op in ("[]", "@values"):
            return is_number(settled.receiver or settled.args[0])
    return isinstance(settled, Constant)


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


def _container(value: Value | None) -> Value | None:
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


def splits_of(program: Program) -> Splits:
    """The splits of a program, worked out once."""
    return program.about(_read_splits)


def _read_splits(program: Program) -> Splits:
    splits = Splits(program)
    for find in (_by_library, _by_folds, _by_cuts, _by_masks, _by_sample):
        splits.found.extend(find(splits))
    return splits


def _by_library(splits: Splits) -> Iterator[Split]:
    for call in splits.program.calls(*TRAIN_TEST_SPLIT, *RANDOM_SPLIT):
        by_torch = call.op in RANDOM_SPLIT
        parts = [(literal(item.args[1]), item) for item in splits.items_of.get(id(call), ())]
        held = [
            item
            for place, item in parts
            if isinstance(place, int) and (place > 0 if by_torch else place % 2 == 1)
        ]
        train = [item for _, item in parts if item not in held]
        shuffle = call.keywords.get("shuffle")
        shuffled = True if by_torch or shuffle is None else literal(shuffle) is not False
        whole = call.args[:1] if by_torch else call.args
        yield _with_indexed(splits, Split(call, shuffled, whole, tuple(train), tuple(held), _short(call)))


def _with_indexed(splits: Splits, split: Split) -> Split:
    """The split of an index is a split of everything that the index picks from."""
    train = [item for part in split.train for item in splits.items_by.get(id(bare(part)), ())]
    held = [item for part in split.held_out for item in splits.items_by.get(id(bare(part)), ())]
    if not train and not held:
        return split
    containers = {id(frame(item.args[0])): item.args[0] for item in (*train, *held)}
    return Split(
        split.call,
        split.shuffled,
        (*split.whole, *containers.values()),
        (*split.train, *train),
        (*split.held_out, *held),
        split.how,
    )


def splitter_class(value: Value | None) -> str:
    """`KFold` for an object of scikit-learn's KFold."""
    settled = root(value)
    if isinstance(settled, Call) and settled.op.startswith("sklearn.") and settled.receiver is None:
        name = settled.op.rpartition(".")[2]
        return name if name in FOLDERS else ""
    return ""


def folds_shuffled(folder: Value | None) -> bool | None:
    """Whether a splitter object draws its folds at random."""
    name, made = splitter_class(folder), root(folder)
    if name in ALWAYS_SHUFFLED or name.startswith("Repeated"):
        return True
    if not name or not isinstance(made, Call):
        return None
    shuffle = made.keywords.get("shuffle")
    if shuffle is None and len(made.args) > 1 and name in ("KFold", "StratifiedKFold"):
        shuffle = made.args[1]
    return False if shuffle is None else (literal(shuffle) if isinstance(literal(shuffle), bool) else None)  # type: ignore[return-value]


def _by_folds(splits: Splits) -> Iterator[Split]:
    program = splits.program
    turns: dict[int, list[Call]] = {}
    for turn in program.calls("next", "builtins.next"):
        if turn.args:
            turns.setdefault(id(root(turn.args[0])), []).append(turn)
    for call in program.calls(".split"):
        name = splitter_class(call.receiver)
        if not name or not call.args:
            continue
        shuffled = folds_shuffled(call.receiver)
        yield Split(call, shuffled, call.args[:1], how=name)
        for turn in turns.get(id(call), ()):
            pair = {literal(item.args[1]): item for item in splits.items_of.get(id(turn), ())}
            train = tuple(pair[place] for place in (0,) if place in pair)
            held = tuple(pair[place] for place in (1,) if place in pair)
            yield _with_indexed(splits, Split(call, shuffled, call.args[:1], train, held, name))
    for call in program.calls(*CROSS_VALIDATORS):
        data = call.argument(1, "X")
        if data is not None:
            cv = call.keywords.get("cv")
            yield Split(call, folds_shuffled(cv), (data,), how=splitter_class(cv) or _short(call))
    for call in program.calls(".fit"):
        search = root(call.receiver)
        if isinstance(search, Call) and search.op in SEARCHES and call.args:
            yield Split(call, folds_shuffled(search.keywords.get("cv")), call.args[:1], how=_short(search))


def _by_cuts(splits: Splits) -> Iterator[Split]:
    """`x[:n]` and `x[n:]`: the same array, cut at the same place."""
    for items in list(splits.items_of.values()):
        cuts = [(item, _row_slice(item)) for item in items]
        heads = [(item, cut) for item, cut in cuts if cut and _starts_at_zero(cut) and len(cut.items) > 0]
        tails = [(item, cut) for item, cut in cuts if cut and not _starts_at_zero(cut)]
        train = [item for item, cut in heads if _end(cut) is not None]
        held = [item for item, cut in tails if any(_same_place(_end(head), _start(cut)) for _, head in heads)]
        if not train or not held:
            continue
        held += [
            item
            for item, cut in tails
            if item not in held and any(_same_place(_end(_row_slice(other)), _start(cut)) for other in held)
        ]
        data = frame(train[0].args[0])
        shuffled = _is_mixed_index(splits, data)
        whole = () if data is None else (data,)
        yield _with_indexed(splits, Split(train[0], shuffled, whole, tuple(train), tuple(held), "cut"))


def _is_mixed_index(splits: Splits, index: Value | None) -> bool:
    """A permutation, or a list of places that was shuffled in place."""
    drawn = bare(index)
    if isinstance(drawn, Call) and (drawn.op in PERMUTATIONS or drawn.op.endswith((".choice", ".sample"))):
        return True
    shuffles = splits.program.calls("random.shuffle", "numpy.random.shuffle", ".shuffle")
    return any(call.args and bare(call.args[0]) is drawn for call in shuffles)


def _row_slice(item: Call) -> Collection | None:
    key = first_key(item.args[1]) if len(item.args) > 1 else None
    if not isinstance(key, Collection) or key.kind != "slice" or not isinstance(key.node, ast.Slice):
        return None
    return None if is_full(key) or key.node.step is not None else key


def _start(cut: Collection | None) -> Value | None:
    node = cut.node if cut is not None else None
    return (
        cut.items[0] if cut is not None and isinstance(node, ast.Slice) and node.lower is not None else None
    )


def _end(cut: Collection | None) -> Value | None:
    node = cut.node if cut is not None else None
    if cut is None or not isinstance(node, ast.Slice) or node.upper is None:
        return None
    return cut.items[1 if node.lower is not None else 0]


def _starts_at_zero(cut: Collection) -> bool:
    start = _start(cut)
    return start is None or literal(start) == 0


def _same_place(left: Value | None, right: Value | None) -> bool:
    """Whether two boundaries are one number, or one is the other moved a little (a gap, the first window)."""
    if left is None or right is None:
        return False
    if root(left) is root(right):
        return True
    one, other = literal(left), literal(right)
    if one is not None or other is not None:
        return one is not None and one == other
    moved = root(right)
    if (
        isinstance(moved, Call)
        and moved.op in ("+", "-")
        and moved.args
        and root(moved.args[0]) is root(left)
    ):
        return True
    return _text(left) == _text(right) != ""


def _text(value: Value) -> str:
    return ast.dump(value.node) if isinstance(value.node, ast.expr) else ""


_OPPOSITE = {"<": ">=", "<=": ">", "==": "!=", ">": "<=", ">=": "<", "!=": "=="}


def _by_masks(splits: Splits) -> Iterator[Split]:
    """`df[mask]` and `df[~mask]`, `df[df.year < 2020]` and `df[df.year >= 2020]`."""
    for items in list(splits.items_of.values()):
        masks = [(item, root(first_key(item.args[1]))) for item in items]
        chosen = [(item, mask) for item, mask in masks if isinstance(mask, Call) and mask.op in _COMPARISONS]
        for item, mask in chosen:
            held = [other for other, against in chosen if _are_opposite(mask, against)]
            if held and mask.op != "~":
                drawn = any(
                    isinstance(part, Call) and part.op.rpartition(".")[2] in ("rand", "random", "uniform")
                    for part in mask.args
                )
                yield Split(item, drawn or None, (item.args[0],), (item,), tuple(held), "mask")
                break


def _are_opposite(mask: Call, other: Call) -> bool:
    if other.op == "~" and other.args and root(other.args[0]) is mask:
        return True
    return (
        _OPPOSITE.get(mask.op) == other.op
        and isinstance(mask.node, ast.Compare)
        and isinstance(other.node, ast.Compare)
        and ast.dump(mask.node.left) == ast.dump(other.node.left)
        and ast.dump(mask.node.comparators[0]) == ast.dump(other.node.comparators[0])
    )


def _by_sample(splits: Splits) -> Iterator[Split]:
    """`train = df.sample(frac=0.8)`, `test = df.drop(train.index)`."""
    for drop in splits.program.calls(".drop"):
        index = root(drop.args[0] if drop.args else drop.keywords.get("index"))
        train = root(index.receiver) if isinstance(index, Call) and index.op == "@index" else None
        if isinstance(train, Call) and train.op == ".sample" and train.receiver is not None:
            if root(train.receiver) is root(drop.receiver):
                yield Split(train, True, (train.receiver,), (train,), (drop,), "sample")


def _short(call: Call) -> str:
    return call.op.rpartition(".")[2]
