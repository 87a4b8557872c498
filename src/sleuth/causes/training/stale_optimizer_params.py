"""The optimizer holds the tensors of a model that is no longer the one being trained.

## What happens
An optimizer keeps references to parameter objects. Replace an object afterwards and it goes on
caring for the old one, which no forward pass uses any more. Its `.grad` stays None, `step()` skips
it, and the new parameter receives gradients that are never applied.

Things that make new parameter objects: `model = Net()` a second time; `model.fc = nn.Linear(...)`
after the optimizer was built; `copy.deepcopy(model)`; re-initialising by assigning a fresh
`nn.Parameter`; `load_state_dict(..., assign=True)`; `weight_norm` and other parametrizations, LoRA
or sharding wrappers applied late.

Things that do not, against an old rumour: `model.to(device)`, `.cuda()`, `.double()` and an
ordinary `load_state_dict` change the tensors in place by default, and the optimizer follows.
Still, build it last; some backends and `torch.__future__` switches behave differently.

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model.fc = nn.Linear(512, 10)       # a new weight, unknown to the optimizer
```

## How to tell
- **lint**: between the construction of the optimizer and the loop, the model name is bound again,
  one of its attributes gets a new layer or parameter, or a late wrapper is applied.
- **watch**: the optimizer owns tensors that never receive a gradient, and the module called in the
  loop owns trainable tensors that receive one and never change. The two sets are often equal in
  shapes and disjoint in identity.
- **experiment**: corrected from outside, parameters of the model in use are given to the optimizer;
  the loss begins to fall.
- **refuted by**: `optimizer.param_groups[0]["params"][0] is next(model.parameters())`, and the
  same for the rest.

## How to fix
Finish the model first (architecture, surgery, loading, wrapping, device), then build the
optimizer, then the scheduler.

```python
model.fc = nn.Linear(512, 10)
model.load_state_dict(state, assign=True)
model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
```
When you must restart weights in mid-run, write into the existing tensors
(`layer.reset_parameters()`, or `p.copy_(new)` under `no_grad`) and clear the optimizer state.

## Often mistaken for
- `params-not-in-optimizer`: there the list is too short but its members are alive.
- `model-reset-in-loop`: there the replacement happens again and again; the loss jumps back each
  time, whereas a stale optimizer gives a flat line.

## Sources
- pytorch-module: `load_state_dict`, the warning that with assign=True the optimizer has to be
  built afterwards.
- pytorch-optim: "Constructing it"; an optimizer is built over given parameter objects.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import at, needed, optimizer_of
from sleuth.source.edits import Edits, beside, moved_after, statement_of
from sleuth.source.flow import literal, possible
from sleuth.source.interpreter.values import Call, Instance, Value
from sleuth.source.program import Program, clue, spot
from sleuth.source.topics.gradients import optimized, steps_after, trained_by
from sleuth.source.topics.modes import holds, is_model, parts

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

LOOKS_LIKE = {"stuck from the start": "usually"}
PREDICTS = {"same-batch": "always", "noise-inputs": "always", "shuffled-labels": "always"}


# Wrappers that put new parameter objects in the place of the old ones.
REPLACES_PARAMETERS = frozenset(
    ["torch.nn.utils.weight_norm", "torch.nn.utils.parametrizations.weight_norm", "peft.get_peft_model"]
)

NEEDS = "optim Optim"


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    for backward, applied in trained_by(program):
        used = [call.receiver for call in applied if call.receiver is not None]
        for step in steps_after(program, backward):
            for optimizer in possible(step.about):
                if not isinstance(optimizer, Call) or not (owners := optimized(optimizer)):
                    continue
                late = _replaced(program, optimizer, owners, used) or _changed(
                    program, optimizer, owners, used
                )
                if late is None or _built_anew(program, possible(step.about), late):
                    continue
                if _still_steps(program, optimizer, late):
                    # an optimizer that has done its work is not the culprit; what outdates it is
                    worked = _worked_before(program, optimizer, owners, late)
                    built = _asked_for(optimizer, late)
                    yield clue(
                        "proven",
                        late if worked else built,
                        (f"The optimizer of line {spot(optimizer).line}" if worked else "This optimizer")
                        + " keeps the parameters that existed when it was built; "
                        + ("this" if worked else f"line {spot(late).line}")
                        + f" replaces them, and step() on line {step.line} never updates the new ones.",
                        fix="Create the optimizer after the model is complete (and again when it is "
                        "replaced).",
                        edits=_built_later(optimizer, late) if not worked else (),
                    )


def _built_later(optimizer: Call, late: Value) -> Edits:
    """The optimizer's line moved behind what it missed. Not safe: lines between may use it."""
    source = optimizer.context.source
    statement = statement_of(optimizer.node, source)
    other = beside(late.node, statement, source) if late.source is source else None
    return moved_after(statement, other, source)


def _asked_for(optimizer: Call, late: Value) -> Call:
    """Where the optimizer came too early. A helper that only makes it is not at fault, the call of the
    helper is: out of each function that hands its result straight back, short of where both are called."""
    beyond = {id(site) for site in late.context.sites} if isinstance(late, Call) else set()
    made = optimizer
    for site in reversed(optimizer.context.sites):
        handed_back = isinstance(statement_of(made.node, made.context.source), ast.Return)
        if not handed_back or id(site) in beyond:
            break
        made = site
    return made


def _worked_before(program: Program, optimizer: Call, owners: list[Value], late: Value) -> bool:
    """Whether the optimizer trained its own parameters before new ones came."""
    made = _made(program, late)
    return any(
        backward.call.order < made
        and any(holds(owner, call.receiver) for owner in owners for call in applied)
        and any(
            option is optimizer for step in steps_after(program, backward) for option in possible(step.about)
        )
        for backward, applied in trained_by(program)
    )


def _built_anew(program: Program, optimizers: Iterable[Value], late: Value) -> bool:
    """Whether the step may be that of an optimizer which was made once the new parameters were there."""
    made = _made(program, late)
    return any(isinstance(one, Call) and one.order > made for one in optimizers)


def _still_steps(program: Program, optimizer: Call, late: Value) -> bool:
    """Whether the optimizer is used once new parameters are there: in a later stage another may be."""
    loops = late.context.loops if isinstance(late, Call) else ()
    return any(
        step.call.order > _made(program, late) or any(step.inside(loop) for loop in loops)
        for step in program.training.of("step")
        if any(option is optimizer for option in possible(step.about))
    )


def _replaced(program: Program, optimizer: Call, owners: list[Value], used: list[Value]) -> Value | None:
    """A second model of the same kind that is trained, while none of the optimizer's own is used at all."""
    if any(holds(owner, module) or holds(module, owner) for owner in owners for module in used):
        return None
    if not all(is_model(owner) for owner in owners):
        return None
    for module in used:
        if _made(program, module) > optimizer.order and any(_twins(module, owner) for owner in owners):
            return module
    return None


def _twins(module: Value, owner: Value) -> bool:
    if isinstance(module, Instance) and isinstance(owner, Instance):
        return module.cls is owner.cls
    if isinstance(module, Call) and module.op == "copy.deepcopy":
        return any(holds(copied, owner) for copied in module.args)
    return isinstance(module, Call) and isinstance(owner, Call) and module.op == owner.op


def _made(program: Program, module: Value) -> int:
    if isinstance(module, Call):
        return module.order
    return next((call.order for call in program.calls("new") if call.receiver is module), -1)


def _changed(program: Program, optimizer: Call, owners: list[Value], used: list[Value]) -> Value | None:
    """A part of the model, or its tensors, exchanged after the optimizer was built."""
    if any(call.order > optimizer.order for call in program.calls(".add_param_group")):
        return None
    pieces = [piece for owner in owners for piece in parts(owner)]
    for call in program.calls(*REPLACES_PARAMETERS):
        if call.order > optimizer.order and call.args and _among(call.args[0], pieces):
            return call
    for call in program.calls(".load_state_dict"):
        if call.order > optimizer.order and literal(call.keywords.get("assign")) is True:
            if _among(call.receiver, pieces):
                return call
    for call in program.trace[optimizer.order :]:
        if _puts_in_a_layer(call) and (whole := _holder(call.receiver)) is not None:
            if any(whole is piece for piece in pieces) and any(whole is one for one in used):
                return call
    for piece in pieces:
        if is_model(piece) and _made(program, piece) > optimizer.order and any(piece is one for one in used):
            if (site := _attached(program, piece, optimizer.order)) is not None:
                return site
    return None


def _puts_in_a_layer(call: Call) -> bool:
    """`model.fc = nn.Linear(...)`, `model.classifier[1] = nn.Linear(...)`"""
    is_set = (call.op[:1] == "@" and call.op[-1:] == "=") or call.op == "[]="
    return is_set and bool(call.args) and is_model(call.args[-1])


def _holder(value: Value | None) -> Call | None:
    """The model from a library whose part `model.classifier` or `model.heads[0]` is."""
    for _ in range(6):
        if isinstance(value, Call) and value.op[:1] == "@":
            value = value.receiver
        elif isinstance(value, Call) and value.op == "[]":
            value = value.args[0]
        else:
            break
    return value if isinstance(value, Call) else None


def _attached(program: Program, piece: Value, after: int) -> Call | None:
    """The assignment `model.part = piece` (or `model.layers[2] = piece`) that put a new part in place."""
    for call in program.trace[after:]:
        if (call.op[:1] == "@" and call.op[-1:] == "=") or call.op == "[]=":
            if call.args and any(option is piece for option in possible(call.args[-1])):
                return call
    return None


def _among(value: Value | None, pieces: list[Value]) -> bool:
    return any(option is piece for option in possible(value) for piece in pieces)


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.every_parameter_held(world)


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Holding

    for holding in needed(record.of(Holding), "contents of optimizers"):
        if not holding.foreign or not holding.missing:
            continue
        after = [step for step in record.steps if step.optimizer == holding.optimizer and step.n >= holding.n]
        alive = any(step.grad_norm or step.update_norm for step in after[:20])
        part = bool(holding.of_models)
        if alive and not part:
            continue
        made = optimizer_of(record, holding.optimizer)
        yield Evidence(
            f"The optimizer holds {holding.foreign} tensors that belong to no model in use, and "
            f"{len(holding.missing)} trainable tensors of the model ({', '.join(holding.missing[:2])}, "
            "...) are in no optimizer: it updates a model that was replaced.",
            telling="proven",
            where=at(made) if made else None,
            numbers={"foreign": holding.foreign, "missing": len(holding.missing)},
            fix="Create the optimizer after the model has its final form (moved, loaded, rebuilt).",
        )
        return
