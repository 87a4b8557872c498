"""One term's gradient swamps the others by orders of magnitude, so they are ignored.

## What happens
The total falls nicely, and one task learns nothing. What counts is not the *value* of a term but
the length of its gradient on the shared parameters, and the two need not agree: a term of value
0.01 can push harder than one of value 100. If gradients differ by a factor of 1000, the small term
is rounding noise to the optimizer. Adam does not rescue it: the step is normalised after the terms
were added up.

It comes from units (a pixel MSE beside a KL, a box in pixels beside a class), from different
reductions (`sum` here, `mean` there), from a weight copied from a paper with another normalisation,
or over time, when the leading term grows or converges and the ratio drifts.

```python
recon = F.mse_loss(out, x, reduction="sum") / x.shape[0]               # about 3 * 224 * 224 pixels
kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
loss = recon + 0.001 * kl
```

A small weight on purpose is no fault: a gentle regulariser should lose against the data.

## How to tell
- **probe**: the gradient norm of each term, taken separately on the parameters they share. A ratio
  above about 100 deserves a look, above 1000 the smaller term has almost no effect.
- **watch**: one logged term goes flat or rises while the total falls and follows the other;
  removing the small term would not change the curve.
- **refuted by**: gradient norms of all terms within a factor of ten on the shared parameters.

## How to fix
First make the terms commensurable: same reduction, standardised targets, sensible units. Then
weight.

```python
shared = list(model.encoder.parameters())
norms = []
for term in (recon, kl):
    grads = torch.autograd.grad(term, shared, retain_graph=True, allow_unused=True)
    norms.append(torch.stack([g.norm() for g in grads if g is not None]).norm())
loss = recon + (norms[0] / norms[1]).detach() * ratio * kl     # ratio: what you want, e.g. 0.1
```

Measure this once and fix the weight, or use a published scheme (GradNorm, learned uncertainties) if
the ratio wanders. Log each term and its gradient norm, never the total alone.

## Often mistaken for
- `loss-terms-conflict`: sizes are alike and directions oppose; look at the cosine, not the norms.
- `wrong-reduction`: the root when the ratio equals a batch size or a number of pixels.
- `boundary-starved`: the same illness in a physics-informed model, with its own remedies.

## Sources
- chen-2018: section 3, the GradNorm algorithm; balance the gradient norms on the shared weights.
- kendall-2018: section 3; results depend strongly on the weights, and a way to learn them.
- ivanov-2017: the part on the loss function, item on adjusting loss weights.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.growth import Term, terms, weighed
from sleuth.record.questions import adversarial, at, chance, loss_calls, needed

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record
    from sleuth.stuck_metric.answers import Answers

CONSEQUENCE_OF = "boundary-starved inputs-unnormalized loss-disconnected raw-units wrong-reduction"
UNLESS = {"numbers": "overcome plays"}
PREDICTS = {"same-batch": "even", "lr×0.1": "even"}

LOOK, ABSENT = 100.0, 1000.0  # ratio of gradient norms on shared parameters; see the page


def probe(bench: "Workbench") -> Iterator[Evidence]:
    parts = [part for part in bench.terms.parts if part.of_data and part.gradient > 0]
    if len(parts) < 2:
        return
    strong, weak = max(parts, key=lambda p: p.gradient), min(parts, key=lambda p: p.gradient)
    ratio = strong.gradient / weak.gradient
    if ratio < LOOK:
        return
    # A term that asks nothing of the targets, beside one that does, is a regulariser: it may be gentle.
    grave = ratio >= ABSENT and (weak.of_target or not strong.of_target)
    yield Evidence(
        f"The gradient of `{strong.name}` ({strong.gradient:.3g}) is {ratio:.0f} times that of "
        f"`{weak.name}` ({weak.gradient:.3g}): the smaller term has almost no effect.",
        telling="likely" if grave else "open",
        where=strong.where,
        numbers={"ratio": ratio, "strong": strong.gradient, "weak": weak.gradient},
        fix="Bring both to one scale (standardise targets, same reduction), then choose their weights "
        "deliberately.",
    )


STANDS = 0.05  # share of its level by which a neglected term still falls
FALLS = 0.5  # share by which the dominant one does


def watch(record: "Record") -> Iterator[Evidence]:
    found = weighed(record, terms(needed(loss_calls(record), "loss calls")))
    if len(found) < 2 or adversarial(record):
        return
    large = max(found, key=_first)
    for small in found:
        ratio = _first(large) / max(_first(small), 1e-30)
        # One that still costs what guessing costs, when the other was learned, is neglected sooner.
        if small is large or ratio < (LOOK if _to_learn(small) else ABSENT) or len(small.values) < 5:
            continue
        if curves.fallen(small.values) > STANDS or curves.fallen(large.values) < FALLS:
            continue
        yield Evidence(
            f"The term on line {small.call.line} ({_first(small):.3g}) is {ratio:.0f} times smaller than "
            f"the one on line {large.call.line} ({_first(large):.3g}) and does not change while that one "
            "falls: it has almost no effect on the sum.",
            telling="likely" if _to_learn(small) else "open",
            where=at(large.call),
            numbers={
                "ratio": ratio,
                "small": small.values[-1],
                "large": large.values[-1],
                "weight": large.weight,
            },
            fix="Weight the terms so that their gradients are of similar size, or bring their units to "
            "one scale.",
        )


def _first(term: Term) -> float:
    """What a term brings into the sum at the first step."""
    return abs(term.weight * term.values[0])


def _to_learn(term: Term) -> bool:
    """Still at the cost of guessing, so there is something left to learn."""
    guess = chance(term.call)
    return guess is not None and term.values[-1] > 0.8 * guess


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.settings import where_weighed

    weight = float(finding.numbers.get("weight", 1.0))
    return where_weighed(weight, scene.sources)


def stuck(answers: "Answers") -> Iterator[Evidence]:
    from sleuth.stuck_metric.forces import ABSENT, LOOK, PROVEN

    rivals = answers.rivals
    if not answers.fought or rivals.ratio < (PROVEN if answers.row == "same-basin" else LOOK):
        return
    yield Evidence(
        f"The gradient of {rivals.loudest} is {rivals.ratio:.3g} times that of {rivals.own} on the "
        f"{rivals.shared} parameters they share ({rivals.norms[rivals.loudest]:.3g} against "
        f"{rivals.norms[rivals.own]:.3g}){answers.in_training}.",
        "proven" if rivals.ratio >= ABSENT or answers.confirmed_by else "likely",
        numbers={"ratio": rivals.ratio, "cosine": rivals.cosine_rest or 0.0, "left": rivals.left},
        fix=f"Bring both to one scale (same reduction, same units), then raise the weight of {rivals.own} by "
        f"about {rivals.ratio / 10:.1g}.",
        confirmed_by=answers.confirmed_by,
    )
