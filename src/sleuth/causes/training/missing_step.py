"""Gradients are computed and never applied: the optimizer is not stepped.

## What happens
The backward pass, the expensive half of training, runs every time and its result is thrown away.
The loss wanders with the batches around its first value, near `ln(C)` for C balanced classes, and
the weights at the end equal the weights at the start.

Typical origins: `optimizer.step` without parentheses (a legal expression that does nothing);
`scheduler.step()` mistaken for the update; an accumulation test such as `if i % accum == accum`
that can never be true; two optimizers of which only one is stepped; a `GradScaler` that scales the
loss while `scaler.step` sits in a branch not taken.

Do not trust "the checkpoint changed": batch-norm running statistics move in train mode even
without a step, so the evaluation loss can drift by a few hundredths and pass for slow learning.

```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step            # no call
```

## How to tell
- **lint**: every iteration clears gradients and calls `backward()`, and no path reaches a `step()` of
  that optimizer, nor a hand-written update of `p.data` or under `no_grad`. A bare `optimizer.step`
  expression is certain. A function that only does the backward half may be stepped by its caller.
  A Lightning module with `automatic_optimization = False` has to step by itself.
  In JAX: what `optimizer.update` of optax returns never reaches the parameters.
- **watch**: backward passes are counted, optimizer steps are not; gradient norms look healthy; no
  trainable parameter changes. A scheduler in the loop makes torch warn that it was stepped before
  the optimizer.
- **experiment**: corrected from outside, every optimizer steps after backward and clears its
  gradients; the loss begins to fall.
- **refuted by**: any trainable parameter that differs between two iterations.

## How to fix
```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
With accumulation, test `(i + 1) % accum == 0`. With mixed precision, call `scaler.step(optimizer)`
followed by `scaler.update()`. With several optimizers, list which one owns which part and check
that each is stepped. A missing step is deliberate when you only collect gradients (saliency maps,
Fisher estimates, gradient checks).

## Often mistaken for
- `update-skipped`: there `step()` is called and decides not to act; here it is never called.
- `lr-too-low`: the weights would change in their last digits; compare them exactly.
- `lr-collapsed`: the early part of the run shows changes, only the later part does not.

## Sources
- pytorch-optim: "Taking an optimization step"; parameters are updated by step alone.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import NotRecorded, at, ended
from sleuth.source.edits import Edits, block_of, inserted_after, statement_of
from sleuth.source.flow import ancestry, literal, possible, root, same, spelling
from sleuth.source.interpreter.values import Call, Class, Instance, Loop, Value
from sleuth.source.loop import Event
from sleuth.source.parsed_file import walked
from sleuth.source.program import Program, clue, line_of, rewrite
from sleuth.source.topics.cadence import (
    alike,
    bare_statements,
    constructor,
    exclusive,
    frame,
    implied,
    inside,
    is_optimizer,
    is_optimizer_call,
    opaque,
    owners,
    touches_gradients,
)
from sleuth.source.topics.dropped_updates import dropped_updates
from sleuth.source.torch_api import LIGHTNING

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

IS_AN_ABSENCE = True
LOOKS_LIKE = {"stuck from the start": "usually"}
PREDICTS = {"same-batch": "always", "noise-inputs": "always", "shuffled-labels": "always"}

_MEASURES = frozenset(
    {".norm", "torch.norm", "torch.linalg.norm", "torch.linalg.vector_norm", "is", "is not"}
)
# Looking at the updates is not applying them.
_ONLY_LOOKS = frozenset(
    {"optax.global_norm", "builtins.print", "builtins.len", "builtins.type", "jax.debug.print"}
)

NEEDS = "backward apply_updates update( .grad .sub( alpha= ].sub_( ].add_( ].mul_("


def lint(program: Program) -> Iterator[Evidence]:
    yield from _uncalled_step(program)
    yield from _unreachable_step(program)
    yield from _optax(program)
    yield from _dropped_update(program)
    if program.source.holds("manual_backward"):
        yield from _manual(program)
    if not program.training.framework:
        for loop in {id(loop.loop): loop.loop for loop in program.training.loops}.values():
            yield from _never_stepped(program, loop)
            yield from _idle(program, loop)


def _uncalled_step(program: Program) -> Iterator[Evidence]:
    """`optimizer.step` without parentheses."""
    reads = [read for read in program.calls("@step") if read.source is program.source]
    alone = bare_statements(program.source) if reads else set()
    for read in reads:
        if read.node in alone and (is_optimizer(read.receiver) or "optim" in spelling(read)):
            yield clue(
                "proven",
                read,
                f"`{spelling(read)}.step` is written here without parentheses, so it is not called and "
                "the weights never change.",
                fix=f"Add the parentheses: `{spelling(read)}.step()`.",
                edits=rewrite(read.node, read.source, f"{spelling(read)}.step()"),
            )


def _dropped_update(program: Program) -> Iterator[Evidence]:
    """Weights moved by hand, outside any optimizer."""
    for found in dropped_updates(program.source):
        if not found.in_optimizer:
            yield clue(
                "proven",
                Value(found.call, program.source),
                f"{found.message}: it is not used, and the weights do not change.",
                fix=found.fix,
            )


def _manual(program: Program) -> Iterator[Evidence]:
    """A Lightning module that optimises by hand, and forgets to: nobody steps its optimizers for it."""
    for call in program.calls(".manual_backward"):
        owner = root(call.receiver)
        if not isinstance(owner, Instance) or not owner.cls.derives_from(*LIGHTNING):
            continue
        automatic = owner.attributes.get("automatic_optimization", owner.cls.member("automatic_optimization"))
        others = [base for base in owner.cls.lineage() if base is not owner.cls and isinstance(base, Class)]
        if literal(automatic) is not False or others or owner.cls.definition is None:
            continue
        steps = (
            node
            for node in walked(owner.cls.definition)
            if isinstance(node, ast.Attribute) and node.attr.endswith("step")
        )
        if not any(steps):
            yield clue(
                "proven",
                call,
                "With `automatic_optimization = False` only this module can step the optimizers, and it "
                "never does: the gradients computed here are not applied.",
                fix="Call `self.optimizers().step()` after `manual_backward`.",
            )


def _unreachable_step(program: Program) -> Iterator[Evidence]:
    """`if i % accum == accum: step()`: a remainder is always below its divisor."""
    for step in program.training.of("step"):
        for arm in step.call.context.arms:
            test = getattr(arm.node, "test", None)
            if arm.name == "if" and isinstance(test, ast.Compare) and _is_never_true(test):
                yield clue(
                    "proven",
                    step.call,
                    f"`{ast.unparse(test)}` is never true, so this step is never taken.",
                    fix="Test for a remainder of 0: `(i + 1) % accum == 0`.",
                )


def _is_never_true(test: ast.Compare) -> bool:
    left, right = test.left, test.comparators[0]
    return (
        len(test.comparators) == 1
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(left, ast.BinOp)
        and isinstance(left.op, ast.Mod)
        and ast.dump(left.right) == ast.dump(right)
    )


def _never_stepped(program: Program, loop: Loop) -> Iterator[Evidence]:
    """A loop that clears and fills the gradients of an optimizer on every turn and never lets it act."""
    here = [event for event in program.training.events if event.inside(loop)]
    backwards = [event for event in here if event.kind == "backward"]
    clearings = [
        event
        for event in here
        if event.kind == "zero_grad" and event.call.op == ".zero_grad" and _is_an_optimizer(event)
    ]
    for clearing in clearings:
        backward = _serves(program, clearing, backwards)
        if backward is None or any(_may_step(event, clearing) for event in here if event.kind == "step"):
            continue
        calls = list(inside(program, loop))
        if _steps_in_disguise(calls) or _collects(calls) or _steps_elsewhere(program, clearing):
            continue
        if opaque(calls, clearing.about, *(event.about for event in backwards)):
            continue
        yield clue(
            "proven" if is_optimizer(clearing.about) else "likely",
            backward.call,
            f"Gradients are computed here in every iteration and `{spelling(clearing.call)}`, which "
            f"clears them on {line_of(clearing.call, backward.call)}, is never stepped.",
            fix=f"Call `{spelling(clearing.call)}.step()` after `backward()`.",
            edits=_stepped(backward, clearing),
        )


def _stepped(backward: Event, clearing: Event) -> Edits:
    """The step behind `backward()` and behind clipping that follows. Not safe: it may belong elsewhere."""
    source = backward.call.context.source
    if backward.call.context.function is not clearing.call.context.function:
        return ()
    statement = statement_of(backward.call.node, source)
    rest = block_of(statement, source) if statement is not None else []
    for later in rest[rest.index(statement) + 1 :] if statement in rest else ():
        if "clip_grad" not in ast.unparse(later):
            break
        statement = later
    return inserted_after(statement, source, f"{spelling(clearing.call)}.step()")


def _idle(program: Program, loop: Loop) -> Iterator[Evidence]:
    """The model is cleared and differentiated on every turn; the optimizer made for it is never used."""
    here = [event for event in program.training.events if event.inside(loop)]
    if any(event.kind == "step" for event in here):
        return
    backwards = [event for event in here if event.kind == "backward"]
    for clearing in here:
        if clearing.kind != "zero_grad" or clearing.call.op != ".zero_grad" or _is_an_optimizer(clearing):
            continue
        backward = _serves(program, clearing, backwards)
        made = _unused_optimizer(program, clearing)
        calls = list(inside(program, loop)) if made is not None else []
        if backward is None or made is None or _steps_in_disguise(calls) or _collects(calls):
            continue
        if not opaque(calls, clearing.about, *(event.about for event in backwards)):
            yield clue(
                "proven",
                backward.call,
                "Gradients are computed here in every iteration and the optimizer made on "
                f"{line_of(made, backward.call)} is never stepped.",
                fix="Call `optimizer.step()` after `backward()`.",
            )


def _unused_optimizer(program: Program, clearing: Event) -> Call | None:
    """An optimizer of the cleared model that nobody steps and that only a scheduler gets to see."""
    for made in program.trace:
        if not is_optimizer_call(made) or frame(made) is not frame(clearing.call):
            continue
        if not any(alike(owner, clearing.about) for owner in owners(made)):
            continue
        seen_by = [
            call
            for call in program.trace[made.order + 1 :]
            if any(
                made is option for part in (*call.args, *call.keywords.values()) for option in possible(part)
            )
            or (call.op == ".step" and same(call.receiver, made))
        ]
        if all(call.op.startswith("torch.optim.lr_scheduler.") for call in seen_by):
            return made
    return None


def _is_an_optimizer(clearing: Event) -> bool:
    return is_optimizer(clearing.about) or "optim" in spelling(clearing.call)


def _serves(program: Program, clearing: Event, backwards: list[Event]) -> Event | None:
    """The backward pass that belongs to a clearing: the next one, or the last before it at the loop's end."""
    ours = [event for event in backwards if not exclusive(event.call, clearing.call)]
    after = [event for event in ours if event.call.order > clearing.call.order]
    found = after[0] if after else ours[-1] if ours else None
    return found if found is not None and implied(clearing.call, found.call) else None


def _may_step(step: Event, clearing: Event) -> bool:
    """Anything but the step of another optimizer that is known to be another."""
    if constructor(step.about) is None or constructor(clearing.about) is None:
        different_names = step.call.op == ".step" and spelling(step.call) != spelling(clearing.call)
        return not different_names or not (is_optimizer(step.about) or is_optimizer(clearing.about))
    return alike(step.about, clearing.about)


def _collects(calls: list[Call]) -> bool:
    """Whether gradients are used for something else than the size that one logs."""
    reads = {id(call) for call in calls if call.op == "@grad"}
    for call in calls:
        parts = (*call.args, *((call.receiver,) if call.receiver is not None else ()))
        if any(id(part) in reads for part in parts):
            if call.op in (".detach", "@data"):
                reads.add(id(call))
            elif call.op not in _MEASURES:
                return True
    return touches_gradients(call for call in calls if call.op != "@grad")


def _steps_elsewhere(program: Program, clearing: Event) -> bool:
    """The very same optimizer is stepped in other code: this loop warms up, measures or collects."""
    return any(same(step.about, clearing.about) for step in program.training.of("step"))


def _steps_in_disguise(calls: list[Call]) -> bool:
    """`optimizer.first_step(...)`, `engine.step()`, or a `step` that is only named (judged above)."""
    return any(call.op.endswith("step") and call.op != ".step" for call in calls) or any(
        call.op == ".step" and "sched" not in spelling(call).lower() and not is_optimizer(call.receiver)
        for call in calls
    )


def _optax(program: Program) -> Iterator[Evidence]:
    """`updates, state = tx.update(grads, state, params)` without `apply_updates`."""
    for update in program.calls(".update"):
        if update.source is program.source and len(update.args) >= 2 and _is_transformation(update.receiver):
            if not _is_used(program, update):
                yield clue(
                    "proven",
                    update,
                    f"`{spelling(update)}.update` only computes the updates; nothing adds them to the "
                    "parameters.",
                    fix="Write `params = optax.apply_updates(params, updates)`.",
                )
    applied = [call for call in program.calls("optax.apply_updates") if call.source is program.source]
    alone = bare_statements(program.source) if applied else set()
    for call in applied:
        if call.node in alone:
            yield clue(
                "proven",
                call,
                "`apply_updates` returns the new parameters and changes nothing in place: here they are "
                "discarded.",
                fix="Keep the result: `params = optax.apply_updates(params, updates)`.",
            )


def _is_transformation(value: Value | None) -> bool:
    options = [option for option in possible(value) if isinstance(option, Call)]
    return bool(options) and all(option.op.startswith("optax.") for option in options)


def _is_used(program: Program, update: Call) -> bool:
    """Whether the updates (the first of the pair) reach any other computation or are handed back."""
    first = [
        call
        for call in program.calls("[]")
        if call.args and root(call.args[0]) is update and len(call.args) == 2 and literal(call.args[1]) == 0
    ]
    targets = first or [update]
    for call in program.trace[update.order + 1 :]:
        is_a_half = call.op == "[]" and call.args and root(call.args[0]) is update
        if is_a_half or call.op in _ONLY_LOOKS:
            continue
        parts = (*call.args, *call.keywords.values(), *((call.receiver,) if call.receiver else ()))
        if any(part is target for part in parts for target in targets):
            return True
    return any(
        value is target
        for site in program.calls("def")
        if site.result is not None
        for value in ancestry(site.result, 60)
        for target in targets
    )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.step_after_backward(world)


MANY = 3  # backward calls: an iteration or two more than chance


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Optimizer

    made = [optimizer for optimizer in record.of(Optimizer) if optimizer.parameters]
    if not made:
        raise NotRecorded("the record holds no optimizer")
    stepped = {step.optimizer for step in record.steps if step.optimizer}
    if stepped:
        idle = [optimizer for optimizer in made if optimizer.id not in stepped]
        if idle and ended(record) and len({(o.path, o.line) for o in made}) == len(made):
            yield Evidence(
                f"This {idle[0].type} is created and never stepped, while other optimizers are.",
                telling="open",
                where=at(idle[0]),
                fix="Call its `step()`, or remove it.",
            )
        return
    backwards = record.end.backwards if record.end else 0
    if backwards >= MANY:
        yield Evidence(
            f"{backwards} backward passes and no optimizer step: gradients accumulate, and no weight "
            "changes.",
            telling="proven",
            where=at(made[0]),
            numbers={"backwards": backwards},
            fix="Call `optimizer.step()` after `loss.backward()` (with parentheses).",
        )
