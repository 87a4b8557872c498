"""The labels do not belong to their inputs: shuffled, shifted, or sorted separately.

## What happens
Two lists were in step, and then only one of them was sorted, filtered, shuffled or shifted. No
shape changes, no range changes, class frequencies stay exactly right. The first loss is perfect
(ln 10 = 2.30 for ten classes), which rules out many other causes and lulls you.

```python
x = x[torch.randperm(len(x))]                 # y keeps the old order
images = sorted(glob("img/*.png"))            # img10 before img2
labels = pd.read_csv("labels.csv")["label"]   # in the order of acquisition
```

Other origins: `dropna()` on the features alone, a window whose target is off by one, flipping an
image without flipping its boxes, a merge that changes the row order, predictions gathered from
workers in order of arrival. On 8x8 digits, labels shifted by one row gave 7% test accuracy after
ten epochs; with 100 epochs a network memorised 81% of fully shuffled labels and scored 10% on test.

Partial damage is the common kind and has a telling sign: with a fifth of the labels shuffled,
training accuracy stayed at 78% while a clean test set scored 92%. Evaluation above training, with
no dropout or augmentation to explain it, suggests that part of the training labels is wrong.

## How to tell
- **lint**: `shuffle`, `sample`, a permutation or `train_test_split` applied to one half of a pair,
  or to each half by its own draw; tables sorted by two different columns, or one of them alone, and
  matched by place; two separate, unsorted `glob` or `listdir` results.
- **probe**: near neighbours in input space agree on the label no more often than chance.
- **experiment**: shuffled-labels. If the run learns just as fast, and generalises just as badly,
  with labels shuffled on purpose, they were already shuffled before.
- **refuted by**: ten random pairs shown to a person, all correct, taken right before the model.

## How to fix
Never keep pairs in two containers; index both with one permutation, or join on a key.

```python
order = torch.randperm(len(x))
x, y = x[order], y[order]
frame = images.merge(labels, on="image_id", validate="one_to_one")
```

## Often mistaken for
- `input-destroyed`: a person cannot name the class from the input; here they can, and disagree.
- `lr-too-low`: ten times the rate helps there; here it only memorises faster.
- `overfitting`: held-out loss improves at first; with shuffled labels it never does.

## Sources
- karpathy-2019: the introduction on silent failures (labels not flipped along with the image) and
  "visualize just before the net".
- zhang-2017: section 2, training error reaches zero on randomly labelled data.
- ivanov-2017: part I, item 4, checking some samples for their labels and shuffling both sides
  alike.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.quick_dataclass import dataclass
from sleuth.source.flow import ancestry, literal, root
from sleuth.source.interpreter.values import Call, Collection, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.loaders import line
from sleuth.source.topics.row_order import SHUFFLERS
from sleuth.source.topics.splits import PERMUTATIONS, TRAIN_TEST_SPLIT, Splits, bare, first_key, splits_of

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene

CONSEQUENCE_OF = (
    "batch-mixing inputs-constant missing-nonlinearity shared-layer-misuse softmax-wrong-dim "
    "structural-ceiling unused-parameters"
)
GIVES_WAY_TO = "proven"
UNLESS = {"numbers": "overcome"}
LOOKS_LIKE = {"stuck from the start": "even"}
PREDICTS = {"noise-inputs": "usually", "shuffled-labels": "always"}


# Calls that take inputs and targets row by row.
PAIRS = ("torch.utils.data.TensorDataset", *TRAIN_TEST_SPLIT, ".fit", "builtins.zip")
SEEDS = (
    "numpy.random.seed",
    "numpy.random.set_state",
    "random.seed",
    "random.setstate",
    "torch.manual_seed",
    "torch.set_rng_state",
    ".manual_seed",
    ".set_state",
    ".seed",
)
LISTINGS = frozenset({"os.listdir", "glob.glob", "os.scandir", ".glob", ".iterdir", ".rglob", "glob.iglob"})
COUNTS = frozenset({"builtins.range", "builtins.len", "numpy.arange", "torch.arange"})
FIX = "Draw one permutation and index inputs and labels with it, or keep each pair in one record."


@dataclass(frozen=True)
class Pair:
    """Inputs and targets that are used row by row, and where."""

    inputs: Value
    targets: Value
    at: Call
    is_table: bool = False


NEEDS = "shuffle perm sort sample andom rand( glob listdir scandir choice split"


def lint(program: Program) -> Iterator[Evidence]:
    splits = splits_of(program)
    reseeds = sorted(call.order for call in program.calls(*SEEDS))
    pairs = list(_pairs(program))
    drawn = [(pair, _draws(splits, pair.inputs), _draws(splits, pair.targets)) for pair in pairs]
    intact = any(not left and not right for _, left, right in drawn)
    for pair, left, right in drawn:
        alone = [one for one in left if not any(_same_draw(one, other, reseeds) for other in right)]
        lonely = [one for one in right if not any(_same_draw(one, other, reseeds) for other in left)]
        if alone and lonely and _of_one_kind(alone, lonely):
            guilty = max((*alone, *lonely), key=lambda draw: draw.order)
            yield clue(
                "proven",
                guilty,
                "Inputs and labels are shuffled by two different random permutations (lines "
                f"{line(alone[0])} and {line(lonely[0])}): rows no longer match.",
                fix=FIX,
            )
        elif alone and not right and pair.is_table and not _follows(program, pair.targets, alone):
            yield _one_sided(alone[0], "inputs", "labels", pair)
        elif lonely and not left and pair.is_table and not intact and _is_indexed(splits, pair.targets):
            if not _follows(program, pair.inputs, lonely):
                yield _one_sided(lonely[0], "labels", "inputs", pair)
    if program.holds("sort_values"):
        yield from _sorted(splits, pairs)
    yield from _listings(program, splits)
    yield from _moved_apart(program)


def _moved_apart(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.data.labels_misaligned.drawn_apart import drawn_apart

    for found in drawn_apart(program.source):
        yield clue(
            "proven" if found.certain else "likely",
            Value(found.mask, program.source),
            f"`{ast.unparse(found.picture)}` and `{ast.unparse(found.mask)}` draw random parameters "
            "separately: the image is transformed one way and its per-pixel target another.",
            fix="Draw once and apply it to both: transform them as one array, or draw the parameters "
            "once and pass them to both.",
        )


def _sorted(splits: Splits, pairs: list[Pair]) -> Iterator[Evidence]:
    from sleuth.causes.data.labels_misaligned.sorted_rows import sorted_apart

    for pair in pairs:
        if not pair.is_table or (apart := sorted_apart(splits, pair.inputs, pair.targets)) is None:
            continue
        how = "was sorted by something else" if apart.both else "keeps its order"
        yield clue(
            "proven",
            apart.at,
            "One table is sorted here and the other, with which it is matched row by row on line "
            f"{line(pair.at)}, {how}: rows no longer match.",
            fix="Sort before the inputs and labels are taken apart, or look each label up by its key.",
        )


def _one_sided(draw: Call, moved: str, kept: str, pair: Pair) -> Evidence:
    return clue(
        "proven" if moved == "inputs" else "likely",
        draw,
        f"The {moved} are reordered here and the {kept} they are paired with on line {line(pair.at)} are "
        "not.",
        fix=FIX,
    )


def _pairs(program: Program) -> Iterator[Pair]:
    for call in program.calls(*PAIRS):
        if len(call.args) >= 2:
            # zip also walks through things that have nothing to do with each other, such as plots.
            yield Pair(call.args[0], call.args[1], call, is_table=call.op != "builtins.zip")
        if len(call.args) > 2 and call.op.endswith("TensorDataset"):
            yield from (Pair(call.args[0], other, call, is_table=True) for other in call.args[2:])
    forwards = [event.call for event in program.training.of("forward") if event.call.args]
    for use in program.losses:
        loops = use.call.context.loops
        if use.target is None or not loops:
            continue
        for forward in forwards:
            if forward.context.loops and forward.context.loops[-1] is loops[-1] and not _is_inner(forward):
                yield Pair(forward.args[0], use.target, use.call)


def _is_inner(forward: Call) -> bool:
    """A layer applied within a model's own forward."""
    return any(getattr(site.receiver, "bound", None) is not None for site in forward.context.sites[-1:]) and (
        getattr(forward.context.function, "name", "") == "forward"
    )


def _draws(splits: Splits, value: Value) -> list[Call]:
    """The draws that decided the order of rows."""
    in_place: dict[int, list[Call]] = {}
    for call in splits.program.calls(*SHUFFLERS):
        if call.args and call.op != "sklearn.utils.shuffle":
            in_place.setdefault(id(root(call.args[0])), []).append(call)
    found: list[Call] = []
    for here in splits.rows(value, joined=False):
        found.extend(in_place.get(id(here), ()))
        if not isinstance(here, Call):
            continue
        if here.op in ("sklearn.utils.shuffle", ".sample") or _permutes_rows(here):
            if here.op != ".sample" or literal(here.keywords.get("frac")) in (1, 1.0):
                found.append(here)
        elif here.op == "[]" and len(here.args) == 2:
            split = root(here.args[0])
            if isinstance(split, Call) and split.op in TRAIN_TEST_SPLIT:
                found.extend([split] if literal(split.keywords.get("shuffle")) is not False else [])
            else:
                found.extend(_index_draws(first_key(here.args[1]), in_place))
    unique = {id(draw): draw for draw in found}
    return list(unique.values())


def _permutes_rows(call: Call) -> bool:
    """`rng.permutation(x)` of an array, as opposed to a permutation of places (or a table of new names)."""
    if call.op not in PERMUTATIONS or call.op.endswith("randperm") or not call.args:
        return False
    data = root(call.args[-1 if call.op.startswith("jax") else 0])
    return isinstance(data, Call) and data.op not in (
        "builtins.len",
        "[]",
        "@size",
        ".size",
        "+",
        "-",
        "*",
        "//",
    )


def _index_draws(key: Value, in_place: dict[int, list[Call]]) -> list[Call]:
    """The permutation behind an index: `perm`, `perm[:n]`, `perm[i : i + b]`, a shuffled list of places."""
    place = bare(key)
    for _ in range(5):
        if id(place) in in_place:
            return in_place[id(place)]
        if isinstance(place, Call) and place.op in PERMUTATIONS:
            return [place]
        if isinstance(place, Call) and place.op in ("[]", "next") and place.args:
            place = bare(place.args[0])
        elif isinstance(place, Call) and place.op in (".split", ".chunk", ".tolist", ".numpy", ".cpu"):
            place = bare(place.receiver)
        else:
            return []
    return []


def _of_one_kind(some: list[Call], others: list[Call]) -> bool:
    """Whether two draws could be of the same rows: a part of a split beside a whole in another order would
    not even have its length, so that something was made from the part in between."""
    kinds = {draw.op in TRAIN_TEST_SPLIT for draw in some}
    return not kinds.isdisjoint(draw.op in TRAIN_TEST_SPLIT for draw in others)


def _same_draw(one: Call, other: Call, reseeds: list[int]) -> bool:
    """One draw, or two that a common seed makes equal."""
    if one is other or one.node is other.node:  # the same line, reached by several calls
        return True
    if any(min(one.order, other.order) < moment < max(one.order, other.order) for moment in reseeds):
        return True
    mine, theirs = _seed(one), _seed(other)
    return mine is not None and mine == theirs


def _seed(draw: Call) -> object:
    given = draw.keywords.get("random_state", draw.keywords.get("generator"))
    if given is not None:
        known = literal(given)
        return (
            known if known is not None else (id(root(given)) if not isinstance(root(given), Call) else None)
        )
    maker = root(draw.receiver)
    if (
        isinstance(maker, Call)
        and maker.args
        and maker.op.rpartition(".")[2] in ("default_rng", "RandomState", "Random")
    ):
        # A generator made for this one draw; one that serves several gives each its own order.
        return (maker.op, literal(maker.args[0])) if maker.order == draw.order - 1 else None
    return None


def _is_indexed(splits: Splits, value: Value) -> bool:
    """`y[perm]`, as opposed to labels that were drawn in a random order to make the data from them."""
    return not any(isinstance(here, Call) and here.op in PERMUTATIONS for here in splits.rows(value))


def _follows(program: Program, value: Value, draws: list[Call]) -> bool:
    """Whether the other side was computed from the moved one, or has no order of its own to keep."""
    if any(draw.op in TRAIN_TEST_SPLIT for draw in draws):
        return True  # a part beside a whole would not even have its length
    moved = {id(draw) for draw in draws}
    moved |= {id(root(draw.args[0])) for draw in draws if draw.op in SHUFFLERS and draw.args}
    family = [*ancestry(value, 1_000)]
    if any(id(here) in moved for here in family) or _filled_along(program, family, moved):
        return True
    if any(isinstance(here, Collection) and here.open and _has_no_source(here) for here in family):
        return True  # made item by item from something that is out of sight
    return not any(isinstance(here, Call) and here.op not in COUNTS for here in family)


def _filled_along(program: Program, family: list[Value], moved: set[int]) -> bool:
    """`for i, kind in enumerate(kinds): waves[i] = ...`: written row by row from what had been moved."""
    arrays = {id(here) for here in family}
    writes = [call for call in program.calls("[]=") if id(root(call.receiver)) in arrays]
    sources = [
        source for call in writes for source in (call.args[-1], *(at.over for at in call.context.loops))
    ]
    return any(
        id(here) in moved for source in sources if source is not None for here in ancestry(source, 200)
    )


def _has_no_source(items: Collection) -> bool:
    return not any(isinstance(part, Call) for part in ancestry(items, 60))


def _listings(program: Program, splits: Splits) -> Iterator[Evidence]:
    """Two folders listed separately, or a folder and a shuffled table, matched by place."""
    pairs = [(call.args[0], call.args[1]) for call in program.calls("builtins.zip") if len(call.args) == 2]
    by_place: dict[tuple[int, object], list[Call]] = {}
    for item in program.calls("[]"):
        if len(item.args) == 2 and not isinstance(item.args[1], Collection):
            by_place.setdefault((id(root(item.args[1])), item.context.function), []).append(item)
    for items in by_place.values():
        pairs += [(items[0].args[0], other.args[0]) for other in items[1:4]]
    for left, right in pairs:
        one, other = _listing(program, left), _listing(program, right)
        yield from _listed_beside_shuffled(splits, one, right)
        yield from _listed_beside_shuffled(splits, other, left)
        if one is None or other is None or one[0] is other[0]:
            continue
        unsorted = [call for call, is_sorted in (one, other) if not is_sorted]
        if unsorted:
            yield clue(
                "likely",
                unsorted[0],
                f"Two folders are listed separately (lines {line(one[0])} and {line(other[0])}) and "
                "matched by position; a listing has no guaranteed order.",
                fix="Sort both listings by a common key, or look up each label by the name of its input.",
            )


def _listed_beside_shuffled(
    splits: Splits, listing: tuple[Call, bool] | None, table: Value
) -> Iterator[Evidence]:
    draws = _draws(splits, table) if listing is not None else []
    if listing is None or not draws or any(here is listing[0] for here in ancestry(table, 1_000)):
        return
    yield clue(
        "proven",
        draws[0],
        "The table is reordered here, and its rows are matched by position with the folder listed on "
        f"line {line(listing[0])}, which is not.",
        fix="Look up each label by the name of its file.",
    )


def _listing(program: Program, value: Value) -> tuple[Call, bool] | None:
    """The folder listing that a list is, and whether it was sorted."""
    in_order = False
    here = root(value)
    for _ in range(8):
        if isinstance(here, Call) and here.op in LISTINGS:
            in_order = in_order or any(root(call.receiver) is here for call in program.calls(".sort"))
            return here, in_order
        if isinstance(here, Call) and here.op in ("builtins.sorted", "builtins.list", "next") and here.args:
            in_order = in_order or here.op == "builtins.sorted"
            here = root(here.args[0])
        elif isinstance(here, Collection) and here.open and len(here.items) == 1:
            if any(root(call.receiver) is here for call in program.calls(".sort")):
                in_order = True
            inner = [
                part for part in ancestry(here.items[0], 30) if isinstance(part, Call) and part.op == "next"
            ]
            here = inner[0] if inner else None
        else:
            return None
    return None


NEAR = 0.7  # nearest neighbour over typical distance: only then is a neighbour a witness


def probe(bench: "Workbench") -> Iterator[Evidence]:
    yield from _shifted_twice(bench)
    yield from _not_shifted(bench)
    yield from _unlike_their_neighbours(bench)


def _shifted_twice(bench: "Workbench") -> Iterator[Evidence]:
    """A model of the next token whose target is the one after."""
    for use in bench.first.losses if not bench.failure else ():
        if use.ahead is not None and use.ahead > 1:
            yield Evidence(
                f"The target at each position is the input's token {use.ahead} positions ahead, not the "
                "next one: it is shifted once in the data and again in the loss.",
                telling="proven",
                unless=(),  # shown, however far the loss falls
                where=use.where,
                numbers={"ahead": use.ahead},
                fix="Shift once only: give the loss `logits` and targets that are the next tokens.",
            )


FORWARD = 1e-4  # relative change of outputs before a place that is replaced; kernels leave 1e-7


def _not_shifted(bench: "Workbench") -> Iterator[Evidence]:
    """A model that reads forward, to tell the next token, is asked for the one it has read."""
    from sleuth.measure.workbench import NotApplicable

    judged = [use for use in bench.first.losses if use.ahead == 0] if not bench.failure else []
    if not judged:
        return
    try:
        seen = bench.causality
    except NotApplicable:
        return
    if seen.equal == 1.0 and seen.change <= FORWARD < seen.past:
        yield Evidence(
            "Targets and inputs are the same sequence, and each output sees its own position and those "
            "before it: the model only has to copy the token it has just read.",
            telling="proven",
            unless=(),
            where=judged[0].where,
            numbers={"ahead": 0},
            fix="Shift by one: inputs, targets = tokens[:, :-1], tokens[:, 1:].",
        )


def _unlike_their_neighbours(bench: "Workbench") -> Iterator[Evidence]:
    seen = bench.neighbours
    # Examples that were each brought to one size lack what may have told their labels: see input-destroyed.
    if seen.nearness < NEAR and seen.like_chance and not seen.leveled:
        yield Evidence(
            f"The nearest of {seen.rows} examples has the same label in {seen.agreement:.1%} of cases, "
            f"and chance would give {seen.chance:.1%}: similar inputs do not share labels, as if labels "
            "had been shuffled.",
            telling="likely",
            numbers={"agreement": seen.agreement, "chance": seen.chance, "nearness": seen.nearness},
            fix="Look at ten pairs of input and label right before the model; shuffle both with the same "
            "permutation.",
        )


def experiment(trials: "Trials") -> Iterator[Evidence]:
    """Labels dealt at random train as well as the real ones, though the model can learn a batch by heart."""
    if not trials.yes("shuffled-labels") or trials.yes("same-batch") or trials.yes("lr×10"):
        return
    if trials.yes("noise-inputs") is False or not trials.poor or not trials.had_its_time:
        return
    yield Evidence(
        "One batch can be memorised, but on all the data the loss falls no further than with random "
        f"labels ({trials.figures('shuffled-labels')}): inputs and labels do not belong together.",
        "likely",
        fix="Look at ten examples beside their labels; check every shuffle, sort, filter and join between "
        "reading and batching.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_targets

    return of_targets(finding, scene, moved=True)
