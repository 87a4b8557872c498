"""The training forward pass, or part of it, runs with gradient recording switched off.

## What happens
Put the whole step under `torch.no_grad()` and `backward()` raises: "element 0 of tensors does not
require grad". That is the lucky case. The silent ones are these:

A backbone wrapped in `no_grad` inside `forward`: the head trains, the backbone does not, whatever
its `requires_grad` flags and the optimizer say. A `@torch.no_grad()` left on a helper from its
days as inference code. `torch.set_grad_enabled(False)` in an evaluation function, never switched
back, together with `if loss.requires_grad: loss.backward()`. And the false cure from the forums,
`loss.requires_grad_(True)` (or `Variable(loss, requires_grad=True)`): the error disappears,
`backward()` runs, and every parameter's `.grad` is still None.

`inference_mode` is stricter. A later layer that needs such a tensor for its gradient raises
"Inference tensors cannot be saved for backward", but one harmless operation in between hides it.

```python
def forward(self, x):
    with torch.no_grad():
        z = self.backbone(x)      # meant for the first epochs only
    return self.head(z)
```

## How to tell
- **lint**: a `no_grad`, `inference_mode` or `set_grad_enabled(False)` scope or decorator around a
  model call whose result reaches `backward()`; `requires_grad_(True)` on a loss.
- **watch**: gradient recording is off while a module runs in train mode within a training
  iteration; its trainable parameters have no gradient and do not move.
- **experiment**: corrected from outside, `no_grad` and `inference_mode` do nothing; the loss has a
  gradient again.
- **refuted by**: `torch.is_grad_enabled()` is True at every module call of a training step.

## How to fix
Remove the scope from training. If you want a frozen backbone, freeze it visibly:

```python
self.backbone.requires_grad_(False).eval()      # eval() again after each model.train()

@torch.no_grad()
def evaluate(model, loader): ...      # the scope ends with the function
```
Recording belongs off for the parts that produce *targets*: TD targets, teacher outputs, EMA
updates, pseudo-labels, rollouts whose log-probabilities are computed again later.

## Often mistaken for
- `detached-graph`: a single operation cuts the path there; here a context covers a region.
- `frozen-params`: the flags are False; here they are True and have no effect.
- `missing-backward`: here `backward()` is called, and either raises or was made to pass.

## Sources
- pytorch-autograd: "No-grad Mode" and "Inference Mode"; neither records anything, whatever the
  requires_grad flags say.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.finding import Edit, Evidence
from sleuth.record.event_order import after_last_step, events
from sleuth.record.growth import never_reached
from sleuth.record.questions import loaded, raised, where_event
from sleuth.source.edits import Edits, around, unwrapped
from sleuth.source.flow import ancestry, literal, possible
from sleuth.source.interpreter.statements import NO_GRAD
from sleuth.source.interpreter.values import Call, Constant, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.losses import loss_of
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.gradients import (
    applications,
    everything_behind,
    frozen_somewhere,
    gradient_parents,
    is_recorded,
    optimized,
    optimizes,
    owners_of,
    reached,
    steps_after,
    trained_by,
    walk,
)
from sleuth.source.topics.modes import has_weights, holds, is_model, may_be_model, same_module

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

LOOKS_LIKE = {"stuck from the start": "usually"}
INVITED_BY = {"detach|\\.item\\(|no_grad": 2.0}
NEEDS = "no_grad inference_mode grad_enabled requires_grad"
PREDICTS = {"same-batch": "always", "noise-inputs": "always", "shuffled-labels": "always"}


def lint(program: Program) -> Iterator[Evidence]:
    trained = trained_by(program)
    learned = {id(call.receiver) for _, applied in trained for call in applied}
    for backward, applied in trained:
        silent = [call for call in applications(everything_behind(backward.about)) if not call.context.grad]
        if silent and not applied and _is_the_prediction(backward.about, silent):
            if not _asked_elsewhere(backward, trained):
                yield _whole(program, backward, silent[0])
        elif silent and not program.training.framework:
            yield from _parts(program, backward, silent, learned)
    yield from _false_cures(program)
    yield from _never_switched_back(program)


def _asked_elsewhere(backward: Event, trained: Sequence[tuple[Event, Sequence[Call]]]) -> bool:
    """The same line learns when it is reached another way, and stands under a question: one pass for training
    and evaluation that asks (`if self.model.training:`) which of the two it is."""
    asks = any(
        isinstance(arm.node, ast.If) and "training" in ast.unparse(arm.node.test)
        for arm in backward.call.context.arms
    )
    return asks and any(
        applied and other.call.node is backward.call.node
        for other, applied in trained
        if other is not backward
    )


def _is_the_prediction(loss: Value | None, silent: list[Call]) -> bool:
    """The values made without recording are what the loss judges; nothing else could get a gradient."""
    for value in reached(loss):
        if isinstance(value, Call) and (
            value.op in (".requires_grad_", "torch.nn.Parameter", "torch.autograd.Variable")
            or "requires_grad" in value.keywords
            or value.op[:1] == "@"
        ):
            return False
    if _may_come_from_elsewhere(loss, silent):
        return False
    for value in everything_behind(loss):
        use = loss_of(value) if isinstance(value, Call) else None
        if use is not None:
            return any(part is call for part in everything_behind(use.input) for call in silent)
    return True


def _may_come_from_elsewhere(loss: Value | None, silent: list[Call]) -> bool:
    """Something unknown enters the loss: an argument may carry the graph of whoever made it."""
    batches = {
        id(part)
        for call in silent
        for given in call.args
        for part in everything_behind(given)
        if isinstance(part, Call) and part.op == "next"
    }

    def onward(value: Value) -> tuple[Value, ...]:
        if isinstance(value, Call) and (pair := _judged(value)) is not None:
            served = any(id(part) in batches for part in everything_behind(pair[-1]))
            return pair[:1] if served else pair
        return gradient_parents(value)

    return any(
        isinstance(value, Unknown)
        or is_model(value)
        or (isinstance(value, Call) and value.op == "def" and value.result is None)
        for value in walk(loss, onward)
    )


def _judged(call: Call) -> tuple[Value, ...] | None:
    """The answer and the truth that a criterion compares; what names a class carries no gradient."""
    use = loss_of(call)
    if use is not None and use.input is not None and use.target is not None:
        return (use.input,) if use.name in ("cross_entropy", "nll_loss") else (use.input, use.target)
    if call.op == "()" and call.result is None and len(call.args) == 2 and not may_be_model(call.receiver):
        return call.args
    return None


def _whole(program: Program, backward: Event, call: Call) -> Evidence:
    scope = _scope(program, call)
    return clue(
        "proven",
        scope,
        f"The forward pass on {line_of(call, scope)} runs with gradient recording off, and its loss goes to "
        f"backward() on {line_of(backward.call, scope)}: no parameter can get a gradient.",
        fix="Move the training forward pass out of the no_grad scope; keep the scope for evaluation.",
        edits=_recorded(_scope(program, call)),
    )


def _parts(program: Program, backward: Event, silent: list[Call], learned: set[int]) -> Iterator[Evidence]:
    """Layers that the optimizer is to train and that every training pass applies without recording."""
    optimizers = [step.about for step in steps_after(program, backward)]
    for call in silent:
        if id(call.receiver) in learned or not _always(call, backward.call):
            continue
        fresh = has_weights(call.receiver) and any(optimizes(one, call.receiver) for one in optimizers)
        if fresh and not frozen_somewhere(program, call.receiver):
            weights = "its random weights"
        elif _given_by_itself(optimizers, call.receiver) and not _switched_off(program, call.receiver):
            weights = "its weights, passed by themselves,"
        else:
            continue
        scope = _scope(program, call)
        yield clue(
            "proven",
            scope,
            f"The layers called on {line_of(call, scope)} run with gradient recording off: the optimizer "
            f"holds {weights} and will never change them.",
            fix="Remove the scope, or freeze pretrained layers explicitly with `requires_grad_(False)`.",
            edits=_recorded(_scope(program, call)),
        )


def _given_by_itself(optimizers: list[Value | None], module: Value | None) -> bool:
    """The optimizer got this module's own parameters, not those of a whole that happens to hold it."""
    return any(same_module(owner, module) for optimizer in optimizers for owner in optimized(optimizer) or ())


def _switched_off(program: Program, module: Value | None) -> bool:
    return any(
        holds(owner, module) or holds(module, owner)
        for call in program.calls(".requires_grad_", "@requires_grad=")
        for owner in owners_of(call.receiver)
    )


def _always(call: Call, backward: Call) -> bool:
    """No branch that the backward call does not share decides about it."""
    return all(any(arm is other for other in backward.context.arms) for arm in call.context.arms)


def _scope(program: Program, call: Call) -> Value:
    """The context manager or decorator that switched recording off, or else the call itself."""
    for manager in reversed(call.context.managers):
        for option in possible(manager):
            if isinstance(option, Call) and (option.op in NO_GRAD or option.op == "torch.set_grad_enabled"):
                return option
    before = [
        other
        for other in program.calls(*NO_GRAD, "torch.set_grad_enabled")
        if other.order < call.order and (other.op in NO_GRAD or literal(other.argument(0, "mode")) is False)
    ]
    return max(before, key=lambda other: other.order) if before else call


def _recorded(scope: Value) -> Edits:
    """The `with` taken away from around its body, or the decorator from its function.

    Not safe: the author says what else in the scope was meant to be without gradient.
    """
    source, node = scope.source, scope.node
    if node is None or source is None:
        return ()
    for here in around(node, source):
        if isinstance(here, ast.With):
            alone = len(here.items) == 1 and here.items[0].context_expr is node
            return unwrapped(here, source) if alone else ()
        if isinstance(here, ast.FunctionDef) and any(node is one for one in here.decorator_list):
            line = getattr(node, "lineno", 0)
            return (Edit(source.path, line, 1, line + 1, 1, "", safe=False),)
    return ()


def _false_cures(program: Program) -> Iterator[Evidence]:
    """`loss.requires_grad_(True)` makes backward run; it does not bring the graph back."""
    judged = [event.about for event in program.training.of("backward")]
    for call in program.calls(".requires_grad_", "@requires_grad=", "torch.autograd.Variable"):
        subject = call.args[0] if call.op.endswith("Variable") and call.args else call.receiver
        switch = call.keywords.get(
            "requires_grad", None if call.op.endswith("Variable") else Constant(value=True)
        )
        if literal(switch) is not True or (call.args and literal(call.args[0]) is False):
            continue
        made = [option for option in possible(subject) if isinstance(option, Call)]
        if not made or not any(_is_loss(option) for option in made):
            continue
        if any(part is call or part in made for loss in judged for part in ancestry(loss, 200)):
            intact = any(is_recorded(one) for one in applications(reached(subject)))
            # Recorded and cut later (argmax, item, numpy): the cut is the cause and has a name of its own.
            cut_later = any(is_recorded(one) for one in applications(everything_behind(subject)))
            yield clue(
                "open" if intact or cut_later else "likely",
                call,
                "Setting `requires_grad` on a loss makes backward() run without an error, but does not "
                "restore the graph: the parameters still get no gradient.",
                fix="Find where the graph was cut (no_grad, detach, item, numpy) and remove this line.",
            )


def _is_loss(value: Call) -> bool:
    if loss_of(value) is not None:
        return True
    return value.op in ("+", "*", "/", ".mean", ".sum") and any(
        isinstance(part, Call) and loss_of(part) is not None for part in ancestry(value, 60)
    )


def _never_switched_back(program: Program) -> Iterator[Evidence]:
    """`torch.set_grad_enabled(False)` as a statement, and training afterwards."""
    switches = list(program.calls("torch.set_grad_enabled"))
    if any(literal(call.argument(0, "mode")) is not False for call in switches) or any(
        program.calls("torch.enable_grad")
    ):
        return
    statements = {node.value for node in program.source.of(ast.Expr)} if switches else ()
    for call in switches:
        if call.node not in statements:
            continue
        for backward in program.training.of("backward"):
            shared = [loop for loop in call.context.loops if backward.inside(loop)]
            if backward.call.order > call.order or shared:
                yield clue(
                    "proven",
                    call,
                    "Gradient recording is switched off here for the rest of the program and never on "
                    f"again, and backward() on {line_of(backward.call, call)} runs after it.",
                    fix="Use `with torch.no_grad():` (or the decorator), which ends with its block.",
                )
                break


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.gradients_on(world)


MOST = 0.9


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Model

    where = raised(record, "does not require grad and does not have a grad_fn")
    last = after_last_step(record)
    if where is not None and _all_unrecorded(last):
        line = next(line for name, _, line in last if name == "no_grad")
        yield Evidence(
            f"backward failed: the forward pass on line {line} ran with recording off (`no_grad` or "
            "`inference_mode`), so the loss has no graph.",
            telling="proven",
            where=where,
            fix="Move the training forward pass out of the `no_grad` block.",
        )
        return
    trained = {model.id for model in record.of(Model) if any(p.trainable for p in model.parameters)}
    seen = [step for step in record.steps if any(name == "no_grad" for name, _, _ in events(record, step))]
    bare = [step for step in seen if _all_unrecorded(events(record, step), trained)]
    idle = [step for step in bare if not step.grad_norm and not step.update_norm]
    if len(record.steps) >= 3 and len(idle) >= MOST * len(record.steps):
        line = next(line for name, _, line in events(record, idle[0]) if name == "no_grad")
        yield Evidence(
            f"In {len(idle)} of {len(record.steps)} steps the model ran with recording off and nothing "
            "had a gradient: the weights cannot change.",
            telling="proven",
            where=where_event(idle[0], line),
            numbers={"steps": len(idle)},
            fix="Move the training forward pass out of the `no_grad` block.",
        )
    else:
        yield from _half_recorded(record)


def _half_recorded(record: "Record") -> Iterator[Evidence]:
    """A part of the model that shall learn (the optimizer holds it) runs under `no_grad` in every step."""
    from sleuth.record.entries import Holding, Model

    held = {name for seen in record.of(Holding) for name in seen.without_gradient}
    lost = sorted(never_reached(record) & held)
    ours = {model.id for model in record.of(Model) if any(p.name in lost for p in model.parameters)}
    inside = [
        (step, line)
        for step in record.steps
        for name, number, line in events(record, step)
        if name == "no_grad" and number in ours
    ]
    if not lost or len({step.n for step, _ in inside}) < MOST * len(record.steps):
        return
    fresh = not loaded(record) and all(model.n == 0 for model in record.of(Model) if model.id in ours)
    yield Evidence(
        f"In every step a part of the model runs with recording off, and {len(lost)} parameters that the "
        f"optimizer holds ({', '.join(lost[:2])}, ...) never have a gradient: that part does not learn.",
        telling="proven" if fresh else "open",
        where=where_event(*inside[0]),
        numbers={"parameters": len(lost)},
        fix="Move the training forward pass out of the `no_grad` block.",
    )


def _all_unrecorded(found: tuple[tuple[str, int, int], ...], among: set[int] | None = None) -> bool:
    forwards = [
        name for name, number, _ in found if name in ("forward", "no_grad") and (not among or number in among)
    ]
    return bool(forwards) and "forward" not in forwards
