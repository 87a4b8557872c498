"""Training stops while the loss is still going down.

## What happens
Nothing is broken; there is simply too little of it. The epoch count came from a tutorial with a
hundred times your data, so your run has a hundredth of its steps. Count steps, not epochs: ten
epochs of 600 examples at batch size 64 are a hundred updates.

Early stopping makes the same mistake in a smarter way: patience of a few evaluations on a noisy
metric ends the run in the first dip. The same goes for a schedule that decays to zero over too
short a plan (the flat end is then the schedule's, not the model's), a wall-clock limit on a
cluster, and `max_iter` in scikit-learn (100 for LogisticRegression, 200 for MLPClassifier), which
ends with a `ConvergenceWarning` that many scripts filter out.

Some tasks sit on a plateau for a long time and then learn suddenly. A flat start is therefore no
proof of a bug, and a flat stretch no proof of the end.

## How to tell
- **watch**: fit a line to the smoothed loss over the last fifth of the run: the slope is clearly
  negative against the noise, and the drop over that fifth is a visible share of the whole. The
  validation loss falls too, the gap to it is small, gradients and updates have ordinary size, the
  rate is not near zero. Of a few dozen steps, the last third gains as much as the one before;
  of a hundred, the last fifth takes a third of what was left.
- **experiment**: a run of a few dozen steps, still falling, comes much further at ten times the rate.
- **refuted by**: the smoothed training loss did not fall over the last fifth of the run.

## How to fix
Run two to four times longer before you change anything else, and stretch the schedule with it:

```python
steps = epochs * len(loader)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
```
If the loss falls in a straight line from start to end, try ten times the rate first: it may be too
small. For early stopping, let patience span several times the period of the noise, smooth the
metric, and never stop within the warm-up. When validation gets worse while training gets better,
more steps are the wrong medicine.

## Often mistaken for
- `lr-too-low`: ten times the rate reaches the same loss in a tenth of the steps.
- `lr-collapsed`: the loss is flat at the end because the rate is; here both are alive.
- `underpowered-model`: the loss is flat at a high value however long you train.

## Sources
- karpathy-2019: "Squeeze out the juice"; networks go on improving for longer than intuition says.
- goodfellow-2016-ch7: section 7.8; early stopping treats training time as a hyperparameter.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import adversarial, courses, ended, where_loss

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "detached-graph double-softmax frozen-params inputs-constant labels-all-ignored "
    "logits-into-prob-loss loss-disconnected loss-sign-flipped lr-collapsed lr-too-high lr-too-low "
    "missing-backward missing-step model-reset-in-loop no-grad-training params-not-in-optimizer "
    "scheduler-cadence stale-optimizer-params step-before-backward unshuffled-training "
    "vanishing-gradients zero-grad-after-backward zero-init"
)
GIVES_WAY_TO = "anything"
UNLESS = {"numbers": "plays"}
PREDICTS = {"lr×10": "usually"}


def experiment(trials: "Trials") -> Iterator[Evidence]:
    """A few dozen steps in all, still falling, and longer ones do better: more of them would, too."""
    course = trials.course
    if course is None or not trials.whole or len(trials.losses) >= ENOUGH or not course.falling:
        return
    if trials.yes("lr×10") and course.left > FAR:
        yield Evidence(
            f"The run ends after {len(trials.losses)} steps, the loss still falling ({course.head:.3g} to "
            f"{course.tail:.3g}), and ten times the learning rate gets further "
            f"({trials.figures('lr×10')}): it stops long before it has converged.",
            "likely",
            fix="Train longer; look for a limit on steps or epochs left over from a quick test.",
        )


LATE = 5  # the last fifth
VISIBLE, STEEP = 0.05, 0.15  # of the whole fall; a straight line gives .2
ENOUGH = 50  # steps
A_FEW = 12  # fewer show no course: somebody tries whether it runs
FAR = 0.5
PLUNGE, LEFT = 0.3, 0.08  # of what was left before the last fifth; of the loss at the start
A_HUNDRED_OR_SO = 150  # steps: of more, six short epochs may well be meant
STEADY = 0.5  # of the fall in the third before: less, and it is coming to rest


def watch(record: "Record") -> Iterator[Evidence]:
    if not ended(record) or adversarial(record):
        return
    yield from _broken_off(record)
    for course in courses(record, ENOUGH)[:1]:
        values = course.finite_losses
        if len(values) < ENOUGH or len(values) < len(course.losses):
            continue
        fifth = len(values) // LATE
        before, last = values[-2 * fifth : -fifth], values[-fifth:]
        whole = curves.start(values) - curves.end(values)
        late = curves.median(before) - curves.median(last)
        rates = [step.lr for step in course.steps if step.lr is not None]
        if whole <= 0 or late < VISIBLE * whole or not curves.surely_lower(before, last, 4.0):
            continue
        far = curves.fallen(values) < FAR  # a loss that halved has learned most of what there is
        at_full_rate = not rates or rates[-1] > 0.1 * max(rates)
        plunges = at_full_rate and _plunges(values, late)
        steep = plunges or (at_full_rate and far and late > STEEP * whole)
        yield Evidence(
            f"The loss was still falling when the run ended: by {late:.3g} over the last fifth, "
            f"{late / whole:.0%} of its total decrease ({curves.start(values):.3g} to "
            f"{curves.end(values):.3g}).",
            telling="likely" if steep else "open",
            where=where_loss(course.steps[-1]),
            numbers={"late": late, "whole": whole, "steps": len(values)},
            fix="Train longer, for example three times the steps.",
        )


def _plunges(values: "list[float]", late: float) -> bool:
    """A short run whose last fifth still takes away a good part of what is left, with much of it left."""
    end = curves.end(values)
    much = end > LEFT * curves.start(values) > 0
    return len(values) < A_HUNDRED_OR_SO and much and late > PLUNGE * (end + late)


def _broken_off(record: "Record") -> Iterator[Evidence]:
    """A few dozen steps in all, and the last of them gain as much as those before."""
    for course in courses(record, A_FEW)[:1]:
        values = course.finite_losses
        third = len(values) // 3
        if not A_FEW <= len(values) < ENOUGH or len(values) < len(course.losses) or len(course.steps) < A_FEW:
            continue
        first, middle, last = (curves.median(values[k * third : (k + 1) * third]) for k in range(3))
        slowing = (middle - last) < STEADY * (first - middle)
        if first <= middle or slowing or curves.fallen(values) > FAR:
            continue
        yield Evidence(
            f"The run ends after {len(values)} steps, and the loss falls as fast at the end as before "
            f"({first:.3g}, {middle:.3g}, {last:.3g} by thirds): it is far from converged.",
            telling="likely",
            where=where_loss(course.steps[-1]),
            numbers={"steps": len(values), "first": first, "last": last},
            fix="Train longer; look for a limit on steps or epochs left over from a quick test.",
        )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.settings import where_length

    return None if scene.record is None else where_length(scene.record, scene.sources)
