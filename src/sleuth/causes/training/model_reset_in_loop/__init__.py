"""Model, optimizer or scheduler is created inside the loop and forgets what it learned.

## What happens
A line that belongs above the loop stands in it. The damage depends on what is recreated.

*The model*: each epoch starts from scratch. The loss curve is a sawtooth: down within the epoch,
back to chance at the next. Per-epoch averages hide it, all teeth look alike.

*The optimizer*: weights survive, momentum and second moments do not. Recreate Adam every epoch and
its first step is a full stride of lr in every coordinate, whatever the gradient's size; recreate
it every batch and you run sign descent. That can even look better on a toy problem; with noisy
gradients the loss no longer settles.

*The scheduler*: torch keeps `initial_lr` in the optimizer, so the effect differs by class. A
recreated `OneCycleLR` stays at its start value (max/25) for ever, a `LambdaLR` at its base rate, a
`CosineAnnealingLR` hardly falls (0.088 instead of 0.05 after five of ten epochs, from 0.1), while
a `StepLR` of step 1 happens to be right.

```python
for epoch in range(epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)   # state lost
    for x, y in loader:
        train_step(model, optimizer, x, y)
```

## How to tell
- **lint**: a constructor of the model, a `torch.optim` class or a scheduler inside the epoch or
  batch loop (or in a function called there), while the training it serves spans the whole loop.
- **watch**: the parameter objects or the optimizer's identity change between iterations; the loss
  returns to its first value at epoch borders; Adam's step counter falls back to 1.
- **refuted by**: one model, one optimizer and one scheduler object seen from first to last step.

## How to fix
```python
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
for epoch in range(epochs):
    ...
```
Creating them in an *outer* loop is correct for cross-validation folds, seeds, sweep settings and
restarts, as long as all of them are new together. An optimizer rebuilt on purpose, once, when a
stage begins (unfreezing, a new task) is fine too. In scikit-learn, `fit` always starts over unless
`warm_start=True` or `partial_fit` is used.

## Often mistaken for
- `stale-optimizer-params`: replaced once, and the loss goes flat; here it keeps jumping back.
- `scheduler-cadence`: one scheduler, stepped at the wrong rhythm.
- `undertrained`: the loss falls, but no further than one epoch can take it.

## Sources
- kingma-2015: Algorithm 1; with fresh moments the first bias-corrected ratio is the sign of the
  gradient.
- pytorch-optim: "How to use an optimizer"; the object holds state that lives across steps.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.questions import at, epoch_steps, holdings
from sleuth.source.edits import Edits, around, moved_before, statement_of
from sleuth.source.flow import ancestry, moves_with, number, possible, root
from sleuth.source.interpreter.values import Call, Carried, Instance, Loop, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue
from sleuth.source.topics.cadence import (
    alike,
    holds,
    implied,
    inside,
    is_optimizer_call,
    opaque,
    runs_over,
    scheduler_call,
    serves_batches,
)
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.record.entries import Record

LOOKS_LIKE = {"oscillates": "even"}
PREDICTS = {"same-batch": "usually"}


# What gives a model fresh weights: then a fresh optimizer is right.
_STARTS_OVER = frozenset({".load_state_dict", ".reset_parameters", ".apply", ".reset", ".copy_", ".load"})
_EPOCH = Pattern(r"epoch|^ep$", re.IGNORECASE)


def lint(program: Program) -> Iterator[Evidence]:
    steps = [event for event in program.training.of("step") if event.call.op == ".step"]
    for made in [call for call in program.trace if call.context.loops and is_optimizer_call(call)]:
        loop = made.context.loops[-1]
        ours = [
            step for step in steps if step.inside(loop) and any(made is one for one in possible(step.about))
        ]
        if ours and implied(made, ours[0].call) and not _varies(made, loop):
            yield from _optimizer(program, loop, made, ours[0])
    yield from _schedulers(program)
    yield from _incremental(program)
    if program.source.holds("grad(") or program.source.holds("grads") or program.source.holds("optax"):
        yield from _lost(program)


def _lost(program: Program) -> Iterator[Evidence]:
    """Weights that a function moves for itself: its caller starts each turn with those of the beginning."""
    from sleuth.causes.training.model_reset_in_loop.lost_updates import lost_updates

    for found in lost_updates(program.source):
        yield clue(
            "proven",
            Value(found.update, program.source),
            f"`{found.name}` is reassigned here and never returned: the call on line {found.call.lineno} "
            "starts with the same weights in every iteration.",
            fix=f"Return `{found.name}`, and assign the result of the call.",
        )


def _optimizer(program: Program, loop: Loop, made: Call, step: Event) -> Iterator[Evidence]:
    loops = step.call.context.loops
    within = loops[next(place for place, here in enumerate(loops) if here is loop) + 1 :]
    receivers = [
        value.receiver
        for value in ancestry(made.argument(0, "params"), 200)
        if isinstance(value, Call) and value.op in (".parameters", ".named_parameters")
    ]
    models = [option for receiver in receivers for option in possible(receiver)]
    if len(models) != len(receivers) or not models or len(within) > 1:
        return  # an optimizer for each of several models, or for each stage, fold or task with its own epochs
    if within and (not serves_batches(within[0]) or moves_with(within[0].over, loop)):
        return
    calls = list(inside(program, loop))
    if all(_was_there(model, loop) for model in models):
        if _has_no_memory(made) or _starts_over(calls, models) or opaque(calls, *models):
            return
        yield clue(
            "proven",
            _place(made, loop, step),
            "The optimizer is created again in every iteration of the loop: its momentum and step counts "
            "are lost each time.",
            fix="Create the optimizer once, before the loop.",
            edits=_made_once(made, models),
        )
    elif all(_is_made_in(model, loop) for model in models):
        if (within or _counts_epochs(loop)) and _repeats_epochs(program, loop, models, calls):
            yield clue(
                "proven" if _counts_epochs(loop) else "likely",
                _place(made, loop, step),
                "Model and optimizer are created again in every iteration of the loop: each pass over "
                "the data starts from scratch.",
                fix="Create model and optimizer once, before the loop.",
            )


def _made_once(made: Call, models: list[Value]) -> Edits:
    """The line moved before the outermost loop that its models outlive. Not safe: restarts may be meant."""
    source = made.context.source
    statement = statement_of(made.node, source)
    outer = list(around(statement, source))
    lasting = [loop for loop in made.context.loops if all(_was_there(model, loop) for model in models)]
    loops = [loop.node for loop in lasting if any(loop.node is node for node in outer)]
    return moved_before(statement, loops[0], source) if loops else ()


def _varies(made: Call, loop: Loop) -> bool:
    """Whether the settings change from turn to turn: a sweep, or a rate lowered by hand."""
    settings = (*made.args[1:], *(value for key, value in made.keywords.items() if key != "params"))
    return any(moves_with(value, loop) for value in settings)


def _is_made_in(value: Value, loop: Loop) -> bool:
    context = (
        value.made_in if isinstance(value, Instance) else value.context if isinstance(value, Call) else None
    )
    return context is not None and any(here is loop for here in context.loops)


def _was_there(value: Value, loop: Loop) -> bool:
    return not _is_made_in(value, loop) and not moves_with(value, loop)


def _has_no_memory(made: Call) -> bool:
    """Plain gradient descent keeps nothing from step to step."""
    return (
        made.op == "torch.optim.SGD"
        and number(made.argument(2, "momentum") or None) in (None, 0.0)
        and (made.argument(2, "momentum") is None or number(made.argument(2, "momentum")) == 0.0)
    )


def _starts_over(calls: list[Call], models: list[Value]) -> bool:
    return any(
        call.op.startswith("torch.nn.init.")
        or (call.op in _STARTS_OVER and call.receiver is not None and _touches(call.receiver, models))
        for call in calls
    )


def _touches(value: Value, models: list[Value]) -> bool:
    owners = [part for part in ancestry(value, 20) if isinstance(part, Instance | Call | Unknown)]
    return any(alike(owner, model) or holds(model, owner) for owner in owners for model in models)


def _repeats_epochs(program: Program, loop: Loop, models: list[Value], calls: list[Call]) -> bool:
    """Whether the turns are passes over one data set for one result, not folds, seeds, trials, ensembles."""
    over = runs_over(loop)
    if not (isinstance(over, Call) and over.op in ("builtins.range", "tqdm.trange")) or not _was_there(
        over, loop
    ):
        return False
    # The loop's variable goes into a seed, a split, a file name or a list of results: runs of their own.
    told_apart = any(
        moves_with(part, loop)
        for call in calls
        if "seed" in call.op or call.op in ("[]", "[]=", ".append", "new", ".split", ".save", "torch.save")
        for part in (*call.args, *call.keywords.values())
        if not isinstance(part, Carried)
    )
    kept = any(
        call.op in (".append", "[]=", ".put", ".extend") and any(_touches(part, models) for part in call.args)
        for call in calls
    )
    if told_apart or kept:
        return False
    return _counts_epochs(loop) or _used_after(program, loop, models, calls)


def _counts_epochs(loop: Loop) -> bool:
    target = loop.node.target if isinstance(loop.node, ast.For) else None
    return isinstance(target, ast.Name) and bool(_EPOCH.search(target.id))


def _used_after(program: Program, loop: Loop, models: list[Value], calls: list[Call]) -> bool:
    last = calls[-1].order if calls else 0
    return any(
        call.op in ("()", ".eval", ".state_dict") and any(alike(call.receiver, model) for model in models)
        for call in program.trace[last + 1 :]
    )


def _place(made: Call, loop: Loop, step: Event) -> Call:
    """The line in the loop that makes it: a call of a set-up function, or the constructor itself."""
    shared = step.call.context.sites
    for site in made.context.sites:
        if any(here is loop for here in site.context.loops) and not any(site is other for other in shared):
            return site
    return made


def _schedulers(program: Program) -> Iterator[Evidence]:
    """A scheduler made and stepped on the same turn never gets beyond its first call."""
    for event in program.training.of("scheduler"):
        made = scheduler_call(event.about)
        loops = event.call.context.loops
        if made is None or not made.context.loops or made.context.loops[-1] is not loops[-1]:
            continue
        optimizer = root(made.argument(0, "optimizer"))
        if made.order > event.call.order or not implied(made, event.call) or optimizer is None:
            continue
        if _was_there(optimizer, loops[-1]) and not _varies(made, loops[-1]):
            yield clue(
                "proven",
                made,
                f"The scheduler is created again in every iteration and stepped once (line {event.line}): "
                "it always restarts and never follows its schedule.",
                fix="Create the scheduler once, before the loop.",
                edits=_made_once(made, [optimizer]),
            )


def _incremental(program: Program) -> Iterator[Evidence]:
    """scikit-learn: `partial_fit` on an estimator that is new on every turn."""
    for fit in program.calls(".partial_fit"):
        made = root(fit.receiver)
        if not (isinstance(made, Call) and made.op.startswith("sklearn.") and made.context.loops):
            continue
        loops = fit.context.loops
        if (
            loops
            and made.context.loops[-1] is loops[-1]
            and implied(made, fit)
            and not _varies(made, loops[-1])
        ):
            yield clue(
                "proven",
                made,
                "The estimator is created again in every iteration, so `partial_fit` only ever learns "
                "from one part.",
                fix="Create the estimator once, before the loop.",
            )


OFTEN = 3  # times made on one line
MANY, BRIEF = 12, 50  # lives, and steps in each, of a run that gets nowhere: no folds, no ensemble
NOWHERE = 0.9  # of the first losses is left at the end
PASSES = 1.5  # over the data: a model that lives no longer is thrown away before it learned


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Model, Optimizer

    models = _remade([model for model in record.of(Model) if model.parameters])
    optimizers = _remade(record.of(Optimizer))
    for made, what in ((models, "model"), (optimizers, "optimizer")):
        if len(made) < OFTEN or (what == "optimizer" and models):
            continue
        gaps = [after.n - before.n for before, after in pairwise(made) if after.n > before.n]
        if len(gaps) < OFTEN - 1:
            continue
        epoch, life = epoch_steps(record), curves.median(gaps)
        same = what == "model" or _on_one_model(record, made)
        short = life <= 3 or (epoch is not None and life <= PASSES * epoch)
        short = short or (len(made) >= MANY and life <= BRIEF and _gets_nowhere(record))
        if not same or (not short and epoch is not None):
            continue  # folds and repeats live through several passes
        yield Evidence(
            f"The {what} is created again {len(made)} times on this line, every {life:.0f} steps"
            + (f" (one pass over the data is {epoch})" if epoch else "")
            + (
                ": what was learned is thrown away each time."
                if what == "model"
                else ": its momentum and step count restart from zero each time."
            ),
            telling="proven" if short else "open",
            where=at(made[0]),
            numbers={"times": len(made), "steps": life},
            fix=f"Create the {what} once, before the loop.",
        )


def _gets_nowhere(record: "Record") -> bool:
    """The loss ends where it began, over all lives."""
    losses = [loss for loss in record.losses if loss is not None]
    tenth = max(1, len(losses) // 10)
    return bool(losses) and curves.median(losses[-tenth:]) > NOWHERE * curves.median(losses[:tenth])


def _remade(made: Sequence[Any]) -> list[Any]:
    """Those of the line on which most were made, if more than one."""
    lines: dict[tuple[str, int], list[Any]] = {}
    for item in made:
        if item.line:
            lines.setdefault((item.path, item.line), []).append(item)
    most = max(lines.values(), key=len, default=[])
    return most if len(most) > 1 and len({item.n for item in most}) > 1 else []


def _on_one_model(record: "Record", made: list[Any]) -> bool:
    held = [frozenset(seen.of_models) for optimizer in made for seen in holdings(record, optimizer.id)[:1]]
    return len(held) >= OFTEN - 1 and len(set(held)) == 1
