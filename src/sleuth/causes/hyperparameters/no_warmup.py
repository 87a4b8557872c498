"""Large steps at the very start throw the run off, and it never quite recovers.

## What happens
The rate is right for the journey and wrong for the first metres. At initialisation gradients are
large and point to quick, crude gains; batch-norm and embedding statistics are still settling; and
Adam's estimate of the second moment rests on a handful of batches. In its first step Adam moves
*every* parameter by the full rate, whatever the size of its gradient, since the ratio of the two
moments is then one in magnitude. A few such steps can push units into dead or saturated regions,
and the loss ends on a plateau.

Those who meet it: transformers with the normalisation after the residual sum (post-LN), large-batch
SGD with a scaled rate, fine-tuning with a fresh head on a pretrained body, reinforcement learning
from an empty buffer. Small convolutional nets at ordinary batch sizes rarely need any warmup, and
pre-LN transformers need much less of it.

The signature is a loss that jumps *up* within the first steps, or a spike of the gradient norm
there, followed by slow recovery or none, while restarting the same rate from a checkpoint that is
already trained a little is stable.

## How to tell
- **watch**: within the first 1 to 5% of steps the loss rises clearly above its starting value or
  the gradient norm spikes to many times its later median, the full rate is in force from step 0,
  and after that the run is stable but poor. Divergence at any later time speaks for `lr-too-high`.
- **experiment**: corrected from outside, the rate grows to its value over the first 30 steps; the
  early jump is gone and the end is lower.
- **refuted by**: the recorded rate already ramps up from near zero, or the loss falls from the
  first step.

## How to fix
Ramp up linearly over a few hundred to a few thousand steps (or about 1 to 5% of training), then
continue with the usual schedule, stepped once per *batch*.

```python
warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=500)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps - 500)
scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, cosine], milestones=[500])
...
optimizer.step()
scheduler.step()          # every batch
```

`OneCycleLR` brings its own warmup. Zero-initialised last layers, pre-LN blocks and gradient
clipping treat the same weakness. If a third of the rate solves it without loss of speed, take that
instead.

## Often mistaken for
- `lr-too-high`: unstable throughout; a warmup merely delays the explosion.
- `bad-init-scale`: activations are already off before the first step.
- `scheduler-cadence`: a warmup exists and is stepped per epoch, so it lasts for the whole run.

## Sources
- goyal-2017: section 2.2, Warmup; gradual warmup for large batches.
- xiong-2020: the analysis of gradients at initialisation, post-LN against pre-LN.
- liu-2020: the part on the variance of the adaptive rate; why Adam's first steps are unreliable.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.questions import adversarial, courses, where_optimizer

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "accumulation-unscaled bad-init-scale clip-misplaced init-loss-off inputs-unnormalized "
    "labels-out-of-range logits-into-prob-loss loss-not-reset loss-sign-flipped missing-zero-grad "
    "model-reset-in-loop scheduler-cadence step-before-backward"
)
GIVES_WAY_TO = "proven"
UNLESS = {"numbers": "overcome plays"}
LOOKS_LIKE = {"falls, then explodes": "rarely", "seeds apart": "rarely"}
PREDICTS = {"lr×0.1": "usually", "other-seed": "even"}


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.rate_ramped(world)


EARLY = 0.05  # of the steps; see the page
HIGHER = 2.0  # times the first loss
ENOUGH = 100


def watch(record: "Record") -> Iterator[Evidence]:
    if adversarial(record):
        return
    for course in courses(record, ENOUGH)[:1]:
        values = course.finite_losses
        rates = [step.lr for step in course.steps if step.lr is not None]
        if len(values) < ENOUGH or values[0] <= 0 or (rates and rates[0] < 0.5 * max(rates)):
            continue
        begin = max(5, int(EARLY * len(values)))
        peak, later = max(values[1:begin]), values[begin * 2 :]
        if peak < HIGHER * values[0] or max(curves.blocks(later, 10)) > 0.75 * peak:
            continue
        poor = curves.end(values) > 0.8 * values[0]
        yield Evidence(
            f"The loss rose from {values[0]:.3g} to {peak:.3g} within the first {begin} steps at the full "
            f"learning rate ({rates[0] if rates else 0:.3g}), then the loss was stable"
            + (f" and ended at {curves.end(values):.3g}, hardly better than its start." if poor else "."),
            telling="likely" if poor else "aside",
            where=where_optimizer(record, course.id),
            numbers={"first": values[0], "peak": peak, "last": curves.end(values)},
            fix="Increase the learning rate from near zero over the first few hundred steps.",
        )
