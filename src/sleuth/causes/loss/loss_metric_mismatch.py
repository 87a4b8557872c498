"""The loss falls and the reported metric does not follow, or the metric itself is wrong.

## What happens
Two stories look the same from outside. In the first the metric is honest and the loss measures
something else: cross-entropy improves by making right answers surer while not one decision changes;
an average over a million easy background pixels hides the ten that matter; teacher forcing makes
every next token easy and free generation fails.

In the second, which is commoner than one likes, the *metric code* is broken. Shapes broadcast, a
threshold meets logits, `argmax` runs over the wrong axis, the last batch weighs as much as a full
one, padding counts as correct, macro and micro averages are mixed up, or predictions and labels
come from two loaders in different order. The model may be fine.

```python
pred = model(x).argmax(1)                       # (N,)
acc = (pred == y.unsqueeze(1)).float().mean()   # (N, N): near chance for ever
```

A short lag is normal: the loss is smooth, accuracy moves in steps. On imbalanced data a good
ranking with a bad threshold also gives a falling loss and a flat F1.

## How to tell
- **watch**: over many steps the loss falls by a clear amount while the metric stays flat or gets
  worse, on the *same* examples. Sleuth recomputes plain accuracy from recorded outputs and targets
  and compares it with what the script reports; a disagreement convicts the metric, agreement
  acquits it.
- **refuted by**: a metric computed independently on the same outputs agrees with the reported one,
  and moves together with the loss.

## How to fix
Feed the metric a case with a known answer: the labels as predictions must give 1.0, shuffled labels
must give chance. If it passes, change the loss or the decision rule instead: class weights, a
threshold tuned on validation data, a loss nearer to the metric.

```python
pred = model(x).argmax(dim=1)
assert pred.shape == y.shape
assert accuracy(y, y) == 1.0
correct += (pred == y).sum().item()
seen += y.numel()                               # acc = correct / seen
```

## Often mistaken for
- `overfitting`: the training metric follows its loss and only the validation metric does not.
- `structural-ceiling`: the metric is right and the parameters have no way to move it.
- `logit-threshold`: one particular broken metric, with its own simple remedy.

## Sources
- goodfellow-2016-ch8: section 8.1.2, Surrogate Loss Functions; the loss optimised stands in for
  another.
- sklearn-metrics: the part on binary, multiclass and multilabel averaging; how the average changes
  the score.
- ivanov-2017: the part on the loss function, item on monitoring other metrics.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.facts.seen import needed
from sleuth.finding import Finding, Where

if TYPE_CHECKING:
    from sleuth.facts.step import Record

APART = 0.1  # of accuracy: beyond rounding, dropped remainders and averaging over batches
_ACCURACY = re.compile(
    r"^(?!.*(train|top|balanced|adv))\w*?(val|test|eval|valid)?\w*acc(uracy)?$", re.IGNORECASE
)


def watch(record: "Record") -> Iterator[Finding]:
    from sleuth.facts.step import Evaluation, Metric

    # Of several answers a row (tokens, pixels) the script may leave some out: padding, background.
    judged = [
        seen
        for seen in record.of(Evaluation)
        if seen.correct is not None and seen.rows >= 50 and seen.answers in (0, seen.rows)
    ]
    told = [metric for metric in record.of(Metric) if _ACCURACY.match(metric.name.replace(" ", "_"))]
    needed(judged, "evaluation passes whose accuracy could be computed again")
    needed(told, "printed or logged accuracy")
    apart = []
    for metric in told:
        share = metric.value / 100 if metric.value > 1.5 else metric.value
        near = [seen.correct for seen in judged if seen.n == metric.n and seen.correct is not None]
        if near and min(abs(share - correct) for correct in near) > APART:
            apart.append((metric, share, near[-1]))
    if len(apart) < max(1, len(told) // 2):
        return
    metric, share, correct = apart[-1]
    yield Finding(
        f"The script reports {metric.name} = {share:.3f} at step {metric.n}; counted again from outputs and "
        f"targets of that pass it is {correct:.3f}. The metric, not the model, is wrong ({len(apart)} of "
        f"{len(told)} reports).",
        severity="warning",
        credence=0.7,
        where=Where(record.run.script or None, metric.line) if metric.line else None,
        numbers={"reported": share, "recomputed": correct},
        fix="Compare shapes in the metric's code, its axis of argmax, its threshold, and what it divides by.",
    )
