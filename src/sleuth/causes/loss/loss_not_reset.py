"""The loss or its graph is accumulated across iterations and never cut.

## What happens
Two bugs share one line, `total = total + loss`. If `total` is only for the log, every step's graph
hangs on it: memory and time per step creep up until the process dies, often hours later and always
at the wrong place. After `backward()` the large buffers of a step are freed and only the nodes
remain, so the leak is slow in training and steep in an evaluation loop, where nothing frees them.

If `total.backward()` is called, each step differentiates all former losses as well. PyTorch
objects: "Trying to backward through the graph a second time". The usual fix,
`retain_graph=True`, is what makes it silent. In a deep model the in-place update of the optimizer
then trips the version check, but a single linear layer, or a hand-made update through `.data`,
passes. Its gradient is then a sum over the whole history, which acts like a learning rate that
grows with every step.

```python
total = 0
for x, y in loader:
    total = total + criterion(model(x), y)
    optimizer.zero_grad()
    total.backward(retain_graph=True)     # every loss so far, again
    optimizer.step()
```

Summing losses *within* one step is normal: several tasks, an unrolled sequence, a closure for
LBFGS.

## How to tell
- **lint**: a total that lives outside the loop, is never set back inside it, and is differentiated on
  every iteration; or a loss that has its own `backward()` added to such a total without `.item()`
  or `.detach()`.
- **watch**: the graph behind the loss grows by the same number of nodes every step; seconds per
  step and memory rise in a straight line; the sum that `backward()` sees only ever goes up.
- **refuted by**: the graph of the loss has the same size at step 100 as at step 1.

## How to fix
Keep a number for the log and differentiate the current loss only.

```python
running = 0.0
for x, y in loader:
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running += loss.item()                # or loss.detach(), to avoid a GPU sync
```

Wrap evaluation in `torch.no_grad()`. `retain_graph=True` is right when two losses share one forward
pass and are differentiated one after the other.

## Often mistaken for
- `missing-zero-grad`: gradients pile up in `.grad`, while each step's graph keeps its size.
- `hidden-state-not-detached`: the history hangs on the recurrent state, not on the loss.
- `memory-growth`: the symptom; lists of outputs, caches and workers can cause it too.

## Sources
- pytorch-faq: the question about running out of memory; do not accumulate history across the loop.
- pytorch-autograd: In-place correctness checks; why a retained graph fails after an update.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.growth import growing_graph, recurrent, twice_backward
from sleuth.record.questions import courses, where_loss
from sleuth.source.edits import Edits, method_added
from sleuth.source.flow import possible, root
from sleuth.source.interpreter.values import Call, Carried, Constant, Either, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue
from sleuth.source.topics.gradients import carries_graph, is_cut, surely_reached

if TYPE_CHECKING:
    from sleuth.record.entries import Record

LOOKS_LIKE = {"steps take longer and longer": "usually"}
PREDICTS = {"lr×0.1": "even"}


# From a running total back to what was added: these keep the graph.
_KEEPS_GRAPH = frozenset(
    {"+", "+=", "-", "*", "/", "neg", ".mean", ".sum", ".to", ".cpu", ".cuda", ".squeeze", ".float", ".scale"}
)
# What is drawn from a distribution has no history: rewards that answer to it are plain numbers.
_DRAWN = frozenset({".sample", ".multinomial", "torch.multinomial", "torch.bernoulli", ".random_", ".step"})

NEEDS = "+= + append sum("


def lint(program: Program) -> Iterator[Evidence]:
    backwards = program.training.of("backward")
    for backward in backwards:
        carried = _carried_total(backward)
        if carried is not None:
            yield clue(
                "proven",
                backward.call,
                f"`{carried.name}` still holds the losses of all earlier iterations: every backward pass "
                "goes through their graphs again.",
                fix="Call `backward()` on the loss of this iteration only, and keep the total as a "
                "number (`.item()`).",
            )
    for added in program.calls("+=", "+"):
        if added.source is program.source and len(added.args) == 2 and added.context.grad:
            yield from _kept_for_the_log(program, added, backwards)


def _carried_total(backward: Event) -> Carried | None:
    """A sum over the turns of a loop that the backward pass itself belongs to, never set back inside it."""
    for value in _through_graph(backward.about):
        if isinstance(value, Carried) and value.loop is not None and backward.inside(value.loop):
            if value.final is not None and _always_grows(value) and _adds_graphs(value):
                return value
    return None


def _adds_graphs(carried: Carried) -> bool:
    """Whether what is added each turn may have a graph: a running average of `.item()`s has none."""
    averages = any(
        isinstance(value, Call) and value.op == "*" and any(part is carried for part in value.args)
        for value in _through_graph(carried.final)
    )
    return any(
        _has_graph(value, certain=averages)
        for value in _through_graph(carried.final)
        if value is not carried
        and not (isinstance(value, Call) and (value.op in _KEEPS_GRAPH or value.result is not None))
        and not isinstance(value, Either)
    )


def _has_graph(value: Value, certain: bool) -> bool:
    """A decayed average is how baselines and meters are kept, so there a loss must be seen for certain."""
    if isinstance(value, Constant) or (isinstance(value, Call) and (is_cut(value) or not value.context.grad)):
        return False
    if isinstance(value, Call) and value.op in ("builtins.float", "builtins.int", "builtins.len"):
        return False
    if not certain:
        return True
    if not carries_graph(value):
        return False
    return not any(isinstance(here, Call) and here.op in _DRAWN for here in surely_reached(value))


def _always_grows(carried: Carried) -> bool:
    """Whether each way through a turn leaves the old total in the new one."""
    options = carried.final.options if isinstance(carried.final, Either) else (carried.final,)
    return all(
        isinstance(option, Call)
        and option.op in ("+", "+=")
        and any(value is carried for value in _through_graph(option))
        for option in options
    )


def _through_graph(value: Value | None) -> Iterator[Value]:
    """The value and what it was made from by operations that keep the graph."""
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue and len(seen) < 60:
        here = queue.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        yield here
        if isinstance(here, Either):
            queue += here.options
        elif isinstance(here, Call) and here.result is not None:
            queue.append(here.result)
        elif isinstance(here, Call) and here.op in _KEEPS_GRAPH:
            queue += [part for part in (here.receiver, *here.args) if part is not None]


def _total_of_a_loop(program: Program, added: Call) -> str | None:
    """The name of a sum that lives on from turn to turn and is not set back within the innermost loop."""
    total, node = added.args[0], added.node
    if not added.context.loops:
        return None
    if isinstance(total, Carried):
        grows = total.final is not None and _always_grows(total) and root(total.final) is added
        return total.name if grows and total.loop is not None else None
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and isinstance(total, Unknown):
        return total.name if _only_collects(program, node.target.id) else None
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
        writes = program.calls(f"@{node.target.attr}=")
        here = [
            write for write in writes if any(loop is added.context.loops[-1] for loop in write.context.loops)
        ]
        return ast.unparse(node.target) if len(here) == 1 else None
    return None


def _only_collects(program: Program, name: str) -> bool:
    """A fragment's total, begun out of sight: set nowhere here but by adding, and read as a number is."""
    source = program.source
    mentions = [node for node in source.of(ast.Name) if node.id == name]
    written = [node for node in mentions if isinstance(node.ctx, ast.Store)]
    return len(written) == 1 and not any(
        isinstance(around := source.parents[node], ast.Attribute | ast.Subscript)
        or (isinstance(around, ast.Call) and around.func is node)
        for node in mentions
    )


def _kept_for_the_log(program: Program, added: Call, backwards: list[Event]) -> Iterator[Evidence]:
    """`running += loss` where the loss of this turn has its own backward pass: the total is for reading."""
    name = _total_of_a_loop(program, added)
    if name is None:
        return
    loop = added.context.loops[-1]
    parts = list(_through_graph(added.args[1]))
    own = [
        backward
        for backward in backwards
        if backward.inside(loop)
        and backward.call.context.loops == added.context.loops
        and any(option is part for option in possible(backward.about) for part in parts)
    ]
    differentiated = any(value is added for backward in backwards for value in _through_graph(backward.about))
    if own and not differentiated:
        yield clue(
            "likely",
            added,
            f"`{name}` adds up losses with their graphs (backward on line {own[0].line}): the graph of "
            "every iteration stays in memory, and steps get slower.",
            fix="Add a number instead: `loss.item()` or `loss.detach()`.",
            edits=_as_number(added),
        )


def _as_number(added: Call) -> Edits:
    """`+= loss.item()`; a total whose own methods are used stays a tensor, without history."""
    node, source = added.node, added.context.source
    if not isinstance(node, ast.AugAssign):
        return ()
    name = ast.unparse(node.target)
    return method_added(node.value, source, "detach()" if f"{name}." in source.text else "item()", safe=True)


def watch(record: "Record") -> Iterator[Evidence]:
    if (where := twice_backward(record)) is not None and not recurrent(record):
        yield Evidence(
            "backward failed because it would go through a graph a second time: the loss still holds the "
            "graph of an earlier iteration.",
            telling="proven",
            where=where,
            fix="Begin each iteration with a fresh loss; add `loss.item()`, not `loss`, to running totals.",
        )
    for course in courses(record) if record.steps else ():
        growth = growing_graph(course)
        sums_up = curves.rising(course.finite_losses) > 0.95
        if growth is None or (recurrent(record) and not sums_up):
            continue
        yield Evidence(
            f"The graph behind the loss grows from {growth.first} to {growth.last} nodes within "
            f"{growth.steps} steps"
            + (", and the loss passed to backward only ever rises" if sums_up else "")
            + ": the graphs of earlier iterations are still attached to it.",
            telling="proven",
            where=where_loss(course.steps[-1]),
            numbers={"first": growth.first, "last": growth.last, "steps": growth.steps},
            fix="Set the loss to zero inside the loop; add `loss.item()`, not `loss`, to running totals.",
        )
        return
