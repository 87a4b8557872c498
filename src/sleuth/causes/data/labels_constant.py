"""Every batch seen carries one and the same label value.

## What happens
The best-looking curve you will ever get. With a single class the model only has to raise one bias:
on a ten-class network the loss fell from 2.43 to 0.07 in ten steps and to 0.002 in a hundred, with
100% accuracy, whatever the inputs were. In regression the output goes to the constant just as fast.
If the evaluation set is built by the same code, it agrees.

Where it comes from: the label is read from a path component that is the same for all files, a
string comparison that never matches (`"Yes"` against `"yes"`), an `astype(int)` that floors
probabilities to 0, a filter that left one class, `y[0]` broadcast to the batch, or a data set
stored class by class of which a subset was taken from the front (`Subset(ds, range(1000))`).

```python
y = (frame["churn"] == "yes").astype(int)      # the column says "Yes": all zeros
```

## How to tell
- **probe**: one distinct label among all examples of the loader; in a single batch, with no loader to
  go on, it is only worth a note, as batches may be made class by class.
- **watch**: over all batches so far one target value, in labels that a loader served, one an
  example or one a pixel (labels made on the spot, as for contrastive losses, are worth a note); loss
  to zero within tens of steps; all gradients fade with it.
- **refuted by**: two different labels in one batch.

## How to fix
Count the labels at the moment the data set is built, and fail if something is missing.

```python
values, counts = torch.unique(y_train, return_counts=True)
print(dict(zip(values.tolist(), counts.tolist())))
assert len(values) == num_classes
```

For a smaller debugging subset draw indices at random, not from the front. One label is as it
should be for one-class and self-supervised set-ups, for the real and the fake half of a GAN step,
and when you test a single batch on purpose.

## Often mistaken for
- `class-imbalance`: the other labels exist, they are only rare.
- `unshuffled-training`: labels are constant within a batch and change between batches.
- `target-leakage`: loss also collapses, but labels vary and the inputs give them away.

## Sources
- ivanov-2017: part I, item 10, on batches that hold a single label.
- karpathy-2019: "1. Become one with the data", on the distribution of labels.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import where_target_made
from sleuth.record import curves
from sleuth.record.questions import (
    CLASS_LOSSES,
    batches,
    courses,
    loss_calls,
    needed,
    tensors,
    training_loader,
)

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import LossCall, Record

CONSEQUENCE_OF = "unshuffled-training"
UNLESS = {"any": "labels-vary"}
LOOKS_LIKE = {"constant output": "even"}
PREDICTS = {"noise-inputs": "always", "shuffled-labels": "always"}

ENOUGH = 16  # examples with one label among which chance would have shown a second (2 classes at 80:20: 97%)


def probe(bench: "Workbench") -> Iterator[Evidence]:
    whole = bench.subject.loader is not None  # one batch alone may come from one day, one class, one file
    if whole:
        counts = bench.labels
        distinct, seen = len(counts.counts), counts.seen
        whole = counts.fair  # the head of a sorted file has one class, and its tail the others
    else:
        targets = [part for part in bench.data.tensors if part.role == "target"]
        distinct = min((part.distinct or 2 for part in targets), default=2)
        seen = min((part.examples for part in targets), default=0)
    if distinct == 1 and seen >= ENOUGH:
        yield Evidence(
            f"All {seen} examples seen carry the same label, so the best model is a constant and the loss "
            "falls to zero without anything being learned.",
            telling="proven" if whole else "open",
            numbers={"examples": seen, "distinct": distinct},
            fix="Look at the label column of the raw data, and at a filter or a join that kept one class "
            "only.",
        )


NOTHING = 0.02  # a loss that is over: one answer fits all


MANY = 3000  # examples among which one of a thousand would have shown: 95%


def _all_served(record: "Record", calls: "list[LossCall]") -> bool:
    """A loader served the labels, and so many that a rare class would have shown."""
    loader = training_loader(record)
    examples = loader.examples if loader is not None and loader.examples else math.inf
    rows = sum(call.target_shape[0] for call in calls if call.target_served and call.target_shape)
    # Half of a set misses a class of five in one case out of thirty.
    return rows >= max(2 * ENOUGH, min(MANY, examples / 2))


def watch(record: "Record") -> Iterator[Evidence]:
    calls = [call for call in loss_calls(record) if call.function in CLASS_LOSSES and call.ignored < 1]
    needed(calls, "calls of a loss over classes")
    seen = {bound for call in calls for bound in (call.target_min, call.target_max) if bound is not None}
    if len(seen) != 1:
        return
    counts: Counter[str] = Counter()
    for batch, values in tensors(batches(record), "target"):
        # What only the loss saw may be made on the spot; what a loader served is data.
        if batch.loader is not None and values.path != "target":
            counts.update(values.counts or {})
    rows = sum(call.target_shape[0] for call in calls if call.target_shape)
    served = (len(counts) == 1 and counts.total() >= 2 * ENOUGH) or _all_served(record, calls)
    value = next(iter(seen))
    classifier = "Addmm" in calls[0].input_made_by
    over = classifier and any(
        curves.end(course.finite_losses) < NOTHING for course in courses(record) if course.finite_losses
    )
    if rows < 2 * ENOUGH:
        return
    yield Evidence(
        f"All {rows} labels seen are {value:g}: a model that always predicts {value:g} is perfect, so "
        "nothing is learned from the inputs" + (" and the loss is near zero already." if over else "."),
        # Contrastive losses put the right answer at place 0 on purpose: their labels are made, not served.
        telling="proven" if served else "likely" if over else "open",
        where=where_target_made(record, calls[0]),
        numbers={"label": value, "seen": rows},
        fix="Look at the labels as they leave the data set: a wrong column, a filter, an unshuffled head of "
        "the file.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import behind, of_targets

    return behind(of_targets(finding, scene), finding, _works_out_answers, scene)


_DECIDES = re.compile(
    r"\.(map|isin|replace|apply|get)\(|(np|torch)\.where|fillna|digitize| (==|>|<|>=|<=|//) "
)
_ANSWERS = re.compile(r"(self\.)?(y|ys|labels?|targets?|y_all|y_true|classes)", re.IGNORECASE)


def _works_out_answers(statement: "Statement") -> int | None:
    """Where the answers are worked out from something else: by a table, a comparison, a rule."""
    return 0 if _ANSWERS.fullmatch(statement.targets) and _DECIDES.search(statement.text) else None
