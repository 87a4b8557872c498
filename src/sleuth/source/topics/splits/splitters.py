"""Splits that a library makes: train_test_split, random_split, folds and searches."""

from collections.abc import Iterator

from sleuth.source.flow import literal, root
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.topics.splits.division import Split, Splits
from sleuth.source.topics.splits.rows import RANDOM_SPLIT, TRAIN_TEST_SPLIT, bare, frame

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


def by_library(splits: Splits) -> Iterator[Split]:
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
        yield with_indexed(splits, Split(call, shuffled, whole, tuple(train), tuple(held), _short(call)))


def with_indexed(splits: Splits, split: Split) -> Split:
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


def by_folds(splits: Splits) -> Iterator[Split]:
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
            yield with_indexed(splits, Split(call, shuffled, call.args[:1], train, held, name))
    for call in program.calls(*CROSS_VALIDATORS):
        data = call.argument(1, "X")
        if data is not None:
            cv = call.keywords.get("cv")
            yield Split(call, folds_shuffled(cv), (data,), how=splitter_class(cv) or _short(call))
    for call in program.calls(".fit"):
        search = root(call.receiver)
        if isinstance(search, Call) and search.op in SEARCHES and call.args:
            yield Split(call, folds_shuffled(search.keywords.get("cv")), call.args[:1], how=_short(search))


def _short(call: Call) -> str:
    return call.op.rpartition(".")[2]
