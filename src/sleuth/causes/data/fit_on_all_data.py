"""A scaler, imputer or feature selector was fitted before the split or on test data.

## What happens
How bad it is depends on what was fitted. A StandardScaler that saw the test rows barely moves
a mean, and you will hardly find the difference in the score. A step that looks at the
labels is another matter. On 200 rows of pure noise with 5000 columns and random labels, choosing
the 20 "best" columns first and cross-validating afterwards gave 80% accuracy (74 to 85% over ten
draws). The same two steps inside a pipeline gave 49%, as it should.

```python
X = SelectKBest(k=20).fit_transform(X, y)             # has seen every label
print(cross_val_score(LogisticRegression(), X, y))    # 0.80 on noise
```

Target encoding, supervised dimension reduction and oversampling with synthetic neighbours belong to
the same dangerous class. A second form hides in the test path: `scaler.fit_transform(X_test)`. It
does not leak into training, but gives each split its own ruler, and a single-row request in
production would be standardised to zero.

## How to tell
- **lint**: `fit` or `fit_transform` on data that is split later; `fit_transform` called on
  something named test or valid; a transformer outside the pipeline given to cross-validation.
- **probe**: the training features have mean 0 and std 1 only when the test rows are added; alone
  they are off by more than rounding.
- **refuted by**: every `fit` receives rows of the training split only.

## How to fix
Split first. Then let a pipeline decide who sees what.

```python
model = make_pipeline(SelectKBest(k=20), StandardScaler(), LogisticRegression())
scores = cross_val_score(model, X, y, cv=5)           # refitted in every fold
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
```

Not a fault: fixed constants (dividing by 255, published image means), a tokenizer trained on other
text, a label encoder that only numbers the class names, and refitting on everything for the model
you ship once evaluation is over.

## Often mistaken for
- `target-leakage`: the target is in a column and stays there after a clean split.
- `preprocessing-mismatch`: here the test set got its own fit; the general case is any difference.
- `split-overlap`: rows are shared, not statistics.

## Sources
- sklearn-pitfalls: "Data leakage during pre-processing", with feature selection on random data.
- kapoor-2023: taxonomy, L1.2 and L1.3, joint preprocessing and joint feature selection.
- roth-2026: abstract, unsupervised fitting on all data changes scores very little compared with
  other kinds of leakage.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling, Where
from sleuth.quick_dataclass import dataclass
from sleuth.roles import HELD_OUT_NAME, TRAINING_NAME
from sleuth.source.flow import ancestry, literal, root
from sleuth.source.interpreter.values import Call, Collection, Value
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.splits import (
    TRAIN_TEST_SPLIT,
    Split,
    Splits,
    chosen_columns,
    identity,
    split_first,
    splits_of,
    statistic_of,
    statistics_in,
)
from sleuth.source.torch_api import is_module
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench

ANSWERS = "validation"
INVITED_BY = {"train_test_split|random_split|Subset": 3.0, "Scaler|fit_transform|normalize": 3.0}


# Steps that look at the labels: the score of pure noise can become excellent.
SEES_LABELS = frozenset(
    "SelectKBest SelectPercentile SelectFdr SelectFpr SelectFwe GenericUnivariateSelect RFE RFECV "
    "SelectFromModel SequentialFeatureSelector TargetEncoder LeaveOneOutEncoder CatBoostEncoder "
    "WOEEncoder JamesSteinEncoder MEstimateEncoder GLMMEncoder PLSRegression "
    "LinearDiscriminantAnalysis NeighborhoodComponentsAnalysis BorutaPy SMOTE SMOTENC SMOTEN "
    "BorderlineSMOTE SVMSMOTE KMeansSMOTE ADASYN SMOTEENN SMOTETomek RandomOverSampler ".split()
)
# Steps that learn numbers from the inputs. Those that only number categories are not among them.
SEES_INPUTS = frozenset(
    "StandardScaler MinMaxScaler MaxAbsScaler RobustScaler QuantileTransformer PowerTransformer PCA "
    "IncrementalPCA KernelPCA SparsePCA TruncatedSVD FastICA NMF FactorAnalysis SimpleImputer "
    "KNNImputer IterativeImputer Imputer VarianceThreshold TfidfVectorizer TfidfTransformer "
    "DictionaryLearning Isomap LocallyLinearEmbedding UMAP ".split()
)
GROUPS = frozenset(
    "Pipeline make_pipeline ColumnTransformer make_column_transformer FeatureUnion make_union".split()
)
LIBRARIES = ("sklearn.", "imblearn.", "category_encoders.", "umap.", "boruta.", "feature_engine.", "cuml.")
# Functions that fit and apply in one go; a `normalize` over rows (the default) is not one of them.
FUNCTIONS = frozenset(
    f"sklearn.preprocessing.{name}"
    for name in (
        "scale",
        "minmax_scale",
        "maxabs_scale",
        "robust_scale",
        "quantile_transform",
        "power_transform",
    )
) | {"scipy.stats.zscore"}
# Rows to score on. (A table called "test" often comes without labels: the score is that of the split.)
VALIDATION_NAME = Pattern(r"(?<![a-z])(val|valid|validation|dev)(?![a-z])", re.IGNORECASE)
ANSWER_NAME = Pattern(r"(?<![a-z])(preds?|predictions?|predicted|logits)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True)
class Fit:
    """A step that learned from data. `applied` are the values that carry what it learned."""

    name: str
    call: Call
    data: Value | None
    applied: tuple[Call, ...]
    by_hand: bool = False


def lint(program: Program) -> Iterator[Evidence]:
    splits = splits_of(program)
    fits = list(_fits(program))
    yield from _refits_on_held_out(splits, fits)
    if splits.found:
        yield from _target_encodings(splits)
        told: set[object] = set()  # mean and spread of one array are one fault
        for fit in (*fits, *_by_hand(splits), *_chosen_columns(splits)):
            key = (id(root(fit.data)), fit.call.context.function) if fit.by_hand else id(fit.call)
            split = None if key in told else _divided_later(splits, fit)
            if split is not None:
                told.add(key)
                yield _report(fit, split)


def _target_encodings(splits: Splits) -> Iterator[Evidence]:
    """`df["city_mean"] = df.groupby("city")["y"].transform("mean")`, and y is what is predicted."""
    groups = {
        id(item): item
        for item in splits.program.calls("[]")
        if len(item.args) == 2
        and isinstance(made := root(item.args[0]), Call)
        and made.op == ".groupby"
        and isinstance(literal(item.args[1]), str)
        and not splits.is_part(made.receiver)
    }
    writes = [write for write in splits.program.calls("[]=") if groups and len(write.args) == 2]
    learned = _learned_columns(splits) if writes else set()
    for write in writes:
        used = [groups[id(here)] for here in ancestry(write.args[1], 200) if id(here) in groups]
        for split in splits.found if used else ():
            targets = {
                literal(here.args[1])
                for data in split.whole[1:]
                for here in splits.rows(data)
                if isinstance(here, Call) and here.op == "[]" and len(here.args) == 2
            }
            if write.order < split.call.order and literal(used[0].args[1]) in targets | learned:
                yield _report(Fit("target encoding", write, None, ()), split)
                break


def _learned_columns(splits: Splits) -> set[object]:
    """`price` of `model.fit(train[columns], train["price"])`, where the target is read from a part."""
    found: set[object] = set()
    for fit in splits.program.calls(".fit"):
        column = root(fit.argument(1, "y"))
        if not isinstance(column, Call):
            continue
        if column.op == "[]" and len(column.args) == 2 and splits.is_part(column.args[0]):
            found.add(literal(column.args[1]))
        elif column.op[:1] == "@" and splits.is_part(column.receiver):
            found.add(column.op[1:])
    return found


# Splits that have no name in the program.
WRITTEN = {"cut": "the slice", "mask": "the mask", "sample": "the sample drawn"}


def _report(fit: Fit, split: Split) -> Evidence:
    harm = (
        "it has seen the held-out labels, so the score is too high"
        if fit.name in SEES_LABELS or fit.name in ("target encoding", CHOICE)
        else "it has seen the held-out rows, so the score is too high"
    )
    telling: Telling = "likely" if fit.name == "fillna" else "proven"
    what = fit.name if fit.name == CHOICE else f"`{fit.name}`"
    how, there = WRITTEN.get(split.how, f"`{split.how}`"), line_of(split.call, fit.call)
    return clue(
        telling,
        fit.call,
        f"{what} is computed from all rows, and {how} on {there} splits them afterwards: {harm}.",
        fix="Split first, fit on the training part only and apply that to both parts (or use a Pipeline).",
        edits=split_first(fit.call, split),
    )


def _divided_later(splits: Splits, fit: Fit) -> Split | None:
    """The split whose held-out rows the step has seen, if what it learned is used around that split."""
    if splits.is_part(fit.data) or _keeps_to_training_rows(splits, fit):
        return None
    for split in splits.found:
        if (fit.by_hand or split.how == "mask") and not _divides_data(splits, split):
            continue
        if fit.by_hand and _made_turn_by_turn(splits, fit, split):
            continue
        # Targets that the program scales by hand are mostly ones that it has just made.
        pair = fit.by_hand and split.call.op in TRAIN_TEST_SPLIT
        inputs = (split.whole[:-1] if pair else split.whole) or split.whole
        if any(_carries(splits, data, fit, split) for data in inputs if not _is_an_answer(data)):
            return None if fit.by_hand and _only_targets(splits, fit) else split
        touched = [applied for applied in fit.applied if applied is not fit.call]
        if any(_touches_part(splits, applied, split) for applied in touched) and splits.share_rows(
            fit.data, split
        ):
            return split
    return None


def _made_turn_by_turn(splits: Splits, fit: Fit, split: Split) -> bool:
    """`np.stack([recording(k) for k in kinds])`: each example is made, and scaled by itself, in a turn of a
    loop that is over when the split comes."""
    made = [here for here in splits.rows(fit.data) if isinstance(here, Call)]
    loops = [loop for loop in fit.call.context.loops if loop not in split.call.context.loops]
    if loops and made and all(loops[0] in here.context.loops for here in made):
        return True
    listed = [site for site in fit.call.context.sites if _in_a_comprehension(site)]
    return bool(listed and made) and all(listed[0] in here.context.sites for here in made)


def _in_a_comprehension(site: Call) -> bool:
    around = site.context.source.parents
    node: ast.AST | None = site.node
    while node is not None and not isinstance(node, ast.stmt):
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
            return True
        node = around.get(node)
    return False


def _is_an_answer(data: Value) -> bool:
    """`model(x, graph)[train_nodes]`: all rows are shown at once, and only the answers divided."""
    return isinstance(data, Call) and data.op == "()" and is_module(data.receiver)


def _only_targets(splits: Splits, fit: Fit) -> bool:
    """What was scaled by hand goes into no model: it is compared with what comes out of one."""
    calls = [call for call in splits.program.calls("()") if is_module(call.receiver)]
    inputs = [value for call in calls for value in (*call.args, *call.keywords.values())]
    return bool(inputs) and not any(
        here is applied for value in inputs for here in splits.rows(value) for applied in fit.applied
    )


def _carries(splits: Splits, data: Value, fit: Fit, split: Split) -> bool:
    return any(
        here is applied for here in splits.rows(data, before=split.call.order) for applied in fit.applied
    )


def _touches_part(splits: Splits, applied: Call, split: Split) -> bool:
    parts = {id(part) for part in split.held_out}
    return any(id(here) in parts for here in splits.rows(applied) if here is not applied)


def _divides_data(splits: Splits, split: Split) -> bool:
    """A cut `x[:n]`, `x[n:]` may be of anything; a cut of inputs and targets at one place is a split."""
    if split.how not in ("cut", "mask") or split.shuffled:
        return True
    function = split.call.context.function
    if getattr(function, "name", "") == "forward" or not split.call.context.grad:
        return False
    named = HELD_OUT_NAME.search(_assigned(split)) is not None
    return named or (split.how == "cut" and _cut_together(splits, split))


def _assigned(split: Split) -> str:
    """The line of the held-out cut: `x_test = x[n:]`."""
    lines = {(part.source, getattr(part.node, "lineno", 0)) for part in split.held_out}
    return " ".join(source.line(line).replace("_", " ") for source, line in lines if source is not None)


def _cut_together(splits: Splits, split: Split) -> bool:
    """Two arrays, in two places: the one place may be passed twice, with other values."""
    return any(
        other.call.node is not split.call.node
        and other.how == "cut"
        and other.call.source is split.call.source
        and abs(other.line - split.line) <= 3
        for other in splits.found
    )


def _keeps_to_training_rows(splits: Splits, fit: Fit) -> bool:
    """The program itself calls what is fitted its training data: `.fit(x_train)`, `standardize(x_train)`.

    What it calls test data is one part as well, with a ruler of its own where it is scaled by hand.

    A step that sees labels spoils a validation part cut from the training rows as well, unless there are
    other validation rows to measure the score on.
    """
    sees_labels = fit.name in SEES_LABELS or fit.name == CHOICE
    if not sees_labels and fit.call.op in (".fit", ".fit_transform"):
        if TRAINING_NAME.search(_spelled(fit.call)):
            return True
    names = (TRAINING_NAME, HELD_OUT_NAME) if fit.by_hand else (TRAINING_NAME,)
    sites = [
        site
        for site in (*fit.call.context.sites, fit.call)
        if any(_names_argument(site, name) for name in names)
    ]
    if sees_labels:
        sites = [site for site in sites if _has_validation_rows(site)]
    rows = {id(here) for here in splits.rows(fit.data)} if sites else set()
    return any(
        any(name.search(text) for name in names) and (id(value) in rows or id(root(value)) in rows)
        for site in sites
        for value, text in _spelled_arguments(site)
    )


def _names_argument(site: Call, name: Pattern) -> bool:
    return any(name.search(text) for _, text in _spelled_arguments(site))


def _has_validation_rows(site: Call) -> bool:
    """They are handed over beside the training rows, or lie ready where the call stands."""
    function = site.context.function
    known = ast.unparse(function.args) if isinstance(function, ast.FunctionDef) else ""
    return _names_argument(site, VALIDATION_NAME) or bool(VALIDATION_NAME.search(known.replace("_", " ")))


def _spelled_arguments(site: Call) -> Iterator[tuple[Value, str]]:
    node = site.node
    if not isinstance(node, ast.Call) or any(isinstance(part, ast.Starred) for part in node.args):
        return
    named = {part.arg: part.value for part in node.keywords if part.arg}
    written = [*zip(site.args, node.args, strict=False)]
    written += [(value, named[key]) for key, value in site.keywords.items() if key in named]
    for value, text in written:
        yield value, ast.unparse(text).replace("_", " ")


def _spelled(call: Call) -> str:
    node = call.node
    if isinstance(node, ast.Call) and node.args:
        return ast.unparse(node.args[0]).replace("_", " ")
    return ""


def _fits(program: Program) -> Iterator[Fit]:
    """Fits of library objects and functions."""
    transforms: dict[int, list[Call]] = {}
    for call in program.calls(".transform"):
        transforms.setdefault(id(_estimator(call.receiver)), []).append(call)
    for call in program.calls(".fit", ".fit_transform", ".fit_resample", ".fit_sample"):
        made = _estimator(call.receiver)
        name = _learns(made)
        if not name or (call.op == ".fit" and name in ("Pipeline", "make_pipeline")):
            continue
        applied = tuple(later for later in transforms.get(id(made), ()) if later.order > call.order)
        own = () if call.op == ".fit" else (call,)
        yield Fit(name, call, call.argument(0, "X"), (*own, *applied))
    for call in program.calls(*FUNCTIONS):
        if literal(call.argument(1, "axis")) in (None, 0):
            yield Fit(call.op.rpartition(".")[2], call, call.argument(0, "X"), (call,))
    for call in program.calls("sklearn.preprocessing.normalize"):
        if literal(call.argument(2, "axis")) == 0:
            yield Fit("normalize", call, call.argument(0, "X"), (call,))


def _estimator(value: Value | None) -> Value | None:
    """The object behind `StandardScaler().fit(x)`, which hands itself back."""
    settled = root(value)
    while isinstance(settled, Call) and settled.op in (".fit", ".set_params", ".set_output"):
        settled = root(settled.receiver)
    return settled


def _learns(made: Value | None) -> str:
    """The name of a step that learns from data; of a group, its most telling step."""
    if not isinstance(made, Call) or not made.op.startswith(LIBRARIES):
        return ""
    name = made.op.rpartition(".")[2]
    if name in SEES_LABELS or name in SEES_INPUTS:
        return name
    if name in GROUPS:
        inner = [
            part.op.rpartition(".")[2]
            for part in ancestry(made, 200)
            if isinstance(part, Call) and part is not made
        ]
        return next((name for step in inner if step in SEES_LABELS or step in SEES_INPUTS), "")
    return ""


def _by_hand(splits: Splits) -> Iterator[Fit]:
    """`(x - x.mean(0)) / x.std(0)` and `x.fillna(x.mean())`: a fit without an estimator."""
    program = splits.program
    scalings = [
        (call, statistic)
        for call in program.calls("-", "/", "-=", "/=", ".sub", ".div", ".sub_", ".div_")
        for statistic in statistics_in(_operands(call)[1])
    ]
    for call, statistic in sorted(scalings, key=lambda pair: pair[1].order):
        left = _operands(call)[0]
        if _is_scaling(call, statistic) and _same_kind(splits, left, statistic):
            data = statistic_of(statistic)
            if not _holds_single_examples(splits, data) and not _is_called_an_answer(statistic):
                yield Fit(_short(statistic), statistic, data, (call,), by_hand=True)
    for call in program.calls(".fillna"):
        for statistic in statistics_in(call.args[0] if call.args else None):
            data = statistic_of(statistic)
            if not _holds_single_examples(splits, data):
                yield Fit("fillna", call, data, (call,), by_hand=True)


def _is_called_an_answer(statistic: Call) -> bool:
    """`pred.max()`: what a model said is stretched for a measure or a picture; nothing learns from it."""
    node = statistic.node
    named = node.args[0] if isinstance(node, ast.Call) and node.args else node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and statistic.receiver is not None:
        named = node.func.value
    return named is not None and ANSWER_NAME.search(ast.unparse(named).replace("_", " ")) is not None


CHOICE = "The choice of columns"


def _chosen_columns(splits: Splits) -> Iterator[Fit]:
    made_by = {id(call.result): call for call in splits.program.calls("def")}
    for choice in chosen_columns(splits):
        maker = made_by.get(id(choice.index), choice.index)
        yield Fit(CHOICE, maker, choice.split.whole[0], choice.taken)


def _short(call: Call) -> str:
    return call.op.rpartition(".")[2]


def _operands(call: Call) -> tuple[Value | None, Value | None]:
    if call.receiver is not None:
        return call.receiver, call.args[0] if call.args else None
    return (call.args[0], call.args[1]) if len(call.args) == 2 else (None, None)


def _is_scaling(call: Call, statistic: Call) -> bool:
    """Centring by a mean, dividing by a spread or a range.

    Dividing by the largest value alone brings pixels to 0..1; subtracting the least only moves the zero.
    """
    names = {_short(part) for part in statistics_in(_operands(call)[1])}
    if call.op.startswith(("-", ".sub")):
        return any("mean" in name or name == "median" for name in names)
    return any("std" in name or "var" in name or name == "ptp" for name in names) or (
        any("min" in name for name in names) and any("max" in name for name in names)
    )


def _same_kind(splits: Splits, left: Value | None, statistic: Call) -> bool:
    """The statistic belongs to the very rows that it is applied to, or to what they were taken from."""
    mine = {identity(here) for here in splits.rows(left)}
    source = root(statistic_of(statistic))
    if isinstance(source, Call) and source.op == "[]" and len(source.args) == 2:
        wanted = ast.dump(source.node) if source.node is not None else ""
        if any(
            isinstance(here, Call) and here.node and ast.dump(here.node) == wanted
            for here in splits.rows(left)
        ):
            return True
    return source is not None and identity(source) in mine


def _holds_single_examples(splits: Splits, data: Value | None) -> bool:
    """Each example scaled by itself (in a loop, or picked by a place) is no fit at all."""
    for here in splits.rows(data):
        if isinstance(here, Call):
            if here.op == "next":
                return True
            if here.op == "[]" and len(here.args) == 2:
                key = root(here.args[1])
                if isinstance(key, Call) or (isinstance(key, Collection) and key.kind == "slice"):
                    return True
    return False


def _refits_on_held_out(splits: Splits, fits: list[Fit]) -> Iterator[Evidence]:
    """`fit_transform(x_test)`: the held-out part gets its own ruler."""
    held = {id(part) for split in splits.found for part in split.held_out}
    for fit in fits:
        if fit.call.op not in (".fit", ".fit_transform") or fit.name in ("SMOTE",):
            continue
        proven = any(id(here) in held for here in splits.rows(fit.data, whole=True))
        other = [
            one
            for one in fits
            if one.call is not fit.call
            and one.name == fit.name
            and (TRAINING_NAME.search(_spelled(one.call)) or splits.is_part(one.data))
            and not HELD_OUT_NAME.search(_spelled(one.call))
        ]
        named = bool(HELD_OUT_NAME.search(_spelled(fit.call))) and not TRAINING_NAME.search(
            _spelled(fit.call)
        )
        line = getattr(other[0].call.node, "lineno", 0) if other else 0
        if other and (proven or named) and not _is_divided_again(splits, fit):
            yield clue(
                "proven" if proven else "likely",
                fit.call,
                f"`{fit.name}` is fitted again on held-out rows, after line {line} fitted it on training "
                "rows: the two parts are scaled differently.",
                fix="Fit on the training part only and call `transform` on the held-out part.",
            )


def _is_divided_again(splits: Splits, fit: Fit) -> bool:
    """The held-out part is divided again and this is the training part of that: nested evaluation."""
    train = {id(part) for split in splits.found for part in split.train}
    return any(id(here) in train for here in splits.rows(fit.data, whole=True))


EXACT = 1e-4  # a scaler leaves mean 0 and spread 1 to rounding in float32
CLEARLY_OFF = 20.0  # times further away without the validation rows


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for fit in bench.fits:
        yield Evidence(
            f"{fit.kind} was fitted on {fit.rows} rows, and those very rows were split into training and "
            "held-out rows afterwards: the training data contain statistics of the held-out rows.",
            telling="proven",
            where=Where(fit.path, fit.line),
            numbers={"rows": fit.rows, "transformer": fit.kind},
            fix="Split first; call `fit` on the training part and only `transform` on the rest.",
        )
    if bench.fits:
        return
    seen = bench.split
    if seen.pooled_error < EXACT and seen.train_error > CLEARLY_OFF * max(seen.pooled_error, 1e-6):
        yield Evidence(
            "Training and validation rows together have mean 0 and std 1 to within "
            f"{seen.pooled_error:.1e}, the training rows alone only to within {seen.train_error:.1e}: the "
            "scaler was fitted on both.",
            telling="likely",
            numbers={"together": seen.pooled_error, "training_alone": seen.train_error},
            fix="Split first; call `fit` on the training part and only `transform` on the rest.",
        )
