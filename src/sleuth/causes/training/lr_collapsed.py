"""The schedule brought the learning rate to almost nothing while there was more to learn.

## What happens
The loss flattens, you suspect the model, and the optimizer is taking steps of 1e-9. Nothing is
wrong with the gradients. Read the rate, not the curve: a plateau that begins exactly where the
rate fell is not a property of your data.

`ReduceLROnPlateau` is the first suspect. Its default mode is "min"; feed it an accuracy and each
improvement counts as a bad epoch. With the defaults (patience 10, factor 0.1) a rate of 0.1 is cut
every eleven epochs and stands at 1e-6 by epoch 56, through steady progress. Feeding it a noisy
metric, or calling it per batch, has the same end. Other ways: a decay planned for fewer steps than
the run has, two schedulers multiplying on one optimizer, a resumed run whose scheduler starts from
the already decayed rate, `gamma=0.1` where 0.9 was meant.

In float32 the end is absolute: an update below about 3e-8 of a weight's size is always rounded
away.

## How to tell
- **watch**: the rate of every group over time. Suspicious is a rate below a hundredth of its peak
  before half of the planned run is over, while the loss was still falling when it dropped;
  update-to-weight ratios that fall together with it; gradients of unchanged size.
- **experiment**: undone from outside, the rate stays at its first value; the loss goes on falling
  where it had stopped.
- **refuted by**: the learning rate at the plateau is within a factor of ten of its largest value.

## How to fix
Print the rate beside the loss, always. Then repair the plan:

```python
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
    optimizer, mode="max", factor=0.5, patience=5, min_lr=1e-5)
...
scheduler.step(val_accuracy)
```
Draw the schedule for the whole run before you start it. If the cause is a scheduler called at the
wrong rhythm, fix the rhythm instead of raising the rate. A rate near zero in the last few percent
of a run is what cosine and linear decay are for: leave that.

## Often mistaken for
- `scheduler-cadence`: the root, when the collapse comes from per-batch calls.
- `lr-too-low`: low from the first step; here it was adequate once.
- `update-underflow`: updates vanish below the precision of the weights at an ordinary rate.

## Sources
- cs231n-nn3: "Annealing the learning rate"; cooling too fast ends training short of its best
  point.
- pytorch-plateau: parameters mode, patience and factor; what counts as a bad epoch.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.facts import curves
from sleuth.facts.seen import at, courses, where_optimizer
from sleuth.finding import Finding

if TYPE_CHECKING:
    from sleuth.facts.step import Record
    from sleuth.facts.worlds.doors import World

PREDICTS = {"same-batch": "usually", "lr×10": "usually"}


def undo(world: "World") -> None:
    from sleuth.facts.worlds.repairs import of_updates

    of_updates.rate_held(world)


TINY = 0.01  # of the peak; see the page
HALF = 0.5


def watch(record: "Record") -> Iterator[Finding]:
    from sleuth.facts.step import Scheduler

    for course in courses(record, 20):
        rates = [step.lr for step in course.steps if step.lr is not None]
        peak = max(rates, default=0.0)
        alive = [place for place, rate in enumerate(rates) if rate >= TINY * peak]
        if not peak or not alive or (since := alive[-1] + 1) > HALF * len(rates):
            continue
        losses = course.finite_losses
        before, after = losses[:since], losses[since:]
        falling = since >= 10 and curves.surely_lower(before[: since // 2], before[since // 2 :])
        made = next((plan for plan in record.of(Scheduler) if plan.optimizer == course.id), None)
        yield Finding(
            f"The learning rate fell from {peak:.3g} to {rates[-1]:.3g} by step {since} of {len(rates)} and "
            "stays there: the rest of the run learns next to nothing"
            + (f" (the loss was still falling, and stands at {curves.end(after):.3g})." if falling else "."),
            severity="warning" if falling or since < 20 else "note",
            credence=0.75 if falling or since < 20 else 0.35,
            where=at(made) if made else where_optimizer(record, course.id),
            numbers={"peak": peak, "last": rates[-1], "step": since},
            fix="Plan the schedule over all steps of the run, and check whether it counts steps or epochs.",
        )
