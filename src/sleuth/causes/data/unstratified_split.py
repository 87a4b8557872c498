"""A split starves rare classes, or yields parts that differ in kind.

## What happens
A random fifth of 1000 rows contains none of a class with five members in one case out of three
(33%). The metric of that class is then undefined, silently 0, or left out of the average, depending
on the library. Mirror image: the training part gets none and the model can never answer it.

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
- **lint**: data that stands class after class (an image folder, iris, labels joined block by block)
  divided by slices, ranges, `shuffle=False` or a plain `KFold`; data made with a rare class and split
  without `stratify`.
- **probe**: class shares of the splits differ by more than chance, or a class is missing from one;
  a small classifier told to separate training from test rows succeeds (AUC far from 0.5).
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

from collections.abc import Iterator

from sleuth.facts.flow import number, root
from sleuth.facts.interpreter.values import Call, Collection, Value
from sleuth.facts.program import Program, clue
from sleuth.facts.topics.loaders import line
from sleuth.facts.topics.row_order import class_after_class
from sleuth.facts.topics.splits import TRAIN_TEST_SPLIT, Split, Splits, splits_of
from sleuth.finding import Finding

# Below this share of a class, a fifth of a few hundred rows may hold none or a handful of it.
RARE = 0.1
STRATIFIED = ("Stratified", "Group", "LeaveOneGroup", "TimeSeries", "Predefined")


def lint(program: Program) -> Iterator[Finding]:
    splits = splits_of(program)
    for split in splits.found:
        if split.how in ("GridSearchCV", "RandomizedSearchCV") or split.how.startswith(STRATIFIED):
            continue
        if split.shuffled is False and _divides_rows(program, split):
            evidence = next((seen for data in split.whole if (seen := class_after_class(splits, data))), None)
            if evidence is not None:
                yield _report(split.call, evidence)
    yield from _ranges(splits)
    yield from _rare_classes(splits)


def _report(cut: Call, evidence: Call) -> Finding:
    return clue(
        "error",
        cut,
        f"The rows stand class after class (line {line(evidence)}) and are divided without mixing: whole "
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


def _ranges(splits: Splits) -> Iterator[Finding]:
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


def _rare_classes(splits: Splits) -> Iterator[Finding]:
    """The data is made with a rare class, and the split leaves its members to chance."""
    for split in splits.found:
        if split.call.op not in TRAIN_TEST_SPLIT or not split.shuffled or "**" in split.call.keywords:
            continue
        if "stratify" in split.call.keywords:
            continue
        made = next(
            (here for data in split.whole for here in splits.rows(data) if _has_rare_class(here)), None
        )
        if made is not None:
            yield clue(
                "warning",
                split.call,
                f"The data has a rare class (line {line(made)}) and this split leaves its members to "
                "chance: a "
                "part may hold too few of them, or none.",
                fix="Pass `stratify=y`.",
            )


def _has_rare_class(value: Value) -> bool:
    if not isinstance(value, Call) or not value.op.endswith(".make_classification"):
        return False
    weights = root(value.keywords.get("weights"))
    shares = [number(item) for item in weights.items] if isinstance(weights, Collection) else []
    known = [share for share in shares if share is not None]
    return bool(known) and (min(known) <= RARE or (len(known) == 1 and known[0] >= 1 - RARE))
