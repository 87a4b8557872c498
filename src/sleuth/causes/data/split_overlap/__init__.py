"""The same examples stand in the training set and in the evaluation set.

## What happens
The test score becomes an average of two scores: memory on the shared part, skill on the rest. A
forest trained on pure noise labels scores 50% on clean test data, 54% when a tenth of the test rows
are copies of training rows, 64% at 30%. The bigger the model, the closer its memory is to 100%,
so overlap favours capacity and you pick the wrong model.

Exact copies come from oversampling or augmenting before the split, from concatenated sources that
share records, from two `random_split` calls with different seeds, from resuming with a new split,
or from evaluating on a loader built over the full set. Near copies are worse since no hash finds
them: frames of one video, patches of one slide, several visits of one patient, a reposted image.

```python
X, y = RandomOverSampler().fit_resample(X, y)        # copies first ...
X_tr, X_te, y_tr, y_te = train_test_split(X, y)      # ... then on both sides
```

It is not only an amateur's fault: CIFAR-10 and CIFAR-100 were shipped with test images whose
near duplicates are in the training set.

## How to tell
- **lint**: two parts cut from the same end of an array (`x[:-n]` and `x[:n]`), or a loader named
  after a held-out set that is given the training set.
- **probe**: rows with equal fingerprints in the training and the validation loader, set against
  how often rows repeat within the training set.
- **watch**: fingerprints of examples seen in training return during evaluation; evaluation loss
  follows training loss down without the usual gap, even late; a score called `val` or `test` in a run
  that never evaluated a row it did not train on.
- **refuted by**: no shared fingerprint and no shared group id between the two sets.

## How to fix
Remove duplicates, split by the unit that must be new at prediction time, then resample or augment.

```python
groups = df["patient_id"]
train, test = next(GroupShuffleSplit(n_splits=1, test_size=0.2, random_state=0).split(X, y, groups))
assert not set(groups.iloc[train]) & set(groups.iloc[test])
```

Save the indices of the split in a file, so that a resumed run cannot redraw it. A few chance
collisions between low-resolution rows (two customers with the same five attributes) are not
overlap: those happen in production as well.

## Often mistaken for
- `target-leakage`: a column gives the target, on rows that are all new.
- `shuffled-time-split`: neighbours in time instead of copies; the rows differ.
- `test-set-reuse`: sets are disjoint, and you chose by the test score.

## Sources
- barz-2020: the count of near-duplicates between CIFAR training and test images (3.3% and 10% of
  the test images) and its effect on measured error.
- kapoor-2023: taxonomy, L1.4 duplicates and L3.2 dependence between training and test data.
- sklearn-cv: the part on iterators for grouped data.
"""

import ast
import math
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import (
    at,
    batches,
    epoch_steps,
    evaluations,
    in_each_step,
    is_float,
    loss_calls,
    needed,
    tensors,
    training_loader,
)
from sleuth.roles import names_held_out
from sleuth.source.interpreter.values import Value
from sleuth.source.program import Program, clue, spot

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Evaluation, Record, Values

ANSWERS = "validation"
INVITED_BY = {"train_test_split|random_split|Subset": 3.0}


SHARE = 0.01  # of the validation rows; a few chance collisions are no overlap
FEW_COUNTS = 0.05  # of rows of words, counts or signs: so few are alike in any two samples
NARROW = 4  # columns below which equal rows are no surprise


NEEDS = "val test dev holdout permutation randperm"

_DRAWS = ("train_test_split", "permutation", "randperm")


def lint(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.data.split_overlap.same_rows import same_rows

    for found in same_rows(program):
        whole = isinstance(found.held_out, ast.Call)
        yield clue(
            "proven" if found.certain else "likely",
            Value(found.held_out, found.source),
            (
                f"This loader is named as a held-out set and loads `{ast.unparse(found.train)}`"
                if whole
                else f"This part and the one of line {found.train.lineno} are sliced from the same end"
            )
            + ": the score is measured on training rows.",
            fix="Give it the rows that were held out." if whole else "Split both parts at the same index.",
        )
    if program.source.holds_one_of(_DRAWS) and program.source.holds(".fit("):
        yield from _drawn_twice(program)


def _drawn_twice(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.data.split_overlap.two_draws import two_draws

    for found in two_draws(program):
        yield clue(
            "proven",
            found.judged,
            "The evaluation rows come from this random draw, the training rows from another draw of the "
            f"same table (line {spot(found.fitted).line}): many rows are in both.",
            fix="Draw once, and take both parts from that draw.",
        )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    seen = bench.split
    share = seen.shared / seen.val_rows if seen.val_rows else 0.0
    repeats = not seen.measured and (seen.repeated_in_train > 0.5 * share or share < FEW_COUNTS)
    natural = repeats or seen.width < NARROW
    if seen.shared < 3 or share < SHARE:
        return
    yield Evidence(
        f"{seen.shared} of {seen.val_rows} validation examples ({share:.0%}) are also in the training "
        "set, bit for bit: the validation score rewards memorisation.",
        telling="open" if natural else "proven",
        numbers={"shared": seen.shared, "val_rows": seen.val_rows, "train_rows": seen.train_rows},
        fix="Remove duplicates first, then split once, and keep the indices in a file.",
    )


WHOLE = 0.98  # a pass over the training set itself is meant
ENOUGH = 20  # rows of an evaluation
# Rows of one set that equal another of it. Where most do, two sets share rows by nature; copies of a rare
# class, made before the split, are at most about half of a set.
NATURAL = 0.5
FEW_CALLS = 6
AGAIN = 2.0  # rows served over different rows served


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Evaluation

    passes = [
        seen for seen in record.of(Evaluation) if seen.seen_in_training is not None and seen.rows >= ENOUGH
    ]
    needed(passes, "evaluation rows compared with training rows")
    # Rows that repeat within an epoch show that equal rows are natural here: few columns, few values.
    train = batches(record)
    rows = sum(batch.values[0].shape[0] for batch in train if batch.values and batch.values[0].shape)
    natural = sum(batch.repeated_rows for batch in train) / max(1, rows)
    for group in evaluations(record).values():
        last = max(group, key=lambda seen: (seen.seen_in_training or 0.0, seen.n))
        share = last.seen_in_training or 0.0
        if last.rows < ENOUGH or share < 5 * SHARE or share >= WHOLE or share < 4 * natural:
            continue
        if last.inside or in_each_step(group) or (last.equal_rows or 0.0) > NATURAL:
            continue
        if _by_chance(last):
            continue
        telling = _telling(record) and _settled(record, group) and not _several_sets(record, last)
        telling = telling and not _on_a_part(record)
        yield Evidence(
            f"{share:.0%} of the {last.rows} rows evaluated at step {last.n} were used for training as "
            "well: the score measures memorisation and will not hold on new data.",
            # Short token windows meet by chance; training rows may be looked at before all were served.
            telling="proven" if telling else "open",
            where=at(last),
            numbers={"share": share, "rows": last.rows},
            fix="Split the ids once, before sampling, and check that the two sets are disjoint.",
        )
        return
    yield from _nothing_held_out(record, natural)


FEW_EQUAL = 0.05  # of an evaluation's rows: so few are chance, more may be copies made before the split
AT_MOST, AT_LEAST = 1.5, 0.8  # times what chance would give


def _by_chance(seen: "Evaluation") -> bool:
    """Whether rows meet between the sets as often as they meet within one: counts of a few words, answers to
    a questionnaire. Pairs meet with one probability; copies of a few rows meet far more often among
    themselves than with the rest."""
    equal = seen.equal_rows or 0.0
    if not equal or not seen.training_rows:
        return False
    a_call = seen.rows / seen.calls
    expected = 1 - math.exp(-2 * equal * (1 + equal) * seen.training_rows / a_call)
    share = seen.seen_in_training or 0.0
    return share <= AT_MOST * expected and (equal < FEW_EQUAL or share >= AT_LEAST * expected)


def _nothing_held_out(record: "Record", natural: float) -> Iterator[Evidence]:
    """A score under the name of a held-out set, in a run that never looked at a row it did not train on."""
    from sleuth.record.entries import Evaluation, Metric

    looks = [
        seen
        for seen in record.of(Evaluation)
        if seen.seen_in_training is not None and seen.rows >= ENOUGH and seen.trained and not seen.inside
    ]
    if not looks or natural > SHARE or not _telling(record) or _on_a_part(record):
        return
    if min(seen.seen_in_training or 0.0 for seen in looks) < WHOLE:
        return
    if max(seen.equal_rows or 0.0 for seen in looks) > NATURAL:
        return
    named = [
        (metric, seen)
        for metric in record.of(Metric)
        if names_held_out(metric.name)
        for seen in looks
        if seen.n == metric.n
    ]
    if not named:
        return
    metric, last = named[-1]
    yield Evidence(
        f"All {last.rows} rows behind `{metric.name}` (step {last.n}) were used for training, and nothing "
        "else was ever evaluated: the score measures memorisation.",
        telling="proven",
        where=at(last),
        numbers={"share": last.seen_in_training or 1.0, "rows": last.rows},
        fix="Evaluate on held-out rows: check which part the evaluation is given.",
    )


def _on_a_part(record: "Record") -> bool:
    """The model sees more rows than the loss: the nodes of a graph, of which some have a label to learn."""
    sizes = {step.rows for step in record.steps if step.rows}
    calls = [call.input_shape[0] for call in loss_calls(record) if call.input_shape]
    return bool(sizes) and bool(calls) and max(calls) < min(sizes)


MOSTLY_TRAINING = 0.6  # so large a share is rather the training set itself, served in part


def _settled(record: "Record", group: "list[Evaluation]") -> bool:
    """Whether all training rows had been served: an epoch had passed, each row came about twice, or the share
    no longer grows."""
    epoch, last = epoch_steps(record), group[-1]
    # Where passes were cut short, a look at the training set itself meets rows that were not served yet.
    cut = record.end is not None and bool(record.end.shortened)
    if cut and max(seen.seen_in_training or 0.0 for seen in group) > MOSTLY_TRAINING:
        return False
    if not cut and epoch is not None and training_loader(record) is not None:
        return last.n >= epoch
    if (
        not cut
        and len(group) > 1
        and abs((last.seen_in_training or 0.0) - (group[-2].seen_in_training or 0.0)) < SHARE
    ):
        return True
    served = sum(step.rows or 0 for step in record.steps if step.n < last.n)
    at_once = last.rows >= ENOUGH * last.calls  # not the single rows that an agent acts upon
    return at_once and bool(last.training_rows) and served >= AGAIN * (last.training_rows or 0)


def _several_sets(record: "Record", seen: "Evaluation") -> bool:
    """Calls on several sets on one line, some of them the training set: they explain the share exactly."""
    shared = (seen.seen_in_training or 0.0) * seen.rows
    if seen.training_rows and abs(shared - seen.training_rows) < SHARE * seen.rows:
        return True  # all of the training set is among them: a look at everything there is
    if seen.loader is not None or not 2 <= seen.calls <= FEW_CALLS:
        return False
    calls = [b for b in batches(record, "eval") if (b.line, b.model) == (seen.line, seen.model) and b.values]
    by_step: dict[int, list[int]] = {}
    for batch in calls:
        by_step.setdefault(batch.n, []).append(batch.values[0].shape[0])
    whole = [sizes for sizes in by_step.values() if sum(sizes) == seen.rows]
    sizes = whole[-1] if whole else [seen.rows // seen.calls] * seen.calls
    sums = {sum(part) for k in range(1, len(sizes)) for part in combinations(sizes, k)}
    return any(abs(shared - total) < SHARE * seen.rows for total in sums)


def _telling(record: "Record") -> bool:
    """Whether equal rows can hardly be chance: numbers with a fraction in several columns. A state that goes
    in beside tokens is none of them."""
    floats = [
        values
        for batch, values in tensors(batches(record), "input", is_float)
        if values.shape[:1] == batch.values[0].shape[:1]
    ]
    wide = [values for values in floats if len(values.shape) > 1 and math.prod(values.shape[1:]) >= NARROW]
    return any(not _yes_or_no(values) for values in wide)


def _yes_or_no(values: "Values") -> bool:
    """Zeros and ones only (one-hot states, flags): no other numbers from 0 to 1 spread as far."""
    mean, std = values.mean or 0.0, values.std or 0.0
    return (values.minimum, values.maximum) == (0, 1) and math.isclose(
        std**2, mean * (1 - mean), rel_tol=0.02
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement, chooses_held_out_rows

    return best_statement(chooses_held_out_rows, scene.sources)
