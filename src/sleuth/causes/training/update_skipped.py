"""The optimizer was stepped and parameters with a gradient stayed exactly the same.

## What happens
The loop is complete, gradients are there, `step()` is called, and nothing moves. Something between
the call and the weights said no.

The usual one is `GradScaler`. It looks for inf or NaN in the gradients, and if it finds one, skips
the update and halves the scale. A handful of skips at the start is normal, and so is one now and
then when the scale tries to grow (every 2000 good steps). But a NaN that comes from your model is
not cured by a smaller scale: every step is skipped, the scale goes from 65536 to 0.06 in twenty
steps, and the loss stays flat without an error. Torch does not report it.

Others: a group with `lr=0`, or a warm-up that multiplies by zero at step 0 (harmless if it
leaves); a wrapper that steps only on its own accumulation count; an overridden `step` that returns
early; a sharded or EMA copy that overwrites the weights after each step; an update so small that
it rounds to nothing, which has a page of its own.

## How to tell
- **lint**: in an optimizer of one's own, `p.add(...)` or `p.sub(...)` as a statement: the updated
  weights are returned, and not used; the in-place twin ends in an underscore. Or
  `p[rows].sub_(...)` with a list of rows or a mask: that selects a copy, and the copy is updated.
- **watch**: at a step, a parameter of the optimizer has a non-zero gradient before and the same
  bits after. Count such steps by parameter. With a scaler, its scale halves at exactly those
  steps; with a zero rate, the group says so. Isolated skips in the first dozen steps mean little;
  a skipped share of a tenth or more, or a run of skips without end, is the finding.
- **refuted by**: every parameter with a non-zero gradient differs before and after the step.

## How to fix
Ask the scaler, and let it tell you:

```python
before = scaler.get_scale()
scaler.step(optimizer)
scaler.update()
skipped += scaler.get_scale() < before
assert scaler.get_scale() > 1, "every update overflows: look for inf or NaN in the model"
```
Then find the source of the non-finite gradient in float32 with the scaler switched off. Prefer
bfloat16 if the hardware has it: its range needs no scaler. For groups with a zero rate, check
which scheduler or config set it. One skip in a thousand steps is the scaler doing its job.

## Often mistaken for
- `nonfinite-gradient`: the root, when the scaler skips because the model makes NaN.
- `update-underflow`: the update is applied and lost in rounding, without any skip.
- `missing-step`: no step is called at all; here it is called and has no effect.

## Sources
- pytorch-amp: "Typical Mixed Precision Training"; the step is left out on inf or NaN gradients.
- micikevicius-2018: section 3.2; passing over the update when a scaled gradient overflows.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.questions import LINE_SEARCHES, at, courses, optimizer_of
from sleuth.source.interpreter.values import Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.dropped_updates import dropped_updates

if TYPE_CHECKING:
    from sleuth.record.entries import Record

IS_AN_ABSENCE = True
CONSEQUENCE_OF = (
    "detached-graph frozen-params inputs-constant labels-all-ignored loss-disconnected lr-collapsed "
    "lr-too-low missing-backward missing-step no-grad-training nonfinite-gradient "
    "params-not-in-optimizer scheduler-cadence stale-optimizer-params step-before-backward "
    "update-underflow zero-grad-after-backward zero-init"
)
PREDICTS = {"same-batch": "usually", "float64": "even"}


SHARE, MOST = 0.1, 0.5  # of the measured steps, beyond the first dozen; see the page
SETTLING = 12
FAINTEST = 1e-6  # norm of a gradient whose step can be too small for the weights' digits
DUST = 1e-12  # a rate below cannot move a float32: `lr-collapsed` or `update-underflow` name it


NEEDS = ".sub( alpha= ].sub_( ].add_( ].mul_("


def lint(program: Program) -> Iterator[Evidence]:
    for found in dropped_updates(program.source):
        if found.in_optimizer:
            yield clue(
                "proven",
                Value(found.call, program.source),
                f"{found.message}: this optimizer steps, but these parameters do not change.",
                fix=found.fix,
            )


def watch(record: "Record") -> Iterator[Evidence]:
    yield from _group_at_rest(record)
    for course in courses(record):
        later = course.steps[SETTLING:] if len(course.steps) > 3 * SETTLING else course.steps[1:]
        known = [step for step in later if step.update_norm is not None and _reached(step.grad_norm_at_step)]
        still = [step for step in known if step.update_norm == 0 and (step.lr is None or step.lr > DUST)]
        zero = [step for step in known if step.update_norm == 0 and step.lr == 0.0]
        made = optimizer_of(record, course.id)
        if made is not None and made.type in LINE_SEARCHES:
            continue
        never = bool(zero) and len(zero) == len(known) and (made is None or made.lr == 0)
        count = len(zero) if never else len(still)
        if len(known) < 3 or count < SHARE * len(known):
            continue
        skips = sum(step.scale is not None for step in still)
        yield Evidence(
            f"At {count} of {len(known)} measured steps there was a gradient (norm "
            f"{known[-1].grad_norm_at_step or 0:.3g}) and no parameter changed"
            + (
                ": the learning rate is 0."
                if never
                else (": the scaler skipped the step." if skips else ": the step had no effect.")
            ),
            telling="proven" if count >= MOST * len(known) else "likely",
            where=at(made) if never and made else at(known[-1]),
            numbers={"skipped": count, "measured": len(known)},
            fix="Check the learning rate of each parameter group and, with AMP, the loss scale and "
            "infinite gradients.",
        )


def _reached(norm: float | None) -> bool:
    return norm is not None and (norm > FAINTEST or math.isinf(norm))


SAMPLES = 5  # steps at which a part must have been looked at
LEARNT = 0.6  # of the loss is gone: whoever rests, rests on purpose


def _group_at_rest(record: "Record") -> Iterator[Evidence]:
    """One optimizer that never moves some of what has a gradient at every step: a group at rest, or, where
    there is one group only, a step of one's own that forgets to write."""
    from sleuth.record.entries import Holding, Layers, Optimizer

    makers = [made for made in record.of(Optimizer) if any(s.optimizer == made.id for s in record.steps)]
    if len(makers) != 1:
        return
    alone = makers[0].groups < 2
    looks = [seen for seen in record.of(Layers) if seen.updates]
    missing = {name for holding in record.of(Holding) for name in holding.missing}
    pulled = {name for seen in looks for name, norm in seen.gradients.items() if norm} - missing
    resting = sorted(name for name in pulled if all(seen.updates.get(name) == 0 for seen in looks))
    if len(looks) < SAMPLES or not resting or len(resting) == len(pulled):
        return
    losses = [loss for course in courses(record)[:1] for loss in course.finite_losses]
    learnt = len(losses) > SAMPLES and curves.fallen(losses) > LEARNT
    yield Evidence(
        f"{len(resting)} of {len(pulled)} parameters (`{resting[0]}`, ...) get a gradient and did not "
        f"change in any of {len(looks)} checked steps, while the others did: "
        + ("the step does not write to them." if alone else "the learning rate of their group is 0."),
        telling="proven" if alone else "open" if learnt else "likely",
        where=at(makers[0]),
        numbers={"resting": len(resting), "of": len(pulled), "looks": len(looks)},
        fix="Write in place (`p.sub_(...)`); `p = p - ...` only assigns a new tensor to the same name."
        if alone
        else "Print the learning rate of each group; an integer division or a rounded factor makes it 0.",
    )
