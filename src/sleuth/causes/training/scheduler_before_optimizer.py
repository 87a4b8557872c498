"""scheduler.step() runs before the first optimizer.step(), so the schedule skips its start.

## What happens
The first value of the schedule is never used; everything after comes one call early. Measured with
`MultiStepLR(milestones=[3])`: the rate drops after two epochs instead of three. Torch prints a
`UserWarning` once and goes on.

How much it matters depends on what that value was worth. One epoch of a ninety-epoch plan you will
not find in the result. The whole first stage of `StepLR(step_size=1)`, or the epoch at full rate
that a short fine-tuning run relied on, you will. For `OneCycleLR` and step-wise warm-up it is one
batch in thousands. So treat this as a small fault in itself and as a clue to bigger ones: the same
warning appears when the optimizer never steps at all, when the scheduler is tied to another
optimizer, and when a `GradScaler` skipped the first update because of an overflow, which is
harmless.

```python
for epoch in range(epochs):
    scheduler.step()              # the habit from before torch 1.1
    train_one_epoch(model, optimizer)
```

## How to tell
- **lint**: in the order of execution a `scheduler.step()` precedes the first `optimizer.step()`,
  typically as the first statement of the epoch loop.
- **watch**: the scheduler is stepped (beyond the call its constructor makes) while the optimizer's
  step count is zero; torch's warning is raised; the first rate in use is not the base rate.
- **refuted by**: an optimizer step is recorded before the first scheduler step that is not the
  constructor's own.

## How to fix
```python
for epoch in range(epochs):
    train_one_epoch(model, optimizer)
    scheduler.step()
```
With mixed precision, step the scheduler only if the optimizer really stepped:

```python
before = scaler.get_scale()
scaler.step(optimizer)
scaler.update()
if scaler.get_scale() >= before:      # the scale falls only after a skipped update
    scheduler.step()
```
Do not silence the warning before you know which of the cases you have.

## Often mistaken for
- `scheduler-cadence`: there the number of calls is wrong, here only their place.
- `missing-step`: the same warning, and no optimizer step ever follows.
- `update-skipped`: the first AMP steps overflowed; the order in your code is right.

## Sources
- pytorch-optim: "How to adjust learning rate"; the order since 1.1.0 and the skipped first value.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.event_order import events
from sleuth.record.questions import NotRecorded, at, where_event
from sleuth.source.edits import Edits, beside, moved_after, statement_of
from sleuth.source.flow import spelling
from sleuth.source.interpreter.values import Call
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.cadence import alike, exclusive, frame, implied, scheduler_call
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.record.entries import Record

CONSEQUENCE_OF = "missing-step step-before-backward"
INVITED_BY = {"lr_scheduler|Scheduler": 4.0}


_TRAINS = Pattern(r"train|epoch|fit|step", re.IGNORECASE)

NEEDS = "sched Sched lr_ LR"


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    for schedule in program.training.of("scheduler"):
        if schedule.call.op != ".step" or schedule.call.args or schedule.call.keywords:
            continue  # `step(epoch)` sets the rate of that epoch, wherever it stands
        if _set_back(program, schedule):
            continue
        step = _first_step(program, schedule)
        if step is None:
            yield from _before_foreign_training(program, schedule)
        if step is not None and step.call.order > schedule.call.order and _same_turn(schedule, step):
            made = scheduler_call(schedule.about)
            yield clue(
                "proven" if made is not None else "likely",
                schedule.call,
                f"`{spelling(schedule.call)}` is stepped before the optimizer's first step "
                f"({line_of(step.call, schedule.call)}): the first value of the schedule is never used "
                "and all others come one step early.",
                fix="Step the scheduler after the optimizer.",
                edits=_stepped_later(schedule, step.call),
            )


def _set_back(program: Program, schedule: Event) -> bool:
    """`scheduler.last_epoch = start - 1`: counted from there, the step in front sets the rate of its turn."""
    return any(
        write.order < schedule.call.order and alike(write.receiver, schedule.about)
        for write in program.calls("@last_epoch=")
    )


def _before_foreign_training(program: Program, schedule: Event) -> Iterator[Evidence]:
    """`scheduler.step()` on top of the epoch, then a function from elsewhere that gets the optimizer."""
    made, loops = scheduler_call(schedule.about), schedule.call.context.loops
    if made is None or not loops:
        return
    optimizer = made.argument(0, "optimizer")
    users = [
        call
        for call in program.trace[made.order + 1 :]
        if (call.op == "()" or _TRAINS.search(call.op))
        and any(alike(part, optimizer) for part in (*call.args, *call.keywords.values()))
    ]
    first = users[0] if users else None
    if first is None or first.order < schedule.call.order or not implied(schedule.call, first):
        return
    if any(here is loops[-1] for here in first.context.loops) and _TRAINS.search(_called(first)):
        yield clue(
            "likely",
            schedule.call,
            f"`{spelling(schedule.call)}` is stepped before the training on "
            f"{line_of(first, schedule.call)}: the first value of the schedule is never used and all "
            "others come one step early.",
            fix="Step the scheduler after the optimizer.",
            edits=_stepped_later(schedule, first),
        )


def _stepped_later(schedule: Event, step: Call) -> Edits:
    """The scheduler's step moved behind the statement of its block in which the optimizer steps."""
    source = schedule.call.context.source
    statement = statement_of(schedule.call.node, source)
    inner = [step.node, *(site.node for site in reversed(step.context.sites))]
    other = next((found for node in inner if (found := beside(node, statement, source)) is not None), None)
    return moved_after(statement, other, source, safe=True) if other is not statement else ()


def _called(call: Call) -> str:
    return ast.unparse(call.node.func) if isinstance(call.node, ast.Call) else call.op


def _first_step(program: Program, schedule: Event) -> Event | None:
    """The first step of the scheduler's optimizer (any optimizer, if it is not known which one)."""
    made = scheduler_call(schedule.about)
    optimizer = made.argument(0, "optimizer") if made is not None else None
    steps = [event for event in program.training.of("step") if frame(event.call) is frame(schedule.call)]
    ours = [event for event in steps if optimizer is None or alike(event.about, optimizer)]
    return (ours or steps)[0] if steps else None


def _same_turn(schedule: Event, step: Event) -> bool:
    """Both belong to one turn, in which the scheduler always comes first."""
    if exclusive(schedule.call, step.call) or not implied(schedule.call, step.call):
        return False
    ours, theirs = schedule.call.context.loops, step.call.context.loops
    if not ours:
        return not theirs and schedule.call.context.function is step.call.context.function
    return any(loop is ours[-1] for loop in theirs)


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Scheduler, Warned

    if not record.steps:
        raise NotRecorded("the record holds no optimizer steps")
    if not record.of(Scheduler):
        return
    for plan in record.of(Scheduler):
        first = next((step for step in record.steps if step.optimizer == plan.optimizer), None)
        if first is None or plan.n > first.n:
            continue
        calls = [
            line for name, number, line in events(record, first) if name == "scheduler" and number == plan.id
        ]
        warned = next(
            (w for w in record.of(Warned) if "lr_scheduler.step()" in w.text and "before" in w.text), None
        )
        skipped = first.scale is not None  # AMP may skip the first step; the order is right then
        if (calls or warned is not None) and not skipped:
            yield Evidence(
                "The scheduler is stepped before the first optimizer step"
                + (f" ({len(calls)} time{'s' if len(calls) > 1 else ''})" if calls else "")
                + ": the first learning rate of the schedule is never used (the first step ran at "
                f"{first.lr or 0:.3g}).",
                telling="likely",
                where=where_event(first, calls[0]) if calls else (at(warned) if warned else at(plan)),
                numbers={"calls": len(calls)},
                fix="Call `scheduler.step()` after `optimizer.step()`.",
            )
            return
