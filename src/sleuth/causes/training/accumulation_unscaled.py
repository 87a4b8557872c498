"""Accumulated gradients are summed, not averaged, or the last few are never applied.

## What happens
You raise `accum` from 1 to 8 to imitate a larger batch, and the update becomes eight times as
large. Measured: a gradient norm of 3.6 against 0.45 for the averaged version. SGD runs at eight
times the rate you set; a clip threshold bites far more often; the optimizer's weight decay weakens
against the data. Adam divides a constant factor away, so there only clipping and epsilon notice,
until somebody switches the optimizer.

The remainder is the other half. With 103 batches and `accum=4`, three are left over per epoch. If
the epoch begins with `zero_grad()`, they are lost. If not, they leak into the first update of the
next epoch, which then sums seven. And if the loader has fewer batches than `accum`, the optimizer
never steps at all.

```python
for i, (x, y) in enumerate(loader):
    loss = criterion(model(x), y)      # a mean over this micro-batch
    loss.backward()                    # not divided by accum
    if (i + 1) % accum == 0:
        optimizer.step()
        optimizer.zero_grad()
```

## How to tell
- **lint**: a step guarded by a modulo test (or behind an inner loop of micro-batches), a loss with
  mean reduction, and nothing that divides the loss, the gradients or the learning rate; or a pass
  whose number of batches is written in the source and leaves a tenth or more of them without a step.
- **watch**: several backward passes to one step and a gradient norm that grows in proportion to
  them; at the epoch's end backward passes without a step, or one step fed by more batches than the
  others.
- **experiment**: corrected from outside, the loss is divided by the number of backward calls of the
  step before; steps get the size of a single batch's.
- **refuted by**: the accumulated gradient equals that of one large batch of the same examples (in
  eval mode, so that dropout and batch norm agree).

## How to fix
```python
for i, (x, y) in enumerate(loader):
    (criterion(model(x), y) / accum).backward()
    if (i + 1) % accum == 0 or i + 1 == len(loader):
        optimizer.step()
        optimizer.zero_grad()
```
The last group is then divided by a bit too much: harmless. For token losses with padding divide
the *summed* loss by the token count of the whole group, since a mean of means favours short
sequences. Fine as it is: `accelerator.accumulate` (divides for you), a rate chosen for the sum, a
summed loss whose gradient is rescaled before the step.

## Often mistaken for
- `lr-too-high`: a tenth of the rate helps here too; the tell is that `accum=1` helps as well.
- `missing-zero-grad`: the sum grows without end; here it is reset at each step.
- `wrong-reduction`: a factor of the batch size within one batch, not of the number of batches.

## Sources
- pytorch-amp: "Gradient accumulation"; the loss is divided by the number of accumulated
  iterations.
- goyal-2017: section 2.3; normalise by the total batch, not by the part one worker sees.
- kingma-2015: section 1; Adam's updates do not depend on the gradient's scale.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.event_order import events, line_of
from sleuth.record.questions import Course, courses, optimizer_of, where_event
from sleuth.source.edits import Edits
from sleuth.source.flow import ancestry, layer, literal, number, possible, root
from sleuth.source.interpreter.values import Arm, Call, Carried, Either, Loop, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.losses import loss_of
from sleuth.source.program import Program, clue, rewrite
from sleuth.source.topics.cadence import (
    Turn,
    constructor,
    exclusive,
    inside,
    opaque,
    runs_over,
    touches_gradients,
    turn_of,
)
from sleuth.source.topics.loaders import dataset_of, loader_of
from sleuth.source.topics.shapes import shapes
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record, Step

CHANGES_LOSS = True
LOOKS_LIKE = {"falls, then explodes": "rarely"}
INVITED_BY = {"accum": 5.0}
PREDICTS = {"lr×0.1": "usually"}


# Steps from the loss to what is differentiated that leave its size alone.
_KEEPS_SIZE = frozenset({"+", "+=", ".scale", ".to", ".float", ".squeeze", ".mean", ".contiguous", "pos"})
# Share of a pass that may be lost before it is worth a word: below, shuffling makes up for it.
LOST = 0.1
_MICRO = Pattern(r"accum|micro|grad_acc", re.IGNORECASE)

NEEDS = "% accum Accum ACCUM micro Micro MICRO grad_acc GRAD_ACC"


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    for step in program.training.of("step"):
        turn = turn_of(program, step)
        if turn is None or turn.loop is None or step.call.op != ".step":
            continue
        found = _every_few_turns(turn, step) or _after_micro_batches(turn, step)
        if found is not None:
            yield from _judge(program, turn, step, *found)
        yield from _remainder(program, turn, step)


def _judge(program: Program, turn: Turn, step: Event, backward: Event, group: str) -> Iterator[Evidence]:
    certainty = _unscaled(backward.about)
    if certainty is None or turn.loop is None or _rate_knows(program, step, group):
        return
    calls = list(inside(program, turn.loop))
    if touches_gradients(calls) or opaque(calls, step.about, backward.about):
        return
    yield clue(
        "proven" if certainty and "%" in group else "likely",
        backward.call,
        f"The gradients of several batches are summed before the step on line {step.line} (`{group}`) "
        "instead of averaged: the update is too large by the number of batches.",
        fix="Divide the loss by the number of batches in a group before `backward()`.",
        edits=_divided(backward, step),
    )


def _divided(backward: Event, step: Event) -> Edits:
    """`(loss / n).backward()`, n as the test of the step has it. Not safe: the rate may be tuned so."""
    node, source = backward.call.node, backward.call.source
    arm = next((arm for arm in step.call.context.arms if _counts(arm)), None)
    test = getattr(arm.node, "test", None) if arm is not None else None
    groups = [part for part in ast.walk(test) if _is_modulo(part)] if test is not None else []
    loss = getattr(getattr(node, "func", None), "value", None)
    if loss is None or getattr(node, "args", None) or len(groups) != 1:
        return ()
    size = ast.unparse(getattr(groups[0], "right", loss))
    return rewrite(loss, source, f"({ast.unparse(loss)} / {size})", safe=False)


def _every_few_turns(turn: Turn, step: Event) -> tuple[Event, str] | None:
    """A step under a modulo test, gradients that survive the turns without a step."""
    arm = next((arm for arm in step.call.context.arms if _counts(arm)), None)
    if arm is None or _happens_every_turn(turn, step, arm):
        return None
    backwards = [event for event in turn.of("backward") if not exclusive(event.call, step.call)]
    if len(backwards) != 1 or _is_under(backwards[0], arm):
        return None
    clearings = turn.of("zero_grad")
    if not clearings or not all(_is_under(event, arm) for event in clearings):
        return None
    return backwards[0], ast.unparse(getattr(arm.node, "test", ast.Constant(...)))


def _counts(arm: Arm) -> bool:
    """`(i + 1) % n == 0`, `not i % n`, `i % n == n - 1`, alone or with other reasons to step."""
    test = getattr(arm.node, "test", None)
    return arm.name == "if" and test is not None and any(_is_modulo(node) for node in ast.walk(test))


def _is_modulo(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and not isinstance(node.left, ast.Constant)
    )


def _is_under(event: Event, arm: Arm) -> bool:
    return any(other is arm for other in event.call.context.arms)


def _happens_every_turn(turn: Turn, step: Event, arm: Arm) -> bool:
    """Another step outside the test: then the guarded one is a second, slower optimizer."""
    return any(event is not step and not _is_under(event, arm) for event in turn.of("step"))


def _after_micro_batches(turn: Turn, step: Event) -> tuple[Event, str] | None:
    """`for _ in range(accum): ... backward()` and one step behind that loop."""
    for backward in turn.of("backward"):
        loops = backward.call.context.loops
        inner = loops[-1]
        if inner is turn.loop or len(loops) < 2 or loops[-2] is not turn.loop:
            continue
        over = runs_over(inner)
        named = isinstance(over, Call) and over.op == "builtins.range" and len(over.args) == 1
        text = ast.unparse(inner.node.iter) if isinstance(inner.node, ast.For) else ""
        per_group = [event for event in turn.of("zero_grad", "step") if event.inside(inner)]
        if named and _MICRO.search(text) and not per_group and backward.call.order < step.call.order:
            return backward, text
    return None


def _unscaled(loss: Value | None) -> bool | None:
    """True: a mean loss goes in as it is; False: a loss of unknown make; None: it may have been scaled."""
    certain = True
    queue, seen = [loss], 0
    while queue and seen < 40:
        seen += 1
        value = queue.pop()
        if isinstance(value, Either | Carried):
            queue += possible(value)
        elif not isinstance(value, Call):
            if not (isinstance(value, Unknown) or literal(value) == 0):
                return None
            certain = False
        elif (use := loss_of(value)) is not None:
            if use.reduction != "mean":
                return None
        elif value.result is not None:
            queue.append(value.result)
        elif value.op in _KEEPS_SIZE:
            queue += [value.args[0]] if value.op == ".scale" and value.args else _operands(value)
        elif _is_foreign_loss(value):
            certain = False
        else:
            return None
    return certain if seen else None


def _operands(value: Call) -> list[Value]:
    return list(value.args) if value.receiver is None else [value.receiver]


def _is_foreign_loss(value: Call) -> bool:
    """`criterion(out, y)` with a criterion from elsewhere, `model(...).loss`."""
    if value.op == "@loss":
        return True
    name = value.receiver.name if value.op == "()" and isinstance(value.receiver, Unknown) else ""
    return bool(re.search(r"crit|loss", name or (layer(value) if value.op == "()" else ""), re.IGNORECASE))


def _remainder(program: Program, turn: Turn, step: Event) -> Iterator[Evidence]:
    """Batches at the end of a pass whose gradients are cleared before any step, where sizes are known."""
    arm = next((arm for arm in step.call.context.arms if _counts(arm)), None)
    size = _group_size(arm, turn.loop)
    batches = _batches(program, turn.loop)
    if arm is None or size is None or batches is None or _happens_every_turn(turn, step, arm):
        return
    left, loops = batches % size, step.call.context.loops
    if len(loops) < 2 or loops[-1] is not turn.loop:
        return
    around = [event for event in program.training.of("zero_grad", "step") if event.inside(loops[-2])]
    outside = [event for event in around if not event.inside(loops[-1])]
    if any(event.kind == "step" for event in outside) or opaque(inside(program, loops[-2]), step.about):
        return
    if batches < size or (outside and left / batches >= LOST):
        lost = "so the optimizer never steps" if batches < size else f"so the last {left} are discarded"
        yield clue(
            "proven" if batches < size else "likely",
            Value(getattr(arm.node, "test", arm.node), step.call.source),
            f"A pass has {batches} batches and the step waits for every {size}th, {lost}"
            f"{'' if batches < size else f' (line {outside[0].line})'}.",
            fix="Also step at the last batch: `or i + 1 == len(loader)`.",
        )


def _group_size(arm: Arm | None, loop: Loop | None) -> int | None:
    """N of `(i + 1) % N == 0`, with i counted by `enumerate` from zero (or `i % N` counted from one)."""
    if arm is None or any(
        isinstance(node, ast.BoolOp) for node in ast.walk(getattr(arm.node, "test", arm.node))
    ):  # `or last batch`
        return None
    test = root(arm.test)
    if isinstance(test, Call) and test.op == "==" and number(test.args[1]) == 0:
        test = root(test.args[0])
    elif not (isinstance(test, Call) and test.op == "not"):
        return None
    else:
        test = root(test.args[0])
    if not (isinstance(test, Call) and test.op == "%") or loop is None:
        return None
    counter, size = root(test.args[0]), number(test.args[1])
    first = _first_index(loop)
    if isinstance(counter, Call) and counter.op == "+" and number(counter.args[1]) == 1:
        counter, first = root(counter.args[0]), None if first is None else first + 1
    counts = isinstance(counter, Unknown | Call) and counter.node in (loop.node, *_targets(loop))
    return int(size) if size and size > 1 and counts and first == 1 else None


def _first_index(loop: Loop) -> int | None:
    """Where `enumerate` begins to count."""
    over = root(loop.over)
    if not (isinstance(over, Call) and over.op == "builtins.enumerate"):
        return None
    start = over.argument(1, "start")
    first = 0.0 if start is None else number(start)
    return None if first is None else int(first)


def _targets(loop: Loop) -> list[ast.AST]:
    return list(ast.walk(loop.node.target)) if isinstance(loop.node, ast.For) else []


def _batches(program: Program, loop: Loop | None) -> int | None:
    """How many batches a pass has, where both numbers are written in the source."""
    loader = next(iter(loader_of(loop)), None)
    if loader is None or {"batch_sampler", "sampler"} & set(loader.keywords):
        return None
    size = number(loader.argument(1, "batch_size")) if loader.argument(1, "batch_size") else 1.0
    dataset = dataset_of(loader)
    first = dataset.args[0] if isinstance(dataset, Call) and dataset.args else None
    if first is None or not isinstance(dataset, Call) or dataset.op != "torch.utils.data.TensorDataset":
        return None
    shape = shapes(program).of(first)
    rows = shape.sizes[0] if shape is not None and shape.sizes else None
    if not isinstance(rows, int) or not size:
        return None
    drop = loader.keywords.get("drop_last")
    if drop is not None and not isinstance(literal(drop), bool):
        return None
    return int(rows // size) if literal(drop) is True else int(-(-rows // size))


def _rate_knows(program: Program, step: Event, group: str) -> bool:
    """Whether the optimizer was set up with the size of the group in mind (`lr=base / accum`)."""
    made = constructor(step.about)
    if made is None:
        return False
    names = set(re.findall(r"[A-Za-z_]\w*", group)) - {"i", "range", "len"}
    for value in ancestry(made, 120):
        if isinstance(value, Call) and value.op in ("/", "*", "/=", "*="):
            if any(
                isinstance(node, ast.Name | ast.Attribute) and _last_name(node) in names
                for node in _nodes(value)
            ):
                return True
    return False


def _last_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _nodes(value: Call) -> Iterator[ast.AST]:
    return ast.walk(value.node) if value.node is not None else iter(())


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.divided_by_accumulation(world)


MOST = 0.8  # of the steps
SAME = 0.02  # the slope of what backward got by the loss itself: 1 where it was not divided
_SCALE_FREE = ("Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad", "Lion")


def watch(record: "Record") -> Iterator[Evidence]:
    for course in courses(record):
        made = optimizer_of(record, course.id)
        several = [step for step in course.steps if step.backwards > 1 and _one_line(record, step)]
        if made is not None and made.type == "LBFGS":
            continue  # asks for the gradient as often as it likes
        if len(several) < MOST * len(course.steps):
            continue
        known = [step for step in several if step.called_factor is not None]
        whole = [step for step in known if abs((step.called_factor or 0.0) - 1) < SAME]
        if len(whole) < 3 or len(whole) < MOST * len(known):
            continue
        step = whole[0]
        # Adam divides the gradient by its own size: the factor cancels, but for clipping and epsilon.
        scale_free = made is not None and made.type in _SCALE_FREE
        yield Evidence(
            f"{step.backwards} backward passes feed each step, and none of the losses is divided "
            f"({step.loss:.3g}): the gradient is their sum, {step.backwards} times the mean"
            + (", which this optimizer normalises away." if scale_free else ", and so is the step."),
            telling="open" if scale_free else "likely",
            where=where_event(step, line_of(record, course, "backward") or step.loss_line),
            numbers={"backwards": step.backwards, "loss": step.loss or 0.0},
            fix="Divide the loss by the number of micro-batches before backward.",
        )
        yield from _left_over(course)


def _one_line(record: "Record", step: "Step") -> bool:
    """All backward calls stand on one line: micro-batches. Two lines are two losses."""
    return len({line for name, _, line in events(record, step) if name == "backward"}) == 1


def _left_over(course: Course) -> Iterator[Evidence]:
    counts = [step.backwards for step in course.steps]
    usual = max(set(counts), key=counts.count)
    odd = [step for step in course.steps if step.backwards > usual]
    if odd and len(odd) < len(counts) / 2:
        yield Evidence(
            f"{len(odd)} of {len(counts)} steps are fed by more than the usual {usual} backward passes "
            f"(step {odd[0].n}: {odd[0].backwards}): gradients left over from one epoch are added to the "
            "next.",
            telling="open",
            numbers={"odd": len(odd), "usual": usual},
            fix="Step (and clear) once more at the end of each epoch.",
        )
