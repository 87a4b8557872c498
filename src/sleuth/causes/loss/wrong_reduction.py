"""A sum where a mean was meant, or the reverse: the step size follows the batch size.

## What happens
With `reduction="sum"` the gradient is batch size times larger than with the mean. A learning rate
that was tuned for means is then 64 times too high at batch 64, and the last, smaller batch of an
epoch takes a smaller step than the others. SGD at rate 0.05, fine with the mean, went to NaN with
the sum at batch 16 already. Adam divides the factor out again (the same run gave the same result to
five digits), so the bug waits until somebody adds gradient clipping, weight decay in the loss, a
second loss term, or switches to SGD.

The reverse hides in "mean" itself. For `mse_loss`, `l1_loss` and BCE it divides by *all elements*,
not by examples: beside a KL term that is summed per example, the reconstruction of a VAE on 28x28
images is 784 times too weak, and the latent code collapses. `kl_div` with `"mean"` divides by the
classes too: with 1000 classes its value is 1000 times too small.

```python
recon = F.mse_loss(out, x)                                          # mean over all pixels
kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()     # summed per example
loss = recon + kl
```

A sum is deliberate and right when all terms are summed alike (the usual VAE code), in an evaluation
loop that divides by the size of the set, or when dividing by a token count afterwards.

## How to tell
- **lint**: `reduction="sum"` or `.sum()` on a training loss with no division nearby; `kl_div`
  without `reduction="batchmean"`; `sum` and `mean` in one total.
- **probe**: duplicate the batch: a mean keeps its value and gradient, a sum doubles both. It is
  an error where the optimizer does not adapt and its first step moves a weight by more than 5%.
  With several terms: one doubles and another does not.
- **experiment**: corrected from outside, a sum becomes a mean; what looked like a rate too high is
  stable.
- **refuted by**: the gradient norm is unchanged when the batch is repeated twice, and all terms of
  the loss are reduced over the same axes.

## How to fix
Reduce per example first, then average over examples, the same way for every term.

```python
recon = F.mse_loss(out, x, reduction="none").flatten(1).sum(1).mean()
kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
loss = recon + kl
soft = F.kl_div(logp, q, reduction="batchmean")
```

## Often mistaken for
- `lr-too-high`: a tenth of the rate helps too; if the factor is the batch size, the reduction is
  the root.
- `accumulation-unscaled`: the same factor, from micro-batches that are added and never divided.
- `loss-terms-imbalanced`: the symptom when only one of several terms has the wrong reduction.

## Sources
- pytorch-kldiv: the warning on `reduction="mean"`; it does not return the divergence, `batchmean`
  does.
- pytorch-mse: the `reduction` argument; `mean` is the mean over the whole output.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.source.edits import Edits, keyword_set, renamed
from sleuth.source.flow import ancestry, literal, number, possible, root
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.losses import LossUse, loss_of
from sleuth.source.program import Program, clue
from sleuth.source.topics.divergence import is_divergence_from_prior
from sleuth.source.topics.terms import REDUCTIONS, Objective, Term, objectives, terms

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement

UNLESS = {"numbers": "overcome"}
CHANGES_LOSS = True
PREDICTS = {"same-batch": "even", "lr×0.1": "usually"}


# Plain SGD with a mean loss is used at 0.01 to 1; who sums over some hundred examples on purpose stays below.
USUAL_RATE = 1e-2
_GRADIENT_REPAIRS = (".div_", ".mul_", "/=", "*=", "torch.nn.utils.clip_grad_norm_")


def lint(program: Program) -> Iterator[Evidence]:
    for use in program.losses:
        if use.name == "kl_div" and use.call.context.grad and _divides_by_all(use):
            yield clue(
                "likely",
                use.call,
                "`kl_div` averages over all elements by default, classes included: the value is the "
                "divergence divided by the number of classes.",
                fix='Pass `reduction="batchmean"`.',
                edits=keyword_set(use.made or use.call, "reduction", '"batchmean"'),
            )
    for objective in objectives(program):
        parts = [part for part in terms(objective.value) if number(part.value) is None]
        if objective.certain and parts:
            yield from _summed(program, objective, parts)
            yield from _mixed(parts)
            yield from _code_outweighs(parts)


def _divides_by_all(use: LossUse) -> bool:
    """No choice was made: neither a reduction nor one of its old names."""
    makers = (use.call, use.made) if use.made is not None else (use.call,)
    if any({"reduction", "size_average", "reduce", "**"} & call.keywords.keys() for call in makers):
        return False
    return not (use.made.args if use.made is not None else len(use.call.args) > 2)


def _summed(program: Program, objective: Objective, parts: list[Term]) -> Iterator[Evidence]:
    """The only term is a plain sum over the batch, at a learning rate that is usual for means."""
    term = parts[0]
    if len(parts) > 1 or term.conditional or term.divided or term.factor < 1:
        return
    summing = _sum_over_everything(term)
    if summing is None or _gradients_are_rescaled(program):
        return
    given = [maker.argument(1, "lr") for maker in _steppers(program, objective)]
    rates = [number(rate) for rate in given]
    if not rates or any(rate is None or rate < USUAL_RATE for rate in rates) or any(map(_divided, given)):
        return
    yield clue(
        "likely",
        summing,
        f"The training loss is summed over the batch and SGD steps at {rates[0]:g}: the step grows with "
        "the number of examples, as if the learning rate were multiplied by the batch size.",
        fix="Average over the batch (the default `reduction`), or divide the sum by the number of examples.",
        edits=_averaged(summing),
    )


def _divided(rate: Value | None) -> bool:
    """`lr=0.4 / 100`: who divides the rate knows that the loss is a sum."""
    made = root(rate)
    return isinstance(made, Call) and made.op == "/"


def _averaged(summing: Call) -> Edits:
    """The mean in place of the sum. Not safe: the rate may have been chosen for the sum."""
    if "reduction" in summing.keywords:
        return keyword_set(summing, "reduction", '"mean"')
    return renamed(summing, "mean") if summing.op in (".sum", "torch.sum") else ()


def _steppers(program: Program, objective: Objective) -> list[Call]:
    """The optimizers of the same loop, when all are plain SGD: others divide a constant factor out again."""
    loops = objective.at.context.loops
    found = [
        option
        for event in program.training.of("step")
        if event.call.context.loops == loops
        for option in possible(event.about)
        if isinstance(option, Call)
    ]
    return found if found and all(maker.op == "torch.optim.SGD" for maker in found) else []


def _sum_over_everything(term: Term) -> Call | None:
    value = term.value
    use = loss_of(value) if isinstance(value, Call) else None
    if use is not None and _sums(use) and not term.around:
        # The line that says so: where the criterion is made, if it was told there.
        told = use.made is not None and {"reduction", "size_average"} & use.made.keywords.keys()
        return use.made if told and use.made is not None else use.call
    sums = [call for call in term.around if call.op in REDUCTIONS]
    if len(sums) == 1 and _is_full_sum(sums[0]) and (use is None or use.reduction == "none"):
        judged = use is not None or not _is_an_answer(value)
        return sums[0] if judged and _comes_from_a_model(value) else None
    return None


def _is_an_answer(value: Value) -> bool:
    """`model(x)[0].sum()`: no target in it, so nothing is learnt; who writes it compares gradients."""
    made = root(value)
    while isinstance(made, Call) and made.op == "[]":
        made = root(made.args[0])
    return isinstance(made, Call) and made.op == "()"


def _sums(use: LossUse) -> bool:
    return use.reduction == "sum" or literal(use.option("size_average")) is False


def _is_full_sum(call: Call) -> bool:
    given = call.args if call.receiver is not None else call.args[1:]
    return call.op.endswith("sum") and not given and not ({"dim", "axis"} & call.keywords.keys())


def _comes_from_a_model(value: Value) -> bool:
    return any(isinstance(part, Call) and part.op == "()" for part in ancestry(value, 200))


def _gradients_are_rescaled(program: Program) -> bool:
    """Somebody divides or clips the gradients before the step."""
    return bool(program.training.of("clip")) or any(
        isinstance(part, Call) and part.op == "@grad"
        for call in program.calls(*_GRADIENT_REPAIRS)
        for part in (call.receiver, *call.args)
    )


def _mixed(parts: list[Term]) -> Iterator[Evidence]:
    """A mean over every element beside a sum over every element: one outweighs the other by their number."""
    means = [term for term in parts if _is_mean(term)]
    for term in parts:
        summing = _sum_over_everything(term)
        if not means or summing is None or term.divided or term.conditional or term.factor not in (0.5, 1.0):
            continue
        if literal(summing.keywords.get("dim")) is None:
            yield clue(
                "likely",
                summing,
                f"This term is summed over the whole batch, while `{_name(means[0])}` beside it is a mean "
                "over all elements: the balance of the two depends on batch and output size.",
                fix="Reduce both alike: sum over each example's elements, then average over the examples.",
            )


_REBUILDS = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits".split()
)


def _code_outweighs(parts: list[Term]) -> Iterator[Evidence]:
    """The mean over all pixels beside a divergence summed over the numbers of the code, at equal weight."""
    rebuilt = [term for term in parts if _is_mean(term) and _name(term) in _REBUILDS]
    if len(rebuilt) != 1 or not any(map(_is_divergence_of_each_example, parts)):
        return
    use = loss_of(rebuilt[0].value) if isinstance(rebuilt[0].value, Call) else None
    if use is not None and not any(term.conditional for term in parts):
        yield clue(
            "likely",
            use.call,
            f"`{use.name}` is a mean over all elements of an example, and the divergence beside it a sum "
            "over the latent code: the first is too small by the number of elements, so the model "
            "ignores the latent code.",
            fix="Sum over each example's elements and average over the examples, or scale the divergence "
            "down.",
        )


def _is_divergence_of_each_example(term: Term) -> bool:
    """`exp(logvar)` of the divergence from a normal prior, or the whole as one call, in a sum over `dim`."""
    value = term.value
    if not isinstance(value, Call) or term.divided:
        return False
    whole = is_divergence_from_prior(value) and term.factor == 1
    part = value.op in (".exp", "torch.exp") and term.factor == 0.5
    reduced = [call for call in term.around if call.op in REDUCTIONS]
    sums = [call for call in reduced if call.op.endswith("sum")]
    return (whole or part) and len(sums) == 1 and len(reduced) == 2 and not _is_full_sum(sums[0])


def _is_mean(term: Term) -> bool:
    use = loss_of(term.value) if isinstance(term.value, Call) else None
    return (
        use is not None
        and use.reduction == "mean"
        and not _sums(use)
        and not term.divided
        and term.factor == 1
    )


def _name(term: Term) -> str:
    use = loss_of(term.value) if isinstance(term.value, Call) else None
    return use.name if use is not None else "the other term"


SUM = (1.9, 2.1)  # loss and gradient of the doubled batch, over those of the batch
BIG_STEP = 0.05  # of a weight's own size in the first step; 1e-3 is usual


def probe(bench: "Workbench") -> Iterator[Evidence]:
    yield from _uneven(bench)
    seen = bench.wiring
    if seen.doubling is None or seen.gradient_doubling is None:
        return
    if not all(SUM[0] < ratio < SUM[1] for ratio in (seen.doubling, seen.gradient_doubling)):
        return
    summed = next((use.where for use in bench.first.losses if use.reduction == "sum"), None)
    updates = bench.updates
    harmful = not updates.adaptive and updates.largest > BIG_STEP
    effect = (
        f"the first step of {updates.optimizer} (lr {updates.rate:g}) changes a weight by "
        f"{updates.largest:.0%} of its size"
        if harmful
        else f"{updates.optimizer} absorbs most of it, but clipping, weight decay and the printed loss do not"
    )
    yield Evidence(
        f"Doubling the batch doubles the loss (×{seen.doubling:.2f}) and its gradient: it is a sum over "
        f"examples, so the step grows with the batch; {effect}.",
        telling="proven" if harmful else "open",
        where=summed,
        numbers={"doubling": seen.doubling, "loss": seen.loss, "largest_update": updates.largest},
        fix='Use reduction="mean", or divide by the number of elements.',
    )


def _uneven(bench: "Workbench") -> Iterator[Evidence]:
    """One term summed and another averaged: their balance changes with the batch size."""
    from sleuth.measure.workbench import NotApplicable

    try:
        parts = [part for part in bench.terms.parts if part.of_data and part.growth is not None]
    except NotApplicable:
        return
    sums = [part for part in parts if part.growth is not None and SUM[0] < part.growth < SUM[1]]
    means = [part for part in parts if part.growth is not None and 0.95 < part.growth < 1.05]
    if sums and means:
        yield Evidence(
            f"`{sums[0].name}` is summed over the batch and `{means[0].name}` averaged (doubling the "
            f"batch gives ×{sums[0].growth:.2f} and ×{means[0].growth:.2f}): their balance changes with "
            "the batch size.",
            telling="likely",
            where=sums[0].where,
            numbers={"summed": sums[0].value, "averaged": means[0].value},
            fix="Reduce all terms over the same axes in the same way.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.mean_instead_of_sum(world)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    """The call of a loss, where it is known, is surer than a statement that can be guessed."""
    from sleuth.places.statements import best_statement

    if finding.where is not None and finding.where.line:
        return None
    return best_statement(_sums_the_loss, scene.sources)


def _sums_the_loss(statement: "Statement") -> int | None:
    """Where a loss becomes one number by a sum."""
    if re.search(r"reduction=['\"]sum['\"]", statement.text):
        return 0
    if not re.search(r"\.sum\(\)$|^return torch\.sum\(", statement.text):
        return None
    if re.search(r"loss|nll|cost|objective|energy", statement.targets, re.IGNORECASE):
        return 1
    return 2 if statement.text.startswith("return") else None
