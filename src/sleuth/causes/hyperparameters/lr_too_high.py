"""The learning rate is too high: the loss fluctuates or explodes; at a tenth it falls.

## What happens
A step overshoots the valley. On a quadratic with curvature c, gradient descent converges below a
rate of 2/c and diverges above it, with nothing in between: at c = 10, after 100 steps, a rate of
0.19 has shrunk the error to 0.00003 and 0.21 has blown it up to 14,000. Networks bend this rule but
keep its cliff.

What you see depends on how far over it you are. Far: the loss climbs within ten steps and ends in
NaN. A bit: it jumps up and down, or drops to a plateau near chance, because one early step killed
the ReLUs or pushed a softmax into a corner. Slightly: training works and stops too high, and
everything improves the moment the schedule lowers the rate. Adam rarely gives NaN; it bounces.

Common origins: a rate for SGD (0.1) used with Adam, where 0.001 is ordinary; a rate from a paper
with another batch size; fine-tuning at the rate of pretraining; a scheduler whose `max_lr` was
meant as a start.

## How to tell
- **experiment**: `lr x0.1` turns oscillation or explosion into steady descent with the same seed,
  and `lr x10` is worse. If a tenth helps *and* another suspect exists (unnormalised inputs, a
  summed loss, accumulation that is not divided), undo that one first: it is the root.
- **watch**: the loss rises over several steps or fluctuates by more than its own mean; the ratio of
  update to weight sits well above 0.01 per step (about 0.001 is usual); gradient norms spike after
  each step.
- **refuted by**: a tenth of the rate gives the same picture, only slower.

## How to fix
Divide by 3 or 10 until it is stable, then go back up to the highest rate that still is. A short range
test finds the cliff in one run: let the rate grow exponentially and stop where the loss rises.

```python
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)        # not 1e-1
for step, (x, y) in zip(range(200), loader):
    for group in optimizer.param_groups:
        group["lr"] = 1e-6 * 10 ** (step / 33)                    # 1e-6 to about 1
    train_step(x, y)                                              # plot loss against rate
```

Take a third to a tenth of the rate at which the loss starts to rise. A loss that is noisy and still falling
on average is no fault; small batches look like that.

## Often mistaken for
- `inputs-unnormalized`: large inputs make curvature large, and every rate then looks too high.
- `wrong-reduction`: a summed loss multiplies the gradient by the batch size.
- `no-warmup`: only the first steps are bad; the same rate is fine once it is reached slowly.

## Sources
- goodfellow-2016-ch11: section 11.4.1, Manual Hyperparameter Tuning; the rate as the first thing to
  tune, and the error against the rate.
- cs231n-nn3: Babysitting the learning process; what loss curves look like at various rates, and the
  ratio of updates to weights.
- smith-2017: section 3.3; the range test.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.growth import diverging
from sleuth.record.questions import Course, adversarial, courses, where_optimizer

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "accumulation-unscaled bad-init-scale clip-misplaced detached-graph frozen-params inputs-constant "
    "inputs-unnormalized labels-all-ignored labels-out-of-range logits-into-prob-loss loss-broadcast "
    "loss-not-reset loss-sign-flipped missing-backward missing-detach missing-step missing-zero-grad "
    "model-reset-in-loop no-grad-training nonfinite-input norm-batch-of-one params-not-in-optimizer "
    "raw-units scheduler-cadence stale-optimizer-params step-before-backward unsafe-log-div "
    "unshuffled-training unstable-exp wrong-reduction zero-grad-after-backward zero-init"
)
RIVALS = "no-warmup"
GIVES_WAY_TO = "proven"
UNLESS = {"numbers": "overcome plays"}
DECIDED_BY = "lr×0.1"
LOOKS_LIKE = {
    "stuck from the start": "rarely",
    "falls, then explodes": "usually",
    "oscillates": "usually",
    "not finite": "rarely",
    "constant output": "rarely",
    "seeds apart": "usually",
}
PREDICTS = {"lr×0.1": "always", "same-batch": "usually", "no-momentum": "usually", "lr×10": "never"}

FAR_AHEAD = 0.4  # what is left of the loss at a tenth of the rate, against what is left at the full one


def experiment(trials: "Trials") -> Iterator[Evidence]:
    base, slower, optimizer = trials.course, trials.course_in("lr×0.1"), trials.optimizer
    if not trials.yes("lr×0.1") or slower is None:
        return
    # A slower run is behind after the same steps; one far ahead says that the fast one is thrown about.
    far_ahead = base is None or not base.finite or slower.tail < FAR_AHEAD * base.tail
    if not (trials.unstable or trials.poor or far_ahead):
        return
    where = None if optimizer is None else Where(optimizer.path or None, optimizer.line or None)
    rate = "its learning rate" if optimizer is None else f"a learning rate of {optimizer.lr:g}"
    yield Evidence(
        f"With {rate} the loss {'fluctuates or explodes' if trials.unstable else 'does not fall'}; with a "
        f"tenth of that the same script learns ({trials.figures('lr×0.1')}).",
        "proven",
        where,
        fix="Divide the learning rate by 10, then go back up to the highest value at which the loss "
        "falls steadily.",
    )


FAST = 0.02  # update over weight a step; about .001 is usual, small nets take .01
WILD = 0.1
SWINGS = 1.0  # of its own level
ENOUGH = 30
THROWN = 10.0  # times the first loss, within the first tenth


def watch(record: "Record") -> Iterator[Evidence]:
    for course in courses(record, 10)[:1]:
        ratio = curves.median(course.ratios[: max(8, len(course.ratios) // 4)]) if course.ratios else math.nan
        seen = _symptom(record, course, ratio)
        if seen is None or adversarial(record):
            continue
        words, sure = seen
        rates = [step.lr for step in course.steps if step.lr is not None]
        rate = f"a learning rate of {max(rates):.3g}" if rates else "the script's own learning rate"
        fast = ratio > FAST
        yield Evidence(
            f"{words}, at {rate}"
            + (
                f" where each step changes the weights by {ratio:.1%} of their size (0.1% is usual)"
                if fast
                else ""
            )
            + ".",
            telling="proven" if sure and fast else "likely",
            where=where_optimizer(record, course.id),
            numbers={
                "lr": max(rates, default=0.0),
                "update_ratio": ratio if math.isfinite(ratio) else 0.0,
            },
            fix="Try a tenth of the learning rate for some hundred steps; if nothing changes, the "
            "learning rate is not the cause.",
        )


def _symptom(record: "Record", course: Course, ratio: float) -> tuple[str, bool] | None:
    """What the loss does that too large a step would do, and whether that is beyond doubt."""
    values = course.finite_losses
    if len(values) < 10:
        return None
    if (place := diverging(record, course)) is not None:
        last = course.losses[-1]
        return (
            f"The loss exploded at step {place} and reached {max(values):.3g} (it began at {values[0]:.3g})"
            + ("" if math.isfinite(last) else ", then it was not finite"),
            True,
        )
    if values[0] <= 0 or len(values) < ENOUGH:
        return None
    later = values[len(values) // 2 :]
    if min(curves.blocks(later, 5)) > 1.5 * curves.start(values) and ratio > FAST:
        return f"The loss jumped from {values[0]:.3g} and stays near {curves.median(later):.3g}", True
    early = max(values[: max(5, len(values) // 10)])
    if early > THROWN * values[0] and curves.end(values) > 0.8 * values[0]:
        return (
            f"The loss jumped from {values[0]:.3g} to {early:.3g} at once and never recovered",
            False,
        )
    if ratio > WILD and curves.stuck(values):
        return f"The loss stays near its start ({values[0]:.3g} to {curves.median(later):.3g})", False
    if ratio > FAST and curves.swing(values) > SWINGS and curves.fallen(values) < 0.5:
        return f"The loss fluctuates by {curves.swing(values):.1f} times its level", False
    return None


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.settings import RATE, where_set

    return where_set("lr", RATE, scene.record, scene.sources)
