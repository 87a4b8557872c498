"""The optimizer steps before backward, so it uses an old gradient or none at all.

## What happens
What you get depends on where the clearing stands. With `zero_grad()` first, then `step()`, then
`backward()`, the step always finds empty gradients: the model is frozen and no error appears. With
`step()`, `zero_grad()`, `backward()` after the forward pass, each step applies the gradient of the
previous batch, one iteration late.

The late variant usually does not stay silent. The step rewrites weights in place that the pending
`backward()` still needs, and a network of two or more layers raises "one of the variables needed
for gradient computation has been modified by an inplace operation" in the second iteration. A
single linear layer does not need its weight for its own gradient and trains on, one step stale.
There the largest stable rate is halved: on a quadratic with curvature h, lr times h must stay
below 1 instead of 2.

```python
optimizer.zero_grad()
loss = criterion(model(x), y)
optimizer.step()          # every .grad is None here
loss.backward()
```

## How to tell
- **lint**: between the forward pass and `backward()` of the same iteration there is a `step()`. A
  loop that *starts* with `step(); zero_grad()` and then does forward and backward is only shifted:
  it loses the last gradient and is otherwise correct.
- **watch**: the order of events in each iteration reads forward, step, backward; either gradients
  are None at every step, or the gradient at a step equals that of the previous backward pass. The
  first step never changes anything.
- **refuted by**: a record in which a `backward()` lies between each forward pass and the next
  step.

## How to fix
```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
If the in-place error made you add `.clone()` or `.data` somewhere, take that out again: it was the
order that was wrong. Delayed gradients are a design choice in asynchronous or pipelined training;
a single-process script has no use for them.

## Often mistaken for
- `inplace-corruption`: the same error text, but there the write is in your forward code; here the
  tensor named by the message is a weight and the writer is the optimizer.
- `zero-grad-after-backward`: backward precedes the step there; both leave `.grad` empty.
- `scheduler-before-optimizer`: concerns the learning rate only; gradients are applied normally.

## Sources
- pytorch-optim: "Taking an optimization step", the order of the reference loop.
- pytorch-autograd: "In-place correctness checks"; why a changed weight is noticed at backward.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.event_order import Mark, events, last, share
from sleuth.record.questions import at, courses
from sleuth.source.edits import Edits, beside, moved_after, statement_of
from sleuth.source.flow import possible
from sleuth.source.interpreter.values import Call
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.cadence import (
    Turn,
    cleared_for,
    earlier,
    exclusive,
    implied,
    is_optimizer,
    opaque,
    touches_gradients,
    turn_of,
)

if TYPE_CHECKING:
    from sleuth.record.entries import Record

LOOKS_LIKE = {"stuck from the start": "usually"}
NEEDS = ".step"
PREDICTS = {"lr×0.1": "even"}


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    for step in program.training.of("step"):
        if step.call.op != ".step" or (step.call.args and step.about is step.call.receiver):
            continue  # a step with a closure runs backward inside
        turn = turn_of(program, step)
        backward = _first_backward_after(turn, step) if turn else None
        if turn is None or backward is None:
            continue
        if _loss_was_ready(turn, backward, step):
            why = "so it applies the gradients of the previous iteration, or none"
        elif _just_cleared(program, turn, step):
            why = "right after the gradients were cleared, so it has nothing to apply"
        else:
            continue
        before = earlier(program, turn, step.call)
        if not touches_gradients(before) and not opaque(before, step.about, backward.about):
            yield clue(
                "proven" if is_optimizer(step.about) else "likely",
                step.call,
                f"The step comes before `backward()` on {line_of(backward.call, step.call)}, {why}.",
                fix="Step after `backward()`: zero_grad, forward, backward, step.",
                edits=_stepped_last(step, backward),
            )


def _stepped_last(step: Event, backward: Event) -> Edits:
    source = step.call.context.source
    if backward.call.context.source is not source:
        return ()
    statement = statement_of(step.call.node, source)
    return moved_after(statement, beside(backward.call.node, statement, source), source, safe=True)


def _in_turn(turn: Turn, call: Call) -> bool:
    return turn.loop is None or any(loop is turn.loop for loop in call.context.loops)


def _first_backward_after(turn: Turn, step: Event) -> Event | None:
    """The turn's first backward pass, if it stands behind the step."""
    ours = [event for event in turn.of("backward") if not exclusive(event.call, step.call)]
    if not ours or ours[0].call.order < step.call.order or not implied(ours[0].call, step.call):
        return None
    return ours[0]


def _loss_was_ready(turn: Turn, backward: Event, step: Event) -> bool:
    """Whether this turn's loss was computed before the step."""
    made = [value for value in possible(backward.about) if isinstance(value, Call)]
    return bool(made) and all(loss.order < step.call.order and _in_turn(turn, loss) for loss in made)


def _just_cleared(program: Program, turn: Turn, step: Event) -> bool:
    return any(
        event.call.order < step.call.order
        and cleared_for(program, event, step)
        and implied(event.call, step.call)
        for event in turn.of("zero_grad")
    )


MOST = 0.9


def watch(record: "Record") -> Iterator[Evidence]:
    for course in courses(record):
        head = course.steps[0]
        late = share(record, course, _fresh_forward_unused)
        if late < MOST or head.backwards or "forward" not in [name for name, _, _ in events(record, head)]:
            continue
        empty = all(not step.grad_norm_at_step and not step.update_norm for step in course.steps[:20])
        yield Evidence(
            "In each iteration the optimizer steps before backward: "
            + (
                "its gradients are empty at every step"
                if empty
                else "it applies the gradients of the previous batch"
            )
            + ", and the first step had none at all.",
            telling="proven",
            where=at(head),
            numbers={"share": late},
            fix="Order: forward, loss, zero_grad, backward, step.",
        )


def _fresh_forward_unused(found: tuple[Mark, ...]) -> bool:
    """Between the last forward with gradients and the step there is no backward, and one stands before."""
    return 0 <= last(found, "backward") < last(found, "forward")
