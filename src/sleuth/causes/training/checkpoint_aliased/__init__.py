"""The "best" weights are a live reference to the model, or are never loaded back.

## What happens
`model.state_dict()` copies nothing. It is a dictionary of references to the very tensors that the
optimizer goes on changing. Keep it as `best` at epoch 12, train until epoch 40, load it back: you
load epoch 40 into itself. The reported best validation score and the shipped weights come from
different models, and no curve shows it.

Half-copies do not help. `state.copy()`, `dict(state)` and `{k: v.detach() for ...}` all share the
storage. `{k: v.cpu() for ...}` is treacherous: a copy on a GPU, an alias on a CPU, so code proven
on the one breaks silently on the other. `best_model = model` is the same bug in one word, in
scikit-learn as well when an estimator is trained further with `partial_fit`.
`optimizer.state_dict()` refers to live tensors too.

The twin of it: the best state is saved correctly and the final test runs on the last weights.

```python
if val_loss < best_loss:
    best_loss, best = val_loss, model.state_dict()      # an alias
...
model.load_state_dict(best)                             # changes nothing
```

## How to tell
- **lint**: a `state_dict()` result, the model itself or a shallow copy is bound to a name or
  attribute inside the training loop and read after it; or a best checkpoint is written and no load
  stands between the loop and the final evaluation. `.cpu()`, `.to("cpu")` and `.numpy()` count as
  shallow only in a program that never leaves the CPU.
- **refuted by**: `best["layer.weight"].data_ptr()` differs from that of the model's parameter.

## How to fix
```python
if val_loss < best_loss:
    best_loss = val_loss
    best = copy.deepcopy(model.state_dict())            # or torch.save(...) to disk
...
model.load_state_dict(best)
test(model)
```
`{k: v.detach().clone() for k, v in model.state_dict().items()}` is equally good. `torch.save`
writes the values at once and needs no copy, and passing `state_dict()` straight into it or into
another model's `load_state_dict` is fine.

## Often mistaken for
- `overfitting`: there the reloaded best epoch reproduces its own validation score; here it gives
  that of the last epoch.
- `weights-not-loaded`: there a good file is read and not applied; here what you load back is not
  what you meant to keep.
- `test-set-reuse`: the best score is inflated by selection, but the weights are the ones you kept.

## Sources
- pytorch-saving: note in "Saving & Loading Model for Inference"; keep a deep copy or write to
  disk, since the dictionary follows later training.
- pytorch-module: `state_dict`; the returned object is shallow and refers to the module's tensors.
"""

import ast
import re
from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.source.edits import Edits, imported, statement_of
from sleuth.source.flow import possible, spelling
from sleuth.source.interpreter.values import Call, Collection, Either, Loop, Table, Unknown, Value
from sleuth.source.loop import Event, TrainingLoop
from sleuth.source.parsed_file import Source
from sleuth.source.program import Program, clue, line_of, rewrite
from sleuth.source.topics.cadence import is_optimizer, is_optimizer_call
from sleuth.source.topics.gradients import trained_by
from sleuth.source.topics.modes import forwards, inside, is_model, made_inside, may_be_model, same_module
from sleuth.source.word_search import Pattern

INVITED_BY = {"load_state_dict|from_pretrained": 3.0}


# Copies of the dictionary that share its tensors, and other views of these.
SHALLOW = frozenset(
    ".copy copy.copy builtins.dict collections.OrderedDict {} .items .detach @data "
    "torch.from_numpy torch.as_tensor numpy.asarray".split()
)
# These share the tensor only where it is on the CPU already: from an accelerator they are true copies.
MOVES = frozenset(".cpu .to .numpy".split())

NEXT = 8  # what happens between taking a state and keeping it: a comprehension, a tuple

NEEDS = "state_dict best copy model net"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _model_itself(program)
    yield from _never_restored(program)
    if not any(program.calls(".state_dict")):
        return
    steps = program.training.of("step") or _trained_out_of_sight(program)
    flagged: set[int] = set()
    uses = [(use, list(_aliases(program, kept))) for use, kept in _uses(program)]
    written = _written_at_once(uses, steps)
    for use, aliases in uses:
        stale = [
            (alias, step, move)
            for alias, move in aliases
            if (id(alias.node), id(use.node)) not in written and not _is_empty_state(alias, steps)
            if (step := _steps_between(alias, use, steps))
        ]
        in_loop = [found for found in stale if found[0].context.loops]
        for alias, step, move in in_loop or stale:
            flagged.add(alias.order)
            seen = step.call.op in (".step", "-=", ".sub_", ".add_", "@data=")
            yield clue(
                "proven" if seen else "likely",
                alias,
                f"`state_dict()` returns references to the live tensors{_not_copied(move)}: the "
                f"{'step' if seen else 'training'} on {line_of(step.call, alias)} changes them, so the "
                f"state used on {line_of(use, alias)} is the latest one, not the saved one.",
                fix="Keep `copy.deepcopy(model.state_dict())`, or write it to disk at once.",
                edits=tuple(edit for one, _, _ in stale for edit in _copied(one.node, one.source)),
            )
    yield from _kept_by_a_helper(program, flagged)


Aliases = list[tuple[Call, Call | None]]


def _written_at_once(uses: list[tuple[Call, Aliases]], steps: list[Event]) -> set[tuple[int, int]]:
    """Where a state is taken and where it is saved, if nothing steps in between: a helper that is called in
    every epoch saves what it has just taken, and what it took in an epoch before is seen there as well."""
    return {
        (id(alias.node), id(use.node))
        for use, aliases in uses
        if use.op == "torch.save"
        for alias, _ in aliases
        if alias.order < use.order and not any(alias.order < step.call.order < use.order for step in steps)
        # In the same turn and on the same condition: otherwise an older state is saved in other turns.
        if set(map(id, alias.context.loops)) <= set(map(id, use.context.loops))
        if set(map(id, alias.context.arms)) <= set(map(id, use.context.arms))
    }


_OPTIMIZER_NAME = Pattern(r"(^|[._])opt(im(izer)?)?($|_|\d)", re.IGNORECASE)


def _is_empty_state(alias: Call, steps: list[Event]) -> bool:
    """What an optimizer remembers before its first step: no tensors that a step could change."""
    if not is_optimizer(alias.receiver) and not _OPTIMIZER_NAME.search(spelling(alias)):
        return False
    return not any(
        step.call.order < alias.order or any(step.inside(loop) for loop in alias.context.loops)
        for step in steps
    )


_TRAINS = Pattern(r"(^|[._])(train|fit|learn)(_|$)")


def _trained_out_of_sight(program: Program) -> list[Event]:
    """`train_epoch(model, loader)`, where the function is not to be seen and its name says enough."""
    models = [call.receiver for call in program.calls(".state_dict")]
    return [
        Event("step", call, call.receiver)
        for call in program.trace
        if call.result is None and call.context.loops and _TRAINS.search(_called(call))
        if any(
            same_module(given, model) and not made_inside(model, call.context.loops[0])
            for given in call.args
            for model in models
            if model is not None
        )
    ]


def _called(call: Call) -> str:
    return call.receiver.name if call.op == "()" and isinstance(call.receiver, Unknown) else call.op


def _uses(program: Program) -> Iterator[tuple[Call, Value]]:
    """Where a kept state is taken for the weights of its time."""
    for call in program.calls(".load_state_dict"):
        if call.args:
            yield call, call.args[0]
    for call in program.calls("torch.save"):
        if call.args:
            yield call, call.args[0]
    for call in program.calls("def"):
        if call.result is not None and not isinstance(call.result, Call):
            yield call, call.result


def _aliases(program: Program, value: Value) -> Iterator[tuple[Call, Call | None]]:
    """The `state_dict()` calls whose very tensors a value holds, and the move that was to copy them."""
    queue: list[tuple[Value, Call | None]] = [(option, None) for option in possible(value)]
    seen: set[int] = set()
    while queue and len(seen) < 200:
        here, move = queue.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Call) and here.op == ".state_dict":
            if move is None or _lives_on_cpu(program, here):
                yield here, move
            continue
        if isinstance(here, Call) and here.op in MOVES:
            move = here
        queue += [(option, move) for part in _shared(here) for option in possible(part)]


def _shared(value: Value) -> list[Value]:
    """What a value shares its tensors with."""
    if isinstance(value, Collection):
        return list(value.items)
    if isinstance(value, Table):
        return list(value.items.values())
    if not isinstance(value, Call):
        return []
    views = value.op in SHALLOW or value.op in ("next", "[]") or _is_idle_move(value)
    if not views or (value.op == ".copy" and _is_array(value.receiver)):
        return []
    return [value.receiver] if value.receiver is not None else list(value.args[:1])


def _is_idle_move(call: Call) -> bool:
    """`.cpu()`, `.to("cpu")`, `.numpy()`: of a tensor on the CPU, the tensor itself or its memory."""
    if call.op == ".numpy":
        return call.receiver is not None and not call.keywords  # `force=True` may copy
    from sleuth.causes.training.checkpoint_aliased.devices import moves_to_cpu

    return call.op == ".cpu" or (call.op == ".to" and moves_to_cpu(call))


def _is_array(value: Value | None) -> bool:
    """An array of numpy has a `copy` that is one, a dictionary's is shallow."""
    return any(
        isinstance(option, Call) and option.op in (".numpy", "numpy.asarray") for option in possible(value)
    )


def _lives_on_cpu(program: Program, state: Call) -> bool:
    """A model that is made here, in a program that never moves anything off the CPU.

    Where the device is chosen at run time nothing is said: the same line is right on an accelerator. A helper
    that is handed the model belongs to the program around it, if that trains what it made itself.
    """
    from sleuth.causes.training.checkpoint_aliased.devices import only_cpu

    made = possible(state.receiver)
    known = bool(made) and all(is_model(option) for option in made)
    return (known or any(map(_trains_what_was_made, program.trace))) and only_cpu(program)


def _trains_what_was_made(call: Call) -> bool:
    """`Adam(net.parameters())`, and `net` was built in this program."""
    if not is_optimizer_call(call) or not call.args:
        return False
    return any(
        isinstance(given, Call) and any(is_model(option) for option in possible(given.receiver))
        for given in possible(call.args[0])
    )


def _not_copied(move: Call | None) -> str:
    if move is None:
        return ""
    return f", and `.{move.op[1:]}()` of a CPU tensor makes no copy"


def _steps_between(alias: Call, use: Call, steps: list[Event]) -> Event | None:
    """An optimizer step that can run after the state was taken and before it is used."""
    for step in steps:
        if alias.order < step.call.order < use.order and not _directly(alias, use):
            return step
        again = [loop for loop in alias.context.loops if step.inside(loop)]
        left = [loop for loop in again if not any(loop is other for other in use.context.loops)]
        if left and use.order > alias.order and _on_a_condition(alias, step):
            return step
    return None


def _directly(alias: Call, use: Call) -> bool:
    """`other.load_state_dict(model.state_dict())`: used where it was taken."""
    return alias.node is not None and use.node is not None and _within(alias.node, use.node)


def _within(inner: ast.AST, outer: ast.AST) -> bool:
    return any(node is inner for node in ast.walk(outer))


def _on_a_condition(alias: Call, step: Event) -> bool:
    """A state kept in some turns only outlives the turn; one kept in every turn is the latest one anyway."""
    return any(not any(arm is other for other in step.call.context.arms) for arm in alias.context.arms)


def _kept_by_a_helper(program: Program, flagged: set[int]) -> Iterator[Evidence]:
    """A class that keeps `self.best = model.state_dict()` on a condition and loads it in another method."""
    if not program.source.holds("load_state_dict"):
        return
    # `self.best` inside the helper is `stopper.best` to whoever restores it.
    loaded = {
        node.args[0].attr
        for node in program.source.of(ast.Call)
        if isinstance(node.func, ast.Attribute)
        and node.func.attr == "load_state_dict"
        and node.args
        and isinstance(node.args[0], ast.Attribute)
    }
    if not loaded:
        return
    for call in program.calls(".state_dict"):
        if call.order in flagged or not call.context.arms:
            continue
        for keeper in program.trace[call.order + 1 : call.order + 1 + NEXT]:
            if keeper.op[:1] != "@" or keeper.op[-1:] != "=":
                continue
            node = keeper.node
            kept = any(one is call for one, _ in _aliases(program, keeper.args[0]))
            if kept and isinstance(node, ast.Attribute) and node.attr in loaded:
                yield clue(
                    "likely",
                    call,
                    f"`{ast.unparse(node)}` refers to the live tensors of the model: later training "
                    "changes them, and loading it back restores nothing.",
                    fix="Keep `copy.deepcopy(model.state_dict())`.",
                    edits=_copied(call.node, call.source),
                )


def _model_itself(program: Program) -> Iterator[Evidence]:
    """`best_model = model` on a condition inside the training loop, in place or in a helper it calls."""
    flagged: set[int] = set()
    for loop in program.training.loops:
        models = _trained_names(program, loop)
        for around in (*loop.outer, loop.loop):
            # a search makes a new model in each turn: that one is finished when it is kept
            lasting = models - _bound_in(around.node)
            for target, value in _kept_names(around):
                if value.id not in lasting or ast.unparse(target) in models:
                    continue
                if _read_after(program, target, around.node) and value.lineno not in flagged:
                    flagged.add(value.lineno)
                    yield _same_object(Value(target, program.source), ast.unparse(target), value.id)
    for kept in _kept_as_attribute(program):
        node = kept.node
        if isinstance(node, ast.Attribute | ast.Subscript) and node.lineno not in flagged:
            flagged.add(node.lineno)
            yield _same_object(kept, ast.unparse(node), "the model that is trained")


def _same_object(at: Value, kept: str, model: str) -> Evidence:
    model = model if " " in model else f"`{model}`"
    return clue(
        "proven",
        at,
        f"`{kept}` is the same object as {model}: training goes on changing it after this line.",
        fix="Keep `copy.deepcopy(model)`, or a deep copy of its `state_dict()`.",
        edits=_copied(_kept_expression(at), at.source),
    )


def _copied(node: ast.AST | None, source: Source | None) -> Edits:
    if not isinstance(node, ast.expr) or source is None:
        return ()
    copied = rewrite(node, source, f"copy.deepcopy({ast.unparse(node)})")
    return (*copied, *imported("copy", source, safe=True))


def _kept_expression(target: Value) -> ast.expr | None:
    """What a plain `kept = model` keeps."""
    statement = statement_of(target.node, target.source)
    plain = isinstance(statement, ast.Assign) and statement.targets == [target.node]
    return statement.value if isinstance(statement, ast.Assign) and plain else None


def _kept_names(loop: Loop) -> Iterator[tuple[ast.Name | ast.Attribute, ast.Name]]:
    """`kept = name` under a comparison in a loop."""
    for branch in (node for node in ast.walk(loop.node) if isinstance(node, ast.If)):
        if _compares(branch.test):
            for target, value in (pair for node in branch.body for pair in _assignments(node)):
                if isinstance(value, ast.Name) and isinstance(target, ast.Name | ast.Attribute):
                    yield target, value


def _trained_names(program: Program, loop: TrainingLoop) -> set[str]:
    """How the loop, and the code that calls it, write the models that it applies and switches."""
    applied = [call for call in forwards(program) if inside(call.context, loop.loop)]
    names = {ast.unparse(call.node.func) for call in applied if isinstance(call.node, ast.Call)}
    names |= {
        ast.unparse(event.call.node.func.value)
        for event in loop.around("train", "eval")
        if isinstance(event.call.node, ast.Call) and isinstance(event.call.node.func, ast.Attribute)
    }
    for site in (site for call in applied for site in call.context.sites):
        if isinstance(site.node, ast.Call):
            for node, value in zip(site.node.args, site.args, strict=False):
                if isinstance(node, ast.Name) and any(value is call.receiver for call in applied):
                    names.add(node.id)
    return names


def _bound_in(node: ast.AST) -> set[str]:
    """Plain names that a loop assigns."""
    return {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _compares(test: ast.expr) -> bool:
    return any(isinstance(part, ast.Compare) for part in ast.walk(test))


def _assignments(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets and values of an assignment, `a, b = c, d` taken apart."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def _kept_as_attribute(program: Program) -> Iterator[Call]:
    """`self.best_model = model`, `best["net"] = model` where the model is trained on in the same loop."""
    keepers = [
        call
        for call in program.trace
        if call.op[-1:] == "="
        and (call.op[:1] == "@" or call.op == "[]=")
        and call.args
        and call.context.loops
        and _on_a_better_score(call)
    ]
    for call in keepers:
        for kept in _newly_kept(call):
            if may_be_model(kept) and _trained_on(program, call, kept) and _is_read(program, call):
                yield call


def _trained_on(program: Program, keeper: Call, model: Value) -> bool:
    """Whether a loop around the place that keeps the model trains it further, and did not make it."""
    for backward, applied in trained_by(program):
        shared = [loop for loop in keeper.context.loops if backward.inside(loop)]
        if any(one.receiver is model for one in applied) and any(
            not made_inside(model, loop) for loop in shared
        ):
            return True
    return False


def _newly_kept(call: Call) -> Iterator[Value]:
    """What an assignment on a condition puts in; what was there before stays possible and comes last."""
    value = call.args[-1]
    yield from value.options[:1] if isinstance(value, Either) else (value,)


def _on_a_better_score(call: Call) -> bool:
    """Under a comparison, in the function that keeps."""
    return any(
        isinstance(arm.node, ast.If) and arm.name == "if" and _compares(arm.node.test)
        for arm in call.context.arms
    )


def _is_read(program: Program, keeper: Call) -> bool:
    """Whether the attribute (or the container of the item) is read anywhere."""
    node = keeper.node
    if isinstance(node, ast.Subscript):
        node = node.value
    word = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
    if word is None or program.source.mentions[word] < 2:
        return False
    return any(
        part is not node and (part.attr if isinstance(part, ast.Attribute) else part.id) == word
        for part in _reads(program)
    )


def _reads(program: Program) -> Iterator[ast.Name | ast.Attribute]:
    yield from (node for node in program.source.of(ast.Name) if isinstance(node.ctx, ast.Load))
    yield from (node for node in program.source.of(ast.Attribute) if isinstance(node.ctx, ast.Load))


def _read_after(program: Program, target: ast.expr, loop: ast.AST) -> bool:
    name = ast.unparse(target)
    end = getattr(loop, "end_lineno", 0) or 0
    return any(node.lineno > end and ast.unparse(node) == name for node in _reads(program))


def _never_restored(program: Program) -> Iterator[Evidence]:
    """A good copy of the best state that nothing ever reads, and a model that goes on being used."""
    copies = {id(call.node): call for call in program.calls("copy.deepcopy") if _copies_weights(call)}
    if not copies:
        return
    read = {ast.unparse(node) for node in _reads(program)}
    for node in program.source.of(ast.Assign):
        if id(node.value) not in copies:
            continue
        target, call = node.targets[0], copies[id(node.value)]
        if isinstance(target, ast.Name) and target.id not in read and _used_after(program, call):
            yield clue(
                "likely",
                call,
                f"The best state is saved in `{target.id}` and never used: after training the weights are "
                "those of the last epoch.",
                fix=f"Load it back after the loop: `model.load_state_dict({target.id})`.",
            )


def _copies_weights(call: Call) -> bool:
    return any(
        isinstance(option, Call) and option.op == ".state_dict"
        for given in call.args
        for option in possible(given)
    )


def _used_after(program: Program, kept: Call) -> bool:
    """Whether a model is applied behind the loop in which the state was kept."""
    loops = kept.context.loops
    return (
        bool(loops)
        and bool(kept.context.arms)
        and any(
            event.call.order > kept.order and not event.inside(loops[0])
            for event in program.training.of("forward")
        )
    )
