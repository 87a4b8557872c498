"""Gradient norms grow without bound, until one step destroys the weights.

## What happens
The loss looks healthy, then a single batch sends it to 1e6 or NaN. Backward signals are products
of many factors; a factor slightly above 1 is enough. A linear recurrence with spectral radius 1.1
multiplied a gradient by more than a thousand over 100 steps, and the same net at 0.9 shrank it
below 1e-5: there is a narrow path between the two, and recurrent or very deep nets walk along it.

Typical places: an RNN on long sequences, a deep net without normalisation, initial weights
of std 1, a loss summed over a long sequence, an occasional outlier target under squared error.
With clipping in place nothing looks wrong any more: the norm before clipping is what tells the
story.

A large norm by itself is not the disease. It scales with the loss, with the number of parameters
and with a sum-reduction. What counts is growth: over depth in one backward pass, or over steps at
similar loss.

## How to tell
- **probe**: per-layer gradient norms of one batch grow steadily towards the input (the first
  layer has 1e3 times the last, or more); or what goes into one layer grows as much over its calls
  in a loop over time, though each call by itself is of a fair size.
- **watch**: total norm *before* clipping rises by orders of magnitude over the run, or has rare
  spikes of 100 times its median just before the loss jumps.
- **experiment**: corrected from outside, gradients are clipped to norm 1 before each step; the loss
  falls where it had jumped.
- **refuted by**: the unclipped norm stays within a factor of ten of its median up to the step at
  which the loss goes wrong.

## How to fix
Clip by global norm, between backward and step, at a threshold taken from your own log (the median
to the 90th percentile of healthy steps), and look for the source as well.
```python
loss.backward()
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
log(step, norm)          # this is the norm before clipping
optimizer.step()
```
For recurrent nets: orthogonal recurrent weights, shorter truncated backpropagation, gated cells.
For deep nets: normalisation and residual connections. If every step is clipped you have only
changed the rate.

## Often mistaken for
- `lr-too-high`: there the first gradients are of ordinary size and the growth follows the
  weights; a tenth of the rate stops it.
- `bad-init-scale`: already the very first backward pass is huge, and the activations with it.
- `wrong-reduction`: the norm is large by a constant factor (batch or sequence length) and does
  not grow.

## Sources
- pascanu-2013: sections 2 and 3, on the mechanism in recurrent nets and on clipping the gradient
  norm.
- goodfellow-2016-ch8: section 8.2.4, cliffs in the loss surface and why one step can undo long
  work.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import courses, needed, where_loss

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record, Step

CONSEQUENCE_OF = (
    "accumulation-unscaled bad-init-scale clip-misplaced hidden-state-not-detached inputs-unnormalized "
    "labels-all-ignored labels-out-of-range logits-into-prob-loss loss-not-reset loss-sign-flipped "
    "loss-terms-imbalanced lr-too-high missing-zero-grad model-reset-in-loop nonfinite-input "
    "scheduler-cadence step-before-backward unsafe-log-div unstable-exp wrong-reduction"
)
UNLESS = {"numbers": "overcome"}
LOOKS_LIKE = {"falls, then explodes": "even", "not finite": "rarely"}
INVITED_BY = {"LSTM|GRU|RNN": 3.0}
PREDICTS = {"same-batch": "even", "lr×0.1": "usually"}

RATIO = 1e3  # gradient norm of the first layer over the last; see the page


def probe(bench: "Workbench") -> Iterator[Evidence]:
    yield from _over_time(bench)
    weights = [p for p in bench.first.gradients.weights if p.gradient is not None and p.finite]
    if len(weights) < 3 or not weights[-1].gradient:
        return
    # Of several heads on one trunk the one that gets most is what the trunk's gradient comes from.
    heads = [p for p in weights if p is weights[-1] or (p.reads is not None and p.reads == weights[-1].reads)]
    last = max(heads, key=lambda p: p.gradient or 0.0)
    ratio = (weights[0].gradient or 0.0) / (last.gradient or math.inf)
    if ratio > RATIO:
        yield Evidence(
            f"The gradient norm grows from {last.gradient:.2g} at `{last.name}` to "
            f"{weights[0].gradient:.2g} at `{weights[0].name}` (×{ratio:.0f}): one step pushes the early "
            "layers out of their range.",
            telling="likely",
            where=Where(module=weights[0].module or None),
            numbers={"ratio": ratio, "layers": len(weights)},
            fix="Lower the initial scale, add normalisation or residual connections; clip gradients as a "
            "guard.",
        )


def _over_time(bench: "Workbench") -> Iterator[Evidence]:
    """A state that every turn of a loop makes larger, though the layer in it is of a fair size."""
    turns = bench.first.activations.turns
    if not turns:
        return
    grown = turns[-1].size_in / turns[0].size_in
    if grown > RATIO:
        yield Evidence(
            f"The input of this layer grows ×{grown:.2g} over its {len(turns)} calls in one pass, and "
            "gradients grow as much on the way back: no learning rate suits all of them.",
            telling="proven",
            where=turns[-1].where,
            numbers={"grown": grown, "turns": len(turns)},
            fix="Gate or average the state instead of adding to it (`h = (1 - a) * h + a * new`, a GRU), "
            "bound it with tanh or a norm, initialise the recurrent weights orthogonally; clip as a "
            "guard.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.clipped_before_step(world)


GROWN = 1e3  # times the median of the first tenth
SPIKE = 100.0  # times the median, just before the loss jumps; see the page
JUMP = 3.0  # times the loss before


def watch(record: "Record") -> Iterator[Evidence]:
    needed([step for step in record.steps if step.grad_norm is not None], "gradient norms")
    at_once = _at_once(record.steps)
    if at_once is not None:
        yield at_once
        return
    for course in courses(record, 10):
        norms = course.gradients
        finite = curves.finite(norms)
        usual = curves.median(curves.finite(norms[: max(5, len(norms) // 10)]))
        if len(finite) < 10 or not usual:
            continue
        late = curves.median(finite[-max(3, len(finite) // 10) :])
        broke = any(not math.isfinite(norm) for norm in norms)
        if late > GROWN * usual and (curves.rising(finite) > 0.8 or broke):
            yield Evidence(
                f"The gradient norm grew from {usual:.3g} to {late:.3g} over the run"
                + (", and then overflowed" if broke else "")
                + ": steps of that size destroy what was learned.",
                telling="proven",
                where=where_loss(course.steps[-1]),
                numbers={"first": usual, "last": late, "largest": max(finite)},
                fix="Lower the learning rate, clip the norm, add normalisation or gating; in recurrent "
                "models, backpropagate through fewer time steps.",
            )
            continue
        spikes = _spikes(course.steps, curves.median(finite))
        if spikes >= 2:
            yield Evidence(
                f"{spikes} times the gradient norm spiked above {SPIKE:.0f} times its median "
                f"({curves.median(finite):.3g}) and the loss jumped with it.",
                telling="likely",
                where=where_loss(course.steps[-1]),
                numbers={"spikes": spikes, "median": curves.median(finite)},
                fix="Clip the norm near its median, and look at the batches of those steps.",
            )


def _at_once(steps: "tuple[Step, ...]") -> Evidence | None:
    """One step throws the loss by many orders of magnitude and the next ones are no numbers: what a high rate
    does to a shallow net grows by steps, what is multiplied over many turns or layers bursts."""
    for before, after in pairwise(steps):
        if before.loss is None or after.loss is None or not 0 < before.loss < math.inf:
            continue
        burst = curves.BURST * before.loss < after.loss < math.inf
        if burst and any(later.loss is not None and not math.isfinite(later.loss) for later in steps):
            norm = f", at a gradient norm of {before.grad_norm:.3g}" if before.grad_norm is not None else ""
            return Evidence(
                f"Step {before.n} makes the loss jump from {before.loss:.3g} to {after.loss:.3g}{norm}, "
                "and it is not finite after that: small changes grow on their way through time steps or "
                "layers.",
                telling="proven",
                where=where_loss(after),
                numbers={"before": before.loss, "after": after.loss, "step": before.n},
                fix="Bound what is carried from step to step (a smaller increment, gating, "
                "normalisation); clip the norm as a guard.",
            )
    return None


def _spikes(steps: "tuple[Step, ...]", usual: float) -> int:
    count = 0
    for before, after in pairwise(steps):
        if before.grad_norm is None or before.loss is None or after.loss is None or before.loss <= 0:
            continue
        count += before.grad_norm > SPIKE * usual and after.loss > JUMP * before.loss
    return count


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import where_written

    return where_written(finding, scene)
