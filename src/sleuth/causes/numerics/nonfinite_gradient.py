"""The forward pass is finite and a gradient is NaN or infinite.

## What happens
The loss looks perfectly normal, once. One step later all parameters are NaN. Backward has poles of
its own: the square root is finite at 0 and its derivative is not, so `(d ** 2).sum().sqrt()` of a zero
vector gives 0 forward and NaN backward (0 times infinity). `torch.norm`, `std` and `cdist` are safe
there; the hand-written versions are not. `acos(1)`, `x ** 0.5` at 0 and `log` near 0 behave alike.

The trap that catches experts: `torch.where` selects values, but backward multiplies the branch that
was *not* selected by zero, and zero times infinity is NaN.

```python
y = torch.where(x > 0, x.sqrt(), torch.zeros_like(x))   # x = 0: value 0, gradient NaN
```

Clipping does not protect. With one NaN `clip_grad_norm_` gets a NaN norm and multiplies *every*
gradient by NaN. With one infinity it scales all others to 0 and leaves a NaN in its place. Under
AMP an occasional infinite gradient is normal: `GradScaler` skips that step and lowers its scale.
Skips that never end are this cause.

## How to tell
- **probe**: loss and all module outputs finite, at least one gradient not; the backward function
  nearest to the loss that turns finite gradients into non-finite ones is the place.
- **watch**: a step with finite loss and non-finite gradient norm, followed by NaN in the forward
  pass of the next; under AMP, a scale that halves again and again.
- **refuted by**: a non-finite value already in the loss or in an activation of the same step.

## How to fix
Make the argument safe *before* the operation, not the result after it: the double `where`.

```python
safe = torch.where(x > 0, x, torch.ones_like(x))
y = torch.where(x > 0, safe.sqrt(), torch.zeros_like(x))
dist = torch.linalg.vector_norm(a - b, dim=-1)          # or (d2 + 1e-12).sqrt()
torch.nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
```

`torch.autograd.set_detect_anomaly(True)` names the backward function, at a price in speed.

## Often mistaken for
- `nonfinite-forward`: the activations are bad first; then gradients follow by necessity.
- `exploding-gradients`: norms climb over many steps through finite values; a pole strikes at once.
- `unsafe-log-div`: the root, once you have found the expression with the pole.

## Sources
- pytorch-issue-23395: the report; `torch.where` passes on infinite gradients of the unselected
  branch.
- pytorch-issue-6394: the maintainers' answer; a hand-written root of a square gives NaN, norm and
  abs not.
- pytorch-amp: Typical mixed precision training; steps with infinite gradients are skipped.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.questions import at, where_loss

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "accumulation-unscaled bad-init-scale clip-misplaced exploding-gradients inputs-unnormalized "
    "labels-all-ignored labels-out-of-range logits-into-prob-loss loss-not-reset loss-sign-flipped "
    "lr-too-high missing-zero-grad model-reset-in-loop nonfinite-input scheduler-cadence "
    "step-before-backward unsafe-log-div unstable-exp"
)
LOOKS_LIKE = {"not finite": "even"}
PREDICTS = {"same-batch": "usually", "lr×0.1": "even"}


def probe(bench: "Workbench") -> Iterator[Evidence]:
    seen = bench.numerics
    if not seen.loss_finite or seen.gradients_finite:
        return
    hazard = next((found for found in seen.hazards if found.in_gradient), None)
    if hazard is not None:
        yield Evidence(
            f"Loss and outputs are finite and a gradient is not: the derivative of `{hazard.operation}` "
            "is NaN or infinite on this batch, and one step makes the weights NaN.",
            telling="proven",
            where=hazard.where,
            numbers={"operation": hazard.operation, "argument": str(hazard.argument)},
            fix="Keep the argument away from the point of infinite derivative before the operation "
            "(sqrt(x + eps)); a `where` after it is too late.",
        )


SHARE = 0.1  # of the steps: a scaler finds its scale by a few overflows at the start
SETTLING = 50


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import NonFinite

    seen = next((seen for seen in record.of(NonFinite) if seen.backward), None)
    bad = [
        step
        for step in record.steps
        if step.grad_norm is not None
        and not math.isfinite(step.grad_norm)
        and step.loss is not None
        and math.isfinite(step.loss)
    ]
    if not bad and seen is None:
        return
    scaled = any(step.scale for step in record.steps)
    later = [step for step in bad if step.n > SETTLING]
    if scaled and len(later) < SHARE * len(record.steps) and (seen is None or seen.n <= SETTLING):
        return
    if seen is not None and seen.replayed:
        yield Evidence(
            f"At step {seen.n} the forward pass is finite and the gradient is not: the first such value "
            f"comes from the backward of `{seen.operation or 'an operation'}`"
            + (f" in `{seen.module}`" if seen.module else "")
            + ".",
            telling="proven",
            where=at(seen, seen.module or None),
            numbers={"step": seen.n, "operation": seen.operation},
            fix="Keep the argument away from the point of infinite derivative (`sqrt(x + eps)`, `clamp`, "
            "a `where` before the operation).",
        )
    elif bad:
        burst = (bad[0].loss or 0.0) > curves.BURST * abs(record.steps[0].loss or math.inf)
        yield Evidence(
            f"At step {bad[0].n} the loss is {bad[0].loss:.4g} and the gradient norm {bad[0].grad_norm}: "
            "the forward pass is finite and the gradient is not; the next update makes the weights NaN.",
            telling="aside" if burst else "proven",  # what is that large has no slope that could be written
            where=where_loss(bad[0]),
            numbers={"step": bad[0].n, "steps": len(bad)},
            fix="Look for sqrt, norm, log or division at 0; a `where` around them does not protect the "
            "gradient.",
        )
