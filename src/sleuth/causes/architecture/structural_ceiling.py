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
  metric, at which the difference disappears. Or all members of a list, all positions of a sequence
  get the same prediction, at any weights, where inputs and targets differ: a mean over them took the
  place of what each of them says. Or every row keeps its class at any weights: one learned factor a row
  scales all its scores alike.
- **watch**: the logits of a two-class loss keep to one side of zero from the first step to the last,
  with both classes in every batch, while the loss falls.
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

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import LossCall, Record
    from sleuth.stuck_metric.answers import Answers
    from sleuth.stuck_metric.jacobian import Reach

CONSEQUENCE_OF = (
    "dead-relu frozen-params inputs-constant labels-all-ignored loss-disconnected loss-saturated "
    "loss-wrong-for-task zero-init"
)
UNLESS = {"numbers": "overcome"}
LOOKS_LIKE = {"metric apart from loss": "rarely"}
PREDICTS = {"same-batch": "usually"}  # not where only the answers stand still

STILL = 1e-6  # relative change of every output when all parameters are drawn anew


def probe(bench: "Workbench") -> Iterator[Evidence]:
    from sleuth.measure.forward import source_of

    seen = bench.ceiling
    if seen.output_change < STILL and seen.loss_change < STILL:
        yield Evidence(
            f"Re-initialising all {seen.parameters} trainable parameters changes outputs by "
            f"{seen.output_change:.1e} and the loss by {seen.loss_change:.1e}: nothing that training "
            "changes can reach them.",
            telling="proven",
            where=source_of(bench.subject.model),
            numbers={"output_change": seen.output_change, "loss_change": seen.loss_change},
            fix="Follow the signal from the last trainable layer to the output: rounding, a mask, an "
            "overwritten value?",
        )
    same = bench.sameness
    if same is not None:
        yield Evidence(
            f"The {same.length} members on axis {same.axis} of the output always get the same prediction, "
            "with these weights and with others, though inputs and targets differ there: no training can "
            "tell them apart.",
            telling="likely",
            where=same.where,
            numbers={"members": same.length, "axis": same.axis},
            fix="Keep each member's own features beside the mean, the maximum or the summary of all of them.",
        )
    unmoved = bench.unmoved
    if unmoved is not None:
        yield Evidence(
            f"Each of {unmoved.rows} rows keeps the same predicted class (of {unmoved.classes}) with any "
            "weights: training makes the scores larger or smaller but never another class the largest, "
            "so the loss can fall while accuracy stays the same.",
            telling="likely",
            where=unmoved.where,
            numbers={"rows": unmoved.rows, "classes": unmoved.classes},
            unless=(),  # it stands however far the loss falls
            fix="Let the trainable part output one number per class, not one per row.",
        )


FEWEST = 4  # looks at a loss, spread over the run
ROWS = 16
BALANCED = 0.15  # variance of targets that are 0 or 1: at most one in five is the rarer
FELL = 0.9  # of what even odds cost (ln 2): the loss has learnt something


def watch(record: "Record") -> Iterator[Evidence]:
    """Logits that never cross zero, of a two-class loss that falls: the decision cannot change."""
    from sleuth.record.questions import at, by_line, loss_calls, needed

    logits = [call for call in loss_calls(record) if call.function == "binary_cross_entropy_with_logits"]
    needed(logits, "a two-class loss on logits")
    for calls in by_line(logits).values():
        low = [call.input_min for call in calls if call.input_min is not None and _balanced(call)]
        high = [call.input_max for call in calls if call.input_max is not None and _balanced(call)]
        if len(low) < FEWEST or not (min(low) >= 0 or max(high) <= 0) or max(high) - min(low) < 1:
            continue
        side = "zero" if min(low) >= 0 else "one"
        if calls[-1].value is None or not 0 < calls[-1].value < FELL * math.log(2):
            continue
        yield Evidence(
            f"In {len(low)} samples, from step {calls[0].n} to {calls[-1].n}, every logit lay between "
            f"{min(low):.3g} and {max(high):.3g}, though both classes occur: the loss falls (to "
            f"{calls[-1].value:.3g}), and class {side} is never predicted, because no logit crosses 0.",
            telling="likely",
            where=at(calls[0]),
            numbers={"lowest": min(low), "highest": max(high)},
            fix="Let the output take both signs: add a trainable shift to a distance or a square, remove the "
            "activation that bounds it.",
        )


def _balanced(call: "LossCall") -> bool:
    rows = call.input_shape[0] if call.input_shape else 0
    both = (call.target_min, call.target_max) == (0.0, 1.0)
    return rows >= ROWS and both and (call.target_variance or 0.0) >= BALANCED


def stuck(answers: "Answers") -> Iterator[Evidence]:
    from sleuth.stuck_metric.jacobian import MOVED

    reach = answers.reach
    if not answers.care.cares or reach.moves or answers.path_is_cut:
        return
    tested = reach.redrawn is not None
    shaken = f" Shaking every parameter by its own size changes it by {reach.redrawn:.1g}." if tested else ""
    fixed = tested and (reach.redrawn or 0.0) <= MOVED
    yield Evidence(
        f"{_out_of_reach(reach)}{shaken}",
        "proven" if fixed else "likely",
        numbers={
            "relative_slope": reach.relative,
            "in_span": reach.in_span,
            "rank": reach.rank,
            "redrawn": reach.redrawn or 0.0,
        },
        fix="Put trainable parameters where they can act on the metric (free the fixed basis, the bounded "
        "output or the rule behind the model), or choose a metric that what is trained can move.",
        confirmed_by=("strong perturbation of the parameters",) if fixed else (),
    )


def _out_of_reach(reach: "Reach") -> str:
    from sleuth.stuck_metric.jacobian import NO_SLOPE

    if reach.lies:
        return (
            f"Autograd promises a gradient of {reach.promised:.3g} along the best direction; really moving "
            f"the parameters gives {reach.measured:.3g}. The gradient is a stand-in's, and the metric itself "
            "does not follow."
        )
    if reach.relative > NO_SLOPE or (reach.rank and reach.entries > 1):
        return (
            f"Only {reach.in_span:.1%} of the direction in which the metric should go lies in the span of "
            f"its Jacobian (rank {reach.rank} of {reach.entries}): the parameters move it, but not there."
        )
    return (
        f"The metric's gradient with respect to the parameters is {reach.promised:.2g} "
        f"({reach.relative:.1g} relative): none of them moves it."
    )
