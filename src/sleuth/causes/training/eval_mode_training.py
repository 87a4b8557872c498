"""The model trains in eval mode: dropout is off and batch statistics are not updated.

## What happens
`evaluate()` calls `model.eval()` and `model.train()` is never called again. From the second epoch on
dropout does nothing, and batch norm normalises with its running statistics instead of those of the
batch. The training loss often gets *better*, since dropout noise is gone, so the curves look fine
until the model overfits.

With batch norm it depends on when it happens. In eval mode from the start the running mean stays 0
and the variance 1: the layer is a plain scale and shift, and a deep network loses the very
stabiliser it was built around. After a healthy first epoch the statistics are frozen while the
weights move on, and they fit the activations less with each step.

Some libraries hand you a model in eval mode: Hugging Face `from_pretrained` does. Its `Trainer`
switches back; a hand-written loop must do so itself.

```python
model.train()                    # once, before the loop
for epoch in range(epochs):
    train_one_epoch(model)
    evaluate(model)              # calls model.eval() and leaves it so
```

## How to tell
- **lint**: an `eval()` inside the epoch loop, or in a function it calls, with no `train()` on the
  way back to the next training pass; a `from_pretrained` model that goes into a hand-written loop
  without `train()`. It only matters if dropout, batch norm or the like is present.
- **watch**: `module.training` is False at forward calls that are followed by a backward pass;
  `num_batches_tracked` does not change; two forward passes on one batch agree exactly despite
  dropout.
- **experiment**: corrected from outside, models are in train mode whenever gradients are on; batch
  norm and dropout take part again.
- **refuted by**: `model.training` is True, in all submodules, at the first training forward pass
  of the second epoch.

## How to fix
Set the mode where it is used, not once at the top.

```python
for epoch in range(epochs):
    model.train()
    train_one_epoch(model)
    model.eval()
    evaluate(model)
```
Frozen batch norm is a deliberate recipe for fine-tuning with small batches: then only the norm
layers are in eval mode, not the root. A model without mode-dependent layers does not care. Neither
do a teacher, a target network or a perceptual loss kept in eval.

## Often mistaken for
- `train-mode-eval`: the mirror image; there the evaluation is noisy and training is right.
- `overfitting`: here the missing dropout is what lets it overfit; check the flag first.
- `frozen-params`: weights do not move there; here they move under the wrong normalisation.

## Sources
- karpathy-2018: second item of the opening post, the forgotten switch between the modes.
- pytorch-autograd: "Evaluation Mode"; switching both ways is the caller's duty.
- ioffe-2015: section 3.1; batch statistics in training, population statistics at inference.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.event_order import events
from sleuth.record.questions import Course, courses, models_of, needed, where_event
from sleuth.source.edits import Edits, inserted_before, statement_of
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue, line_of, rewrite, spot
from sleuth.source.topics.gradients import (
    optimized,
    optimizes,
    owners_of,
    steps_after,
    switches_off,
    trained_by,
)
from sleuth.source.topics.modes import (
    forwards,
    holds,
    left_in_eval,
    mode_events,
    mode_matters,
    named_only,
    same_module,
)

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Model, Record, Step

UNDONE_EXACTLY = True
IS_AN_ABSENCE = True
INVITED_BY = {"Dropout|BatchNorm": 3.0}
NEEDS = "eval"


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    outermost = {id(call) for call in forwards(program)}
    for backward, applied in trained_by(program):
        for call in applied:
            if id(call) not in outermost or not _learns(program, backward, call):
                continue
            matters = mode_matters(call.receiver, program)
            if matters is False:
                continue
            event = left_in_eval(program, call, call.receiver)
            if event is not None and _only_a_head_learns(program, backward, call.receiver):
                continue
            named = named_only(program, "train", call) if event is not None else None
            if event is not None and named is not None:
                yield clue(
                    "proven" if matters else "likely",
                    named,
                    "`train` is written here without parentheses, so it is not called: `eval()` on "
                    f"{line_of(event.call, named)} still applies to the training forward pass on "
                    f"{line_of(call, named)}.",
                    fix="Write `model.train()`.",
                    edits=rewrite(named.node, named.source, f"{ast.unparse(named.node)}()")
                    if named.node
                    else (),
                )
            elif event is not None and event.call.order > call.order:
                # the evaluation is right to switch; what is missing is the way back, and here it bites
                yield clue(
                    "proven" if matters else "likely",
                    call,
                    "From the second iteration on this training forward pass runs in eval mode: `eval()` "
                    f"on {line_of(event.call, call)} still applies, so dropout is off and batch norm uses "
                    "frozen statistics.",
                    fix="Call `model.train()` before each training pass (or after each evaluation).",
                    edits=_switched_back(call),
                )
            elif event is not None:
                yield clue(
                    "proven" if matters else "likely",
                    event.call,
                    f"`eval()` here still applies when {line_of(call, event.call)} runs the training "
                    "forward pass: dropout is off and batch norm uses frozen statistics.",
                    fix="Call `model.train()` before each training pass (or after each evaluation).",
                    edits=_switched_back(call),
                )
            elif _arrives_in_eval(call) and not mode_events(program, call.receiver, call):
                yield clue(
                    "likely",
                    call,
                    f"`from_pretrained` on line {spot(call.receiver or call).line} returns the model in "
                    "eval mode and nothing calls `train()`: it is fine-tuned without its dropout.",
                    fix="Call `model.train()` before the training loop.",
                    edits=_switched_back(call),
                )


def _only_a_head_learns(program: Program, backward: Event, model: Value | None) -> bool:
    """The body rests, and its statistics with it: eval mode is meant, as the switch of a part says aloud."""
    if any(event.kind == "train" and _is_part(event.about, model) for event in program.training.of("train")):
        return True
    freezes = [call for call in program.calls(".requires_grad_", "@requires_grad=") if switches_off(call)]
    if any(same_module(owner, model) for call in freezes for owner in owners_of(call.receiver)):
        return True
    owners = [owner for step in steps_after(program, backward) for owner in optimized(step.about) or (model,)]
    return bool(owners) and all(
        _is_part(owner, model) and mode_matters(owner, program) is not True for owner in owners
    )


def _is_part(part: Value | None, whole: Value | None) -> bool:
    return not holds(part, whole) and holds(whole, part)


def _switched_back(call: Call) -> Edits:
    """`model.train()` before the training pass. Not safe: eval mode may be meant (frozen statistics)."""
    node = call.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return ()
    statement = statement_of(node, call.context.source)
    return inserted_before(statement, call.context.source, f"{ast.unparse(node.func)}.train()")


def _learns(program: Program, backward: Event, call: Call) -> bool:
    """An optimizer applies this gradient to the model; an attack or a saliency map only reads it."""
    return any(
        optimizes(step.about, call.receiver) is not False
        and not _cleared_between(program, backward, step, call)
        for step in steps_after(program, backward)
    )


def _cleared_between(program: Program, backward: Event, step: Event, call: Call) -> bool:
    """The gradient is gone before the step: what made it served another purpose."""
    return any(
        backward.call.order < clearing.call.order < step.call.order
        and (same_module(clearing.about, step.about) or holds(clearing.about, call.receiver))
        for clearing in program.training.of("zero_grad")
    )


def _arrives_in_eval(call: Call) -> bool:
    made = call.receiver
    return (
        isinstance(made, Call)
        and made.op.startswith("transformers.")
        and made.op.endswith(".from_pretrained")
    )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.trained_in_train_mode(world)


MOST = 0.9


def watch(record: "Record") -> Iterator[Evidence]:
    needed([step for step in record.steps if step.training is not None], "modes of the model in training")
    for course in courses(record):
        ours = {model.id: model for model in models_of(record, course.id) if model.mode_matters}
        known = [step for step in course.steps if step.training is not None and _ours(record, step, ours)]
        off = [step for step in known if not step.training]
        if not off or (share := len(off) / len(known)) < 0.1:
            continue
        later = known[known.index(off[0]) :]
        for_good = sum(not step.training for step in later) / len(later) > MOST
        kept = _keeps_statistics(ours)
        if not for_good:
            continue
        yield Evidence(
            f"{len(off)} of {len(known)} training steps ran with the model in eval mode"
            + (f", all of them from step {off[0].n} on" if share < 1 else "")
            + ": dropout is off and batch norm uses frozen statistics.",
            # Fine-tuning on frozen layers often keeps eval mode on purpose.
            telling="open" if kept else "proven",
            where=_switched(record, course, off[0]),
            numbers={"steps": len(off), "of": len(known), "first": off[0].n},
            fix="Call `model.train()` at the start of each epoch, after every evaluation.",
        )


def _ours(record: "Record", step: "Step", models: "dict[int, Model]") -> bool:
    """The last model called with gradients is one that this optimizer trains and whose mode matters."""
    called = [number for name, number, _ in events(record, step) if name == "forward"]
    return bool(models) and (not called or called[-1] in models)


def _keeps_statistics(models: "dict[int, Model]") -> bool:
    return any(not parameter.trainable for model in models.values() for parameter in model.parameters)


def _switched(record: "Record", course: Course, step: "Step") -> Where | None:
    """The line of the last `eval()` before, else of the step."""
    lines = [
        line
        for earlier in course.steps
        if earlier.n <= step.n
        for name, _, line in events(record, earlier)
        if name == "eval" and line
    ]
    return where_event(step, lines[-1] if lines else step.line)
