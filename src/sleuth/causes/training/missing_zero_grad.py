"""Gradients are never cleared, so each step applies the sum of all gradients so far.

## What happens
`backward()` adds to `.grad`; it never overwrites it. Without a `zero_grad()` in the loop, step t
applies the sum of t gradients. For plain SGD this is, number for number, SGD with `momentum=1.0`:
a ball rolling without friction. On a quadratic bowl it oscillates around the minimum for ever.

It starts *faster* than the correct loop, which is how it survives a smoke test. On a small
four-class network (SGD, lr 0.1) the loss without clearing was 0.90 after ten steps against 1.23
with it, then 1.28 after a hundred and 112 after three hundred, where the correct twin stood at
0.15. Adam hides the bug better still: it divides the growing size away and what is left acts like
extra momentum. The same network with Adam reached a *lower* loss than its twin (0.03 against
0.27). A falling loss does not clear you.

```python
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()          # applies this gradient plus every earlier one
```

## How to tell
- **lint**: the loop holds `backward()` and `step()`, and nowhere in the cycle a `zero_grad()` on
  the optimizer, the model or a part of it, nor `p.grad = None`. The order is cyclic: clearing at
  the end of the body is as correct as at the start.
- **watch**: `.grad` is already filled when `backward()` begins although a step has just been
  taken, and the gradient norm climbs step after step (0.5 to 13 in the run above) while a norm
  measured on a fresh gradient stays where it was.
- **experiment**: corrected from outside, gradients are cleared after each step; the run is then,
  number for number, the repaired one.
- **refuted by**: `.grad` is None or all zero on entry to the first `backward()` after a step.

## How to fix
Clear once for each optimizer step, anywhere between `step()` and the next `backward()`:

```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
Leave it alone when several `backward()` calls belong to one step on purpose (gradient
accumulation, or two losses summed into one update). An LBFGS closure clears inside the closure.
Expect to retune the rate afterwards: a value chosen with the bug in place is usually too small.

## Often mistaken for
- `lr-too-high`: there a fresh gradient grows only because the loss grows; here the stored gradient
  grows while the loss is still falling.
- `accumulation-unscaled`: there gradients are cleared every k batches and the sum is bounded.

## Sources
- karpathy-2018: third item of the opening post, among the most frequent mistakes.
- pytorch-optim: "Taking an optimization step"; the reference loop clears before each backward.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Edit, Evidence
from sleuth.record import curves
from sleuth.record.event_order import CLEARS, Mark, line_of, share
from sleuth.record.questions import adversarial, courses, needed, where_event
from sleuth.source.flow import ancestry, root, spelling
from sleuth.source.interpreter.values import Call, Loop, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.losses import loss_of
from sleuth.source.program import Program, clue, insert_line
from sleuth.source.topics.cadence import (
    alike,
    constructor,
    frame,
    implied,
    inside,
    is_optimizer,
    opaque,
    share_parameters,
    straight_line,
)

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

IS_AN_ABSENCE = True
LOOKS_LIKE = {"falls, then explodes": "usually", "oscillates": "even"}
NEEDS = "step backward"
PREDICTS = {"same-batch": "even", "lr×0.1": "usually"}


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    for step in program.training.of("step"):
        if "zero_grad" in step.call.keywords:
            continue
        loop = _loop_with_backward(program, step)
        if loop is not None:
            if step.call.op == ".step" or not _makes_new_leaves(program, loop):
                yield from _in_loop(program, loop, step)
        elif step.call.op != ".step":
            continue
        elif not step.call.context.loops and not program.training.of("zero_grad"):
            yield from _without_loop(program, step)


def _loop_with_backward(program: Program, step: Event) -> Loop | None:
    backwards = program.training.of("backward")
    for loop in reversed(step.call.context.loops):
        if any(backward.inside(loop) for backward in backwards):
            return loop
    return None


def _makes_new_leaves(program: Program, loop: Loop) -> bool:
    """A step written by hand may start every turn with fresh tensors, which have no gradient yet."""
    fresh = (".requires_grad_", ".detach_", "@requires_grad=", "torch.autograd.Variable", "torch.tensor")
    return any(call.op in fresh for call in inside(program, loop))


def _in_loop(program: Program, loop: Loop, step: Event) -> Iterator[Evidence]:
    events = [event for event in program.training.events if event.inside(loop)]
    backwards = [event for event in events if event.kind == "backward"]
    clearings = [event for event in events if event.kind == "zero_grad"]
    if any(_clears(event, step) for event in clearings) or _is_new_each_turn(loop, step.about):
        return
    once_per_pass = any(_clears(event, step) for event in program.training.of("zero_grad"))
    before = [event for event in backwards if event.call.order < step.call.order]
    backward = (before or backwards)[-1]
    if once_per_pass and not implied(step.call, backward.call):
        return  # cleared, filled by a whole pass over the data, applied at its end
    if any(_driven(event) for event in backwards) or opaque(inside(program, loop), step.about):
        return
    yield clue(
        "proven" if is_optimizer(step.about) else "likely",
        backward.call,
        "`backward()` adds to the gradients of the previous iteration: nothing in the loop clears them "
        f"between one step (line {step.line}) and the next.",
        fix="Call `optimizer.zero_grad()` once per iteration, before `backward()`.",
        # Not safe: only the author knows that no gradients were meant to add up.
        edits=_clear_before(backward, step),
    )


def _clear_before(backward: Event, step: Event) -> tuple[Edit, ...]:
    name, around = spelling(step.call), len(step.call.context.loops)
    inner = backward.call.context.loops[around:]  # micro-batches, whose gradients are meant to add up
    statement = inner[0].node if inner else backward.call.node
    if (
        step.call.op != ".step"
        or not name
        or step.call.context.function is not backward.call.context.function
    ):
        return ()
    return insert_line(statement, backward.call.source, f"{name}.zero_grad()", safe=False)


def _clears(clearing: Event, step: Event) -> bool:
    """Whether a clearing may concern the step: only that of an optimizer with other parameters does not."""
    cleared, stepped = constructor(clearing.about), constructor(step.about)
    if cleared is None or stepped is None:
        return not _are_different_names(clearing.about, step.about)
    return alike(cleared, stepped) or share_parameters(cleared, stepped)


def _are_different_names(cleared: Value | None, stepped: Value | None) -> bool:
    return is_optimizer(cleared) and is_optimizer(stepped) and not alike(cleared, stepped)


def _is_new_each_turn(loop: Loop, optimizer: Value | None) -> bool:
    """Model and optimizer made for this turn (a fold, a trial) have no gradients from the turn before."""
    made = constructor(optimizer)
    return made is not None and any(here is loop for here in made.context.loops)


def _driven(backward: Event) -> bool:
    """`engine.backward(loss)`: an object that may clear by itself."""
    call = backward.call
    return call.op == ".backward" and bool(call.args) and backward.about is not call.receiver


def _comes_from_outside(step: Event) -> bool:
    """An optimizer that outlives the function: a parameter, an attribute, a global."""
    made = root(step.about)
    return isinstance(made, Unknown) or (
        isinstance(made, Call) and (made.op.startswith("@") or frame(made) is not frame(step.call))
    )


def _without_loop(program: Program, step: Event) -> Iterator[Evidence]:
    """A step function that nobody here calls: it holds both halves, and no line of the file clears."""
    start = frame(step.call)
    if start is None or step.call.context.sites[1:] or not _comes_from_outside(step):
        return
    events = straight_line(program, step).events
    backwards = [event for event in events if event.kind == "backward" and event.call.order < step.call.order]
    if not backwards or any(map(_driven, backwards)) or not implied(step.call, backwards[-1].call):
        return
    if not _computes(backwards[-1].about):
        return  # a scaler or wrapper that is handed the loss: a part of somebody's loop, not a training step
    if not opaque(program.trace[start.order : step.call.order + 1], step.about):
        yield clue(
            "likely",
            backwards[-1].call,
            f"`backward()` adds to the gradients of the previous call, the step on line {step.line} "
            "applies them, and nothing in this file ever clears them.",
            fix="Call `optimizer.zero_grad()` before `backward()`.",
        )


def _computes(loss: Value | None) -> bool:
    """Whether the function makes the loss itself: applies a model, or judges an output."""
    made = (value for value in ancestry(loss, 200) if isinstance(value, Call))
    return any(call.op in ("()", "def") or loss_of(call) is not None for call in made)


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.clear_after_step(world)


MOST = 0.9


def watch(record: "Record") -> Iterator[Evidence]:
    needed([step for step in record.steps if step.left_over is not None], "gradients left over at backward")
    for course in courses(record):
        known = [step for step in course.steps[1:] if step.left_over is not None and step.backwards]
        full = [step for step in known if (step.left_over or 0) > 0]
        if len(known) < 3 or len(full) < MOST * len(known):
            continue
        if adversarial(record) and share(record, course, _cleared) > 1 - MOST:
            continue  # the other player's backward fills them between two steps
        norms = course.gradients
        yield Evidence(
            f"At {len(full)} of {len(known)} measured steps gradients of earlier steps were still there "
            f"when backward began (norm {full[-1].left_over or 0:.3g} at step {full[-1].n}): each step "
            "applies the sum of all gradients so far"
            + (
                f", and the norm grows from {norms[0]:.3g} to {curves.end(norms):.3g}."
                if norms and curves.end(norms) > 2 * norms[0]
                else "."
            ),
            telling="proven",
            where=where_event(full[0], line_of(record, course, "backward") or full[0].loss_line),
            numbers={"steps": len(full), "of": len(known), "left_over": full[-1].left_over or 0.0},
            fix="Call `optimizer.zero_grad()` once per iteration.",
        )


def _cleared(found: tuple[Mark, ...]) -> bool:
    return any(name in CLEARS for name, _, _ in found)
