"""Training inputs and evaluation inputs are prepared differently.

## What happens
The model gets inputs in a form it was not trained on. Depending on the difference this is a disaster or
almost invisible. A digit classifier trained on pixels in 0..1 kept its accuracy to the last digit
(94.0%) when tested on 0..255, because a ReLU network with small biases hardly minds a common
factor; its test loss went from 0.24 to 18.4. Transposed images gave 14%, values 255 times too small
15%. Trained on standardised features and tested on raw ones: 82% instead of 95%, which passes for
ordinary overfitting.

It happens when the pipeline exists twice: a notebook for training and a service for inference, two
transform lists edited at different times, PIL here and OpenCV there (RGB against BGR, and another
resize filter), a scaler that is fitted again on the test set, a tokenizer of another version,
padding on the other side, a pretrained backbone fed with other constants than it was trained on.

## How to tell
- **lint**: `Normalize` or `Grayscale` in one of two transform pipelines only, or with other
  constants; a model fitted on scaled rows and applied to raw rows of the same split.
- **watch**: inputs in evaluation differ from those in training in mean, std, range, dtype or
  shape, beyond what chance allows; evaluation loss is bad from the very first epoch. Of texts: one
  id (the unknown word) stands for much in evaluation and hardly stood in training, or the commonest
  ids are others.
- **refuted by**: *training* examples sent through the evaluation pipeline score as they do in
  training.

## How to fix
One function, used on both sides; random steps are added in front for training only. Store its
constants with the weights.

```python
base = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
train_tf = v2.Compose([v2.ToImage(), v2.RandomHorizontalFlip(), *base])
eval_tf = v2.Compose([v2.ToImage(), *base])
torch.save({"model": model.state_dict(), "mean": MEAN, "std": STD}, path)
```

For pretrained weights use the transform that ships with them. Random augmentation in training and a
centre crop in evaluation are a wanted difference; so is evaluating at a slightly larger resolution.

## Often mistaken for
- `train-mode-eval`: inputs agree, but the model is in the other mode.
- `overfitting`: the gap opens over time; a mismatch is there at once.
- `augmented-eval`: the difference is random augmentation, and two evaluations disagree.

## Sources
- sklearn-pitfalls: "Inconsistent preprocessing", a scaled training set and an unscaled test set.
- ivanov-2017: part I, items 14 and 15, preprocessing of pretrained models and of the three splits.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.causes.data.preprocessing_mismatch import tokens
from sleuth.finding import Evidence, Where
from sleuth.places.origins import script_of, where_input_made
from sleuth.record import curves
from sleuth.record.questions import at, batches, courses, is_float, layer_types, loaders, needed, tensors
from sleuth.source.flow import literal, root
from sleuth.source.interpreter.values import Call, Collection, Table, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.loaders import (
    TRANSFORMS,
    given_transform,
    is_open,
    line,
    role,
    steps_of,
    transform_of,
)
from sleuth.source.topics.splits import Split, Splits, splits_of
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Batch, Record, Values

ANSWERS = "validation"
CONSEQUENCE_OF = "augmented-eval inputs-constant nonfinite-input"
LOOKS_LIKE = {"good in training, bad in validation": "usually"}
INVITED_BY = {"Scaler|fit_transform|normalize": 3.0, "augment|RandomCrop|Flip|transforms": 3.0}


FIX = "Prepare both with the same steps and constants; add random augmentation for training only."
# Steps that decide what a number means; crops and sizes may differ on purpose.
SCALES = ("Normalize", "Grayscale", "ConvertImageDtype")
# Without one of these a file numbers no categories, and what looks for that need not be loaded.
_NUMBERS_CATEGORIES = ("factorize", ".unique()", ".cat.codes", "LabelEncoder", "OrdinalEncoder", "(set(")
PREDICTIONS = (".predict", ".predict_proba", ".score", ".decision_function")


def lint(program: Program) -> Iterator[Evidence]:
    yield from _data_sets(program)
    yield from _tables(program)
    yield from _unscaled_test(splits_of(program))
    yield from _scaled_in_training_only(program)
    yield from _numbered_apart(program)


def _numbered_apart(program: Program) -> Iterator[Evidence]:
    """Each part numbers its categories by itself: 3 is Paris in training and Rome in the test."""
    if not any(map(program.source.holds, _NUMBERS_CATEGORIES)):
        return
    from sleuth.causes.data.preprocessing_mismatch.category_codes import numbered_apart

    for found in numbered_apart(program.source):
        sure = not found.sorted
        harm = (
            "one code stands for two categories."
            if sure
            else "a category missing in one part shifts all codes."
        )
        yield clue(
            "proven" if sure else "likely",
            Value(found.node, program.source),
            f"`{found.table}` gets category codes from its own values, and so does the other part: {harm}",
            fix="Compute the codes once, from the training part, and apply them to both parts.",
        )


def _data_sets(program: Program) -> Iterator[Evidence]:
    """The training and the held-out set of one kind, with transforms that scale differently."""
    made = [call for call in program.trace if call.receiver is None and given_transform(call) is not None]
    for held in made:
        if role(held) != "held-out":
            continue
        train = [call for call in made if call.op == held.op and role(call) == "train"]
        if train and all(_differ(transform_of(call), transform_of(held)) for call in train):
            step = _differ(transform_of(train[0]), transform_of(held))
            yield _report(transform_of(held) or held, step, line(train[0]))


def _scaled_in_training_only(program: Program) -> Iterator[Evidence]:
    """`if self.train: x = x / 255` in a data set: an augmentation may be left out, a change of units not."""
    for node in program.source.of(ast.FunctionDef) if program.source.holds("__getitem__") else ():
        if node.name != "__getitem__":
            continue
        for branch in (part for part in ast.walk(node) if isinstance(part, ast.If)):
            if branch.orelse or not _TRAINING.search(ast.unparse(branch.test)):
                continue
            for step in branch.body:
                if _changes_units(step):
                    yield clue(
                        "likely",
                        Value(step, program.source),
                        "The inputs are rescaled here for training only: in evaluation the model gets "
                        "values on a scale it never saw.",
                        fix=FIX,
                    )


# A branch for training, not for "not training".
_TRAINING = Pattern(r"^(self\.)?_?(is_)?train(ing)?$|^(self\.)?(mode|split|phase) == 'train'$")
_FULL_SCALE = (255, 127.5, 256, 65535)  # what integer pixels are divided by


def _changes_units(step: ast.stmt) -> bool:
    """`x = x / 255`, `x /= 255.0`."""
    if isinstance(step, ast.AugAssign) and isinstance(step.op, ast.Div):
        return getattr(step.value, "value", None) in _FULL_SCALE
    made = step.value if isinstance(step, ast.Assign) else None
    is_division = isinstance(made, ast.BinOp) and isinstance(made.op, ast.Div)
    return is_division and getattr(getattr(made, "right", None), "value", None) in _FULL_SCALE


def _tables(program: Program) -> Iterator[Evidence]:
    """`{"train": Compose(...), "val": Compose(...)}`."""
    for value in program.scene.scope.names.values():
        table = root(value)
        if isinstance(table, Table) and "train" in table.items:
            for key in ("val", "valid", "test", "eval", "validation"):
                held = table.items.get(key)
                step = _differ(table.items["train"], held) if held is not None else ""
                if held is not None and step:
                    yield _report(held, step, line(table.items["train"]))


def _report(held: Value, step: str, other: int) -> Evidence:
    return clue(
        "proven",
        held,
        f"`{step}` differs between this held-out transform and the training one (line {other}): in "
        "evaluation the model gets values it was not trained on.",
        fix=FIX,
    )


def _differ(train: Value | None, held: Value | None) -> str:
    """The scaling step that only one side has, or that has other constants on the other."""
    if is_open(train) or is_open(held):
        return ""
    mine, theirs = steps_of(root(train)), steps_of(root(held))
    if not mine or not theirs or not all(step.op.startswith(TRANSFORMS) for step in (*mine, *theirs)):
        return ""
    for name in SCALES:
        ours = [_constants(step) for step in mine if step.op.endswith("." + name)]
        others = [_constants(step) for step in theirs if step.op.endswith("." + name)]
        if len(ours) != len(others):
            return name
        if name == "Normalize" and any(
            None not in (left, right) and left != right for left, right in zip(ours, others, strict=True)
        ):
            return name
    return ""


def _constants(step: Call) -> tuple[object, ...] | None:
    """The literal numbers given to a step; None where some are not written in the source."""
    numbers: list[object] = []
    for argument in (step.argument(0, "mean"), step.argument(1, "std")):
        settled = root(argument)
        items = settled.items if isinstance(settled, Collection) else [settled] if settled is not None else []
        for item in items:
            known = literal(item)
            if not isinstance(known, int | float):
                return None
            numbers.append(known)
    return tuple(numbers)


def _unscaled_test(splits: Splits) -> Iterator[Evidence]:
    """The model is fitted on scaled rows and asked about raw ones of the same split."""
    program = splits.program
    fits: dict[int, list[Call]] = {}
    for call in program.calls(".fit"):
        if call.args:
            fits.setdefault(id(_model(call.receiver)), []).append(call)
    for ask in program.calls(*PREDICTIONS):
        for fit in fits.get(id(_model(ask.receiver)), ()):
            if ask.args and fit.order < ask.order:
                for split in splits.found:
                    scaler = _scaled(splits, fit.args[0], split.train)
                    if scaler is None or _scaled(splits, ask.args[0], split.held_out) is not None:
                        continue
                    if _reaches(splits, ask.args[0], split):
                        yield clue(
                            "proven",
                            ask,
                            "The model was fitted on rows that went through `transform` (line "
                            f"{line(scaler)}); these held-out rows did not.",
                            fix=FIX,
                        )


def _model(value: Value | None) -> Value | None:
    settled = root(value)
    while isinstance(settled, Call) and settled.op == ".fit":
        settled = root(settled.receiver)
    return settled


def _scaled(splits: Splits, value: Value, parts: tuple[Value, ...]) -> Call | None:
    """The transform that the rows of a part went through on their way here."""
    mine = {id(part) for part in parts}
    path = list(splits.rows(value))
    if not any(id(here) in mine for here in path):
        return None
    steps = [here for here in path if isinstance(here, Call) and here.op in (".transform", ".fit_transform")]
    return next(
        (step for step in steps if any(id(here) in mine for here in splits.rows(step))),
        None,
    )


def _reaches(splits: Splits, value: Value, split: Split) -> bool:
    """The rows are those of the held-out part, straight."""
    held = {id(part) for part in split.held_out}
    calls = [here for here in splits.rows(value) if isinstance(here, Call)]
    return any(id(here) in held for here in calls) and not any(
        here.op in (".transform", ".fit_transform", "()") for here in calls
    )


SHIFT = 3.0  # standard deviations of the training inputs
STRETCH = 3.0  # ratio of the spreads; augmentation stays below 1.5
ENOUGH = 256  # numbers in a tensor from which its mean and spread are steady
WORSE = 2.0  # evaluation loss over training loss at the first evaluation


def watch(record: "Record") -> Iterator[Evidence]:
    served = needed(batches(record, "eval"), "evaluation batches")
    yield from _other_words(record, served)
    for (model, path), trained in _groups(batches(record)).items():
        looks = [
            (batch, values)
            for batch, values in tensors(served, "input", is_float)
            if (batch.model, values.path) == (model, path) and values.shape[1:] == trained[0].shape[1:]
        ]
        strange = sum(_difference(trained, values) is not None for _, values in looks)
        for batch, values in looks:
            if _by_itself(trained, values) and not _trained_on(record, batch):
                yield _standardised_alone(record, batch, values)
                break
            if (odd := _difference(trained, values)) is None or 2 * strange < len(looks):
                continue  # one look among many at something else is meant: noise, an empty input
            if not _odd_from_the_first(trained, [v for b, v in looks if b.line == batch.line]):
                continue
            bad = _bad_at_once(record)
            yield Evidence(
                f"Input {path} {odd} in evaluation: training and evaluation inputs are prepared differently"
                + (f", and {bad}." if bad else "."),
                telling="likely",
                where=where_input_made(record, batch.line),
                numbers={
                    "train_mean": trained[0].mean or 0.0,
                    "eval_mean": values.mean or 0.0,
                    "train_std": trained[0].std or 0.0,
                    "eval_std": values.std or 0.0,
                },
                fix="Prepare both with one function: same scaling, same statistics, same order of channels.",
            )
            break


NEARLY_ALL = 0.9  # of the looks from one line


def _odd_from_the_first(trained: "list[Values]", looks: "list[Values]") -> bool:
    """What is prepared differently differs in each batch; what a model steers itself, turn by turn, begins as
    in training and drifts to where it leads."""
    odd = [_difference(trained, values) is not None for values in looks]
    return odd[0] and sum(odd) >= NEARLY_ALL * len(odd)


def _other_words(record: "Record", served: "Sequence[Batch]") -> Iterator[Evidence]:
    """Ids of words that training hardly saw, or another numbering: the texts were taken apart differently."""
    bags = any(kind == "EmbeddingBag" for kind in layer_types(record).values())
    groups: dict[tuple[int, str], list[Values]] = {}
    for batch, values in tensors(batches(record), "input", _is_words):
        if len(values.shape) < 2 and not bags:
            continue  # a user, an item, a class
        groups.setdefault((batch.model, values.path), []).append(values)
    for (model, path), trained in groups.items():
        looks = [(b, v) for b, v in tensors(served, "input", _is_words) if (b.model, v.path) == (model, path)]
        judged = [values for _, values in looks]
        if min(tokens.counted(trained), tokens.counted(judged)) < tokens.FEWEST:
            continue
        before, now = tokens.shares(trained), tokens.shares(judged)
        word, shared = tokens.risen(before, now), tokens.in_common(before, now)
        if word is None and (shared is None or shared > tokens.IN_COMMON):
            continue
        seen = (
            f"holds the id {word} in {now[word]:.0%} of all positions, against {before.get(word, 0.0):.1%}"
            if word is not None
            else f"shares {shared or 0.0:.0%} of its most common ids with those"
        )
        yield Evidence(
            f"Input {path} {seen} in training: the evaluation texts are tokenised with another tokeniser "
            "or vocabulary, so the ids mean other words.",
            telling="likely",
            where=_served_from(record, looks[0][0]),
            numbers={"now": now.get(word or "", 0.0), "before": before.get(word or "", 0.0)},
            fix="Use the same tokeniser and vocabulary for both.",
        )
        return


def _served_from(record: "Record", batch: "Batch") -> Where | None:
    """The loader that was given the texts, or the call of the model where there is none."""
    loader = loaders(record).get(batch.loader) if batch.loader is not None else None
    return at(loader) if loader is not None else Where(script_of(record), batch.line or None)


def _is_words(values: "Values") -> bool:
    return bool(values.common) and (values.distinct or 0) >= tokens.FEWEST_DISTINCT


EXACT = 1e-4  # rounding leaves 1e-7 of a mean; statistics from elsewhere leave 1 / sqrt(rows)
EVEN = 1.002  # largest over smallest spread of the features
FEWEST_ROWS = 50
FAMILIAR = 0.05  # of the rows; scaled in another way none would be equal, and not every training row is noted


def _by_itself(trained: "list[Values]", now: "Values") -> bool:
    """Every feature of the evaluation has mean 0 and one spread, exactly: it was scaled by itself.

    Training batches are parts of what was scaled, so theirs are not exact, unless each row is scaled alone.
    """
    if len(now.shape) != 2 or now.shape[0] < FEWEST_ROWS or now.shape[1] < 2 or now.constant_features:
        return False
    if any(values.shape == now.shape for values in trained):
        return False  # as many rows as in a training step: all there are, and in training some was dropped
    exact = now.largest_feature_mean < EXACT and now.feature_std_ratio < EVEN
    return exact and all(v.largest_feature_mean > 10 * EXACT for v in trained)


def _trained_on(record: "Record", batch: "Batch") -> bool:
    from sleuth.record.entries import Evaluation

    # What one line looks at in one fold it looks at in all, also where too little of training was noted.
    passes = [
        seen
        for seen in record.of(Evaluation)
        if (seen.n == batch.n and seen.model == batch.model) or (batch.line and seen.line == batch.line)
    ]
    return any((seen.seen_in_training or 0.0) > FAMILIAR for seen in passes)


def _standardised_alone(record: "Record", batch: "Batch", values: "Values") -> Evidence:
    return Evidence(
        f"All {values.shape[1]} features of the {values.shape[0]} evaluation rows have mean 0 and the "
        "same standard deviation to the last digit: they were scaled by their own statistics, not by "
        "those of training, so differences from the training data are lost.",
        telling="likely",
        where=Where(script_of(record) or None, batch.line or None),
        numbers={"feature_mean": values.largest_feature_mean, "std_ratio": values.feature_std_ratio},
        fix="Fit the scaler once, on the training rows, and apply it everywhere.",
    )


def _groups(trained: "list[Batch]") -> "dict[tuple[int, str], list[Values]]":
    groups: dict[tuple[int, str], list[Values]] = {}
    for batch, values in tensors(trained, "input", is_float):
        if values.std is not None and values.mean is not None:
            groups.setdefault((batch.model, values.path), []).append(values)
    return groups


def _difference(trained: "list[Values]", now: "Values") -> str | None:
    """What differs, in words: beyond what single training batches differ among themselves."""
    size = 1
    for width in now.shape:
        size *= width
    if now.std is None or now.mean is None or size < ENOUGH:
        return None
    means, stds = [v.mean or 0.0 for v in trained], [v.std or 0.0 for v in trained]
    usual = max(curves.median(stds), 1e-12)
    apart = min(abs(now.mean - mean) for mean in means) / max(usual, now.std)
    if apart > SHIFT:
        return f"has mean {curves.median(means):.3g} in training and {now.mean:.3g}"
    stretch = (
        min(max(now.std, 1e-12) / max(std, 1e-12) for std in stds),
        max(now.std, 1e-12) / max(min(stds), 1e-12),
    )
    if stretch[0] > STRETCH or stretch[1] < 1 / STRETCH:
        return f"has std {usual:.3g} in training and {now.std:.3g}"
    return None


def _bad_at_once(record: "Record") -> str:
    from sleuth.record.entries import Evaluation

    seen = next((seen for seen in record.of(Evaluation) if seen.loss is not None), None)
    steps = [step for course in courses(record)[:1] for step in course.steps]
    if seen is None or seen.loss is None:
        return ""
    before = [step.loss for step in steps if step.loss is not None and step.n < seen.n]
    losses = curves.finite(before)
    if not losses or curves.end(losses) <= 0:
        return ""
    ratio = seen.loss / curves.end(losses)
    return (
        f"the evaluation loss is {ratio:.1f} times the training loss from the start" if ratio > WORSE else ""
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_inputs

    return of_inputs(finding, scene)
