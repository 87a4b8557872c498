"""The model cannot fit one small batch although every gradient is healthy.

## What happens
This is a diagnosis by exclusion, and it is given too often. Modern nets are large for their data:
image models of ordinary size fit randomly relabelled training sets to zero error. So if yours
cannot memorise 32 examples, suspect a bug first and capacity last. "More layers" helps a broken
model as little as it helps the right one.

It does happen, with hard limits. A linear classifier on d features can be guaranteed to separate
at most d + 1 points under arbitrary labels. A 2-unit bottleneck, one number for a whole image
(global pooling too early), a receptive field of 15 pixels for a task that needs 200, an embedding
of size 4 for 50,000 items, one LSTM unit: all leave a loss floor above zero on a single batch.

The floor is smooth: loss falls, flattens at the same height for every seed and rate, gradients
shrink towards zero because this *is* the minimum. Conflicting labels (the same input with two
labels) produce the same picture with any model.

## How to tell
- **experiment**: same-batch: the loss levels off above zero and gradient norms go to zero;
  no-regularisation and lr x10 or x0.1 leave the floor where it is; doubling the width lowers it
  clearly. That last step is what separates capacity from bugs. Where no hidden layer has more than
  a handful of units, one batch that ends no lower than all the data together is enough.
- **refuted by**: the model drives the loss on one fixed batch of 32 to nearly zero.

## How to fix
Widen the narrowest point before adding depth, and check the information path: resolution,
receptive field, pooling, context length.
```python
for width in (32, 64, 128, 256):
    loss = overfit_one_batch(make_model(width), batch, steps=500)
    print(width, loss)              # a floor that drops with width is capacity
```
Once one batch is memorised, stop here: a gap on the full training set is then a matter of rate,
time or regularisation. A small model that underfits a little on purpose (on-device,
interpretable) is a decision, not a defect.

## Often mistaken for
- `missing-nonlinearity`: width does not help at all; the model is linear at any size.
- `over-regularized`: the floor vanishes when dropout, weight decay and augmentation are off.
- `structural-ceiling`: the loss may go to zero while the metric does not change.

## Sources
- zhang-2017: section 2, standard networks reaching zero training error on random labels.
- goodfellow-2016-ch11: section 11.5, failure to fit a tiny data set as the sign of a software
  defect.
- karpathy-2019: section 2 ("overfit one batch"), and section 3 on getting a model large enough to
  overfit.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.entries import Model
from sleuth.record.questions import batches, loss_calls, where_module

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.record.entries import Record

GIVES_WAY_TO = "anything"
UNLESS = {"numbers": "plays"}


# No "always": a net with a few units takes a batch for learnt by heart that it only fits as it fits all.
PREDICTS = {"same-batch": "even", "lr×10": "rarely"}


HANDFUL = 4  # units in the widest hidden layer: textbook nets for XOR have two to four, others more
SAME = 0.6  # of the loss over all data that one batch alone still costs; a net with room learns it by heart
LEVEL = 0.8  # of what it cost halfway, at the end
ENOUGH = 10  # parameters for each example of a batch, with which any net learns it by heart
FLOOR = 0.05  # of the first loss; below it there is nothing left to fit


def experiment(trials: "Trials") -> Iterator[Evidence]:
    """One batch stays out of reach although nothing that was tried helps."""
    yield from _too_narrow(trials)
    if not trials.yes("same-batch") or trials.unstable or trials.learns:
        return
    tried = ("lr×10", "lr×0.1", "no-regularisation")
    if any(trials.yes(test) for test in tried) or trials.yes("lr×10") is None:
        return
    few, enough = _parameters_a_row(trials.base) < 1, _parameters_a_row(trials.base) > ENOUGH
    enough = enough or not loss_calls(trials.base)  # a loss written by hand may have a floor above zero
    yield Evidence(
        f"The model cannot fit one batch ({trials.figures('same-batch')}), at any learning rate that was "
        "tried"
        + (", and so few parameters may be unable to." if few else ".")
        + (" A loss whose minimum is not 0 looks the same." if enough else ""),
        "aside" if few or enough else "likely",
        fix="Give it more width or depth, or features that carry the target; first rule out a detached "
        "graph.",
    )


def _too_narrow(trials: "Trials") -> Iterator[Evidence]:
    """By heart or not makes no difference to a net with a few hidden units."""
    all_data, one_batch = trials.course, trials.course_in("same-batch")
    if all_data is None or one_batch is None or trials.yes("same-batch") or trials.yes("lr×10") is not False:
        return
    widths = _hidden_widths(trials.base)
    if not widths or max(widths) > HANDFUL or not _levelled_off(trials):
        return
    if one_batch.left > FLOOR and one_batch.tail > SAME * all_data.tail:
        yield Evidence(
            f"The widest hidden layer has {max(widths)} units, and one batch alone ends at a loss of "
            f"{one_batch.tail:.3g} where all the data end at {all_data.tail:.3g}: the model has no "
            "capacity left.",
            telling="likely",
            where=where_module(trials.base, _narrow_layer(trials.base, max(widths))),
            numbers={"widest": float(max(widths)), "one_batch": one_batch.tail, "all_data": all_data.tail},
            fix="Widen the hidden layers, tenfold at first: if the loss drops, width was the limit.",
        )


def _levelled_off(trials: "Trials") -> bool:
    """A single batch has no noise: its loss creeps down for ever, by little where the floor is near."""
    values = trials.losses_in("same-batch")
    tenth = max(1, len(values) // 10)
    return curves.median(values[-tenth:]) > LEVEL * curves.median(values[len(values) // 2 :][:tenth])


def _hidden_widths(record: "Record") -> list[int]:
    """Rows of every weight matrix but the last, where there is one model and it has hidden layers."""
    models = record.of(Model)
    matrices = [p for p in models[0].parameters if len(p.shape) >= 2] if len(models) == 1 else []
    return [p.shape[0] for p in matrices[:-1]]


def _narrow_layer(record: "Record", width: int) -> str:
    named = [p.name for p in record.of(Model)[0].parameters if len(p.shape) >= 2 and p.shape[0] == width]
    return named[0].rpartition(".")[0] if named else ""


def _parameters_a_row(record: "Record") -> float:
    """Below one, it is not meant to learn a batch by heart: a straight line through a cloud."""
    sizes = [sum(math.prod(p.shape) for p in model.parameters if p.trainable) for model in record.of(Model)]
    rows = [batch.values[0].shape[0] for batch in batches(record) if batch.values and batch.values[0].shape]
    largest = max(rows, default=0)
    return sum(sizes) / largest if sizes and largest else 1.0
