"""Columns chosen by the inputs and labels of all rows: `best = choose(X, y)`, then `X[rows][:, best]`."""

from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.flow import parents, root
from sleuth.source.interpreter.values import Call, Collection, Value
from sleuth.source.topics.splits.division import Split, Splits
from sleuth.source.topics.splits.rows import identity, is_data, is_full

MOST_STEPS = 600  # back from an index to what it was computed from


@dataclass(frozen=True)
class ChosenColumns:
    """The index, where columns are taken by it, and the split whose labels had a say in it."""

    index: Call
    taken: tuple[Call, ...]
    split: Split


def chosen_columns(splits: Splits) -> Iterator[ChosenColumns]:
    taken: dict[int, tuple[Call, list[Call]]] = {}
    for item in splits.program.calls("[]"):
        index = _column_index(item)
        if index is not None:
            taken.setdefault(id(index), (index, []))[1].append(item)
    for index, items in taken.values():
        for split in splits.found:
            if _saw_inputs_and_labels(splits, index, split) and _of_the_inputs(splits, items, split):
                yield ChosenColumns(index, tuple(items), split)
                break


def _column_index(item: Call) -> Call | None:
    """`panel` of `X[:, panel]`: an index that was computed, not written down."""
    key = item.args[1] if len(item.args) == 2 else None
    if not isinstance(key, Collection) or key.kind != "tuple" or len(key.items) != 2:
        return None
    index = root(key.items[1])
    return index if is_full(key.items[0]) and isinstance(index, Call) else None


def _saw_inputs_and_labels(splits: Splits, index: Value, split: Split) -> bool:
    """Both are divided together. What both were made from (one call that loads them) tells nothing."""
    inputs, *others = (_arrays(splits, data) for data in split.whole or (None,))
    seen = _whole_arrays(splits, index, inputs)
    return bool(seen & inputs) and any(seen & (other - inputs) for other in others)


def _of_the_inputs(splits: Splits, items: list[Call], split: Split) -> bool:
    """The columns are those of what is divided, not of the answers or of some table beside it."""
    inputs = _arrays(splits, split.whole[0] if split.whole else None)
    return any(inputs & {identity(here) for here in splits.rows(item.args[0])} for item in items)


def _arrays(splits: Splits, value: Value | None) -> set[object]:
    return {identity(here) for here in splits.rows(value) if is_data(here)}


def _whole_arrays(splits: Splits, value: Value, inputs: set[object]) -> set[object]:
    """What a value was computed from, not counting what went through a part of a split, nor how the inputs
    themselves were made: rows without a label may have been left out of them."""
    seen: set[object] = set()
    front: list[Value] = [value]
    while front and len(seen) < MOST_STEPS:
        here = front.pop()
        if identity(here) not in seen and not splits.is_part(here):
            seen.add(identity(here))
            front += () if identity(here) in inputs else parents(here)
    return seen
