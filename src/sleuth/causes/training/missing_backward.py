"""The optimizer steps although no gradient was computed: backward is never called.

## What happens
`optimizer.step()` does not ask where gradients come from. If every `.grad` is None it walks over
its parameters, skips each one and returns. No warning. The loop prints a loss per batch, takes its
time, saves a checkpoint, and the checkpoint holds the initial weights.

It is rarely forgotten outright. More often the call sits in a branch that is never taken, was
removed together with a debugging line, or works on something else: `torch.autograd.grad(loss,
params)` returns the gradients and leaves `.grad` empty. A second loss that is computed, logged and
never added to the first is the same bug for one head of the model. Under `GradScaler` it is at
least loud: its `step` refuses with an assertion.

```python
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    optimizer.step()
    running += loss.item()
```

## How to tell
- **lint**: a loop with a forward pass, a loss and `optimizer.step()`, no closure, no assignment to
  `.grad`, and no `backward()` anywhere in the file; the name `loss.backward` without parentheses;
  or a `scaler.scale(loss)` whose result goes nowhere. Lightning and the Hugging Face
  `Trainer` call it for you, and `accelerator.backward` counts.
- **watch**: the optimizer is called, the count of backward passes stays at zero, every `.grad` is
  None, every parameter keeps its first value. Buffers may still move: batch-norm statistics follow
  the data in train mode, so a changed `state_dict` proves nothing.
- **refuted by**: one parameter whose `.grad` is not None when `step()` begins.

## How to fix
```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
If you use `torch.autograd.grad`, assign each result to its parameter's `.grad` before stepping.
For several losses, add them and call `backward()` once, or call it on each. A loop without
`backward()` is right for evaluation, and for training by evolution strategies or closed-form
updates; then it should not call an optimizer either.

## Often mistaken for
- `zero-grad-after-backward`: same None at `step()`, but `backward()` did run a line earlier.
- `no-grad-training`: there `backward()` is called and raises, or was silenced; here it is absent.
- `loss-disconnected`: `backward()` runs and some parameters stay without a gradient.

## Sources
- pytorch-optim: "Taking an optimization step"; step is to be called once gradients exist.
- pytorch-zero-grad: `set_to_none` notes, item 3; optimizers pass over parameters without gradient.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import at, courses
from sleuth.source.edits import Edits, inserted_before, statement_of
from sleuth.source.flow import class_name
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue
from sleuth.source.topics.cadence import (
    alike,
    bare_statements,
    constructor,
    frame,
    inside,
    is_optimizer,
    opaque,
    owners,
    touches_gradients,
)

if TYPE_CHECKING:
    from sleuth.record.entries import Record

IS_AN_ABSENCE = True
LOOKS_LIKE = {"stuck from the start": "usually"}
PREDICTS = {"same-batch": "always", "noise-inputs": "always", "shuffled-labels": "always"}


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    bare = list(_uncalled(program))
    for read in bare:
        yield clue(
            "proven",
            read,
            "`backward` is written here without parentheses, so it is not called and no gradient is "
            "computed.",
            fix="Add the parentheses: `loss.backward()`.",
        )
    dropped = list(_scaled_for_nothing(program))
    for scaled in dropped:
        yield clue(
            "proven",
            scaled,
            "`scale` only multiplies the loss, and its result is not used: no gradient is computed.",
            fix="Call backward on the scaled loss: `scaler.scale(loss).backward()`.",
        )
    if bare or dropped or any("backward" in call.op for call in program.calls(*_backward_like(program))):
        return  # some code of this file differentiates; which step it serves is not for this rule to guess
    for step in program.training.of("step"):
        if step.call.op == ".step":
            yield from _judge(program, step)


def _takes_a_closure(step: Event) -> bool:
    """`optimizer.step(closure)`; `scaler.step(optimizer)` gets the optimizer itself."""
    return bool(step.call.args or step.call.keywords) and step.about is step.call.receiver


def _scaled_for_nothing(program: Program) -> Iterator[Call]:
    """A gradient scaler's `scale` that stands alone on its line."""
    scalings = [call for call in program.calls(".scale") if call.args and _is_scaler(program, call.receiver)]
    alone = bare_statements(program.source) if scalings else set()
    return (call for call in scalings if call.node in alone)


def _is_scaler(program: Program, receiver: Value | None) -> bool:
    """One of torch's, or an object from elsewhere that also steps an optimizer: `scaler.step(optimizer)`."""
    return class_name(receiver).endswith("GradScaler") or any(
        alike(step.call.receiver, receiver) and step.about is not step.call.receiver
        for step in program.training.of("step")
        if step.call.op == ".step"
    )


def _uncalled(program: Program) -> Iterator[Call]:
    reads = [read for read in program.calls("@backward") if read.source is program.source]
    alone = bare_statements(program.source) if reads else set()
    return (read for read in reads if read.node in alone)


def _backward_like(program: Program) -> set[str]:
    """`.backward`, `.manual_backward`, `torch.autograd.backward`, `utils.backward_pass` ..."""
    return {call.op for call in program.trace if "backward" in call.op}


def _judge(program: Program, step: Event) -> Iterator[Evidence]:
    calls = _turn(program, step)
    losses = [use.call for use in program.losses if use.call in calls and use.call.context.grad]
    clears = any(
        event.call in calls and alike(event.about, step.about) for event in program.training.of("zero_grad")
    )
    made = constructor(step.about)
    if not (losses or (clears and _calls_something(calls))) or not (clears or made):
        return
    subjects: list[Value | None] = [step.about, *losses, *(owners(made) if made else ())]
    # `torch.autograd.grad` returns gradients and stores none: without an assignment the step is as empty.
    stored = (call for call in calls if not call.op.endswith("autograd.grad"))
    if touches_gradients(stored) or opaque(calls, *subjects):
        return
    yield clue(
        "proven" if is_optimizer(step.about) and losses else "likely",
        step.call,
        "The optimizer steps and no `backward()` is ever called: there is no gradient to apply, so no weight "
        "changes.",
        fix="Call `loss.backward()` before the step.",
        edits=_differentiated(step, losses),
    )


def _differentiated(step: Event, losses: list[Call]) -> Edits:
    """`loss.backward()` before the step, for the one loss with a name. Not safe: there may be others."""
    source = step.call.context.source
    ours = [loss for loss in losses if loss.context.function is step.call.context.function]
    made = statement_of(ours[0].node, source) if len(ours) == 1 else None
    target = made.targets[0] if isinstance(made, ast.Assign) and made.value is ours[0].node else None
    if not isinstance(target, ast.Name):
        return ()
    statement = statement_of(step.call.node, source)
    return inserted_before(statement, source, f"{target.id}.backward()")


def _turn(program: Program, step: Event) -> list[Call]:
    loops = step.call.context.loops
    if loops:
        return list(inside(program, loops[0]))
    start = frame(step.call)
    return [call for call in program.trace if frame(call) is start]


def _calls_something(calls: list[Call]) -> bool:
    """A model or a criterion from elsewhere at work."""
    return any(call.op == "()" and call.context.grad for call in calls)


def watch(record: "Record") -> Iterator[Evidence]:
    for course in courses(record, 3):
        if any(step.backwards for step in record.steps):
            continue
        # Gradients may be put in place by hand (`torch.autograd.grad`).
        if any(step.grad_norm or step.grad_norm_at_step or step.update_norm for step in course.steps):
            continue
        yield Evidence(
            f"{len(course.steps)} optimizer steps and not one backward call: no gradient was ever "
            "computed, and the weights keep their initial values.",
            telling="proven",
            where=at(course.steps[0]),
            numbers={"steps": len(course.steps)},
            fix="Call `loss.backward()` before `optimizer.step()`.",
        )
