"""A split starves rare classes, or yields parts that differ in kind.

## What happens
A random fifth of 1000 rows contains none of a class with five members in one case out of three
(33%). The metric of that class is then undefined, silently 0, or left out of the average, depending
on the library. Mirror image: the training part gets none and the model can never predict it.

The extreme case needs no rarity. `KFold` does not shuffle, and many files are sorted by class:

```python
X, y = load_iris(return_X_y=True)                     # sorted: 50, 50, 50
cross_val_score(model, X, y, cv=KFold(3))             # [0. 0. 0.]
cross_val_score(model, X, y, cv=3)                    # [0.98 0.96 0.98], stratified
```

Each fold is tested on the one class that training never saw. Slices such as `X[:800]`, `X[800:]`
and `Subset(ds, range(...))` do the same. Differences in kind are subtler: one hospital, camera or
season in training and another one in the test. Then the score answers a question you did not ask.

## How to tell
- **lint**: data that stands class after class (an image folder, iris, labels joined block by block
  or written into a list in a loop over the classes) divided by slices, ranges, `shuffle=False` or a
  plain `KFold`; data made with a rare class, or treated as such (class weights, resampling), and
  split without `stratify`.
- **probe**: class counts of the two loaders differ by more than chance (chi-square), a class
  stands on one side only, or the model has outputs for classes that no training example has. A
  long set that is served in order and was not read to its end is not judged.
- **refuted by**: class counts in both parts follow the overall shares, and no class is below what
  its metric needs (some tens of examples).

## How to fix
```python
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
folds = StratifiedGroupKFold(n_splits=5)              # groups must stay together as well
```

`stratify` refuses a class with a single member: merge it, collect more, or drop it knowingly. For
regression, stratify on quantile bins of the target. Do not stratify across time: a chronological
split with drifting class shares is honest. Testing on another hospital on purpose is a fine
experiment, only report it as such.

## Often mistaken for
- `class-imbalance`: the shares are equal in both parts; the loss neglects the rare class.
- `shuffled-time-split`: there the cure is less shuffling, not more.
- `overfitting`: the gap closes with a stratified split, without touching the model.

## Sources
- sklearn-cv: the part on stratified iterators and "A note on shuffling".
- kapoor-2023: taxonomy, L3, test sets that are not drawn from the distribution of interest.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.source.edits import Edits, argument_node, keyword_set
from sleuth.source.flow import ancestry, literal, number, root
from sleuth.source.interpreter.values import Call, Collection, Table, Value
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.row_order import class_after_class
from sleuth.source.topics.splits import TRAIN_TEST_SPLIT, Split, Splits, splits_of

if TYPE_CHECKING:
    from sleuth.measure.losses import LossFacts
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene

CONSEQUENCE_OF = "labels-constant"
UNLESS = {"numbers": "classes-differ"}
LOOKS_LIKE = {"good in training, bad in validation": "rarely"}
INVITED_BY = {"train_test_split|random_split|Subset": 3.0}
PREDICTS = {"other-seed": "usually"}


# Below this share of a class, a fifth of a few hundred rows may hold none or a handful of it.
RARE = 0.1
# A weight of ten for one class is set where it is ten times as rare.
HEAVY = 1 / RARE
_FOR_RARE_CLASSES = frozenset(
    {"average_precision_score", "precision_recall_curve", "balanced_accuracy_score"}
)
STRATIFIED = ("Stratified", "Group", "LeaveOneGroup", "TimeSeries", "Predefined")

NEEDS = "split Fold perm ["


def lint(program: Program) -> Iterator[Evidence]:
    learns = program.training.of("backward") or any(True for _ in program.calls(".fit", ".fit_transform"))
    splits = splits_of(program)
    for split in splits.found:
        if split.how in ("GridSearchCV", "RandomizedSearchCV") or split.how.startswith(STRATIFIED):
            continue
        if not learns and split.call.context.function is not None:
            continue  # a library, where nothing learns: what is cut need not be examples
        if split.shuffled is False and _divides_rows(program, split) and not _joins_ranges(splits, split):
            evidence = next((seen for data in split.whole if (seen := class_after_class(splits, data))), None)
            if evidence is not None:
                yield _report(split.call, evidence)
    yield from _ranges(splits)
    yield from _rare_classes(splits)


def _report(cut: Call, evidence: Call) -> Evidence:
    return clue(
        "proven",
        cut,
        f"The rows are sorted by class ({line_of(evidence, cut)}) and are split without shuffling: whole "
        "classes end up in one part only.",
        fix="Use `StratifiedKFold(shuffle=True)`, `train_test_split(..., stratify=y)`, or permute the rows.",
    )


def _divides_rows(program: Program, split: Split) -> bool:
    """One part is held back; two portions that are both learned from (`partial_fit`) are no split."""
    held = {id(part) for part in split.held_out}
    learned = any(
        id(root(argument)) in held for call in program.calls(".fit", ".partial_fit") for argument in call.args
    )
    return not learned and getattr(split.call.context.function, "name", "") != "forward"


_JOINS = tuple(
    f"{home}.{name}"
    for home, names in {
        "numpy": "vstack hstack concatenate append r_",
        "torch": "cat concat vstack hstack",
        "pandas": "concat",
    }.items()
    for name in names.split()
)


def _joins_ranges(splits: Splits, split: Split) -> bool:
    """`vstack((x[:k], x[50:50 + k], x[100:100 + k]))`: so many of each class, picked by hand."""
    parts = {id(root(part)) for part in split.train}
    for join in splits.program.calls(*_JOINS):
        given = root(join.args[0]) if len(join.args) == 1 else None
        items = [root(item) for item in (given.items if isinstance(given, Collection) else join.args)]
        first = next((item for item in items if id(item) in parts), None)
        if isinstance(first, Call) and any(item is not first and _same_array(item, first) for item in items):
            return True
    return False


def _same_array(one: Value | None, other: Call) -> bool:
    return isinstance(one, Call) and one.op == other.op == "[]" and root(one.args[0]) is root(other.args[0])


def _ranges(splits: Splits) -> Iterator[Evidence]:
    """`Subset(ds, range(800))` and `Subset(ds, range(800, 1000))`."""
    groups: dict[int, list[Call]] = {}
    for subset in splits.program.calls("torch.utils.data.Subset"):
        key = root(subset.argument(1, "indices"))
        while isinstance(key, Call) and key.op == "builtins.list" and key.args:
            key = root(key.args[0])
        if isinstance(key, Call) and key.op in ("builtins.range", "torch.arange", "numpy.arange"):
            groups.setdefault(id(root(subset.argument(0, "dataset"))), []).append(subset)
    for subsets in groups.values():
        evidence = class_after_class(splits, subsets[0].argument(0, "dataset"))
        if len(subsets) > 1 and evidence is not None:
            yield _report(subsets[0], evidence)


def _rare_classes(splits: Splits) -> Iterator[Evidence]:
    """The data has a rare class, and the split leaves its members to chance."""
    for split in splits.found:
        if split.call.op not in TRAIN_TEST_SPLIT or not split.shuffled or "**" in split.call.keywords:
            continue
        if "stratify" in split.call.keywords:
            continue
        made = next(
            (here for data in split.whole for here in splits.rows(data) if _has_rare_class(here)), None
        ) or next((here for data in split.whole for here in ancestry(data, 60) if _draws_rarely(here)), None)
        if made is not None:
            yield _left_to_chance(split, f"The data has a rare class ({line_of(made, split.call)})")
        elif (told := _treated_as_rare(splits, split)) is not None:
            yield _left_to_chance(split, f"The program treats a class as rare ({line_of(told, split.call)})")


def _left_to_chance(split: Split, why: str) -> Evidence:
    return clue(
        "likely",
        split.call,
        f"{why} and this split is not stratified: a part may get too few of its examples, or none.",
        fix="Pass `stratify=y`.",
        edits=_stratified(split.call),
    )


def _stratified(call: Call) -> Edits:
    """`stratify=` the labels that are split beside the inputs. Not safe: a class may have one member only."""
    labels = argument_node(call, 1, "y")
    return keyword_set(call, "stratify", labels.id) if isinstance(labels, ast.Name) else ()


def _has_rare_class(value: Value) -> bool:
    if not isinstance(value, Call) or not value.op.endswith(".make_classification"):
        return False
    known = _shares(value.keywords.get("weights"))
    return bool(known) and (min(known) <= RARE or (len(known) == 1 and known[0] >= 1 - RARE))


def _shares(value: Value | None) -> list[float]:
    listed = root(value)
    shares = [number(item) for item in listed.items] if isinstance(listed, Collection) else []
    return [share for share in shares if share is not None]


def _draws_rarely(value: Value) -> bool:
    """Labels drawn with a small chance: `rng.random(n) < 0.02`, `binomial(1, 0.01, n)`, `choice(p=[...])`."""
    if not isinstance(value, Call):
        return False
    name = value.op.rpartition(".")[2]
    if value.op in ("<", "<=", ">", ">=") and len(value.args) == 2:
        drawn, share = root(value.args[0]), number(value.args[1])
        is_chance = isinstance(drawn, Call) and drawn.op.rpartition(".")[2] in ("rand", "random", "uniform")
        if not is_chance or share is None:
            return False
        return 0 < (share if value.op[0] == "<" else 1 - share) <= RARE
    if name == "binomial" and number(value.argument(0, "n")) == 1:
        chance = number(value.argument(1, "p"))
        return chance is not None and 0 < min(chance, 1 - chance) <= RARE
    known = _shares(value.keywords.get("p")) if name == "choice" else []
    return len(known) == 2 and 0 < min(known) <= RARE


def _treated_as_rare(splits: Splits, split: Split) -> Call | None:
    """Where the program says itself that the classes are far from balanced."""
    if any("stratify" in call.keywords for call in splits.program.calls(*TRAIN_TEST_SPLIT)):
        return None  # one task knows about it, and the other may be another task
    rows = [here for data in split.whole for here in splits.rows(data)]
    if any(isinstance(here, Call) and here.op in (".fit_resample", *TRAIN_TEST_SPLIT) for here in rows):
        return None  # made even before, or the second cut of what was divided at first
    hints: dict[str, Call] = {}
    for call in splits.program.trace:
        if call.op == ".fit_resample" and call.args and splits.is_part(call.args[0]):
            return call  # training rows are made up because there are too few
        if _weighs_heavily(call):
            return call
        if literal(call.keywords.get("class_weight")) in ("balanced", "balanced_subsample"):
            hints.setdefault("weight", call)
        if call.op.rpartition(".")[2] in _FOR_RARE_CLASSES:
            hints.setdefault("metric", call)
    share = number(split.call.keywords.get("test_size"))
    # Balanced weights alone are a habit; with a metric for rare classes or a tiny test part they say more.
    if "weight" in hints and ("metric" in hints or (share is not None and 0 < share <= RARE)):
        return hints["weight"]
    return None


def _weighs_heavily(call: Call) -> bool:
    """A class counts several times as much as the other in the loss."""
    factors = [number(call.keywords.get(name)) for name in ("scale_pos_weight", "pos_weight")]
    given = root(call.keywords.get("pos_weight"))
    if isinstance(given, Call) and given.op in ("torch.tensor", "torch.as_tensor") and given.args:
        factors += [number(given.args[0]), *_shares(given.args[0])]
    weights = root(call.keywords.get("class_weight"))
    if isinstance(weights, Table):
        known = [size for item in weights.items.values() if (size := number(item))]
        factors.append(max(known) / min(known) if len(known) > 1 else None)
    return any(factor is not None and factor >= HEAVY for factor in factors)


SHIFT = 6.0  # chi-square a degree of freedom; above 4 chance is out of the question for all class counts
MANY = 20  # examples a class should have given, had it been there


def probe(bench: "Workbench") -> Iterator[Evidence]:
    yield from _unseen_classes(bench)
    seen = bench.split
    if _of_another_task(seen.missing_classes, bench) or (seen.strangers and not _scores(bench)):
        return  # so is a likeness learnt, to be judged by classes it never met
    if seen.missing_classes or seen.class_shift > SHIFT:
        lacking = ", ".join(map(str, seen.missing_classes[:5]))
        what = (
            f"class {lacking} is on one side only, or nearly so"
            if lacking
            else "class shares differ by more than chance"
        )
        yield Evidence(
            f"Training and validation labels do not have the same distribution: {what} (chi-square "
            f"{seen.class_shift:.1f} per degree of freedom), so the validation score depends on the split.",
            # Other shares, with enough of each class, are often wanted: more of a rare class to be judged by.
            telling="likely" if lacking else "open",
            numbers={"chi_square": seen.class_shift, "missing": len(seen.missing_classes)},
            fix="Shuffle before slicing, or use `train_test_split(..., stratify=y)`.",
        )


def _of_another_task(labels: Sequence[int], bench: "Workbench") -> bool:
    """Labels beyond the outputs: the model is trained on something else before, and judged on this later."""
    uses = _scores(bench)
    return bool(uses) and max(labels, default=0) >= uses[0].classes


def _scores(bench: "Workbench") -> "list[LossFacts]":
    """The losses that take one score a class."""
    return [
        use
        for use in bench.first.losses
        if use.name in ("cross_entropy", "nll_loss") and len(use.input_shape) == 2
    ]


def _unseen_classes(bench: "Workbench") -> Iterator[Evidence]:
    """Outputs for classes that no training example has."""
    uses = _scores(bench)
    if not uses or "int" not in uses[0].target_dtype:
        return
    counts = bench.labels
    classes = uses[0].classes
    lacking = [kind for kind in range(classes) if kind not in dict(counts.counts)]
    if counts.complete and lacking and classes <= 100 and counts.seen >= MANY * classes:
        yield Evidence(
            f"The model has outputs for {classes} classes and {len(lacking)} of them "
            f"({', '.join(map(str, lacking[:5]))}) "
            f"occur in none of the {counts.seen} training examples: they cannot be learned.",
            telling="likely",
            numbers={"classes": classes, "lacking": len(lacking), "seen": counts.seen},
            fix="Shuffle before slicing, or use `train_test_split(..., stratify=y)`; else remove the "
            "outputs.",
        )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import last_resort
    from sleuth.places.statements import chooses_held_out_rows

    return last_resort(None, finding, chooses_held_out_rows, scene)
