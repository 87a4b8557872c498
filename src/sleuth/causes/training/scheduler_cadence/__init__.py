"""The scheduler is stepped per batch when its numbers mean epochs, or the other way round.

## What happens
A scheduler counts calls; it knows nothing of epochs. Give it numbers in epochs and call it per
batch, and the plan for a hundred epochs is over within the first. `StepLR(10, gamma=0.1)` with 100
batches per epoch has multiplied the rate by 1e-10 when epoch one ends. `ExponentialLR(0.95)`
stands at 0.6%. `CosineAnnealingLR(T_max=10)` does not stop at the bottom: it climbs back and
alternates between full rate and zero every ten batches.

The reverse is quieter. A warm-up of 500 steps called once per epoch is still at 4% of the rate
after twenty epochs. `OneCycleLR` planned for 1000 steps but stepped ten times stays close to
max/25, and the run "just learns slowly". The opposite error with `OneCycleLR` raises when the
total is exceeded, which is the friendliest outcome on this page.

```python
scheduler = StepLR(optimizer, step_size=10, gamma=0.1)   # ten epochs were meant
for x, y in loader:
    train_step(x, y)
    scheduler.step()                                     # once per batch
```

## How to tell
- **lint**: the depth of `scheduler.step()` against the class and its arguments: `OneCycleLR`,
  `CyclicLR` and warm-up counted in steps belong in the batch loop; `ReduceLROnPlateau` and
  anything whose numbers equal `epochs` belong outside it. `T_max=epochs * len(loader)` per batch
  is right. In Lightning, what `configure_optimizers` returns is stepped once per epoch by default:
  a plan made from `estimated_stepping_batches` or `len(loader)` needs `"interval": "step"`, and one made
  from `max_epochs` must not have it. A plan in steps that a callback or another file calls is settled by
  the run: how often it was called for so many steps.
- **watch**: scheduler steps per optimizer step and the learning rate over time: several decays
  within one epoch, a rate that oscillates, or one that has not left its warm-up when the run ends:
  raised a little once an epoch, and still below half of the rate that was set.
- **experiment**: corrected from outside, the rate stays at its first value; the loss falls on past
  the point where it had stopped.
- **refuted by**: a plot of the rate over the whole planned run that has the shape you drew.

## How to fix
Choose one unit, and let the arguments and the place of the call agree on it.

```python
total = epochs * len(loader)
scheduler = OneCycleLR(optimizer, max_lr=1e-3, total_steps=total)
for x, y in loader:
    train_step(x, y)
    scheduler.step()
```
With gradient accumulation, `total` counts optimizer steps, not batches. Wrappers such as
Accelerate may step the scheduler once per process; read their rule before you divide.

## Often mistaken for
- `lr-collapsed`: the symptom; if the cadence explains the collapse, the cadence is the cause.
- `lr-too-low`: with a stuck warm-up, lr x10 helps too, but the configured rate is fine.
- `model-reset-in-loop`: a recreated scheduler also stays at its start; look for the constructor.

## Sources
- pytorch-onecycle: description; the rate changes after each batch, so step belongs there.
- pytorch-optim: "How to adjust learning rate"; the examples step once per epoch.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, TypeGuard

from sleuth.finding import Evidence, Telling, Where
from sleuth.record.event_order import calls_of
from sleuth.record.questions import at, courses, ended, epoch_steps
from sleuth.source.edits import Edits, around, moved_after, statement_of
from sleuth.source.flow import ancestry, possible, root, spelling
from sleuth.source.interpreter.values import Call, Collection, Constant, Function, Instance, Loop, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.cadence import (
    alike,
    implied,
    runs_over,
    scheduler_call,
    serves_batches,
    setting,
    turns_of_range,
)
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.causes.training.scheduler_cadence.lightning import Handed
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record, Scheduler

WORTH_ASKING = True
LOOKS_LIKE = {"oscillates": "usually"}
INVITED_BY = {"lr_scheduler|Scheduler": 4.0}
PREDICTS = {"same-batch": "even", "lr×10": "usually"}

FEW_BATCHES = 50  # an epoch rarely has fewer: 3,200 examples in batches of 64
FEW_EPOCHS = 5  # assumed where the number of epochs is not to be seen
GONE = 1e-3  # a rate that falls to a thousandth trains nothing any more
PATIENT = 100  # plateau patience from which batches, not epochs, may be meant

# Plans with an end: where the number of calls they are made for stands.
_LENGTH = {
    "CosineAnnealingLR": (1, "T_max"),
    "CosineAnnealingWarmRestarts": (1, "T_0"),
    "PolynomialLR": (1, "total_iters"),
    "LinearLR": (3, "total_iters"),
    "StepLR": (1, "step_size"),
    "MultiStepLR": (1, "milestones"),
    "OneCycleLR": (2, "total_steps"),
}
_FOREIGN = Pattern(r"^transformers\.(?:optimization\.)?(get_\w*schedule\w*)$")
_BATCHES = Pattern(r"step|iter|batch|len\(", re.IGNORECASE)

_SCHEDULES = tuple(f"torch.optim.lr_scheduler.{name}" for name in (*_LENGTH, "LambdaLR"))

NEEDS = "sched Sched lr_ LR"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _left_to_lightning(program)
    if program.training.framework:
        return
    yield from _left_open(program)
    for schedule in program.training.of("scheduler"):
        made = scheduler_call(schedule.about) or _foreign(schedule.about)
        step = _step_served(program, schedule, made) if made is not None else None
        if made is None or step is None:
            continue
        ours, theirs = schedule.call.context.loops, step.call.context.loops
        life = [loop for loop in ours if not any(loop is other for other in made.context.loops)]
        if ours and theirs and ours[-1] is theirs[-1]:
            if life and _passes_over_data(life) and implied(schedule.call, step.call):
                yield from _per_batch(program, schedule, made, life)
        elif (
            life
            and any(loop is ours[-1] for loop in theirs)
            and not _also_within(program, schedule, theirs[-1])
        ):
            yield from _per_epoch(program, schedule, made, theirs[-1])


PLANNED_LINE = (
    "planned_line"  # among a finding's marks: where a plan in steps is made, and nobody sees it called
)


def _left_open(program: Program) -> Iterator[Evidence]:
    """A plan in steps whose calls the source does not show beside the optimizer's: only a run tells."""
    from sleuth.causes.training.scheduler_cadence.lightning import unit_of

    if program.holds("configure_optimizers"):
        return  # Lightning calls it
    seen = [
        made
        for schedule in program.training.of("scheduler")
        if (made := scheduler_call(schedule.about)) is not None and _step_served(program, schedule, made)
    ]
    for made in program.calls(*_SCHEDULES):
        unit = None if any(made is other for other in seen) else unit_of(program, made)
        if unit is not None and unit.certain:
            found = clue(
                "open",
                made,
                f"{_class_of(made)} counts in optimizer steps ({unit.reason}): call it after each of "
                "them, not once per epoch.",
            )
            yield replace(found, marks={PLANNED_LINE: spot(made).line or 0})


def _left_to_lightning(program: Program) -> Iterator[Evidence]:
    """A schedule in optimizer steps, handed to Lightning without the word that it is one."""
    if not program.holds("configure_optimizers"):
        return
    from sleuth.causes.training.scheduler_cadence.lightning import by_epoch, handed_over, maker, unit_of

    flagged: set[int] = set()
    for handed in handed_over(program):
        yield from _told_per_batch(program, handed)
        unit = unit_of(program, handed.scheduler)
        made = maker(program, handed.scheduler)
        if unit is None or made is None or id(handed.at.node) in flagged or not by_epoch(program, handed):
            continue
        flagged.add(id(handed.at.node))
        yield clue(
            "proven" if unit.certain else "likely",
            handed.at,
            f"{_class_of(made)} counts in optimizer steps ({unit.reason}), and Lightning steps a "
            "scheduler once per epoch by default: the learning rate hardly changes.",
            fix='Return `{"scheduler": scheduler, "interval": "step"}`, or give its numbers in epochs.',
            edits=_per_step(handed),
        )


def _told_per_batch(program: Program, handed: "Handed") -> Iterator[Evidence]:
    """A schedule in epochs that Lightning is told to step after every batch."""
    from sleuth.causes.training.scheduler_cadence.lightning import by_step, maker, planned_in_epochs

    made = maker(program, handed.scheduler)
    if made is None or not by_step(program, handed):
        return
    epochs = planned_in_epochs(program, handed.scheduler)
    if epochs:
        yield clue(
            "proven",
            handed.at,
            f"{_class_of(made)} counts in epochs (`{epochs}`), but is configured here to be stepped after "
            "every batch: the schedule ends within the first epochs.",
            fix='Use `"interval": "epoch"`, or set its length with `trainer.estimated_stepping_batches`.',
        )


def _class_of(made: Call) -> str:
    if made.op == "new" and isinstance(made.receiver, Instance):
        return made.receiver.cls.name
    return made.op.rpartition(".")[2]


def _per_step(handed: "Handed") -> Edits:
    """The word put into the dictionary with the scheduler. Not safe: its numbers may be what is wrong."""
    node = handed.at.node
    if not isinstance(node, ast.Dict):
        return ()
    entries = {key.value: value for key, value in zip(node.keys, node.values, strict=True) if _is_word(key)}
    if handed.settings is None:
        value = entries.get("lr_scheduler")
        text = f'{{"scheduler": {ast.unparse(value)}, "interval": "step"}}' if value is not None else ""
    elif (value := entries.get("interval")) is not None:
        text = '"step"'
    else:
        value = entries.get("scheduler")
        text = f'{ast.unparse(value)}, "interval": "step"' if value is not None else ""
    return rewrite(value, handed.at.source, text, safe=False)


def _is_word(node: ast.expr | None) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _foreign(scheduler: Value | None) -> Call | None:
    made = root(scheduler)
    return made if isinstance(made, Call) and _FOREIGN.match(made.op) else None


def _step_served(program: Program, schedule: Event, made: Call) -> Event | None:
    """The optimizer's step in the innermost loop."""
    optimizer = made.argument(0, "optimizer")
    steps = [event for event in program.training.of("step") if event.call.op == ".step"]
    ours = [event for event in steps if alike(event.about, optimizer)]
    beside = [event for event in ours if any(schedule.inside(loop) for loop in event.call.context.loops)]
    return max(beside, key=lambda event: len(event.call.context.loops), default=None)


def _also_within(program: Program, schedule: Event, loop: Loop) -> bool:
    others = program.training.of("scheduler")
    return any(event.inside(loop) and alike(event.about, schedule.about) for event in others)


def _passes_over_data(life: list[Loop]) -> bool:
    """Whether a turn of the innermost loop is a batch: of a loader, or one of the steps inside an epoch."""
    if serves_batches(life[-1]):
        return True
    if len(life) < 2 or not isinstance(life[-1].node, ast.For):
        return False
    return turns_of_range(life[-1]) is None or bool(_BATCHES.search(ast.unparse(life[-1].node.iter)))


def _per_batch(program: Program, schedule: Event, made: Call, life: list[Loop]) -> Iterator[Evidence]:
    if schedule.call.args and made.op.endswith("CosineAnnealingWarmRestarts"):
        return  # step(epoch + i / batches) tells the place within the epoch
    name = made.op.rpartition(".")[2]
    bounds = [bound for loop in life[:-1] if (bound := turns_of_range(loop)) is not None]
    known = [number for bound in bounds if (number := setting(program, bound)) is not None]
    epochs = max(known) if known else None
    if name == "ReduceLROnPlateau":
        patience = setting(program, made.argument(3, "patience")) if made.argument(3, "patience") else 10.0
        if len(life) > 1 and patience is not None and patience < PATIENT:
            yield _too_often(
                schedule, made, "likely", f"its patience of {patience:g} calls ends within one epoch"
            )
        return
    left = _left_after(program, made, (epochs or FEW_EPOCHS) * FEW_BATCHES)
    if left is not None and left < GONE:
        after = (epochs or FEW_EPOCHS) * FEW_BATCHES
        yield _too_often(
            schedule, made, "proven", f"after {after:g} batches the learning rate is {left:.0e} of its start"
        )
    elif name in _LENGTH and (reason := _counts_epochs(program, made, bounds, epochs)) is not None:
        yield _too_often(schedule, made, "proven", reason)


def _too_often(schedule: Event, made: Call, telling: Telling, reason: str) -> Evidence:
    return clue(
        telling,
        schedule.call,
        f"`{spelling(schedule.call)}` ({made.op.rpartition('.')[2]}) is stepped once per batch, but "
        f"counts in epochs: {reason}.",
        fix="Step it once per epoch, or give its numbers in batches.",
        edits=_once_per_epoch(schedule),
    )


def _once_per_epoch(schedule: Event) -> Edits:
    """The step moved behind the loop over batches. Not safe: its numbers may be what is wrong."""
    source, loops = schedule.call.context.source, schedule.call.context.loops
    statement = statement_of(schedule.call.node, source)
    inner = [node for node in around(statement, source) if node is loops[-1].node] if loops else []
    loop = inner[0] if inner and isinstance(inner[0], ast.stmt) else None
    return moved_after(statement, loop, source) if statement is not None else ()


def _once_per_batch(schedule: Event, batches: Loop) -> Edits:
    """The step moved to the end of the loop over batches."""
    source = schedule.call.context.source
    inside = any(node is batches.node for node in source.nodes)
    statement = statement_of(schedule.call.node, source) if inside else None
    return moved_after(statement, batches.node.body[-1], source)


def _left_after(program: Program, made: Call, calls: float) -> float | None:
    """What is left of the rate after so many calls, for schedules that only ever shrink it."""
    name = made.op.rpartition(".")[2]
    if name == "ExponentialLR":
        gamma = setting(program, made.argument(1, "gamma"))
        return None if gamma is None or not 0 < gamma < 1 else gamma**calls
    if name == "StepLR":
        size = setting(program, made.argument(1, "step_size"))
        gamma = setting(program, made.argument(2, "gamma")) if made.argument(2, "gamma") else 0.1
        return None if not size or gamma is None or not 0 < gamma < 1 else gamma ** (calls // size)
    if name == "LambdaLR":
        base = _power_base(made.argument(1, "lr_lambda"))
        return None if base is None or not 0 < base < 1 else base**calls
    return None


def _power_base(function: Value | None) -> float | None:
    """0.95 of `lambda epoch: 0.95 ** epoch`."""
    settled = root(function)
    body = getattr(settled.definition, "body", None) if isinstance(settled, Function) else None
    if isinstance(body, ast.BinOp) and isinstance(body.op, ast.Pow) and isinstance(body.left, ast.Constant):
        if isinstance(body.right, ast.Name) and isinstance(body.left.value, int | float):
            return float(body.left.value)
    return None


def _counts_epochs(program: Program, made: Call, bounds: list[Value], epochs: float | None) -> str | None:
    """Why the plan's length is in epochs: it is made from their number, or ends before they do."""
    name = made.op.rpartition(".")[2]
    place, word = _LENGTH[name]
    length = made.argument(place, word)
    if length is None or _mentions_batches(length):
        return None
    made_from = list(ancestry(length, 60))
    if any(alike(value, bound) for bound in bounds for value in made_from if not isinstance(value, Constant)):
        return f"`{word}` is computed from the number of epochs"
    if any(value is root(bound) for bound in bounds for value in made_from):
        return f"`{word}` is the number of epochs"
    numbers = [number for part in _parts(length) if (number := setting(program, part)) is not None]
    longest = max(numbers, default=0.0)
    if epochs is not None and 0 < longest <= epochs and name not in ("LinearLR", "StepLR"):
        return f"`{word}` ends at {longest:g}, and there are {epochs:g} epochs"
    return None


def _parts(length: Value) -> list[Value]:
    settled = root(length)
    return list(settled.items) if isinstance(settled, Collection) else [length]


def _mentions_batches(length: Value) -> bool:
    """Made with `len(loader)`, or the product of two numbers of which one may be the batches."""
    for value in ancestry(length, 60):
        if isinstance(value, Call) and value.op == "builtins.len":
            return True
        if isinstance(value, Call) and value.op in ("*", "*="):
            if not any(isinstance(root(part), Constant) for part in value.args):
                return True
    return False


def _per_epoch(program: Program, schedule: Event, made: Call, batches: Loop) -> Iterator[Evidence]:
    """Stepped outside the batch loop, planned for every batch in it."""
    if not (serves_batches(batches) or _counted_somewhere(made, batches)):
        return
    name = made.op.rpartition(".")[2]
    if name == "OneCycleLR" and (per_epoch := made.argument(4, "steps_per_epoch")) is not None:
        if setting(program, per_epoch) == 1:
            return
        reason = "`steps_per_epoch` expects one call per batch"
    elif (
        name == "CyclicLR" and (setting(program, made.argument(3, "step_size_up")) or 2000) >= FEW_BATCHES * 2
    ):
        reason = "half a cycle takes thousands of calls"
    elif (name in _LENGTH or _FOREIGN.match(made.op)) and _counted_somewhere(made, batches):
        reason = "its length is computed from the number of batches"
    else:
        return
    yield clue(
        "likely" if name == "CyclicLR" else "proven",
        schedule.call,
        f"`{spelling(schedule.call)}` ({name}) is stepped once per epoch, but counts in batches: "
        f"{reason}, so the learning rate hardly changes.",
        fix="Step it after every optimizer step, or give its numbers in epochs.",
        edits=_once_per_batch(schedule, batches),
    )


def _counted_somewhere(made: Call, batches: Loop) -> bool:
    """Whether the schedule's length holds `len(loader)` of the loader that the batch loop runs over."""
    over = runs_over(batches)
    given = (*made.args[1:], *(value for key, value in made.keywords.items() if key != "optimizer"))
    return any(
        isinstance(value, Call)
        and value.op == "builtins.len"
        and value.args
        and any(alike(option, over) for option in possible(value.args[0]))
        for part in given
        for value in ancestry(part, 60)
    )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.rate_held(world)


_HORIZON = ("T_max", "step_size", "total_iters")
_PER_STEP = ("OneCycleLR", "CyclicLR", "CosineAnnealingWarmRestarts")
OFTEN = 0.9  # calls a step: once per batch
SHORT = 0.9  # of an epoch
STARTED = 0.2  # of its plan: where a schedule over steps stands when it is called by epochs


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Scheduler

    if not record.of(Scheduler):
        return
    trained = {step.optimizer for course in courses(record) for step in course.steps}
    epoch = epoch_steps(record)
    yield from _crawling(record)
    for plan in record.of(Scheduler):
        calls, taken, where = calls_of(record, plan)
        if plan.optimizer not in trained or taken < 10 or not calls:
            continue
        often = calls / taken
        if often > OFTEN and plan.type not in _PER_STEP:
            reason = _over_within_an_epoch(record, plan, epoch, taken)
            if reason:
                yield _finding(plan, where, f"is stepped once per batch, and {reason}", often)
        total = plan.settings.get("total_steps")
        if often < 0.5 and plan.type == "OneCycleLR" and isinstance(total, (int, float)) and ended(record):
            if calls < STARTED * total:
                reason = f"is set up for {total:g} calls and got {calls}: the learning rate hardly changed"
                yield _finding(plan, where, reason, often)


CRAWLS = 0.5  # of the rate that was set: less than that, and still on the way up
RISES = 2  # calls that each raised it
FAR = 25  # further calls at that pace: warm-ups in epochs are over long before


def _crawling(record: "Record") -> Iterator[Evidence]:
    """A warm-up that is called once an epoch and rises by a little each time, far below the rate it is for.

    Where the run came to its end, so it was all along; where it was cut short, an experiment has to say.
    """
    from sleuth.record.entries import Optimizer, Scheduler

    done = ended(record)
    for plan in record.of(Scheduler):
        given = next((made.lr for made in record.of(Optimizer) if made.id == plan.optimizer), 0.0)
        steps = [step for step in record.steps if step.optimizer == plan.optimizer and step.n >= plan.n]
        rates = [rate for rate, _ in groupby(step.lr for step in steps if step.lr)]
        rising = len(rates) > RISES and all(low < high for low, high in pairwise(rates))
        if not rising or not given or rates[-1] > CRAWLS * given or len(rates) > CRAWLS * len(steps):
            continue
        pace = (rates[-1] - rates[0]) / (len(rates) - 1)
        if not done and given - rates[-1] < FAR * pace:
            continue
        yield Evidence(
            f"`{plan.type}` raised the learning rate {len(rates) - 1} times in {len(steps)} steps, from "
            f"{rates[0]:.3g} to {rates[-1]:.3g}, and {given:.3g} was set: a warm-up in steps that is "
            "called once an epoch " + ("never ends." if done else "hardly begins."),
            telling="proven" if done else "open",
            where=calls_of(record, plan)[2] or at(plan),
            numbers={"calls_a_step": len(rates) / len(steps), "reached": rates[-1] / given},
            fix="Step it after every optimizer step, or give its numbers in epochs.",
        )


def _finding(plan: "Scheduler", where: Where | None, reason: str, often: float) -> Evidence:
    return Evidence(
        f"`{plan.type}` {reason}.",
        telling="proven",
        where=where or at(plan),
        numbers={"calls_a_step": often},
        fix="Step it in the unit it counts in: per batch or per epoch.",
    )


def _over_within_an_epoch(record: "Record", plan: "Scheduler", epoch: int | None, taken: int) -> str:
    """Why the numbers of this plan mean epochs, or nothing."""
    rates = [step.lr for step in record.steps if step.optimizer == plan.optimizer and step.lr is not None]
    horizon = next(
        (plan.settings[word] for word in _HORIZON if isinstance(plan.settings.get(word), (int, float))), None
    )
    turns = taken / (2 * horizon) if horizon and plan.type == "CosineAnnealingLR" else 0.0
    if turns >= 2:
        return (
            f"its learning rate went down and up again {turns:.0f} times in {taken} steps (T_max is "
            f"{horizon:g})"
        )
    gone = rates and max(rates) > 0 and rates[-1] < 1e-3 * max(rates)
    if epoch is not None and epoch > 1 and horizon and horizon < SHORT * epoch and (gone or taken >= epoch):
        if plan.type in ("LinearLR", "ConstantLR"):
            return ""  # a warm-up within the first epoch
        small = f", learning rate {max(rates):.3g} to {rates[-1]:.3g}" if rates else ""
        return f"its schedule of {horizon:g} ends within one epoch of {epoch}{small}"
    gamma = plan.settings.get("gamma")
    if gone and plan.type == "ExponentialLR" and isinstance(gamma, float) and 1 / (1 - gamma) < 0.1 * taken:
        return (
            f"with gamma {gamma:g} its learning rate fell from {max(rates):.3g} to {rates[-1]:.3g} in "
            f"{taken} steps"
        )
    return ""


BY_EPOCHS = 0.34  # calls a step, at most: an epoch of three batches


def settle(finding: Evidence, record: "Record") -> Evidence:
    """A schedule planned in steps, and how often the run called it."""
    from sleuth.record.entries import Scheduler
    from sleuth.record.event_order import calls_of

    line = finding.marks.get(PLANNED_LINE)
    plan = next((made for made in record.of(Scheduler) if line and made.line == line), None)
    calls, taken, where = (0, 0, None) if plan is None else calls_of(record, plan)
    if not calls or calls > BY_EPOCHS * taken:
        return finding
    return replace(
        finding,
        telling="proven",
        where=where or finding.where,
        message=f"The schedule created on line {line} counts in optimizer steps, and it is called here, "
        f"{calls} times in {taken} of them: the learning rate hardly changes.",
        numbers={**finding.numbers, "calls_a_step": calls / taken},
        fix="Step it after every optimizer step, or give its numbers in epochs.",
    )
