"""Gradients of two loss terms point against each other, so the sum hardly moves.

## What happens
Each term alone trains; together they stall. If the gradients on the shared parameters have a cosine
below zero, a step that helps one harms the other, and at a cosine near -1 with equal lengths the
sum is almost nothing. The loss then looks converged while neither term is.

Some conflict is the nature of a trade-off, and near the end of training it is normal: at the
optimum of a sum the terms' gradients cancel *by definition*. The fault is conflict early, when both
terms are still large. Typical origins: two terms that want incompatible outputs (an L2 penalty on
activations against a margin loss, targets normalised for one head but not for the other), a
consistency term that is satisfied by a constant, one label wrong in a multi-task set, a flipped
sign in one term.

```python
loss = F.mse_loss(out, y) + F.mse_loss(out, y_rescaled)    # both want the same output elsewhere
```

## How to tell
- **probe**: the cosine between the terms' gradients on the shared parameters, over several batches.
  A single batch is noisy, and terms may pull apart by design; two library losses below -0.75, in all
  parts of the batch and from other initial weights, want one output at two places. So do two
  losses on the very same output whose targets correlate below -0.3, beyond chance.
- **watch**: the terms move in opposite directions, one up as the other goes down, and the norm of
  the total gradient is much smaller than the norm of either part.
- **refuted by**: the mean cosine is around zero or positive, or dropping one term does not help the
  other.

## How to fix
Ask first whether the terms *can* agree: write down one output that makes both small. If none
exists, the specification is wrong and no optimizer helps. If one exists, give each term room of its
own (separate heads, later branching), schedule them one after the other, or project the conflict
away.

```python
a, b = flat_grad(term_a), flat_grad(term_b)        # gradients as vectors, shared parameters only
dot = a @ b
if dot < 0:
    a, b = a - dot / (b @ b) * b, b - dot / (a @ a) * a
step = a + b
```

Both projections use the gradients as they were before. Do not apply this to an adversarial pair (a
GAN, a gradient-reversal layer): there the opposition is the method.

## Often mistaken for
- `loss-terms-imbalanced`: one gradient is far longer, whatever the angle; check the norms first.
- `loss-sign-flipped`: a cosine stuck near -1 from the first step usually means a wrong sign.
- `lr-too-low`: the loss is flat too, but more learning rate moves it.

## Sources
- yu-2020: section 2, with the definition of conflicting gradients by a negative cosine, and the
  PCGrad projection.
- chen-2018: introduction; competing tasks and why the weights of a sum need care.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import FAULTS, Evidence, Telling
from sleuth.record import curves
from sleuth.record.growth import terms
from sleuth.record.questions import adversarial, at, loss_calls, needed

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import Record
    from sleuth.stuck_metric.answers import Answers

UNLESS = {"numbers": "overcome"}
LOOKS_LIKE = {"oscillates": "rarely"}
PREDICTS = {"same-batch": "even"}

AGAINST = -0.3  # cosine in the whole batch and in both halves; -0.1 in one batch is noise
HEAD_ON = -0.75  # cosine at all of them, and from other initial weights: no step helps both


def probe(bench: "Workbench") -> Iterator[Evidence]:
    by_slopes = list(_opposed_slopes(bench))
    grave = any(finding.telling in FAULTS for finding in by_slopes)
    yield from by_slopes if grave else [*_opposite_goals(bench)] or by_slopes


def _opposed_slopes(bench: "Workbench") -> Iterator[Evidence]:
    parts = bench.terms.parts
    for first, second, cosines in bench.terms.cosines:
        a, b = parts[first], parts[second]
        if not a.of_data or not b.of_data or max(cosines) > AGAINST:
            continue
        # Two uses of one loss on one output, as in a discriminator, are opponents by design.
        # Terms written by hand may be made to pull apart: alike together and unlike asunder, fit and smooth.
        goals = a.library and b.library and a.name != b.name
        grave = goals and max(cosines) < HEAD_ON
        yield Evidence(
            f"The gradients of `{a.name}` and `{b.name}` point in opposite directions (cosine "
            f"{sum(cosines) / len(cosines):.2f}, and {max(cosines):.2f} at best over parts of the batch "
            "and other initial weights): what lowers one raises the other.",
            telling="likely" if grave else "aside",
            where=b.where,
            numbers={"cosine": sum(cosines) / len(cosines), "parts": len(cosines)},
            fix="Check the sign of both terms; then give each its own head, or choose their weights "
            "deliberately.",
        )


CONTRARY = (
    -0.3
)  # correlation, beyond chance; what is really one goal twice, noisily labelled, correlates positively


def _opposite_goals(bench: "Workbench") -> Iterator[Evidence]:
    """One output, and two losses whose targets say the opposite of it."""
    against = [use for use in bench.first.losses if use.connected and use.contrary < CONTRARY]
    if against:
        use = against[-1]
        yield Evidence(
            f"Two losses use the same output (lines {against[0].where.line} and {use.where.line}), and "
            f"their targets have a correlation of {use.contrary:.2f}: where one asks for more, the other "
            "asks for less.",
            telling="likely",
            where=use.where,
            numbers={"correlation": use.contrary},
            fix="Check that each term has the target it is meant for; else give each its own output.",
        )


OPPOSED = -0.8  # rank correlation of two terms over the run
MOVES = 0.2  # share of its level that each of them changes


def watch(record: "Record") -> Iterator[Evidence]:
    found = terms(needed(loss_calls(record), "loss calls"))
    if adversarial(record):
        return
    for place, one in enumerate(found):
        for other in found[place + 1 :]:
            size = min(len(one.values), len(other.values))
            a, b = one.values[-size:], other.values[-size:]
            if size < 8 or curves.agreement(a, b) > OPPOSED:
                continue
            if min(abs(curves.fallen(a)), abs(curves.fallen(b))) > MOVES:
                yield Evidence(
                    f"Of two terms of the loss one falls while the other rises (lines {one.call.line} and "
                    f"{other.call.line}, rank correlation {curves.agreement(a, b):.2f}). That may be "
                    "intended, or the two terms contradict each other.",
                    telling="open",
                    where=at(other.call),
                    numbers={"correlation": curves.agreement(a, b)},
                    fix="Train with one term at a time: if each alone falls further, change their weights.",
                )


def stuck(answers: "Answers") -> Iterator[Evidence]:
    from sleuth.stuck_metric.forces import ABSENT

    rivals = answers.rivals
    if not answers.fought or not rivals.conflict or rivals.ratio >= ABSENT:
        return
    worst = min(rivals.cosines, key=lambda name: rivals.cosines[name])
    yield Evidence(
        f"{worst} pulls against {rivals.own} (cosine {rivals.cosines[worst]:.2f}): {rivals.cancelled:.0%} of "
        f"all pushing cancels, and {rivals.left:.0%} of {rivals.own}'s own push is left"
        f"{answers.in_training}.",
        _telling(answers),
        numbers={
            "cosine": rivals.cosines[worst],
            "cancelled": rivals.cancelled,
            "left": rivals.left,
            "ratio": rivals.ratio,
        },
        fix="Write down one output that makes both small; if there is none, the specification conflicts. If "
        "there is, give each term room of its own, schedule them, or project the conflict away.",
        confirmed_by=answers.confirmed_by,
    )


def _telling(answers: "Answers") -> Telling:
    """Beside a rival that is a hundred times as loud, its size tells more than its direction."""
    from sleuth.stuck_metric.forces import LOOK

    if answers.rivals.ratio >= LOOK:
        return "likely" if answers.confirmed_by else "open"
    return "proven" if answers.confirmed_by else "likely"
