"""Gradients are erased between backward and step, so the optimizer has nothing to apply.

## What happens
All the calls are there, in the wrong order. `backward()` fills `.grad`, `zero_grad()` empties it,
`step()` finds nothing. Since torch 2.0 `zero_grad()` sets `.grad` to None, and every built-in
optimizer skips a parameter without a gradient: no update, no momentum, no weight decay. The
weights stay equal bit for bit, without a warning.

With `zero_grad(set_to_none=False)` the optimizer sees zeros instead and does take a step. The
gradient part is nil, but weight decay still works: a hundred steps of SGD with lr 0.1 and decay
0.1 shrink every weight to 0.37 of its size. The model then moves, towards zero, which looks like
learning if you only check that "weights change".

```python
loss = criterion(model(x), y)
loss.backward()
optimizer.zero_grad()     # the gradient is gone
optimizer.step()          # nothing to apply
```

## How to tell
- **lint**: in the order in which the loop runs, a `zero_grad()` lies after `backward()` and before
  the `step()` that should use it. A `zero_grad()` after the step, at the end of the body, is fine.
  A loop over tasks or batches that clears and fills in each iteration, with the step after it, loses
  all but the last iteration.
- **watch**: gradients are non-zero right after `backward()` and None or zero when `step()` is
  entered; the parameters do not change, or all shrink by one common factor. The loss only shows
  batch noise around its first value.
- **experiment**: corrected from outside, gradients live from backward to step, whoever clears them
  between; the loss begins to fall.
- **refuted by**: a non-zero `.grad` on any parameter at the moment `step()` is called.

## How to fix
Move the call; nothing else needs to change.

```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
With two networks, clear the one that is being trained. Clearing the generator's gradient after the
discriminator's `backward()` is correct in a GAN: that gradient was a by-product and must not be
used.

## Often mistaken for
- `missing-backward`: there `.grad` was never filled; here it is full for a moment and then empty.
- `lr-too-low`: a tiny rate moves the weights a little; here they do not move at all.
- `missing-step`: the gradient survives until the end of the iteration and no step is called.

## Sources
- pytorch-zero-grad: item 3 of the `set_to_none` notes; a None gradient skips the parameter, a zero
  gradient still takes a step.
- pytorch-optim: "Taking an optimization step", the order clear, forward, backward, step.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.event_order import Mark, clears, last, line_of, share
from sleuth.record.questions import Course, courses, where_event
from sleuth.source.edits import Edits, beside, moved_before, statement_of
from sleuth.source.flow import ancestry, class_name, literal, root
from sleuth.source.interpreter.values import Arm, Call, Loop, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.losses import is_loss_instance
from sleuth.source.parsed_file import walked
from sleuth.source.program import Program, clue
from sleuth.source.topics.cadence import (
    Turn,
    alike,
    between,
    cleared_by_hand,
    cleared_for,
    exclusive,
    holds,
    implied,
    is_optimizer,
    opaque,
    subject_of,
    touches_gradients,
    turn_of,
)
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

LOOKS_LIKE = {"stuck from the start": "usually"}


# Where only some of the gradients are erased, the rest learns and no experiment shows it.
PREDICTS = {"same-batch": "even"}

_CRITERION = Pattern(r"crit|loss|objective|metric", re.IGNORECASE)

NEEDS = "zero_grad .grad"


def lint(program: Program) -> Iterator[Evidence]:
    if program.source.holds("manual_backward"):
        yield from _by_hand_in_lightning(program)
    if program.training.framework:
        return
    for step in program.training.of("step"):
        if step.call.op != ".step" or _runs_a_closure(step):
            continue
        turn = turn_of(program, step)
        clearing = _last_clearing(program, turn, step) if turn else None
        if turn is not None and clearing is None:
            yield from _cleared_for_each_part(program, turn, step)
        if turn is None or clearing is None:
            continue
        backward = _filled_before(program, turn, clearing, step)
        if backward is not None:
            yield clue(
                "proven" if is_optimizer(step.about) else "likely",
                clearing.call,
                f"This clears the gradients that `backward()` on line {backward.line} has just computed: "
                f"`{subject_of(step)}` finds nothing to apply on line {step.line}.",
                fix="Clear before `backward()`, or after the step.",
                edits=_cleared_first(clearing, backward),
            )


def _on_a_condition_of_its_own(clearing: Event, step: Event) -> bool:
    return any(
        not any(arm is other for other in step.call.context.arms) for arm in clearing.call.context.arms
    )


def _cleared_for_each_part(program: Program, turn: Turn, step: Event) -> Iterator[Evidence]:
    """`for task in tasks: zero_grad(); backward()` and a step behind that loop: only the last part counts."""
    around = step.call.context.loops
    for clearing in turn.of("zero_grad"):
        loops = clearing.call.context.loops
        if not loops or loops[:-1] != around or clearing.call.order > step.call.order:
            continue
        parts = [event for event in turn.of("backward") if event.inside(loops[-1])]
        filled = [event for event in parts if event.call.order > clearing.call.order]
        if not filled or not cleared_for(program, clearing, step) or not _whole_loop(loops[-1]):
            continue
        if any(other.inside(loops[-1]) for other in turn.of("step")):
            continue  # the step behind the loop takes what is left over
        since = between(program, clearing.call, step.call)
        if not touches_gradients(since) and not _on_a_condition_of_its_own(clearing, step):
            yield clue(
                "proven",
                clearing.call,
                "Each iteration of this loop clears the gradients of the previous one (line "
                f"{filled[0].line}), and `{subject_of(step)}` comes after the loop on line {step.line}: "
                "only the last batch is learned.",
                fix="Step inside the loop; or clear once, before it, if the gradients should add up.",
            )


def _whole_loop(loop: Loop) -> bool:
    """One that runs over parts; a loop that is left early tries again, and one that asks may go on alone."""
    return isinstance(loop.node, ast.For) and not any(
        isinstance(node, ast.Break | ast.Return) for node in walked(loop.node)
    )


def _by_hand_in_lightning(program: Program) -> Iterator[Evidence]:
    """`self.manual_backward(loss)`, `opt.zero_grad()`, `opt.step()`, which Lightning runs as it stands."""
    source = program.source
    for function in source.of(ast.FunctionDef):
        calls = [
            (node.lineno, node.func.attr, ast.unparse(node.func.value), node)
            for node in walked(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        ]
        filled = [line for line, name, _, _ in calls if name == "manual_backward"]
        for cleared, name, owner, node in calls:
            if name != "zero_grad" or not any(line < cleared for line in filled):
                continue
            steps = [line for line, other, whose, _ in calls if (other, whose) == ("step", owner)]
            following = min((line for line in steps if line > cleared), default=None)
            if following is not None and not any(cleared < line < following for line in filled):
                yield clue(
                    "proven",
                    Value(node, source),
                    f"This clears the gradients that `manual_backward` on line {max(filled)} has computed: "
                    f"`{owner}` finds nothing to apply on line {following}.",
                    fix="Clear before `manual_backward`, or after the step.",
                )


def _cleared_first(clearing: Event, backward: Event) -> Edits:
    source = clearing.call.context.source
    if backward.call.context.source is not source:
        return ()
    statement = statement_of(clearing.call.node, source)
    return moved_before(statement, beside(backward.call.node, statement, source), source, safe=True)


def _runs_a_closure(step: Event) -> bool:
    return bool(step.call.args) and step.about is step.call.receiver


def _last_clearing(program: Program, turn: Turn, step: Event) -> Event | None:
    """A clearing on the way to the step with no backward pass, seen or possible, after it."""
    for event in reversed(turn.of("zero_grad", "backward", "step")):
        if event.call.order >= step.call.order or exclusive(event.call, step.call):
            continue
        if event.kind == "backward":
            return None
        hits = cleared_for(program, event, step) or _clears_the_only_model(program, turn, event, step)
        if event.kind == "zero_grad" and hits and _always_before(event.call, step.call):
            since = between(program, event.call, step.call)
            refilled = touches_gradients(since) or opaque(since, step.about, *_losses(turn))
            return None if refilled else event
    return None


def _always_before(clearing: Call, step: Call) -> bool:
    """No branch can leave the clearing out; `if p.grad is not None` leaves out what is empty already."""
    return implied(clearing, step) or all(
        any(arm is other for other in step.context.arms) or _asks_for_a_gradient(arm)
        for arm in clearing.context.arms
    )


def _asks_for_a_gradient(arm: Arm) -> bool:
    test = arm.test
    return (
        arm.name == "if"
        and isinstance(test, Call)
        and (test.op == "@grad" or (test.op == "is not" and literal(test.args[1]) is None))
        and any(isinstance(part, Call) and part.op == "@grad" for part in (test, *test.args))
    )


def _clears_the_only_model(program: Program, turn: Turn, clearing: Event, step: Event) -> bool:
    """`model.zero_grad()` where model and optimizer were made elsewhere, as a pair: nothing else is trained.

    Not where the model stands still and something else is optimised through it (an input, a code, a prompt):
    there clearing the model's own gradients is tidy.
    """
    whole = clearing.call.op == ".zero_grad"
    model = root(clearing.about) if whole else cleared_by_hand(clearing.call)
    optimizer = root(step.about)
    if model is None or (whole and is_optimizer(clearing.about)):
        return False
    if not isinstance(optimizer, Unknown) and not _is_attribute(optimizer):
        return False
    if not all(alike(event.about, optimizer) for event in turn.of("step")):
        return False
    applied = [
        call.receiver
        for backward in turn.of("backward")
        for call in ancestry(backward.about, 300)
        if isinstance(call, Call) and call.op == "()" and call.receiver is not None
    ]
    models = [one for one in applied if not is_loss_instance(one) and not _CRITERION.search(class_name(one))]
    trained = any(alike(event.about, model) for event in program.training.of("train"))
    stands_still = bool(program.training.of("eval")) and not trained
    return bool(models) and not stands_still and all(holds(model, one) for one in models)


def _is_attribute(value: Value | None) -> bool:
    return isinstance(value, Call) and value.op.startswith("@")


def _losses(turn: Turn) -> list[Value | None]:
    return [event.about for event in turn.of("backward")]


def _filled_before(program: Program, turn: Turn, clearing: Event, step: Event) -> Event | None:
    """The backward pass whose gradients are lost: it came after the last step."""
    for event in reversed(turn.of("backward", "step")):
        if event.call.order >= clearing.call.order or exclusive(event.call, clearing.call):
            continue
        if event.kind == "step":
            return None
        # Gradients that were read in between (saliency, per-sample gradients) have served their purpose.
        since = between(program, event.call, clearing.call)
        return None if touches_gradients(call for call in since if not _serves(call, clearing)) else event
    return None


def _serves(read: Call, clearing: Event) -> bool:
    """`p.grad`, read in order to clear it."""
    asked = [part for arm in clearing.call.context.arms for part in ancestry(arm.test, 4)]
    return read is clearing.call.receiver or any(read is part for part in asked)


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.keep_until_step(world)


MOST = 0.9


def watch(record: "Record") -> Iterator[Evidence]:
    for course in courses(record):
        empties = clears(record, course.id)

        def erased(found: tuple[Mark, ...], empties: Callable[[Mark], bool] = empties) -> bool:
            backward = last(found, "backward")
            after = found[backward + 1 :]
            return backward >= 0 and any(map(empties, after)) and not any(e[0] == "forward" for e in after)

        filled = any(step.grad_norm_at_step or step.update_norm for step in course.steps)
        if share(record, course, erased) < MOST or (filled and not _decays(course)):
            continue
        yield Evidence(
            "In each iteration gradients are cleared between backward and step: the optimizer has "
            "nothing to apply and the weights do not change.",
            telling="proven",
            where=where_event(course.steps[-1], line_of(record, course, "zero_grad", "zero_grad_model")),
            numbers={"steps": len(course.steps)},
            fix="Clear gradients before backward (or after step), not between.",
        )


def _decays(course: Course) -> bool:
    """Weights shrink by weight decay alone: they change without a gradient."""
    return not any(step.grad_norm_at_step for step in course.steps)
