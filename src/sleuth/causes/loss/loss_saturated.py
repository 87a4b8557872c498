"""The loss is flat where training is, so the gradient is zero and nothing is learned.

## What happens
The model is wrong and the loss does not mind. Squared error on a sigmoid is the classic: its
gradient carries a factor p(1 - p), so a confidently wrong output is corrected least. For a target
of 1 and a logit of -10 the gradient is 0.00009; cross-entropy on the same logit gives 1.0.

Flat stretches are also built by hand. `clamp` has gradient 0 outside its range. A hinge or triplet
loss is 0 once the margin is met, fine for good examples and fatal when the margin is met by a
degenerate embedding. `min(loss, cap)`, a clipped ratio, an IoU of two boxes that do not touch, a
Huber loss squashed by tanh: all constant where help is needed most. A GAN generator trained on
log(1 - D(G(z))) starves in the same way once the discriminator wins.

```python
p = torch.sigmoid(logits)
loss = ((p - y) ** 2).mean()          # no gradient once p is near 0 or 1
loss = loss.clamp(max=1.0)            # none at all above 1
```

A flat loss at zero error is called convergence. It is a fault only while the error is large.

## How to tell
- **probe**: the loss is far from its best value and its gradient with respect to the model's output
  is almost zero for most examples; nudging the output along the target direction does not change
  the loss. Check the gradient *at the output*: if it is healthy there, the loss is not the culprit.
- **watch**: the loss is exactly zero at nearly all steps, and most predictions on other rows are wrong.
- **refuted by**: the gradient of the loss with respect to the output is of ordinary size on the
  examples that are wrong.

## How to fix
Choose the loss whose logarithm undoes the squashing, and clip gradients rather than losses.

```python
loss = F.binary_cross_entropy_with_logits(logits, y)
loss.backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
```

For boxes use a generalised IoU, for the generator the non-saturating form, -log D(G(z)). For
triplets mine examples that still violate the margin. PPO's clipped ratio is flat on purpose: it
stops an update that went far enough, so leave it.

## Often mistaken for
- `saturated-activations`: the flat part lies in hidden units; the gradient at the output is fine.
- `vanishing-gradients`: strong at the output and lost on the way down.
- `loss-disconnected`: no path at all, so the gradient is None or zero everywhere, not only on the
  tails.

## Sources
- goodfellow-2016-ch6: section 6.2.2.2, sigmoid units; why squared error saturates where the
  likelihood does not.
- goodfellow-2014: section 3; the generator's saturating objective and its usual replacement.
- karpathy-2019: Neural net training fails silently; clipping the loss instead of the gradients
  makes outliers ignored.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record
    from sleuth.stuck_metric.answers import Answers
    from sleuth.stuck_metric.slope import Care

CONSEQUENCE_OF = (
    "dead-relu double-softmax labels-all-ignored labels-constant logits-into-prob-loss "
    "output-activation zero-init"
)
UNLESS = {"probe experiment": "overcome"}
PREDICTS = {"same-batch": "usually", "lr×10": "even", "lr×0.1": "even"}

SILENT = 0.9  # share of examples without slope
ENOUGH = 0.5  # of the chance level: below it the loss may be flat because it is good


def _shut(bench: "Workbench") -> Iterator[Evidence]:
    """A margin or clamp that is met by every example of a fresh model: the loss is over before it begins."""
    first = bench.first
    slopes = [p.gradient for p in first.gradients.parameters if p.trainable and p.gradient is not None]
    if first.shut is not None and slopes and not any(slopes):
        yield Evidence(
            f"The loss is {first.loss:.3g} and the gradient of every parameter is exactly zero: the loss "
            "is clamped here for all examples, so no gradient passes and nothing will be learned.",
            telling="proven",
            where=first.shut,
            numbers={"loss": first.loss, "parameters": len(slopes)},
            fix="Check the sign of the margin and the order of the two sides of the difference.",
        )


BLIND = 1e-3  # relative change of the loss when every target is handed to another example


def _bounded(bench: "Workbench") -> Iterator[Evidence]:
    """A loss written by hand that is as high as it gets wherever the answers lie: far from every target its
    bound is reached, and whose target it is makes no difference any more."""
    first = bench.first
    if first.flat < SILENT or first.loss <= BLIND:
        return
    effect = bench.wiring.target_effect
    if effect is not None and effect < BLIND:
        yield Evidence(
            f"The loss is {first.loss:.3g} and its gradient is zero for {first.flat:.0%} of the examples; "
            f"shuffling the targets changes it by {effect:.1g} of its value. The loss is flat where the "
            "predictions are, so the model cannot learn.",
            telling="likely",
            where=first.bounded_at,
            numbers={"silent": first.flat, "loss": first.loss, "effect": effect},
            fix="Widen the bound (scale, margin, temperature) to the size of the first errors, or start "
            "with an unbounded loss.",
        )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    yield from _shut(bench)
    yield from _bounded(bench)
    for use in bench.first.losses:
        high = use.chance is not None and use.mean_value > ENOUGH * use.chance
        if use.silent_examples >= SILENT and high and use.wants_gradient and use.ignored_share < 1:
            yield Evidence(
                f"{use.name} is {use.mean_value:.3g}, no better than guessing ({use.chance:.3g}), and its "
                f"gradient is zero for {use.silent_examples:.0%} of the examples: the model cannot learn "
                "from them.",
                telling="likely",
                where=use.where,
                numbers={"silent": use.silent_examples, "loss": use.mean_value},
                fix="Use the form of the loss that takes raw scores; remove a clamp, a margin or a "
                "saturated output.",
            )


OVER = 0.8  # of the steps have a loss of exactly nothing
ENOUGH_STEPS = 50
WRONG = 0.5  # share right on other rows: whoever met every margin would do better


def watch(record: "Record") -> Iterator[Evidence]:
    """A loss that is exactly zero for nearly all of the run, of a model that answers wrongly all the same."""
    from sleuth.record.entries import Evaluation
    from sleuth.record.questions import courses, needed, where_loss

    judged = [seen for seen in record.of(Evaluation) if seen.correct is not None and seen.n > 0]
    needed(judged, "evaluation passes whose accuracy could be computed")
    last = judged[-1].correct or 0.0
    for course in courses(record, ENOUGH_STEPS)[:1]:
        nothing = sum(loss == 0.0 for loss in course.losses)
        if last < WRONG and nothing >= OVER * len(course.losses):
            yield Evidence(
                f"The loss is exactly 0 at {nothing} of {len(course.losses)} steps, and the evaluation at "
                f"step {judged[-1].n} is right in {last:.0%} of its rows: wrong predictions already "
                "satisfy the bound, and from there on nothing is learned.",
                telling="likely",
                where=where_loss(course.steps[-1]),
                numbers={"zeros": nothing, "steps": len(course.losses), "right": last},
                fix="Check the sign and the size of the margin, and the order of the two sides of the "
                "difference.",
            )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import has_place
    from sleuth.places.statements import best_statement

    if finding.technique == "probe" and has_place(finding):
        return None  # it saw the bound itself
    return best_statement(_bounds_from_below, scene.sources)


def _bounds_from_below(statement: "Statement") -> int | None:
    """Where a loss is bounded from below: `relu(near - far + margin)`."""
    bounded = re.search(r"\b(relu|clamp|clamp_min|maximum|hinge\w*|clip)\(", statement.text)
    return 0 if bounded and re.search(r"margin|hinge", statement.text, re.IGNORECASE) else None


def stuck(answers: "Answers") -> Iterator[Evidence]:
    from sleuth.stuck_metric.slope import FADED, INDIFFERENT

    care = answers.care
    if care.cares or not care.connected:
        return
    pushes = ", ".join(f"{name} {push:.3g}" for name, push in care.pushes.items())
    beside = f" Gradient norms on the parameters: {pushes}." if len(care.pushes) > 1 else ""
    yield Evidence(
        f"{_flat_here(care)}{beside}",
        "proven" if care.relative <= INDIFFERENT or care.faded <= FADED else "likely",
        numbers={
            "slope": care.slope,
            "relative": care.relative,
            "faded": care.faded,
            "loss": care.loss,
            "metric": care.metric,
        },
        fix="Choose a form that is steep where the metric stands (a margin that is not yet met, logits "
        "instead of probabilities, no clamp or log1p around the error); `sleuth surface` shows where it is.",
    )


def _flat_here(care: "Care") -> str:
    from sleuth.stuck_metric.slope import INDIFFERENT

    if care.loss == 0 and care.slope == 0:
        return "The loss is 0 and flat at this metric: it is content and asks for nothing more."
    slope = (
        f"doubling the metric would change the loss by {care.relative:.1g} of itself."
        if care.relative <= INDIFFERENT
        else f"1/{1 / max(care.faded, 1e-12):.3g} of what it is elsewhere, and the loss is high."
    )
    return (
        f"d(loss)/d(metric) is {care.slope:.3g} at a metric of {care.metric:.4g} with a loss of "
        f"{care.loss:.4g}: {slope}"
    )
