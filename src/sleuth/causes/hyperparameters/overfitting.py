"""Training loss keeps falling while validation loss has turned and rises.

## What happens
The model has begun to memorise. Early on both curves fall together, because what helps on one set
helps on the other. Then the shared structure is used up and what remains to be learned is the noise
of this particular sample. A network of ordinary size can fit labels drawn at random, so a training
loss of zero proves nothing about understanding.

Watch which curve you mean. Validation *loss* often rises while validation *accuracy* is flat or
still improving: the model gets the same examples wrong, only more confidently. That is a matter of
calibration, and for a decision by `argmax` it may be harmless. A gap between the curves alone is
not overfitting either; almost all good models have one. The fault is that it starts to rise.

If validation is bad from the *first* epoch, look elsewhere: the sets differ in kind, the
preparation differs, or evaluation runs in train mode. And if validation is suspiciously good, look
for a leak before you celebrate.

## How to tell
- **watch**: the validation loss has passed its minimum and has risen for several evaluations by
  more than its own jitter, while the training loss still falls. The best epoch lies well before the
  last. With fewer than four or five evaluations there is no verdict.
- **refuted by**: validation loss at the end is within its noise of its best value.

## How to fix
In this order: more or more varied data (augmentation included), early stopping, then
regularisation, and a smaller model last. Early stopping costs nothing.

```python
if val_loss < best:
    best, bad_epochs = val_loss, 0
    best_state = copy.deepcopy(model.state_dict())       # a copy, not a reference
else:
    bad_epochs += 1
    if bad_epochs >= patience:
        break
model.load_state_dict(best_state)
```

The validation set that chooses the epoch is no test set any more; keep a third one. On a single
batch overfitting is what you *want*: a model that cannot do it has a bug. Very large models may
show a second descent after the first rise, but do not count on it to excuse a rising curve.

## Often mistaken for
- `train-mode-eval`: validation is bad because dropout or batch statistics are active; it does not
  rise, it is bad throughout.
- `preprocessing-mismatch`: a gap from the first epoch on, not one that opens later.
- `too-little-data`: the root, when more examples of the same kind close the gap.

## Sources
- goodfellow-2016-ch7: section 7.8, Early Stopping; the U-shaped validation curve and its use.
- zhang-2017: section 2; networks fit random labels completely.
- cs231n-nn3: Babysitting the learning process, Train/Val accuracy; how to read the gap.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.held_out import HeldOut, held_out
from sleuth.record.questions import courses, needed

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

ANSWERS = "validation"
CONSEQUENCE_OF = (
    "augmented-eval dropout-ignores-mode eval-mode-training fit-on-all-data labels-constant "
    "labels-misaligned norm-batch-of-one preprocessing-mismatch repeated-batch split-overlap "
    "target-leakage train-mode-eval unshuffled-training"
)
GIVES_WAY_TO = "proven"
UNLESS = {"numbers": "plays"}
LOOKS_LIKE = {"good in training, bad in validation": "usually"}
PREDICTS = {"no-regularisation": "never"}


FEWEST = 5  # evaluations; see the page
AFTER = 3  # of them beyond the best
CLEAR, SLIGHT = 0.2, 0.05  # rise over the best, as a share of it
CRUMBS = 0.03  # of the loss at the start: where nearly nothing is left, doubling it is nearly nothing too


def watch(record: "Record") -> Iterator[Evidence]:
    measured = [seen for seen in needed(held_out(record), "evaluation losses") if len(seen.losses) >= FEWEST]
    train = [loss for course in courses(record)[:1] for loss in course.finite_losses] if measured else []
    for seen in measured:
        if (finding := _turned(record, seen, train)) is not None:
            yield finding
            return


def _turned(record: "Record", seen: HeldOut, train: list[float]) -> Evidence | None:
    from sleuth.record.entries import Load

    losses = curves.finite(seen.losses)
    best = min(losses, default=0.0)
    if len(losses) < len(seen.losses) or best <= 0:
        return None
    place = losses.index(best)
    late = curves.median(losses[-AFTER:])
    rise, jitter = late - best, curves.jitter(losses)
    if len(losses) - place - 1 < AFTER or rise < max(SLIGHT * best, 3 * jitter):
        return None
    since = train[int(len(train) * (place + 1) / len(losses)) :]
    if not train or curves.fallen(train) < 0.2 or curves.slope(since) >= 0:
        return None
    restored = any(load.n > seen.steps[place] for load in record.of(Load))
    clear = rise > max(CLEAR * best, CRUMBS * curves.start(train)) and not restored
    return Evidence(
        f"The evaluation loss was best at step {seen.steps[place]} ({best:.4g}) and has risen to "
        f"{late:.4g} over {len(losses) - place - 1} evaluations, while the training loss went on falling "
        f"to {curves.end(train):.3g}.",
        telling="likely" if clear else "open",
        where=seen.where,
        numbers={"best": best, "last": late, "best_step": seen.steps[place]},
        fix="Keep the weights of the best evaluation, then add data, augmentation or weight decay.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.settings import where_unrestrained

    return None if scene.record is None else where_unrestrained(scene.record, scene.sources)
