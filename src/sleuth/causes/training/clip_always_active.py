"""Clipping bites on almost every step, so it sets the step size and hides what it clips.

## What happens
Clipping is a fuse for rare spikes. If it blows on every step, it is no fuse but the optimizer: all
gradients have the same length and only their direction counts. With plain SGD each step is then
exactly lr times max_norm long. At lr 0.1 and max_norm 0.01, two hundred steps cannot carry the
weights further than 0.2, wherever the minimum is; and near the minimum they cannot take the
smaller steps that would let the loss settle.

Meanwhile the logged norm, if you log the one *after* clipping, is constant. Gradients may
grow from 10 to 1e6 underneath and the run looks stable until the fit stalls. A loss that is summed
instead of averaged, unnormalised inputs or targets in the thousands are frequent reasons. Your
learning rate was probably tuned against the clip, which is why removing it "breaks" training.

With Adam a constant factor cancels, so a tight clip costs less; what remains is that hard batches
count no more than easy ones.

## How to tell
- **watch**: the norm before clipping (the value that `clip_grad_norm_` returns) against
  `max_norm`: the share of clipped steps, and the trend. More than nine in ten clipped steps beyond
  the first few percent of the run, with a median norm far above the bound, is this cause. A median
  that rises over the run points to an explosion behind it.
- **experiment**: corrected from outside, clipping does nothing; the run either explodes, which shows
  what it hid, or goes on faster.
- **refuted by**: the median norm before clipping lies below `max_norm`.

## How to fix
Look at what is clipped before touching the bound. Fix the scale of inputs, targets or reduction if
they are off. Then set the bound from the norms of a healthy stretch:

```python
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
norms.append(norm.item())
# afterwards: max_norm near the 95th percentile of the healthy norms
```
Lower the rate when you loosen the bound. Leave it alone where normalised gradients are the method:
many language-model and recurrent recipes clip at 1.0 through most of the warm-up, and private (DP)
training must clip each example.

## Often mistaken for
- `exploding-gradients`: the disease under the bandage; the norm before clipping grows.
- `lr-too-low`: the loss creeps in both; here lr x10 still moves at a fixed length per step.
- `wrong-reduction`: a summed loss makes every norm large by the batch size; fix that first.

## Sources
- pascanu-2013: section 3.2; norm clipping, and a threshold taken from the average norm of a run.
- goodfellow-2016-ch8: section 8.2.4; clipping as a remedy for steps taken at rare cliffs.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.places.origins import where_number_written
from sleuth.record import curves
from sleuth.record.event_order import line_of
from sleuth.record.questions import Course, courses, optimizer_of, where_event

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "accumulation-unscaled bad-init-scale clip-misplaced exploding-gradients inputs-unnormalized "
    "labels-out-of-range logits-into-prob-loss loss-not-reset loss-sign-flipped lr-too-high "
    "missing-zero-grad model-reset-in-loop scheduler-cadence step-before-backward wrong-reduction"
)
UNLESS = {"numbers": "overcome"}
WORTH_ASKING = True
INVITED_BY = {"clip_grad": 4.0}
PREDICTS = {"lr×10": "even"}


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.no_clipping(world)


NEARLY_ALL = 0.9  # of the steps beyond the first twentieth; see the page
FAR = 10.0  # median norm over the bound
ENOUGH, HARDLY = 60, 0.1  # losses, and the share of the first that is gone after them
FALLS = 0.8  # of the first quarter's median loss is what the last one has, or less
_SCALE_FREE = ("Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad")


def watch(record: "Record") -> Iterator[Evidence]:
    for course in courses(record, 20):
        later = course.steps[len(course.steps) // 20 :]
        clipped = [
            (step.clipped_norm, step.clip) for step in later if step.clipped_norm is not None and step.clip
        ]
        norms = curves.finite(norm for norm, _ in clipped)
        if len(norms) < 20:
            continue
        bites = sum(norm > (bound or 0) for norm, bound in clipped) / len(clipped)
        ratio = curves.median(norms) / (clipped[-1][1] or 1.0)
        if bites < NEARLY_ALL or ratio < 2:
            continue
        grows = curves.end(norms) > 2 * curves.start(norms)
        by_length = _steps_by_length(record, course)
        held_back = by_length and _stands_still(course)
        # A run whose loss falls all the same is not held back, however long its gradients grow.
        serious = ratio > FAR and by_length and (held_back or (grows and not _falls(course)))
        yield Evidence(
            f"Clipping is active in {bites:.0%} of the steps: the median norm is "
            f"{curves.median(norms):.3g}, {ratio:.0f} times the bound of {clipped[-1][1]:g}"
            + (", and rises" if grows else "")
            + ". Every step has the same length, whatever the gradient"
            + (", and the loss hardly changes." if held_back else "."),
            telling="likely" if serious else "open",
            where=where_number_written(record, clipped[-1][1] or 0.0, "clip|norm|max|grad|bound")
            or where_event(course.steps[-1], line_of(record, course, "clip")),
            numbers={"share": bites, "median": curves.median(norms), "bound": clipped[-1][1] or 0.0},
            fix="Set the bound near the usual norm, and find out what makes the norm large.",
        )


def _steps_by_length(record: "Record", course: Course) -> bool:
    """Whether a step is as long as the gradient it is left with; Adam and its kin divide the length out."""
    optimizer = optimizer_of(record, course.id)
    return optimizer is None or optimizer.type not in _SCALE_FREE


def _falls(course: Course) -> bool:
    """By medians: a few batches with huge losses say nothing about the rest."""
    values = course.finite_losses
    quarter = len(values) // 4
    return quarter > 0 and curves.median(values[-quarter:]) < FALLS * curves.median(values[:quarter])


def _stands_still(course: Course) -> bool:
    values = course.finite_losses
    return len(values) >= ENOUGH and curves.fallen(values) < HARDLY
