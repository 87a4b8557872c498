"""Gradient noise overwhelms the signal because the batch is far below the noise scale.

## What happens
Each batch points somewhere else. The gradient of a batch of size B is the true gradient plus noise
whose variance falls as 1/B. When the noise is much longer than the signal the weights wander, the
loss jitters around a level, and progress per step is a small part of what the step costs. The
critical size can be measured: the noise scale, tr(S) / |G|^2, the summed variance of the
per-example gradients over the squared length of their mean. Far below it, doubling the batch almost
halves the steps needed; far above, it buys nothing.

The noise scale *grows during training*, as the mean gradient shrinks, so a batch that was fine at
first can be too small at the end. Sparse rewards, rare classes, very noisy labels and contrastive
losses (where the batch also supplies the negatives) need the most. Batch sizes of 1 to 4 often come
from memory limits and stay there unnoticed.

Small is not bad by itself: noise helps generalisation, and a lower rate averages it away over time.

## How to tell
- **experiment**: accumulating 4 to 16 batches per step, or `lr x0.1`, gives a clearly lower loss
  for the same number of examples seen; `same-batch` learns smoothly, since a repeated batch has no
  sampling noise.
  Of a handful of examples a step, with a loss that never settles and no other rate that helps, the
  batch is named before the rate.
- **watch**: gradients of successive batches have a cosine near zero; the noise scale estimated from
  two batch sizes is tens of times the batch in use; the fluctuation of the loss is much larger than its
  trend.
- **refuted by**: a four times larger batch at the same rate gives the same curve against steps.

## How to fix
Enlarge the batch, or accumulate, dividing the loss. If you cannot, lower the rate and average the
weights.

```python
accumulate = 8
for step, (x, y) in enumerate(loader):
    (criterion(model(x), y) / accumulate).backward()
    if (step + 1) % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
```

With batch normalisation accumulation does not help the statistics: they still see the small batch,
so switch to group or layer normalisation.

## Often mistaken for
- `lr-too-high`: jitters as well; it remains on a single repeated batch, this one disappears.
- `norm-batch-of-one`: unusable batch statistics rather than noisy gradients.
- `unshuffled-training`: fluctuations follow the order of the data and repeat every epoch.

## Sources
- mccandlish-2018: section 2.2, on the simple noise scale and how to predict a useful batch size;
  appendix A on measuring it.
- goodfellow-2016-ch8: section 8.1.3, Batch and Minibatch Algorithms; less than linear returns of a
  larger batch.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.places.origins import where_number_written
from sleuth.record import curves
from sleuth.record.questions import adversarial, batches, courses, needed, where_loss

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "detached-graph frozen-params inputs-constant labels-all-ignored loss-disconnected lr-too-high "
    "missing-backward missing-step no-grad-training norm-batch-of-one params-not-in-optimizer "
    "stale-optimizer-params step-before-backward zero-grad-after-backward zero-init"
)
GIVES_WAY_TO = "proven"
UNLESS = {"numbers": "plays"}
LOOKS_LIKE = {"oscillates": "even", "seeds apart": "even"}


# A lower rate calms the noise and slows the rest: which of the two wins is open.
PREDICTS = {"lr×0.1": "even", "other-seed": "even"}


BATCH = "batch|bs"  # words of the line that sets the size
FEW = 4  # rows
LONG = 200  # steps
NOTHING = 0.1  # of the wavering of single losses, over the whole run


def watch(record: "Record") -> Iterator[Evidence]:
    needed([step for step in record.steps if step.rows is not None], "sizes of batches")
    for course in courses(record, LONG)[:1]:
        rows = curves.median(step.rows for step in course.steps if step.rows is not None)
        values = course.finite_losses
        if rows > FEW or len(values) < LONG:
            continue
        wavering, fall = curves.noise(values), curves.start(values) - curves.end(values)
        if wavering > 0.3 * abs(curves.median(values)) and fall < wavering:
            # A run that got nowhere at all; one that wavers on its way down may be slow and right.
            nowhere = fall < NOTHING * wavering and not adversarial(record)
            yield Evidence(
                f"With {rows:.0f} rows per batch the loss fluctuates by {wavering:.3g} from step to step "
                f"and fell by {fall:.3g} in {len(values)} steps: gradient noise may be larger than the "
                "gradient.",
                telling="likely" if nowhere else "open",
                where=where_number_written(record, rows, BATCH) or where_loss(course.steps[-1]),
                numbers={"rows": rows, "noise": wavering, "fall": fall},
                fix="Try a four times larger batch; if the loss then falls faster and more smoothly per "
                "step, this was it.",
            )


def experiment(trials: "Trials") -> Iterator[Evidence]:
    """A handful of examples a step, a loss that does not settle, and no other rate that would calm it."""
    rates_help = trials.yes("lr×10") or trials.yes("lr×0.1") is not False
    # One that wavers and comes far all the same is how online learning looks.
    if trials.plays or rates_help or not trials.poor or not trials.told_by_its_loss:
        return
    if trials.yes("noise-inputs") or not _one_row_is_one_example(trials.base):
        return
    for course in courses(trials.base, LONG)[:1]:
        rows = curves.median([step.rows for step in course.steps if step.rows is not None] or [FEW + 1])
        if rows <= FEW:
            wavering = curves.noise(course.finite_losses)
            yield Evidence(
                f"With {rows:.0f} examples per step the loss fluctuates by {wavering:.3g} around "
                f"{curves.median(course.finite_losses):.3g} and does not settle, and a tenth of the "
                "learning rate does not help: gradients from so few examples are mostly noise.",
                telling="likely",
                where=where_number_written(trials.base, rows, BATCH) or where_loss(course.steps[-1]),
                numbers={"rows": rows, "noise": wavering},
                fix="Try 32 or more examples per step; if the loss then falls lower and more smoothly "
                "per step, this was it.",
            )


def _one_row_is_one_example(record: "Record") -> bool:
    """Features in a row; a sequence or a picture holds many positions that each say something."""
    first = [batch.values[0].shape for batch in batches(record)[:1] if batch.values]
    return bool(first) and len(first[0]) == 2
