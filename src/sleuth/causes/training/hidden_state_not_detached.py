"""Recurrent state is carried to the next batch together with the graph that produced it.

## What happens
You keep `h` so that the network remembers across chunks. `h` also remembers how it was made. On
the second batch `backward()` walks into the first batch's graph, finds it freed and raises "Trying
to backward through the graph a second time". The message suggests `retain_graph=True`, and that is
the wrong one.

With the graph retained, step N goes back through N batches. Time and memory grow with each step.
With a torch optimizer you get one more error, because the old graph needs weights that `step()`
has overwritten. If the update goes around the version counter (hand-written `p.data -= lr * g`),
there is no error: gradients mix old activations with new weights, and the run gets slower until it
dies. Summing the losses of a whole epoch for a single `backward()` avoids the errors as well, and
keeps every batch of it in memory.

```python
h = None
for x, y in loader:
    out, h = rnn(x, h)                     # h drags its history along
    loss = criterion(head(out), y)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)       # the wrong cure
    optimizer.step()
```

## How to tell
- **lint**: a state assigned in the loop body and passed in again in the next iteration with no
  `detach()` on the way (also not in a helper such as `repackage_hidden`); `retain_graph=True` with
  a single loss is a strong sign.
- **watch**: a state tensor whose `grad_fn` is set when it enters the model; time per step and
  memory that rise in a straight line.
- **refuted by**: the state that enters the recurrent layer has `grad_fn` None.

## How to fix
```python
h = None
for x, y in loader:
    if h is not None:
        h = tuple(s.detach() for s in h)   # LSTM; h.detach() for GRU and RNN
    out, h = rnn(x, h)
```
This is truncated backpropagation: values flow on, gradients stop at the chunk's border. It only
makes sense if batch n+1 continues the sequences of batch n, row by row. With shuffled, independent
sequences do not carry the state at all; start from None. Remove `retain_graph`.

## Often mistaken for
- `memory-growth`: the symptom; look for a state or a loss that lives across iterations.
- `loss-not-reset`: there the loss is the object that keeps the graph alive.
- `state-not-carried`: the opposite; the state is dropped where the task needs it.

## Sources
- pytorch-faq: "My model reports cuda runtime error(2): out of memory", on recurrent networks and
  truncation by repackaging the state.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.growth import growing_graph, recurrent, twice_backward
from sleuth.record.questions import courses, where_loss
from sleuth.source import torch_api
from sleuth.source.edits import Edits, inserted_before, statement_of
from sleuth.source.flow import literal, possible
from sleuth.source.interpreter.values import Call, Carried, Function, Instance, Loop, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue, spot
from sleuth.source.topics.gradients import applications, ends_graph, surely_reached
from sleuth.source.topics.modes import forwards, function_of, identity, inside, users, with_enclosing

if TYPE_CHECKING:
    from sleuth.record.entries import Record

LOOKS_LIKE = {"steps take longer and longer": "usually"}
INVITED_BY = {"LSTM|GRU|RNN": 3.0}
RAISES = {
    "backward through the graph a second time": (
        "The graph of an earlier iteration is still attached: a hidden state or a running loss "
        "was carried over without detach()."
    ),
}
NEEDS = "backward"
PREDICTS = {"same-batch": "even"}


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    for backward in program.training.of("backward"):
        loops = backward.call.context.loops
        if not loops:
            continue
        behind = list(surely_reached(backward.about))
        outermost = {id(call) for call in forwards(program)}
        for call in with_enclosing(program, applications(iter(behind))):
            if id(call) not in outermost or not call.context.grad or not inside(call.context, loops[-1]):
                continue
            for state in _states(call, loops[-1]):
                if _keeps_its_graph(program, state, call):
                    yield _finding(call, state.name, backward)
        yield from _kept_on_the_model(program, backward, behind)
    yield from _kept_by_its_class(program)
    yield from _kept_between_calls(program)


def _states(call: Call, loop: object) -> Iterator[Carried]:
    """Variables of the turn before that a model takes as they are."""
    for given in (*call.args, *call.keywords.values()):
        for value in (given, *getattr(given, "items", ())):
            if isinstance(value, Carried) and value.loop is loop:
                yield value


def _keeps_its_graph(program: Program, state: Carried, fed: Call) -> bool:
    """What the turn leaves in the variable came, with its graph, out of the model that it was fed to."""
    if state.final is None or any(ends_graph(option) for option in possible(state.final)):
        return False
    made = with_enclosing(program, applications(surely_reached(state.final)))
    if any(call.context.grad and identity(call.receiver) == identity(fed.receiver) for call in made):
        parts = [state, state.final, *possible(state.final)]
        return not any(user.op == ".detach_" for part in parts for user in users(program).get(id(part), ()))
    return False


def _kept_on_the_model(program: Program, backward: Event, behind: list[Value]) -> Iterator[Evidence]:
    """`self.hidden = ...` in forward, read by the next forward, and nothing in the loop lets go of it."""
    loop = backward.call.context.loops[-1]
    assigned = [
        call
        for call in program.trace
        if call.op[:1] == "@" and call.op[-1:] == "=" and inside(call.context, loop)
    ]
    if not assigned:
        return
    entering = {
        id(option): call
        for call in applications(iter(behind))
        for given in (*call.args, *call.keywords.values())
        for option in (*possible(given), *getattr(given, "items", ()))
    }
    for call in assigned:
        siblings = [
            other
            for other in assigned
            if other.op == call.op and identity(other.receiver) == identity(call.receiver)
        ]
        if len(siblings) != 1 or not isinstance(call.receiver, Instance):
            continue
        before = _value_before(program, call)
        if before is None or id(before) not in entering:
            continue
        kept = call.args[-1]
        if any(ends_graph(option) for option in possible(kept)):
            continue
        if any(
            user.op == ".detach_"
            for part in (kept, *possible(kept))
            for user in users(program).get(id(part), ())
        ):
            continue
        if any(one.context.grad for one in applications(surely_reached(kept))):
            yield _finding(entering[id(before)], call.op[1:-1], backward)


def _value_before(program: Program, assignment: Call) -> Value | None:
    """What the attribute held when the loop was entered."""
    earlier = [
        call
        for call in program.calls(assignment.op)
        if call.order < assignment.order and call.receiver is assignment.receiver
    ]
    settled = possible(earlier[-1].args[-1]) if earlier else []
    return settled[0] if len(settled) == 1 else None


def _finding(call: Call, name: str, backward: Event) -> Evidence:
    retained = "retain_graph" in backward.call.keywords  # the wrong cure, and then the guilty line
    return clue(
        "proven",
        backward.call if retained else call,
        f"`{name}` comes from the previous iteration with its graph (used on line {spot(call).line}): "
        f"backward() on line {backward.line} goes back through every earlier batch.",
        fix=f"Detach the state before using it again: `{name} = {name}.detach()` (each part of an "
        "LSTM's pair).",
        edits=_detached_first(call, name),
    )


def _detached_first(call: Call, name: str) -> Edits:
    """The state cut from its past before it goes in. Not safe: truncation may be meant to come later.

    Only for a plain variable that is known to hold one tensor: a pair, or none yet, is detached otherwise.
    """
    node = call.node
    given = [part for part in node.args if isinstance(part, ast.Name)] if isinstance(node, ast.Call) else []
    started = [value.initial for value in call.args if isinstance(value, Carried) and value.name == name]
    tensors = started and all(isinstance(value, Call) and value.op in _MAKES_ONE for value in started)
    if not tensors or not any(part.id == name for part in given):
        return ()
    source = call.context.source
    return inserted_before(statement_of(node, source), source, f"{name} = {name}.detach()")


_MAKES_ONE = frozenset("torch.zeros torch.randn torch.ones torch.rand .new_zeros torch.zeros_like".split())


def _kept_by_its_class(program: Program) -> Iterator[Evidence]:
    """The same where the training function only says of its model which class it has."""
    for call in program.trace:
        if call.op[:1] != "@" or call.op[-1:] != "=" or not isinstance(owner := call.receiver, Instance):
            continue
        if not torch_api.is_module(owner) or not _in_forward(call) or call.context.loops:
            continue
        taken = _takes_and_gives(program, call)
        if taken is None or _lets_go(program):
            continue
        for backward in program.training.of("backward"):
            loops = backward.call.context.loops
            if loops and _applies_class(program, backward, owner) and not _renewed(program, call, loops[-1]):
                yield _finding(taken, call.op[1:-1], backward)


def _kept_between_calls(program: Program) -> Iterator[Evidence]:
    """`out, self.h = rnn(x, self.h)` in a method that steps: the next call goes on with this one's graph.

    Only where `retain_graph` shows that there is a next call, and that it walks back into this one.
    """
    for backward in program.training.of("backward"):
        kept = literal(backward.call.keywords.get("retain_graph")) is True
        site = backward.call.context.sites[-1] if backward.call.context.sites else None
        if not kept or site is None or backward.call.context.loops or _lets_go(program):
            continue
        behind = {id(call) for call in applications(surely_reached(backward.about))}
        for call in program.trace[site.order : backward.call.order]:
            if call.op[:1] != "@" or call.op[-1:] != "=" or not isinstance(call.receiver, Instance):
                continue
            taken = _takes_and_gives(program, call)
            if taken is not None and id(taken) in behind and call.context.function is not None:
                yield _finding(taken, call.op[1:-1], backward)


def _lets_go(program: Program) -> bool:
    """Whether the file cuts graphs anywhere: it may be this one."""
    words = (
        *(node.attr for node in program.source.of(ast.Attribute)),
        *(node.id for node in program.source.of(ast.Name)),
    )
    return any("detach" in word or "repackage" in word or word == "data" for word in words)


def _in_forward(call: Call) -> bool:
    return bool(call.context.sites) and getattr(function_of(call.context.sites[-1]), "name", "") == "forward"


def _takes_and_gives(program: Program, assignment: Call) -> Call | None:
    """The layer that is fed with the attribute as it was and whose output becomes its new value."""
    before = _value_before(program, assignment)
    kept = assignment.args[-1]
    if before is None:
        return None
    for call in applications(surely_reached(kept)):
        given = [part for one in call.args for part in (one, *getattr(one, "items", ()))]
        if call.context.grad and any(option is before for one in given for option in possible(one)):
            return call
    return None


def _applies_class(program: Program, backward: Event, owner: Instance) -> bool:
    """Whether the loss comes from a parameter that is declared to be of the class."""
    return any(
        isinstance(option, Unknown) and _declared(option) == owner.cls.name
        for call in applications(surely_reached(backward.about))
        for option in possible(call.receiver)
    )


def _declared(parameter: Unknown) -> str:
    note = getattr(parameter.node, "annotation", None)
    if isinstance(note, ast.Constant):
        return str(note.value)
    return ast.unparse(note) if isinstance(note, ast.expr) else ""


def _renewed(program: Program, assignment: Call, loop: Loop) -> bool:
    """Whether a turn of the loop sets the attribute anew, by hand or through a method that does."""
    assert isinstance(assignment.receiver, Instance)
    name = assignment.op[1:-1]
    setters = {
        method
        for method, member in assignment.receiver.cls.members.items()
        if isinstance(member, Function) and method not in ("__init__", "forward") and _sets(member, name)
    }
    return any(
        inside(call.context, loop) and (call.op == assignment.op or call.op[1:] in setters)
        for call in program.trace
        if call.op[:1] in ".@"
    )


def _sets(member: Function, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == name
        for node in ast.walk(member.definition or ast.Pass())
    )


def watch(record: "Record") -> Iterator[Evidence]:
    if not recurrent(record):
        return
    if (where := twice_backward(record)) is not None:
        yield Evidence(
            "backward failed because it would go through a graph a second time: the recurrent state of "
            "one batch still carries its graph into the next.",
            telling="proven",
            where=where,
            fix="Detach the state between batches: `h = h.detach()`, for an LSTM both parts.",
        )
    for course in courses(record) if record.steps else ():
        growth = growing_graph(course)
        if growth is None or curves.rising(course.finite_losses) > 0.95:
            continue
        yield Evidence(
            f"The graph behind the loss grows from {growth.first} to {growth.last} nodes within "
            f"{growth.steps} steps of a recurrent model: the state is carried over with its graph, so "
            "each backward pass takes longer.",
            telling="proven",
            where=where_loss(course.steps[-1]),
            numbers={"first": growth.first, "last": growth.last, "steps": growth.steps},
            fix="Detach the state between batches: `h = h.detach()`, for an LSTM both parts.",
        )
        return
