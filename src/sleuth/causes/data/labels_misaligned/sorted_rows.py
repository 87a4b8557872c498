"""Tables put into an order of their own before their rows are matched by place."""

from typing import NamedTuple

from sleuth.source.flow import ancestry, literal, root
from sleuth.source.interpreter.values import Call, Collection, Value
from sleuth.source.topics.splits import Splits

# Rows that are looked up by name, not by place, or regrouped, have an order that is not followed here.
_BY_NAME = frozenset(
    ".merge .join .set_index .reindex .reindex_like .loc @loc @index .groupby .pivot .pivot_table .align "
    ".map .lookup .sort_index .drop_duplicates pandas.merge pandas.concat pandas.merge_asof".split()
)


class Apart(NamedTuple):
    """A table that was sorted, and whether the other was, too, by something else."""

    at: Call
    both: bool


def sorted_apart(splits: Splits, inputs: Value, targets: Value) -> Apart | None:
    """Inputs and targets from tables in two different orders."""
    left, right = _chain(splits, inputs), _chain(splits, targets)
    if any(call.op in _BY_NAME for call in (*left, *right)):
        return None
    mine, theirs = _last_sort(left), _last_sort(right)
    if mine is not None and theirs is not None:
        one, other = _key(mine), _key(theirs)
        differ = one is not None and other is not None and one != other
        return Apart(max(mine, theirs, key=lambda call: call.order), both=True) if differ else None
    sort = mine or theirs
    unsorted = targets if mine is not None else inputs
    if sort is None or root(sort.receiver) is None or any(here is sort for here in ancestry(unsorted, 1_000)):
        return None
    frame = root(sort.receiver)
    shared = isinstance(frame, Call) and any(root(here) is frame for here in splits.rows(unsorted))
    return Apart(sort, both=False) if shared else None


def _chain(splits: Splits, value: Value) -> list[Call]:
    return [here for here in splits.rows(value, joined=False) if isinstance(here, Call)]


def _last_sort(chain: list[Call]) -> Call | None:
    sorts = [call for call in chain if call.op == ".sort_values" and call.receiver is not None]
    return max(sorts, key=lambda call: call.order, default=None)


def _key(sort: Call) -> object:
    """The columns that are sorted by, and which way, where they are written out."""
    given = root(sort.argument(0, "by"))
    names = given.items if isinstance(given, Collection) else [given]
    columns = tuple(literal(name) for name in names)
    down = sort.keywords.get("ascending")
    if None in columns or (down is not None and literal(down) is None):
        return None
    return columns, literal(down) in (None, True)
