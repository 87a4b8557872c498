"""Splits that a program makes itself: two cuts of an array, a mask and its opposite, a sample."""

import ast
from collections.abc import Iterator

from sleuth.source.flow import ancestry, literal, root
from sleuth.source.interpreter.values import Call, Collection, Value
from sleuth.source.topics.splits.division import Split, Splits
from sleuth.source.topics.splits.rows import COMPARISONS, PERMUTATIONS, bare, first_key, frame, is_full
from sleuth.source.topics.splits.splitters import with_indexed


def by_cuts(splits: Splits) -> Iterator[Split]:
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
        if data is not None and _is_answer(data):
            continue
        shuffled = _is_mixed_index(splits, data)
        whole = () if data is None else (data,)
        yield with_indexed(splits, Split(train[0], shuffled, whole, tuple(train), tuple(held), "cut"))


def _is_answer(data: Value) -> bool:
    """What a network says about a batch: its rows are taken apart as they were put together."""
    return any(isinstance(part, Call) and part.op == "()" for part in ancestry(data, 60))


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


def by_masks(splits: Splits) -> Iterator[Split]:
    """`df[mask]` and `df[~mask]`, `df[df.year < 2020]` and `df[df.year >= 2020]`."""
    for items in list(splits.items_of.values()):
        masks = [(item, root(first_key(item.args[1]))) for item in items]
        chosen = [(item, mask) for item, mask in masks if isinstance(mask, Call) and mask.op in COMPARISONS]
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


def by_sample(splits: Splits) -> Iterator[Split]:
    """`train = df.sample(frac=0.8)`, `test = df.drop(train.index)`."""
    for drop in splits.program.calls(".drop"):
        index = root(drop.args[0] if drop.args else drop.keywords.get("index"))
        train = root(index.receiver) if isinstance(index, Call) and index.op == "@index" else None
        if isinstance(train, Call) and train.op == ".sample" and train.receiver is not None:
            if root(train.receiver) is root(drop.receiver):
                yield Split(train, True, (train.receiver,), (train,), (drop,), "sample")
