"""The first NaN or infinity appears in the output of a module, not in its input.

## What happens
A NaN does not stop the run. It passes through ReLU, through every matrix product, into the loss
and, after one optimizer step, into all weights. Meanwhile the metrics stay plausible: every
comparison with NaN is False, and `argmax` over a row of NaN returns index 0, so accuracy settles at
the share of class 0. The loss that prints `nan` is the last witness, rarely the culprit; look for
the *first* module whose input is finite and whose output is not.

The usual places: a softmax over a fully masked row (all -inf gives all NaN); float16 activations
beyond 65504; a hand-made normalisation dividing by a standard deviation of 0; `exp` of a large
logit or log-variance; a mean over an empty selection; weights that grew until a product overflowed.

```python
scores = scores.masked_fill(~mask, float("-inf"))     # a row with nothing left
attention = scores.softmax(-1)                        # that row is NaN
```

An infinity that is *meant*, such as -inf in a mask with at least one open position, is fine.

## How to tell
- **probe**: walking through the modules in order, the first one with finite input and parameters
  and non-finite output; if the parameters are already bad, the damage was done by an earlier
  update.
- **watch**: the step, and within it the module, where the first non-finite value occurred, the
  largest finite magnitude just before, and whether it had been growing for many steps or came at
  once.
- **refuted by**: the batch already held the NaN, or all module outputs are finite and only
  gradients are not.

## How to fix
Replay the failing batch and repair the operation at that module; growth over many steps points to
the learning rate or to normalisation instead.

```python
mask = mask | ~mask.any(-1, keepdim=True)             # never mask a whole row
std = x.std(-1, keepdim=True).clamp_min(1e-6)
log_var = log_var.clamp(-10, 10)                      # before exp
```

In float16 keep reductions and exponentials in float32, or use bfloat16, which has the range of
float32. Do not pour `torch.nan_to_num` over it: the NaN was the message.

## Often mistaken for
- `nonfinite-input`: the NaN came with the batch; check that first, it is the cheapest.
- `unsafe-log-div`: the root, when the module's own code has a pole; name that instead.
- `lr-too-high`: activations grow for many steps before the overflow, and a tenth of the rate avoids
  it.

## Sources
- goodfellow-2016-ch4: section 4.1, Overflow and Underflow; how a result turns non-finite, softmax
  as the example.
- pytorch-numerical-accuracy: Extremal values; intermediate results may overflow though the result
  fits.
- fsdl-2021: the list of most common bugs; numerical instability, from exp, log or division.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves, poles
from sleuth.record.questions import at, where_loss

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "accumulation-unscaled bad-init-scale clip-misplaced exploding-gradients inputs-unnormalized "
    "labels-all-ignored labels-out-of-range logits-into-prob-loss loss-not-reset loss-sign-flipped "
    "lr-too-high missing-zero-grad model-reset-in-loop nonfinite-gradient nonfinite-input "
    "scheduler-cadence step-before-backward unsafe-log-div unstable-exp"
)
LOOKS_LIKE = {"not finite": "even"}
INVITED_BY = {"autocast|GradScaler|\\.half\\(|bfloat16": 3.0}
PREDICTS = {"same-batch": "usually", "lr×0.1": "even"}


def probe(bench: "Workbench") -> Iterator[Evidence]:
    seen = bench.numerics
    if seen.loss_finite and seen.outputs_finite:
        return
    for hazard in seen.hazards:
        if hazard.in_gradient:
            continue
        source = f" from {hazard.bad_input}" if hazard.bad_input else ""
        yield Evidence(
            f"The first value that is NaN or infinite comes out of `{hazard.operation}`{source} (nearest "
            f"argument {hazard.argument:.3g}) on this batch; everything computed from it is NaN.",
            telling="proven",
            where=hazard.where,
            numbers={"argument": str(hazard.argument), "operation": hazard.operation},
            fix="Look at the values that enter this operation; check weights and inputs for NaN first.",
        )


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import NonFinite

    seen = next(iter(record.of(NonFinite)), None)
    if seen is not None and seen.replayed and not seen.backward:
        inputs = [v for v in seen.inputs if v.maximum is not None]
        clean = all(not values.nonfinite for values in seen.inputs)
        largest = max((max(abs(v.minimum or 0), abs(v.maximum or 0)) for v in inputs), default=0.0)
        yield Evidence(
            f"The first non-finite value of the run came at step {seen.n} out of "
            f"`{seen.operation or 'an operation'}`"
            + (f" in `{seen.module}`" if seen.module else "")
            + (f", whose inputs were finite (largest {largest:.3g})" if inputs and clean else "")
            + f"; {_history(record, seen.n)}.",
            telling="proven",
            where=at(seen, seen.module or None),
            numbers={"step": seen.n, "operation": seen.operation, "largest_input": largest},
            fix="Keep the argument of this operation away from the value where it is infinite: clamp it, "
            "or use a stable form.",
        )
        return
    bad = next((s for s in record.steps if s.loss is not None and not math.isfinite(s.loss)), None)
    if bad is not None and (seen is None or not seen.backward):
        yield Evidence(
            f"The loss is {bad.loss} at step {bad.n}; {_history(record, bad.n)}. The step could not be "
            "replayed, so the operation is not known.",
            telling="proven",
            where=where_loss(bad),
            numbers={"step": bad.n},
            fix="Run `sleuth probe` on that batch, or anomaly mode for a few steps around it.",
        )


def _history(record: "Record", n: int) -> str:
    """Whether it came at once or after growth, in words."""
    before = curves.finite(step.loss for step in record.steps if step.n < n)
    if len(before) < 3:
        return "nothing before it was unusual" if before else "it was the first step"
    grown = poles.growth(record, n)
    return (
        f"the loss had grown {grown:.0f} times before"
        if grown > poles.GROWN
        else f"the loss was {before[-1]:.3g} just before"
    )
