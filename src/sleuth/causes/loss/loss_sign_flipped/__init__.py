"""The sign of the loss or of one term is wrong, so minimising makes the model worse.

## What happens
The optimizer does its job perfectly, in the wrong direction. Loss curves look wonderful: they sink
without a floor. Accuracy goes *below* chance, and that is the giveaway, since a broken model
guesses at chance while a model trained backwards knows the target and avoids it.

Usual origins: a likelihood or a similarity returned without its minus; a minus added to something
that already has one (`-F.cross_entropy(...)`); `loss = F.cosine_similarity(a, b)` where closeness
was wanted; a Dice or IoU score used as the loss; a KL or entropy term with the opposite sign;
`advantage` computed as value minus return. If only a minor term is flipped, the main loss may still
fall while the whole drifts off.

```python
log_likelihood = dist.log_prob(y).mean()
log_likelihood.backward()            # descends: makes the data less likely
```

Many minuses are right: `-log_prob * advantage` in policy gradients, `-critic(fake).mean()` in
Wasserstein GANs, `-entropy` as a bonus, `maximize=True` in the optimizer. A rule may only speak
about losses whose direction is known.

## How to tell
- **lint**: a minus in front of a named loss (`cross_entropy`, `mse_loss`, `nll_loss`...),
  `backward()` on a bare `log_prob`, score or similarity (`si_snr(...)`, `ssim(...)`), or an update by
  hand that adds the gradient.
- **watch**: the loss falls past any plausible minimum, below zero for a loss that cannot be
  negative; accuracy drops under chance; weights and gradients grow all the time.
- **experiment**: undoing it, by negating the loss from outside, makes the metric rise. On
  `same-batch` the script as written drives accuracy on that batch towards 0.
- **refuted by**: accuracy on one memorised batch that rises above chance.

## How to fix
Write down what each term should do (go up or down) and let the name say it: `nll`, not
`likelihood`.

```python
nll = -dist.log_prob(y).mean()
loss = nll + (1 - F.cosine_similarity(a, b).mean()) - beta * entropy
loss.backward()
```

Test the direction once: on a prediction equal to the target the loss must be lower than on noise.

## Often mistaken for
- `lr-too-high`: the true loss also rises, but a tenth of the rate cures it; a flipped sign only
  gets worse more slowly.
- `logits-into-prob-loss`: the loss sinks below zero as well, while accuracy stays near or above
  chance.
- `labels-misaligned`: accuracy sits at chance, not under it.

## Sources
- fsdl-2021: the part on overfitting a single batch; an error that goes up points to a flipped sign.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.causes.loss.loss_sign_flipped.aims import (
    is_likelihood,
    is_log_share,
    is_overlap,
    is_policy_gradient,
    is_similarity,
    is_squared_error,
)
from sleuth.finding import Evidence, Telling
from sleuth.record import curves
from sleuth.record.questions import adversarial, courses, optimizer_of, where_loss
from sleuth.source.edits import Edits, bracketed, statement_of
from sleuth.source.flow import ancestry, literal, number, root
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.losses import loss_of
from sleuth.source.program import Program, clue, rewrite
from sleuth.source.topics.divergence import is_divergence_from_prior, is_variance_of_divergence, weighted
from sleuth.source.topics.terms import REDUCTIONS, Objective, Term, objectives, terms
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record, Step

CHANGES_LOSS = True
LOOKS_LIKE = {"falls, then explodes": "usually"}
PREDICTS = {"same-batch": "always", "lr×0.1": "even"}


def lint(program: Program) -> Iterator[Evidence]:
    if _ascends(program):
        return
    for objective in objectives(program):
        parts = [part for part in terms(objective.value, _is_whole) if number(part.value) is None]
        if len(parts) > 1:
            yield from _divergence(program, objective, parts)
            yield from _entropy(objective, parts)
        if len(parts) != 1 or parts[0].conditional or _only_differentiated(program, objective):
            continue
        term = parts[0]
        if term.sign < 0:
            yield from _negated(program, objective, term)
        else:
            yield from _not_negated(objective, term)
    if program.holds("+=", "add_", ".data"):
        yield from _uphill(program)
    if program.holds("neg", "_an", "dn", "diff"):
        yield from _swapped_hinges(program)


def _only_differentiated(program: Program, objective: Objective) -> bool:
    """One `backward` whose slopes are read, in a run that moves no weight: nothing is minimised."""
    at = objective.at
    if not objective.certain or at.context.loops:
        return False
    moves = [event.call for event in program.training.of("step")]
    moves += [call for call in program.trace if call.op.startswith("torch.optim.")]
    reads = (call for call in program.calls("@grad") if call.order > at.order)
    return any(_in_one_run(read, at) for read in reads) and not any(_in_one_run(move, at) for move in moves)


def _in_one_run(one: Call, other: Call) -> bool:
    """Whether two things happen under the same call from outside: in one test, in one script."""
    return one.context.sites[:1] == other.context.sites[:1]


def _swapped_hinges(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.loss.loss_sign_flipped.hinges import swapped

    for call in swapped(program):
        yield clue(
            "proven",
            call,
            "The hinge subtracts the distance of the positive pair from that of the negative pair: it "
            "falls when positives move apart and negatives come together.",
            fix="Swap the two distances: `relu(d_pos - d_neg + margin)`.",
        )


def _uphill(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.loss.loss_sign_flipped.ascent import uphill

    for call in uphill(program):
        yield clue(
            "proven",
            call,
            "The gradient of a loss is added to the weights: each step makes the loss larger.",
            fix="Subtract it: `p -= lr * p.grad`, or `p.add_(p.grad, alpha=-lr)`.",
        )


def _is_whole(call: Call) -> bool:
    """A difference or a quotient with a meaning of its own, not to be taken apart."""
    return is_overlap(call) or is_log_share(call)


def _ascends(program: Program) -> bool:
    return any(
        "maximize" in call.keywords and literal(call.keywords["maximize"]) is not False
        for call in program.trace
        if call.op.startswith("torch.optim.")
    )


def _negated(program: Program, objective: Objective, term: Term) -> Iterator[Evidence]:
    """A minus before a loss whose smallest value is the best one, in a program that trains one model."""
    use = loss_of(term.value) if isinstance(term.value, Call) else None
    if use is None and not is_squared_error(term.value):
        return
    if use is not None and (use.reduction == "none" or use.name == "kl_div"):
        return  # minus a likelihood of single actions is a log-probability, to be weighted
    if not objective.certain or not _trains_one_model(program):
        return
    name = f"`{use.name}`" if use is not None else "the squared error"
    yield clue(
        "proven",
        _flip(term),
        f"{name[0].upper()}{name[1:]} goes into `backward` with a minus sign: the optimizer makes it as "
        "large as possible.",
        fix="Remove the minus: this loss is smallest for the best prediction already.",
        edits=_without_minus(_flip(term)),
    )


def _flip(term: Term) -> Value:
    minuses = [call for call in term.around if call.op not in _REDUCERS]
    return minuses[-1] if minuses else term.value


_REDUCERS = (".mean", ".sum", "torch.mean", "torch.sum")


def _trains_one_model(program: Program) -> bool:
    """One optimizer over a model's parameters and one backward: not an attack, nor one of two players."""
    makers = [
        call for call in program.trace if call.op.startswith("torch.optim.") and "lr_scheduler" not in call.op
    ]
    backwards = {id(event.call.node) for event in program.training.of("backward")}
    if len({id(maker.node) for maker in makers}) > 1 or len(backwards) > 1:
        return False
    players = [
        value
        for maker in makers
        for value in ancestry(maker.argument(0, "params"), 60)
        if isinstance(value, Call) and value.op in (".parameters", ".named_parameters")
    ]
    return bool(players) and not any(call.op == "@grad" for call in program.calls("@grad"))


def _not_negated(objective: Objective, term: Term) -> Iterator[Evidence]:
    """Something that is best when large, minimised as it stands."""
    if isinstance(term.value, Call) and is_overlap(term.value):
        yield _backwards(objective, term, "The overlap score", "proven", "Minimise `1 - score`.")
    elif is_similarity(term.value):
        yield _backwards(objective, term, "The cosine similarity", "likely", "Minimise `1 - similarity`.")
    elif (telling := is_likelihood(term.value)) is not None:
        yield _backwards(objective, term, "The log-likelihood", telling, "Minimise its negative.")
    elif is_policy_gradient(term.value, by_name=objective.certain):
        what = "The log-probability weighted with the reward"
        yield _backwards(objective, term, what, "likely", "Put a minus sign in front of it.")
    elif objective.certain and (name := _quality(objective.value.node)):
        yield _backwards(objective, term, f"`{name}`", "likely", "Minimise its negative.")


# Measures that are best when large, by the names they go by; `ssim_loss` has been turned round already.
_QUALITY = Pattern(
    r"(^|_)(si_?)?(snri?|sdri?|psnr|ssim|ms_ssim|dice|m?iou|ndcg|auc|bleu)(_(score|coef\w*|db|index))?$"
)


def _quality(node: ast.AST | None) -> str:
    """The name of the measure in `si_snr(estimate, clean).mean()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in ("mean", "sum") or not isinstance(node.func.value, ast.Call):
            break
        node = node.func.value
    if not isinstance(node, ast.Call):
        return ""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name if _QUALITY.search(name.lower()) else ""


def _without_minus(flip: Value) -> Edits:
    """`-loss` → `loss`. Not safe: whether it is to be small or large is the author's to say."""
    node = flip.node
    if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.USub):
        return ()
    return rewrite(node, flip.source, bracketed(node.operand), safe=False)


def _with_minus(value: Value) -> Edits:
    """The whole right side of `loss = ...` with a minus before it."""
    node, source = value.node, value.source
    statement = statement_of(node, source)
    whole = isinstance(statement, ast.Assign) and statement.value is node
    if not whole or not isinstance(node, ast.expr) or source is None:
        return ()
    return rewrite(node, source, f"-{bracketed(node)}", safe=False)


def _backwards(objective: Objective, term: Term, what: str, telling: Telling, fix: str) -> Evidence:
    return clue(
        telling if objective.certain else "likely",
        term.around[0] if term.around else term.value,
        f"{what} is best when large, but it is minimised: training makes it worse.",
        fix=fix,
        edits=_with_minus(term.around[0] if term.around else term.value),
    )


def _divergence(program: Program, objective: Objective, parts: list[Term]) -> Iterator[Evidence]:
    """The divergence of a variational posterior from its prior, subtracted: it should be small."""
    makers = [call for call in program.trace if call.op.startswith("torch.optim.")]
    if not _trains_one_model(program) and (objective.certain or makers):
        return
    addends = [addend for part in parts for addend in weighted(part)]
    for term in addends:
        if term.sign > 0 or term.conditional:
            continue
        if is_divergence_from_prior(term.value) or is_variance_of_divergence(term, addends):
            turns = [call for call in term.around if call.op not in REDUCTIONS]
            yield clue(
                "proven" if objective.certain else "likely",
                turns[-1] if turns else next(iter(term.around), term.value),
                "The KL divergence enters the loss with a minus sign: training drives the posterior away "
                "from the prior without limit.",
                fix="Add the divergence: `reconstruction + beta * kl`, with "
                "`kl = -0.5 * (1 + logvar - mu**2 - logvar.exp())`.",
            )
            return


def _entropy(objective: Objective, parts: list[Term]) -> Iterator[Evidence]:
    """A policy's entropy, added to the loss that its log-probabilities are in: the bonus became a penalty."""
    for term in parts:
        chances = (
            term.value.receiver if isinstance(term.value, Call) and term.value.op == ".entropy" else None
        )
        if chances is None or term.sign < 0 or term.conditional or not objective.certain:
            continue
        weighed = any(
            isinstance(part, Call) and part.op == ".log_prob" and root(part.receiver) is root(chances)
            for other in parts
            if other is not term
            for part in ancestry(other.value, 300)
        )
        if weighed:
            yield clue(
                "likely",
                term.joined or term.value,
                "The policy's entropy is added to the loss: the policy is rewarded for being certain, "
                "and exploration ends.",
                fix="Subtract it: `policy_loss - coefficient * entropy`.",
            )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.turned_sign(world)


EXACT = 1e-3  # relative; a loss that equals minus the value of torch's loss to three digits was negated
MOST = 0.9
RUNAWAY = 1e4  # times its first size, below zero and falling: nothing holds it


def watch(record: "Record") -> Iterator[Evidence]:
    for course in courses(record):
        known = [step for step in course.steps if step.loss and step.called_loss]
        turned = [step for step in known if _is_turned(step)]
        upward = bool((made := optimizer_of(record, course.id)) and made.settings.get("maximize"))
        if len(known) >= 5 and len(turned) >= MOST * len(known):
            game = adversarial(record)
            rises = curves.fallen([abs(step.called_loss or 0.0) for step in known]) < -0.5
            yield Evidence(
                f"The loss of torch is {known[-1].called_loss:.4g} and "
                + ("the optimizer maximises it" if upward else f"{known[-1].loss:.4g} is minimised")
                + ": the sign is flipped, and each step makes the model worse"
                + (f" (it rose from {known[0].called_loss:.3g})." if rises else "."),
                telling="open" if game else "proven",
                where=where_loss(known[-1]),
                numbers={"loss": known[-1].loss or 0.0, "called": known[-1].called_loss or 0.0},
                fix="Remove the minus sign (or `maximize=True`).",
            )
        elif len(known) < 5:
            yield from _bottomless(record, course.steps, course.finite_losses)


def _is_turned(step: "Step") -> bool:
    if step.called_factor is not None:
        return step.called_factor < 0
    called, loss = step.called_loss or 0.0, step.loss or 0.0
    return called > 0 and abs(loss + called) <= EXACT * called


def _bottomless(record: "Record", steps: "tuple[Step, ...]", losses: list[float]) -> Iterator[Evidence]:
    """A hand-written loss that runs away below zero, ever faster."""
    if len(losses) < 20 or max(losses[-5:]) >= 0 or curves.rising(losses) > 0.1 or adversarial(record):
        return
    growth = abs(curves.end(losses)) / max(abs(curves.start(losses)), 1e-12)
    worse = _below_chance(record)
    if growth > RUNAWAY or worse:
        yield Evidence(
            f"The loss falls from {losses[0]:.4g} to {losses[-1]:.4g}, {growth:.0f} times its first value "
            f"and without limit{worse}: minimising it seems to make the model worse.",
            telling="likely",
            where=where_loss(steps[-1]),
            numbers={"first": losses[0], "last": losses[-1], "growth": growth},
            fix="Check the sign of the loss; a squared error cannot fall below 0.",
        )


def _below_chance(record: "Record") -> str:
    from sleuth.record.entries import Evaluation

    correct = [
        seen.correct for seen in record.of(Evaluation) if seen.correct is not None and seen.rows >= 100
    ]
    return f", and accuracy is {correct[-1]:.3f}" if correct and correct[-1] < 0.05 else ""


def experiment(trials: "Trials") -> Iterator[Evidence]:
    if not trials.yes("undo(loss-sign-flipped)"):
        return
    yield Evidence(
        "With the sign of the loss reversed the script improves its own metric "
        f"({trials.figures('undo(loss-sign-flipped)')}).",
        "proven",
        fix="Minimise the loss, or the negative of what should grow.",
    )
