"""In which order rows stand: class after class, shuffled, drawn at random, or one after the other in time."""

import ast
import re

from sleuth.source.flow import ancestry, literal, root
from sleuth.source.interpreter.values import Call, Collection, Constant, Instance, Unknown, Value
from sleuth.source.topics.blocks import blocks
from sleuth.source.topics.loaders import class_of, method
from sleuth.source.topics.splits import PERMUTATIONS, Splits, bare, first_key, is_full
from sleuth.source.word_search import Pattern

# Data sets that come class after class.
CLASS_AFTER_CLASS = frozenset(
    {
        "torchvision.datasets.ImageFolder",
        "torchvision.datasets.DatasetFolder",
        "sklearn.datasets.load_iris",
        "sklearn.datasets.load_wine",
        "torchvision.datasets.folder.ImageFolder",
    }
)
_BLOCKS = frozenset("zeros ones full zeros_like ones_like full_like".split())
_JOINS = frozenset("cat concat concatenate hstack vstack stack append r_".split())
SHUFFLERS = frozenset(
    {
        "numpy.random.shuffle",
        "random.shuffle",
        ".shuffle",
        "sklearn.utils.shuffle",
        "datasets.Dataset.shuffle",
    }
)
_DRAWN = frozenset(
    "randn rand randint randn_like rand_like normal uniform standard_normal integers random "
    "multivariate_normal make_classification make_moons make_blobs make_regression make_circles poisson "
    "bernoulli choice gaussian_quantiles make_friedman1 multinomial random_sample".split()
)
_CLOCK = Pattern(r"(?<![a-z])(date|datetime|timestamp|time|day|month|ds)(?![a-z])", re.IGNORECASE)
_MOVING = frozenset({".rolling", ".pct_change", ".ewm", ".expanding"})


def is_shuffled(splits: Splits, value: Value | None) -> bool:
    """Whether somebody mixed these rows, once or every time."""
    in_place = {id(bare(call.args[0])) for call in splits.program.calls(*SHUFFLERS) if call.args}
    shuffled_parts = {
        id(part)
        for split in splits.found
        if split.shuffled is not False and split.how != "mask"
        for part in (*split.train, *split.held_out)
        if split.how != "cut" or split.shuffled
    }
    for here in splits.rows(value):
        if id(here) in shuffled_parts or id(here) in in_place:
            return True
        if isinstance(here, Call):
            if here.op in PERMUTATIONS or here.op in SHUFFLERS or here.op in (".sample", ".train_test_split"):
                return True
            if here.op == "[]" or here.op.endswith(".Subset"):
                key = bare(first_key(here.args[1])) if len(here.args) > 1 else None
                if id(key) in in_place or _is_mixed(key):
                    return True
    return False


def _is_mixed(key: Value | None) -> bool:
    """An index whose order was drawn: a permutation, a random choice, a sample."""
    return any(
        isinstance(part, Call)
        and (
            part.op in PERMUTATIONS
            or part.op.rpartition(".")[2] in ("choice", "randint", "sample", "multinomial")
        )
        for part in ancestry(key, 60)
    )


def is_drawn(splits: Splits, value: Value | None) -> bool:
    """Rows made by a random generator: any order is as good as any other."""
    return any(_draws(here) for here in ancestry_of(splits, value))


def _draws(value: Value) -> bool:
    return isinstance(value, Call) and value.op.rpartition(".")[2] in _DRAWN and not value.op.startswith("@")


def ancestry_of(splits: Splits, value: Value | None) -> list[Value]:
    """All that the rows were made from, the contents of project objects included."""
    found: list[Value] = []
    for here in splits.rows(value):
        found.extend(ancestry(here, 300) if isinstance(here, Call) else [here])
        if len(found) > 1500:
            break
    return found


def class_after_class(splits: Splits, value: Value | None) -> Call | None:
    """What shows that rows stand class after class, unless somebody mixed them."""
    if is_shuffled(splits, value):
        return None
    for here in splits.rows(value):
        if isinstance(here, Call):
            if here.op in CLASS_AFTER_CLASS or _is_sorting_index(here) or _joins_blocks(here):
                return here
        elif isinstance(here, Collection) and (grown := blocks(splits.program).get(id(here))) is not None:
            if _is_class_target(splits, here):
                return grown
    return None


def _is_class_target(splits: Splits, labels: Collection) -> bool:
    """A list of groups may stand beside the labels, and to hold out whole groups is right."""
    targets = [use.target for use in splits.program.losses if use.name in ("cross_entropy", "nll_loss")]
    targets += [call.argument(1, "y") for call in splits.program.calls(".fit", ".partial_fit")]
    return any(here is labels for target in targets for here in splits.rows(target))


def _is_sorting_index(here: Call) -> bool:
    """`x[np.argsort(y)]`, `np.repeat(np.arange(10), 50)`."""
    if here.op == "[]" and len(here.args) == 2:
        key = bare(first_key(here.args[1]))
        return isinstance(key, Call) and key.op.rpartition(".")[2] == "argsort"
    if here.op in ("numpy.repeat", "torch.repeat_interleave", ".repeat_interleave"):
        data = root(here.receiver or (here.args[0] if here.args else None))
        return isinstance(data, Call) and data.op.rpartition(".")[2] == "arange"
    return False


def _joins_blocks(here: Call) -> bool:
    """`torch.cat([torch.zeros(n), torch.ones(n)])`: labels in one block a class."""
    if here.op.rpartition(".")[2] not in _JOINS or not here.args:
        return False
    parts = root(here.args[0])
    if not isinstance(parts, Collection) or not parts.items:
        return False
    blocks = [_filled_with(part) for part in parts.items]
    if None in blocks:
        return False
    return len(set(blocks)) > 1 or (parts.open and "varies" in blocks)


def _filled_with(value: Value) -> object:
    made = root(value)
    while isinstance(made, Call) and made.op in (".long", ".float", ".to", ".astype", ".int"):
        made = root(made.receiver)
    if isinstance(made, Collection) and made.items and len(made.items) == 1 and made.open:
        return literal(made.items[0])
    if not isinstance(made, Call):
        return None
    name = made.op.rpartition(".")[2].removesuffix("_like")
    if name not in _BLOCKS:
        return None
    if name == "full":
        fill = made.argument(1, "fill_value")
        if any(_draws(part) for part in ancestry(fill, 40)):
            return None  # the blocks come as chance would have it
        known = literal(fill)
        return "varies" if known is None else known
    return 0 if name == "zeros" else 1


def in_time(splits: Splits, value: Value | None, before: int) -> tuple[str, Value] | None:
    """What shows that the rows follow each other in time, and how sure that is: `proven` or `likely`."""
    weak: tuple[str, Value] | None = None
    for here in splits.rows(value, before=before):
        if isinstance(here, Instance) and (cut := _window_dataset(here)) is not None:
            return "proven", cut
        if not isinstance(here, Call):
            continue
        if here.op == "[]" and _is_window(splits, here):
            return "proven", here
        if here.op == ".shift" and _is_lag(here):
            panel = any(
                isinstance(part, Call) and part.op == ".groupby" for part in ancestry(here.receiver, 40)
            )
            return "likely" if panel else "proven", here
        if here.op in ("numpy.lib.stride_tricks.sliding_window_view",) or (
            here.op == ".unfold" and here.args and literal(here.args[0]) == 0
        ):
            return "proven", here
        if here.op in _MOVING or (
            here.op == ".resample" and isinstance(literal(here.argument(0, "rule")), str)
        ):
            weak = weak or ("likely", here)
        if here.op in (".sort_values", ".set_index") and _on_the_clock(here):
            weak = weak or ("likely", here)
        if here.op in (".drop_duplicates", ".groupby"):
            return None
    return weak


def _is_lag(call: Call) -> bool:
    periods = call.argument(0, "periods")
    return periods is None or isinstance(literal(periods), int) or isinstance(root(periods), Call | Unknown)


def _on_the_clock(call: Call) -> bool:
    key = root(call.argument(0, "by") or call.keywords.get("keys"))
    names = key.items if isinstance(key, Collection) else [key] if key is not None else []
    return (
        bool(names)
        and isinstance(text := literal(names[0]), str)
        and bool(_CLOCK.search(text.replace("_", " ")))
    )


def _is_window(splits: Splits, item: Call) -> bool:
    """`series[i : i + w]` for every i: neighbours share all but one value."""
    key = item.args[1] if len(item.args) > 1 else None
    if isinstance(key, Collection) and key.kind == "tuple":
        if not all(is_full(part) or isinstance(part, Constant) for part in key.items[1:]):
            return False  # a patch of a picture
    cut = first_key(key) if key is not None else None
    if not isinstance(cut, Collection) or cut.kind != "slice" or len(cut.items) != 2:
        return False
    start, end = root(cut.items[0]), root(cut.items[1])
    moved = any(_moves_with(one, other) for one, other in ((start, end), (end, start)))
    if not moved or not any(_counts_one_by_one(place) for place in (start, end)):
        return False
    for here in splits.rows(item.args[0]):
        if isinstance(here, Call) and here.op in ("next", ".read", ".read_text", ".encode"):
            return False  # one of many sequences, or text
    return True


def _moves_with(place: Value | None, other: Value | None) -> bool:
    return (
        isinstance(other, Call) and other.op in ("+", "-") and any(root(part) is place for part in other.args)
    )


def _counts_one_by_one(place: Value | None) -> bool:
    if not isinstance(place, Call) or place.op != "next" or not place.args:
        return False
    counter = root(place.args[0])
    if not isinstance(counter, Call) or counter.op != "builtins.range":
        return False
    return len(counter.args) < 3 or literal(counter.args[2]) == 1


def _window_dataset(dataset: Instance) -> Value | None:
    """A Dataset whose item i is `self.series[i : i + w]`."""
    getter = method(class_of(dataset), "__getitem__")
    if getter is None or len(getter.args.args) < 2:
        return None
    index = getter.args.args[1].arg
    for node in ast.walk(getter):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Attribute):
            continue
        cut = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        if isinstance(cut, ast.Slice) and _is_name(cut.lower, index) and isinstance(cut.upper, ast.BinOp):
            if _is_name(cut.upper.left, index) and isinstance(cut.upper.op, ast.Add):
                return Value(node, dataset.cls.source)
    return None


def _is_name(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
