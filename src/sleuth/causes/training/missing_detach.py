"""Gradient flows into a value that should be constant: a target, teacher or advantage.

## What happens
Many losses compare a prediction with a value the same networks produced. If that value keeps its
graph, the optimizer takes the easy way: it moves the target towards the prediction.

*TD target*: the next state's value is pulled back to the current one. Take a state that leads to B
or C with equal chance, B paying 1 and C paying 0. The right values are 1 and 0; with the gradient
through the target they converge to 0.75 and 0.25, and the loss is at its minimum. *Advantage*: in
`-log_prob * (ret - value)` the gradient reaches the critic and, since the log-probability of a
discrete action is never positive, raises its values whatever the rewards were.
*Self-distillation*: two branches that must agree agree on a constant; the loss is perfect, the
features are dead. *GAN*: the discriminator's loss also writes gradients into the generator, wasted
work if they are cleared before the generator is trained and sabotage if they are not.

```python
target = r + gamma * (1 - done) * q(next_obs).max(1).values     # still attached
loss = F.mse_loss(q(obs).gather(1, a).squeeze(1), target)
```

## How to tell
- **lint**: a model output enters a loss on the side of the target (second argument of `mse_loss`,
  a factor of `log_prob`, a teacher's logits, generated samples fed to a discriminator) with
  neither `detach()` nor a `no_grad` scope on its path.
- **probe**: the target has a `grad_fn`; after one backward pass of this loss the teacher, target
  network, generator or critic holds gradients it should not have.
- **refuted by**: `target.requires_grad` is False for every loss in question. Two outputs of one
  network that are to agree (a picture and its mirror image, two draws of dropout) may both learn,
  as long as another term keeps them from agreeing on a constant.

## How to fix
```python
with torch.no_grad():
    target = r + gamma * (1 - done) * q_target(next_obs).max(1).values
loss = F.mse_loss(q(obs).gather(1, a).squeeze(1), target)
```
Likewise `advantage.detach()`, `discriminator(fake.detach())`, teacher under `no_grad`. Do not
detach where the gradient is the point: the *generator's* update, an actor that climbs a critic
(DDPG, SAC), dynamics learned through a rollout, true residual-gradient methods.

## Often mistaken for
- `detached-graph`: the opposite error; learning parts get no gradient.
- `value-not-learning`: there not even a constant is learned; here values are wrong but stable.
- `loss-terms-conflict`: two wanted terms disagree; here one gradient should not exist.

## Sources
- sutton-2018: section 9.3 on semi-gradients, and section 11.5, example 11.2, whose values 3/4 and
  1/4 the experiment above repeats.
- chen-he-2021: section 4.1; without stop-gradient the two branches collapse to a constant.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.source.edits import Edits, method_added
from sleuth.source.flow import ancestry, keeps_numbers, number, subject
from sleuth.source.interpreter.values import Call, Either, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.gradients import (
    applications,
    carries_graph,
    frozen_somewhere,
    optimizes,
    owned_by_optimizers,
    picked,
    reached,
    steps_after,
    surely_reached,
    trained_by,
)
from sleuth.source.topics.modes import forwards, identity, is_model, same_module, users, with_enclosing
from sleuth.source.word_search import Pattern
from sleuth.torch_losses import COMPARES_NUMBERS

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench

IS_AN_ABSENCE = True
UNLESS = {"probe": "one-backward-for-all"}
PREDICTS = {"same-batch": "rarely"}

_DISCOUNT = Pattern(r"gamma|discount", re.IGNORECASE)
_SQUARES = frozenset({".pow", "**", ".square", "torch.square", "torch.pow", ".abs", "torch.abs"})

NEEDS = "backward"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _generated_samples(program)
    yield from _bootstrapped_targets(program)
    yield from _advantages(program)
    yield from _twin_branches(program)


# --- a sample that another network made ---


def _generated_samples(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    trained = trained_by(program)
    for backward, _ in trained:
        steps = steps_after(program, backward)
        if not steps or not backward.call.context.loops:
            continue
        for inner, outer in _fed_by(program, backward.about):
            mine = [optimizes(step.about, outer.receiver) for step in steps]
            theirs = [optimizes(step.about, inner.receiver) for step in steps]
            if not any(mine) or any(answer is not False for answer in theirs):
                continue
            owner = _other_optimizer(program, inner, steps)
            if (
                owner is None
                or frozen_somewhere(program, inner.receiver)
                or _cleared(program, backward, owner)
            ):
                continue
            yield clue(
                "proven",
                outer,
                f"The sample from the model on {line_of(inner, outer)} keeps its graph: backward() on "
                f"{line_of(backward.call, outer)} writes gradients into that model too, and the step on "
                f"{line_of(owner.call, outer)} applies them.",
                fix="Feed `fake.detach()` (or generate the sample under `torch.no_grad()`) when this "
                "network is trained.",
                edits=_fed_detached(inner, outer),
            )


def _fed_detached(inner: Call, outer: Call) -> Edits:
    """The argument that carries the sample, detached. Not safe: what may learn is the author's to say."""
    node = outer.node
    if not isinstance(node, ast.Call) or len(node.args) != len(outer.args):
        return ()
    for written, given in zip(node.args, outer.args, strict=True):
        if any(call is inner for call in ancestry(given, 400)):
            return method_added(written, outer.source, "detach()")
    return ()


def _detached(value: Call | None) -> Edits:
    return method_added(value.node, value.source, "detach()") if value is not None else ()


def _factor_detached(product: Call, weight: Value) -> Edits:
    node = product.node
    if not isinstance(node, ast.BinOp):
        return ()
    written = node.left if product.args[0] is weight else node.right
    return method_added(written, product.source, "detach()")


def _fed_by(program: Program, loss: Value | None) -> Iterator[tuple[Call, Call]]:
    """Pairs of models, the one fed with what the other made, both on the gradient's way."""
    for outer in _networks(program, surely_reached(loss)):
        for given in (*outer.args, *outer.keywords.values()):
            for inner in _networks(program, surely_reached(given)):
                if inner.context.grad:
                    yield inner, outer


def _networks(program: Program, values: Iterator[Value]) -> Iterator[Call]:
    """The applications of whole models: made here, or made elsewhere and given to an optimizer here."""
    outermost = {id(call) for call in forwards(program) if is_model(call.receiver)}
    owned = owned_by_optimizers(program)
    calls = (value for value in values if isinstance(value, Call) and value.op == "()")
    for call in with_enclosing(program, calls):
        if id(call) in outermost or identity(call.receiver) in owned:
            yield call


def _other_optimizer(program: Program, inner: Call, steps: list[Event]) -> Event | None:
    """The step, elsewhere in the loop, of an optimizer that does hold the inner model."""
    loop = inner.context.loops[-1] if inner.context.loops else None
    for event in program.training.of("step"):
        if loop is not None and not event.inside(loop):
            continue
        if not any(event is step for step in steps) and optimizes(event.about, inner.receiver):
            return event
    return None


def _cleared(program: Program, backward: Event, owner: Event) -> bool:
    """Whether the stray gradients are wiped before that other step."""
    loop = backward.call.context.loops[-1]
    zeroed = [event for event in program.training.of("zero_grad") if event.inside(loop)]
    start, end = backward.call.order, owner.call.order
    for event in zeroed:
        between = start < event.call.order < end if start < end else not end < event.call.order < start
        if between and (same_module(event.about, owner.about) or optimizes(owner.about, event.about)):
            return True
    return False


# --- targets that the same network computes ---


def _bootstrapped_targets(program: Program) -> Iterator[Evidence]:
    compared = [use for use in program.losses if use.name in COMPARES_NUMBERS]
    pairs = [(use.input, use.target, use.call) for use in compared]
    pairs += [(use.target, use.input, use.call) for use in compared]  # the order does not matter to the loss
    for call in program.calls("-"):
        pairs += [(call.args[0], call.args[1], call), (call.args[1], call.args[0], call)]
    for prediction, target, loss in pairs:
        if target is None or not loss.context.grad or (loss.op == "-" and not _is_squared(program, loss)):
            continue
        value = _bootstrap(target)
        if value is None:
            continue
        for call in applications(surely_reached(value)):
            if call.context.grad and _predicts(prediction, call):
                spot = _discounted(target) or loss
                yield clue(
                    "proven",
                    spot,
                    f"The target contains the network's own output ({line_of(call, spot)}) with its "
                    f"graph: the loss on {line_of(loss, spot)} moves the target towards the prediction.",
                    fix="Compute the target under `torch.no_grad()` or detach it.",
                    edits=_detached(_discounted(target)),
                )
                break


def _is_squared(program: Program, difference: Call) -> bool:
    return any(user.op in _SQUARES for user in users(program).get(id(difference), ()))


def _discounted(target: Value | None) -> Call | None:
    """The sum `reward + gamma * value`, seen through reshapes."""
    for _ in range(10):
        if isinstance(target, Either) and len(target.options) == 1:
            target = target.options[0]
        elif isinstance(target, Call) and target.result is not None:
            target = target.result
        elif isinstance(target, Call) and keeps_numbers(target) and target.op != ".detach":
            inner = subject(target)
            if inner is None:
                return None
            target = inner
        else:
            break
    return target if isinstance(target, Call) and target.op in ("+", "torch.add") else None


def _bootstrap(target: Value) -> Value | None:
    """The discounted value in `reward + gamma * value * (1 - done)`; None for any other form."""
    total = _discounted(target)
    if total is None or len(total.args) != 2:
        return None
    for value, reward in (total.args, total.args[::-1]):
        if isinstance(value, Call) and value.op in ("*", "torch.mul"):
            # The way back through a large formula is long: gone only for what looks like a discount.
            if any(_is_discount(factor) for factor in _factors(value)) and not carries_graph(reward):
                return value
    return None


def _factors(product: Value) -> Iterator[Value]:
    if isinstance(product, Call) and product.op in ("*", "torch.mul"):
        for factor in product.args:
            yield from _factors(factor)
    else:
        yield product


def _is_discount(factor: Value) -> bool:
    """A number just below one, something called gamma, or one minus the end of the episode."""
    size = number(factor)
    if size is not None:
        return 0.5 <= size < 1.0
    if isinstance(factor, Unknown):
        return bool(_DISCOUNT.search(factor.name))
    if isinstance(factor, Call):
        return bool(_DISCOUNT.search(factor.op)) if factor.op[:1] == "@" else factor.op == "~"
    return False


def _predicts(prediction: Value | None, call: Call) -> bool:
    """Whether the prediction comes from the model of that call, through another application of it."""
    return any(
        same_module(other.receiver, call.receiver) and other is not call
        for other in applications(surely_reached(prediction))
    )


# --- advantages ---


def _advantages(program: Program) -> Iterator[Evidence]:
    """`log_prob * (return - value)`: the critic's value is a constant for the policy."""
    if not any(program.calls(".log_prob")):
        return
    judged = {id(value) for event in program.training.of("backward") for value in reached(event.about)}
    for call in program.calls("*"):
        if not call.context.grad or len(call.args) != 2 or (judged and id(call) not in judged):
            continue
        for chance, weight in (call.args, call.args[::-1]):
            if not _is_log_probability(chance):
                continue
            difference = _difference(weight)
            if difference is not None and any(carries_graph(side) for side in difference.args):
                yield clue(
                    "proven",
                    call,
                    f"The advantage ({line_of(difference, call)}) multiplies a log-probability with the "
                    "value network's graph attached: the policy loss also changes the value network, "
                    "whatever the rewards were.",
                    fix="Multiply with `advantage.detach()`.",
                    edits=_factor_detached(call, weight),
                )
                break


def _is_log_probability(value: Value) -> bool:
    for part in ancestry(value, 12):
        if isinstance(part, Call) and part.op == ".log_prob":
            return True
        if isinstance(part, Call) and part.op in ("-", "+", "*", "/"):
            return False
    return False


def _difference(value: Value) -> Call | None:
    """`return - value`, seen through reshapes and normalisation."""
    for _ in range(8):
        if isinstance(value, Call) and value.result is not None:
            value = value.result
        elif isinstance(value, Call) and value.op == "-":
            return value
        elif isinstance(value, Call) and keeps_numbers(value) and value.op not in (".detach", ".numpy"):
            inner = subject(value)
            if inner is None:
                return None
            value = inner
        else:
            return None
    return None


# --- two branches that agree on a constant ---


def _twin_branches(program: Program) -> Iterator[Evidence]:
    """A predictor behind one branch, a loss of nothing but agreement: it needs a stop-gradient."""
    names = ("torch.nn.functional.cosine_similarity", "torch.cosine_similarity")
    modules = (
        call
        for call in program.calls("()")
        if isinstance(call.receiver, Call) and call.receiver.op == "torch.nn.CosineSimilarity"
    )
    pairs = [call for call in (*program.calls(*names), *modules) if len(call.args) >= 2]
    if program.losses or not pairs:
        return
    judged = {id(value) for event in program.training.of("backward") for value in reached(event.about)}
    for call in pairs:
        if id(call) not in judged or not call.context.grad:
            continue
        left, right = call.args[:2]
        for predicted, plain in ((left, right), (right, left)):
            inner = _behind_predictor(predicted)
            if inner is None or not carries_graph(plain):
                continue
            if any(
                same_module(inner.receiver, other.receiver) and inner is not other
                for other in _last_layers(plain)
            ):
                yield clue(
                    "proven",
                    call,
                    "Both branches of this similarity loss get a gradient: the encoder can collapse to a "
                    "constant output.",
                    fix="Detach the branch without the predictor.",
                )


def _last_layers(value: Value) -> list[Call]:
    """The applications that made a value."""
    made = _taken(value)
    return [made] if made is not None else []


def _behind_predictor(value: Value) -> Call | None:
    """The encoder's application in `predictor(encoder(x))`."""
    outer = _taken(value)
    inner = _taken(outer.args[0]) if outer is not None and outer.args else None
    if outer is None or inner is None or same_module(inner.receiver, outer.receiver):
        return None
    return inner


def _taken(value: Value | None) -> Call | None:
    """The application of a model that made a value, seen through unpacking, reshapes and normalisation."""
    for _ in range(12):
        if not isinstance(value, Call) or value.op == ".detach":
            return None
        if value.op == "()":
            return value
        if (item := picked(value)) is not None:
            value = item
        elif value.result is not None:
            value = value.result
        elif keeps_numbers(value) or value.op.endswith("normalize"):
            value = subject(value)
        else:
            return None
    return None


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for use in bench.first.losses:
        if use.target_has_graph and not use.mutual:
            yield Evidence(
                f"The target of {use.name} carries a graph: gradient flows into what should be constant, "
                "and the loss can fall by moving the target.",
                telling="likely",
                where=use.where,
                fix="Compute the target under `torch.no_grad()`, or use `target.detach()`.",
            )
    for name in bench.first.gradients.upstream_of_step:
        yield Evidence(
            f"This loss computes a gradient for `{name}`, which belongs to another optimizer than the one "
            "that steps: the gradient stays there and is added to its next step.",
            telling="proven",
            where=Where(module=name),
            fix=f"Detach the output of `{name}` before it enters this loss.",
        )
