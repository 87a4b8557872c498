"""The parameters cannot move the metric, whatever the loss says.

## What happens
The loss goes down, gradients are healthy, and the number you report does not change by a digit.
Somewhere between the parameters and the metric there is a wall: a rounding or `argmax` that
swallows small changes, a `clamp` at its bound, a post-processing rule that always wins, a mask
that removes the positions you score, a baseline added to a correction that is too small, a
non-maximum suppression that keeps the same boxes. Or the trainable part is a small adapter whose
effect on the output is bounded below what the metric can see.

Example: a model that predicts a correction `0.01 * torch.tanh(net(x))` on top of a persistence
forecast can move each prediction by at most 0.01. If the metric counts errors above 0.5, no
weights will help: 50 epochs only polish the loss. Another: a score over positions of which nearly
all are filled in by a rule before the network speaks.

It is a question about the *reachable set*, not about optimisation: which values can the metric
take as the parameters run over all they can be? Ask it before you tune anything.

## How to tell
- **probe**: perturb the trainable parameters strongly (re-draw them, scale by 10) and recompute
  the metric on one batch; it stays within noise. Then find the first stage, from model output to
  metric, at which the difference disappears.
- **experiment**: on the same batch, optimise the output tensor directly in place of the
  parameters: if the metric moves then and not through the parameters, the wall is in the model;
  if not even then, it is behind it.
- **refuted by**: two random draws of the parameters give clearly different metric values.

## How to fix
Move the wall: free the output range, put the trainable part where it can act, take the
post-processing out of the scored path, or choose a metric that responds (a mean error beside a
threshold count).
```python
y = baseline + self.scale * self.net(x)      # scale: nn.Parameter, unbounded
```
When the bound is deliberate (a safe residual policy, a trust region) keep it, and judge the model
by a metric that lives inside the bound.

## Often mistaken for
- `underpowered-model`: the metric moves but not far enough.
- `loss-metric-mismatch`: parameters can move the metric, and the loss does not ask them to.
- `output-activation`: a ceiling with a simple name: the last activation's range.

## Sources
- goodfellow-2016-ch11: section 11.5, debugging strategies: fitting tiny data and comparing parts
  to tell a defect of the software from a limit of the model.
- fsdl-2021: the part on overfitting a single batch, and what it means when the error plateaus.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Finding

if TYPE_CHECKING:
    from sleuth.facts.bench import Bench

PREDICTS = {"same-batch": "always"}

STILL = 1e-6  # relative change of every output when all parameters are drawn anew


def probe(bench: "Bench") -> Iterator[Finding]:
    from sleuth.facts.bench.forward import source_of

    seen = bench.ceiling
    if seen.output_change < STILL and seen.loss_change < STILL:
        yield Finding(
            f"Drawing all {seen.parameters} trainable parameters anew changes outputs by "
            f"{seen.output_change:.1e} and the "
            f"loss by {seen.loss_change:.1e}: whatever is learned cannot reach them.",
            severity="error",
            credence=0.85,
            where=source_of(bench.subject.model),
            numbers={"output_change": seen.output_change, "loss_change": seen.loss_change},
            fix="Follow the signal from the last trainable layer to the output: rounding, a mask, an "
            "overwritten value?",
        )
