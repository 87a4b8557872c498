"""The learning rate is too low: the loss hardly moves, and ten times the rate moves it.

## What happens
Everything is right except the pace. The loss falls in a nearly straight, nearly flat line, each
step a hair below the last. No noise, no plateau, no error message, and after a day the curve looks
"converged" because its axis is too wide. Too low a rate is also not safe: it can leave a network in
the first poor region that it finds, and generalisation can be worse than after a bold start.

Usual origins: 1e-5 copied from a fine-tuning recipe into training from scratch; Adam's 1e-3 given to
plain SGD, which often needs 0.01 to 0.1; a rate divided by the batch size, or by accumulation
steps, once too often; a warmup counted in epochs where it was meant in steps; a schedule that
starts at its end.

Tiny steps can also come from elsewhere: gradients that vanish, a loss averaged over far too much, a
saturated output. Look at the gradient before you change the rate.

## How to tell
- **experiment**: `lr x10` makes the loss fall several times faster and stay stable; on `same-batch`
  the script cannot memorise at the given rate and can at ten times that. A hundredfold may be
  needed: go by tens.
- **watch**: the ratio of update to weight stays below about 1e-5 per step; the loss is monotone and
  its slope hardly changes; gradient norms are ordinary.
- **refuted by**: at ten times the rate the loss moves no faster, or it diverges.

## How to fix
Raise it in factors of three or ten until it becomes unstable, then step back once.

```python
for lr in (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2):
    torch.manual_seed(0)
    model = build()
    print(lr, train(model, torch.optim.AdamW(model.parameters(), lr=lr), steps=200))
```

For scikit-learn's `MLPClassifier`, `SGDClassifier` and boosting read `learning_rate_init`, `eta0`
and `learning_rate` together with the number of iterations: a lower rate needs proportionally more
of them. Leave a low rate where it belongs: fine-tuning a pretrained backbone, the tail of a
schedule, a target network.

## Often mistaken for
- `lr-collapsed`: the rate was good at first and the schedule took it away; look at the recorded
  rates.
- `vanishing-gradients`: early layers get nothing, so a higher rate helps the last layers only.
- `double-softmax`: the gradient is about K times too small and a higher rate helps, down to a
  floor.

## Sources
- goodfellow-2016-ch8: section 8.3.1, Stochastic Gradient Descent; what too low a rate looks like.
- cs231n-nn3: Babysitting the learning process; the near-linear curve of a low rate, and the update
  ratio around 1e-3.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import courses, needed, where_optimizer

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Optimizer, Record

CONSEQUENCE_OF = (
    "bad-init-scale clip-always-active clip-misplaced dead-relu detached-graph double-softmax "
    "eval-mode-training frozen-params inputs-constant labels-all-ignored logits-into-prob-loss "
    "loss-disconnected loss-saturated lr-collapsed missing-backward missing-step model-reset-in-loop "
    "no-grad-training output-activation over-regularized params-not-in-optimizer saturated-activations "
    "scheduler-cadence stale-optimizer-params step-before-backward unregistered-modules update-underflow "
    "vanishing-gradients weights-not-loaded wrong-reduction zero-grad-after-backward zero-init"
)
GIVES_WAY_TO = "proven"
UNLESS = {"numbers": "overcome plays"}
DECIDED_BY = "lr×10"
LOOKS_LIKE = {"stuck from the start": "rarely"}
PREDICTS = {"lr×10": "always", "same-batch": "usually"}


# Rates below which an optimizer hardly moves ordinary weights; above them a slow start is no proof.
LOWEST_ORDINARY = {"SGD": 3e-3, "LBFGS": 1e-2}
LOWEST_ADAPTIVE = 5e-5
LEARNS = 0.5  # of the loss is left where training has clearly begun


A_RUN = 50  # steps


def experiment(trials: "Trials") -> Iterator[Evidence]:
    course, optimizer = trials.course, trials.optimizer
    if not trials.yes("lr×10") or course is None or trials.unstable or optimizer is None:
        return
    if _on_its_way_up(trials.base, optimizer):
        return  # the rate that was set has not been tried
    below = optimizer.lr < LOWEST_ORDINARY.get(optimizer.type, LOWEST_ADAPTIVE)
    faster = trials.course_in("lr×10")
    learns = faster is not None and faster.finite and faster.left < LEARNS
    # A run cut short may simply not have had its time: then only a loss that hardly moved counts.
    most = (0.5 if trials.whole else 0.8) if below else (0.7 if trials.whole and learns else 0.93)
    if trials.whole and course.falling and len(trials.losses) < A_RUN and not below:
        return  # a few dozen steps at an ordinary rate: too few of them, see undertrained
    around_zero = course.lowest < 0  # a policy's loss does not tell how far it came; only its score does
    if course.left < most if not around_zero else not below:
        return
    gone = "the loss moves around zero" if around_zero else f"{1 - course.left:.0%} of the loss is gone"
    yield Evidence(
        f"With a learning rate of {optimizer.lr:g}, {gone} after {len(trials.losses)} steps; with ten "
        f"times that it does clearly better ({trials.figures('lr×10')}).",
        "proven" if below else "likely",
        Where(optimizer.path or None, optimizer.line or None),
        fix="Multiply the learning rate by 10 until the loss falls quickly; stop before it fluctuates.",
    )


ARRIVED = 0.5  # of the rate that was set


def _on_its_way_up(record: "Record", optimizer: "Optimizer") -> bool:
    """A warm-up that has come less than half of its way when the run ends, or is cut short."""
    rates = [step.lr for step in record.steps if step.lr and step.optimizer == optimizer.id]
    return bool(rates) and rates[0] < rates[-1] < ARRIVED * optimizer.lr


CRAWL = 1e-5  # update over weight a step; see the page
SLOW = 3e-4  # not slow enough to accuse, but enough to try ten times the rate before anything else
ENOUGH = 30


def watch(record: "Record") -> Iterator[Evidence]:
    needed([step for step in record.steps if step.update_norm is not None], "sizes of updates")
    for course in courses(record, ENOUGH)[:1]:
        ratios, values = course.ratios, course.finite_losses
        rates = [step.lr for step in course.steps if step.lr]
        if len(ratios) < 8 or len(values) < ENOUGH or not rates or curves.median(ratios) == 0:
            continue
        early = curves.median(ratios[: max(5, len(ratios) // 4)])
        gradient = curves.median(curves.finite(course.gradients)) if course.gradients else 0.0
        warming = rates[-1] > 3 * rates[0]
        pace = max(early, curves.median(ratios))
        # A schedule that brought the rate down early is to blame itself; a cosine is halfway by half time.
        if pace > SLOW or warming or curves.median(rates) < 0.1 * max(rates):
            continue
        if curves.fallen(values) > (0.2 if pace <= CRAWL else 0.1) or gradient < 1e-6:
            continue  # it learns all the same, or there is no slope to follow
        yield Evidence(
            f"Each step changes the weights by {curves.median(ratios):.1e} of their size (1e-3 is usual) "
            f"at a learning rate of {curves.median(rates):.3g}, with ordinary gradients ({gradient:.2g}): "
            f"the loss went from {curves.start(values):.4g} to {curves.end(values):.4g} in {len(values)} "
            "steps.",
            telling="likely" if pace <= CRAWL else "open",
            where=where_optimizer(record, course.id),
            numbers={"update_ratio": curves.median(ratios), "lr": curves.median(rates), "gradient": gradient},
            fix="Try ten and a hundred times the learning rate.",
        )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.settings import RATE, where_set

    return where_set("lr", RATE, scene.record, scene.sources)
