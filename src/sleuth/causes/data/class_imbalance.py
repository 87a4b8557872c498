"""One class outnumbers another by 10:1 or more under a loss that treats all examples alike.

## What happens
Always predicting "negative" is right 99 times out of 100. With 99:1 labels this prediction costs a
cross-entropy of 0.056, and the first epochs of training consist of finding it: the loss plunges,
accuracy shows 99%, the rare class is never predicted. On a toy task with overlapping classes and
99:1 labels, a small network reported 98.9% accuracy on new data while it found 1 in 20 positives.

The gradient tells why. In a batch of 32 drawn at 99:1 there is no rare example at all in 72% of
cases. And where classes overlap, that is not even wrong: an unweighted loss asks for
calibrated probabilities, and with such a prior few of them exceed one half. So "the model ignores
the rare class" is often a threshold problem, not a learning problem.

## How to tell
- **probe**: label counts differ by 10:1 or more and the loss has no `weight`, `pos_weight` or
  sampler; loss at the start is above the entropy of the class frequencies (0.305 at 10:1).
- **watch**: the loss settles at that entropy; predictions are one class in nearly every batch;
  accuracy equals the majority share to two digits.
- **experiment**: corrected from outside, classes weighted by how rare they were so far; the rare
  class begins to be predicted.
- **refuted by**: recall of the rarest class well above its share, or counts within 10:1.

## How to fix
First look at recall, precision and the precision-recall curve, and move the threshold. If ranking
itself is poor, reweight or resample, one of the two:

```python
pos_weight = (y_train == 0).sum() / (y_train == 1).sum()
criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
# or: WeightedRandomSampler(weights=1.0 / class_count[y_train], num_samples=len(y_train))
```

Starting the last bias at log(positives / negatives) saves the first epochs. Resample the training
split only. Leave the loss unweighted when you need true probabilities, or when the loss is already
made for it (focal, Dice). Imbalance alone is no defect: easily separable rare classes are learned.

## Often mistaken for
- `labels-constant`: the rare class does not occur at all.
- `unstratified-split`: counts are fine overall, but one of the splits got too few.
- `loss-metric-mismatch`: accuracy is the wrong number to read; here the loss is at fault as well.

## Sources
- he-2009: section 3 on sampling and cost-sensitive methods, section 4 on metrics to use instead of
  accuracy.
- karpathy-2019: section 2, "init well", on setting the final bias for imbalanced data.
- pytorch-bce-logits: `pos_weight`, trading recall against precision.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import (
    CLASS_LOSSES,
    at,
    batches,
    courses,
    loss_calls,
    needed,
    tensors,
    training_loader,
)

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

JUDGED_BY = "most scores"
CONSEQUENCE_OF = "inputs-constant labels-constant unshuffled-training"
CHANGES_LOSS = True
LOOKS_LIKE = {"constant output": "usually", "metric apart from loss": "even"}
PREDICTS = {"noise-inputs": "even", "shuffled-labels": "even"}

RATIO = 10.0  # majority to minority; from here on a model gains by never naming the minority


def probe(bench: "Workbench") -> Iterator[Evidence]:
    losses = [use for use in bench.first.losses if use.name.startswith(("cross_entropy", "nll", "binary"))]
    if not losses or any(use.weighted for use in losses):
        return
    counts = bench.labels
    if len(counts.counts) < 2 or counts.weighted_sampler or not counts.fair:
        return
    numbers = sorted(count for _, count in counts.counts)
    # Counts of a sample waver by their square root: judge by what they could at worst have been.
    surely = (numbers[-1] - 2 * numbers[-1] ** 0.5) / (numbers[0] + 2 * numbers[0] ** 0.5 + 1)
    if counts.complete:
        surely = counts.ratio
    if surely < RATIO or len(counts.counts) > 20:
        return
    rare = min(counts.counts, key=lambda pair: pair[1])
    yield Evidence(
        f"Class {rare[0]} has {rare[1]} of {counts.seen} examples, the largest class {numbers[-1]} "
        f"({counts.ratio:.0f}:1), and the loss weighs all examples equally: always predicting the large "
        "class is nearly optimal for it.",
        telling="likely",
        where=losses[0].where,
        numbers={"ratio": counts.ratio, "rarest": rare[1], "seen": counts.seen},
        fix="Weigh classes in the loss (`weight=`, `pos_weight=`) or sample them evenly; report recall "
        "per class.",
    )


SETTLED = 200  # steps after which a loss at the entropy is no passing stage
NEAR = 0.15  # relative distance to it
MANY_CLASSES = 20  # beyond, rare ones are the rule (tokens of a text)


def watch(record: "Record") -> Iterator[Evidence]:
    calls = [call for call in loss_calls(record) if call.function in CLASS_LOSSES]
    counts: Counter[str] = Counter()
    for _, values in tensors(batches(record), "target"):
        counts.update(values.counts or {})
    needed(counts, "counts of labels")
    loader = training_loader(record)
    if not calls or any(call.weighted for call in calls) or (loader and "Weighted" in loader.sampler):
        return
    common, rare = counts.most_common(1)[0], counts.most_common()[-1]
    surely = (common[1] - 2 * common[1] ** 0.5) / (rare[1] + 2 * rare[1] ** 0.5 + 1)
    if not 2 <= len(counts) <= MANY_CLASSES or surely < RATIO:
        return
    ignored = _rare_ignored(record, common[1] / counts.total()) or _at_entropy(record, counts)
    yield Evidence(
        f"Class {rare[0]} is {rare[1]} of {counts.total()} labels seen, class {common[0]} is {common[1]}, "
        "and the loss weighs all examples equally: "
        + (ignored or "a model that never predicts the rare class looks good.")
        + " Report recall per class.",
        # An imbalance that is learned all the same is no fault.
        telling="likely" if ignored else "open",
        where=at(calls[0]),
        numbers={"ratio": common[1] / max(1, rare[1]), "rarest": rare[1], "seen": counts.total()},
        fix="Weigh classes in the loss (`weight=`, `pos_weight=`) or sample them evenly; report recall "
        "per class.",
    )


def _rare_ignored(record: "Record", majority: float) -> str:
    """The sign that only the common class is named, in words."""
    from sleuth.record.entries import Evaluation

    for seen in record.of(Evaluation)[-3:]:
        if seen.constant_output:
            return f"the evaluation at step {seen.n} gave every example the same prediction."
        if seen.correct is not None and seen.rows >= 50 and abs(seen.correct - majority) < 0.005:
            common = f"the share of the common class ({majority:.3f})"
            return f"accuracy at step {seen.n} is {seen.correct:.3f}, {common}."
    return ""


def _at_entropy(record: "Record", counts: Counter[str]) -> str:
    """The loss stands where knowing the frequencies alone brings it."""
    entropy = -sum(n / counts.total() * math.log(n / counts.total()) for n in counts.values())
    for course in courses(record, SETTLED)[:1]:
        values = course.finite_losses
        late = values[len(values) // 2 :]
        level = sum(late) / len(late) if late else 0.0
        falls = curves.surely_lower(late[: len(late) // 2], late[len(late) // 2 :])
        if abs(level - entropy) < NEAR * entropy and not falls:
            return f"the loss is {level:.3g}, what predicting the class frequencies gives ({entropy:.3g})."
    return ""


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.weighted_classes(world)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_is_criterion, scene.sources)


def _is_criterion(statement: "Statement") -> int | None:
    """Where the loss is made, or called."""
    if re.search(r"\b(CrossEntropyLoss|NLLLoss|BCE\w*Loss)\(", statement.text):
        return 0
    return 1 if re.search(r"\b(cross_entropy|nll_loss|binary_cross_entropy\w*)\(", statement.text) else None
