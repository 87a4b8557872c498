"""A checkpoint or pretrained weights were meant to be used, and the model starts at random.

## What happens
`load_state_dict(state, strict=False)` is content if *nothing* matches. Keys saved from a
`DataParallel` or DDP wrapper begin with `module.`, from a compiled model with `_orig_mod.`; load
them into the bare model and every key is "unexpected", every weight "missing", and the only trace
is the return value, which is rarely checked. (Different *shapes* still raise, strict or not.)

Other roads: `state.get("model", {})` with the wrong key; `model.apply(init_weights)` after
loading; `resnet50()` or `timm.create_model(name)` without asking for weights, which gives a random
network; a second `model = Net()` after the load; a load in one process of several; resuming the
weights but not the optimizer and the scheduler.

Training from scratch works, more or less. You see a fine-tuning run that needs far too many epochs
and ends a few points short, and you tune the learning rate.

```python
state = torch.load("pretrained.pt", weights_only=True)
model.load_state_dict(state, strict=False)      # "module.conv1.weight" fits nothing
model.apply(init_weights)                       # and this would undo it anyway
```

## How to tell
- **lint**: `strict=False` on a state that cannot fit (no name in common, another prefix, an empty
  default); an initialisation after the load that runs
  over every layer of the model, or of a larger one that holds it (`self.apply(init_weights)`, a
  loop over `self.modules()`, a method that does either); a reassignment of the model or a new
  layer after the load; a loaded object that is never used; a well-known constructor called without
  weights in a script that speaks of pretraining or fine-tuning.
- **watch**: parameters before and after the load are equal; missing or unexpected keys are more
  than the replaced head; the first loss is at chance level although a trained model was resumed.
- **refuted by**: the first layer's weight equals the one in the file when the first batch arrives.

## How to fix
```python
state = {k.removeprefix("module."): v for k, v in state.items()}
missing, unexpected = model.load_state_dict(state, strict=False)
assert not unexpected, unexpected
assert all(k.startswith("fc.") for k in missing), missing
```
Better still, keep `strict=True` and delete the keys of the head you replace. Save
`model.module.state_dict()`, not the wrapper's. Then evaluate once before training: a resumed model
must reproduce its old score. Missing keys are right for a new head, adapters or added buffers.

## Often mistaken for
- `checkpoint-aliased`: the state in memory was never a copy; here a good file is not applied.
- `preprocessing-mismatch`: weights are loaded, and the inputs are prepared in another way than in
  pretraining.
- `stale-optimizer-params`: weights load well, and the optimizer then works on older tensors.

## Sources
- pytorch-saving: "Warmstarting model using parameters from a different model"; what strict
  ignores.
- pytorch-module: `load_state_dict`; it returns the missing and the unexpected keys.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling
from sleuth.record.questions import at, needed
from sleuth.source.flow import literal, possible, root, same, spelling
from sleuth.source.interpreter.values import Arm, Call, Constant, Instance, Table, Unknown, Value
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.cadence import between, frame, implied
from sleuth.source.topics.gradients import owners_of, switches_off
from sleuth.source.topics.modes import holds, is_model, same_module, users
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.causes.training.weights_not_loaded.initialising import Redraw
    from sleuth.record.entries import Load, Record

INVITED_BY = {"load_state_dict|from_pretrained": 3.0}
PREDICTS = {"lr×10": "even"}

_BUILDERS = Pattern(r"^(torchvision\.models\.([a-z]\w*\.)?[a-z]\w*|timm\.create_model)$")
_NOT_BUILDERS = Pattern(r"\.(get_weight|list_models|get_model_weights|get_model_builder|get_model)$")

NEEDS = "load_ load( requires_grad"


def lint(program: Program) -> Iterator[Evidence]:
    if not program.scene.complete:
        return
    loads = list(program.calls(".load_state_dict"))
    for load in loads:
        yield from _initialised_again(program, load)
        yield from _replaced_after(program, load)
        yield from _silently_empty(program, load)
        yield from _nothing_matches(program, load)
        yield from _other_prefix(program, load)
    yield from _read_and_forgotten(program)
    yield from _frozen_at_random(program, loads)


def _initialised_again(program: Program, load: Call) -> Iterator[Evidence]:
    """`model.apply(init_weights)` over weights that were just loaded, by name or inside a larger model."""
    from sleuth.causes.training.weights_not_loaded.initialising import redraws

    loaded = possible(load.receiver)
    for redraw in redraws(program):
        call = redraw.call
        if call.order < load.order or frame(call) is not frame(load) or not _follows_always(call, load):
            continue
        if not loaded or not all(holds(redraw.whole, option) for option in loaded):
            continue
        reached = _reached(redraw, loaded)
        if reached is False or _served(program, load, call, loaded) or _loaded_again(program, call, loaded):
            continue
        spot = _set_off_by(call, load)
        yield clue(
            "proven" if reached else "likely",
            spot,
            f"This draws new random weights for the model that {line_of(load, spot)} has just loaded.",
            fix="Initialise first and load afterwards, or initialise the new layers only.",
        )
        return


def _follows_always(call: Call, load: Call) -> bool:
    """Whether whoever has loaded comes to a later call, too."""
    if not implied(call, load):
        return False
    skipped = [arm for arm in load.context.arms if not any(arm is other for other in call.context.arms)]
    return not any(_jumps(arm) for arm in skipped)


def _jumps(arm: Arm) -> bool:
    """Whether an arm of a branch may leave what stands behind the branch: `if path: load; return model`."""
    if isinstance(arm.node, ast.IfExp):
        return False
    if not isinstance(arm.node, ast.If):
        return True
    body = arm.node.body if arm.name == "if" else arm.node.orelse
    jumps = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    return any(isinstance(node, jumps) for statement in body for node in ast.walk(statement))


def _reached(redraw: "Redraw", loaded: list[Value]) -> bool | None:
    """Whether layers with loaded weights are drawn anew; None where that is likely and cannot be seen."""
    from sleuth.causes.training.weights_not_loaded.initialising import reaches

    answers = [reaches(kinds, option) for kinds in redraw.kinds for option in loaded]
    if True in answers:
        return True
    same_whole = all(same_module(redraw.whole, option) for option in loaded)
    return (True if same_whole else None) if None in answers else False


def _served(program: Program, first: Call, last: Call, loaded: list[Value]) -> bool:
    """Whether the loaded weights were put to use (applied, copied, handed out) before a later call."""
    return any(_takes(call, loaded) for call in between(program, first, last))


_USES = ("()", ".state_dict", ".forward", "copy.deepcopy", "torch.save")


def _takes(call: Call, loaded: list[Value]) -> bool:
    if call.op in _USES:
        given = [*([call.receiver] if call.receiver is not None else []), *call.args]
        return any(holds(part, option) or holds(option, part) for part in given for option in loaded)
    if call.op.startswith(("torch.", "builtins.", "@")) or call.op in ("def", "new", "next", "[]"):
        return False
    return any(same_module(part, option) for part in call.args for option in loaded)


def _loaded_again(program: Program, call: Call, loaded: list[Value]) -> bool:
    """Whether the weights are loaded once more before anybody uses them."""
    for load in program.calls(".load_state_dict"):
        if load.order > call.order and all(holds(load.receiver, option) for option in loaded):
            return not _served(program, call, load, loaded)
    return False


def _set_off_by(call: Call, load: Call) -> Call:
    """The line to change: the call of the initialising method where it follows the load."""
    before = load.context.sites
    for site in call.context.sites:
        name = getattr(getattr(site.receiver, "definition", None), "name", "")
        if not any(site is other for other in before) and name != "__init__":
            return site
    return call


def _shares_place(one: Call, other: Call) -> bool:
    return one.context.function is other.context.function


def _replaced_after(program: Program, load: Call) -> Iterator[Evidence]:
    """The loaded object is not used again, and a second one of its class is."""
    for loaded in possible(load.receiver):
        if not isinstance(loaded, Instance) or not is_model(loaded) or load.context.arms:
            continue
        later = [
            call
            for call in program.trace[load.order + 1 :]
            if call.op == "new"
            and isinstance(call.receiver, Instance)
            and call.receiver.cls is loaded.cls
            and _shares_place(call, load)
        ]
        used = [
            call
            for call in users(program).get(id(loaded), ())
            if call.order > load.order or call.result is not None
        ]
        if later and not used and _name_of(program, later[0]) == _name_of(program, loaded) is not None:
            yield clue(
                "proven",
                later[0],
                f"This replaces the model loaded on {line_of(load, later[0])} by a new, untrained one; "
                "the loaded one is not used again.",
                fix="Load the checkpoint into the model that is used, after it is created.",
            )


def _name_of(program: Program, made: Value) -> str | None:
    """The variable that an object is bound to where it is made."""
    for node in program.source.of(ast.Assign):
        if any(inner is made.node for inner in ast.walk(node.value)):
            return ast.unparse(node.targets[0])
    return None


def _silently_empty(program: Program, load: Call) -> Iterator[Evidence]:
    """`strict=False` accepts an empty state: `checkpoint.get("model", {})` with a wrong key loads nothing."""
    strict = load.argument(1, "strict")
    if not load.args or literal(strict) is not False:
        return
    for option in possible(load.args[0]):
        if isinstance(option, Call) and option.op == ".get" and len(option.args) == 2:
            default = option.args[1]
            if isinstance(default, Table) and not default.items:
                yield clue(
                    "likely",
                    load,
                    "If the key is missing, an empty state is loaded here and `strict=False` accepts it: "
                    "the model keeps its random weights without a warning.",
                    fix="Index with `[...]`, and check the missing and unexpected keys that "
                    "`load_state_dict` returns.",
                )


def _nothing_matches(program: Program, load: Call) -> Iterator[Evidence]:
    """A file that another class here wrote, with no part of the same name, under `strict=False`."""
    if not load.args or literal(load.argument(1, "strict")) is not False:
        return
    for read in possible(load.args[0]):
        if not isinstance(read, Call) or read.op != "torch.load" or not read.args:
            continue
        for written in program.calls("torch.save"):
            if len(written.args) < 2 or not _same_file(written.args[1], read.args[0]):
                continue
            ours, theirs = _part_names(load.receiver), _part_names_of_state(written.args[0])
            if ours and theirs and ours.isdisjoint(theirs):
                yield clue(
                    "proven",
                    load,
                    f"No key matches: the file written on {line_of(written, load)} holds "
                    f"{_listed(theirs)}, this model has {_listed(ours)}, and `strict=False` hides that.",
                    fix="Rename the keys, and check the missing and unexpected keys that "
                    "`load_state_dict` returns.",
                )


# Wrappers that put a word before every key of the state of what they wrap.
_PREFIXES = {
    "torch.nn.DataParallel": "module.",
    "torch.nn.parallel.DataParallel": "module.",
    "torch.nn.parallel.DistributedDataParallel": "module.",
    "torch.compile": "_orig_mod.",
}


def _other_prefix(program: Program, load: Call) -> Iterator[Evidence]:
    """A state written from a wrapped model and read into a bare one, or the other way round."""
    if not load.args or literal(load.argument(1, "strict")) is not False:
        return
    wraps = list(program.calls(*_PREFIXES))
    for read in possible(load.args[0]) if wraps else ():
        key = None
        if isinstance(read, Call) and read.op == "[]" and len(read.args) == 2:
            key = literal(read.args[1])
            read = read.args[0]
        if not isinstance(read, Call) or read.op != "torch.load" or not read.args:
            continue
        for written in program.calls("torch.save"):
            if len(written.args) < 2 or not _one_file(program, written, read, key):
                continue
            for state in _states_in(written.args[0], key):
                theirs, ours = _prefix(program, state, wraps), _prefix(program, load, wraps)
                if theirs is not None and ours is not None and theirs != ours:
                    yield clue(
                        "proven",
                        load,
                        f"Only {'the file' if theirs else 'this model'} has keys that begin with "
                        f"`{theirs or ours}` (written on {line_of(written, load)}): none matches, and "
                        "`strict=False` hides that.",
                        fix="Save and load the bare model's state (`model.module.state_dict()`).",
                    )


def _one_file(program: Program, written: Call, read: Call, key: object) -> bool:
    """The same path; or the only file that is written and read here, under one parameter name and key."""
    if _same_file(written.args[1], read.args[0]):
        return True
    paths = [root(written.args[1]), root(read.args[0])]
    alone = (
        len({call.node for call in program.calls("torch.save")})
        == 1
        == len({call.node for call in program.calls("torch.load")})
    )
    names = {path.name for path in paths if isinstance(path, Unknown)}
    return alone and isinstance(key, str) and all(isinstance(p, Unknown) for p in paths) and len(names) == 1


def _states_in(saved: Value, key: object) -> Iterator[Call]:
    for option in possible(saved):
        if isinstance(option, Table) and key in option.items:
            yield from _states_in(option.items[key], None)
        elif key is None and isinstance(option, Call) and option.op == ".state_dict":
            yield option


def _prefix(program: Program, call: Call, wraps: list[Call]) -> str | None:
    """The word before the keys of the model whose method is called; None where a branch decides."""
    name = spelling(call)
    for wrap in wraps:  # `nn.DataParallel(model).state_dict()`
        if isinstance(call.node, ast.Call) and wrap.node is getattr(call.node.func, "value", None):
            return _PREFIXES[wrap.op]
    for wrap in reversed(wraps):
        if wrap.order < call.order and _shares_place(wrap, call) and _name_of(program, wrap) == name:
            return None if wrap.context.arms else _PREFIXES[wrap.op]
    return ""


def _same_file(one: Value, other: Value) -> bool:
    name = literal(one)
    return same(one, other) or (isinstance(name, str) and name == literal(other))


def _part_names_of_state(state: Value) -> set[str]:
    made = [option for option in possible(state) if isinstance(option, Call) and option.op == ".state_dict"]
    return _part_names(made[0].receiver) if len(made) == 1 else set()


def _part_names(module: Value | None) -> set[str]:
    """The first words of the keys of a project model's state."""
    options = possible(module)
    if len(options) != 1 or not isinstance(options[0], Instance):
        return set()
    return {
        name
        for name, value in options[0].attributes.items()
        if any(is_model(option) or _is_parameter(option) for option in possible(value))
    }


def _is_parameter(value: Value) -> bool:
    return isinstance(value, Call) and value.op in ("torch.nn.Parameter", "torch.nn.Buffer")


def _listed(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _read_and_forgotten(program: Program) -> Iterator[Evidence]:
    """`state = torch.load(...)`, and the name is never read."""
    calls = list(program.calls("torch.load"))
    if not calls:
        return
    nodes = {id(call.node): call for call in calls}
    reads = {node.id for node in program.source.of(ast.Name) if isinstance(node.ctx, ast.Load)}
    for node in program.source.of(ast.Assign):
        if id(node.value) in nodes and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name not in reads and name != "_" and _trains_or_predicts(program):
                yield clue(
                    "likely",
                    nodes[id(node.value)],
                    f"The checkpoint is read into `{name}` and never used: the model keeps its random "
                    "weights.",
                    fix=f"Load it: `model.load_state_dict({name})`.",
                )


def _trains_or_predicts(program: Program) -> bool:
    return bool(program.training.of("forward", "backward", "eval"))


def _frozen_at_random(program: Program, loads: list[Call]) -> Iterator[Evidence]:
    """A well-known network built without weights and then frozen: random features for ever."""
    freezes = [
        call for call in program.calls(".requires_grad_", "@requires_grad=") if switches_off(call) is True
    ]
    if not freezes or "load_state_dict" in program.source.text:
        return
    for call in program.trace:
        if not _BUILDERS.match(call.op) or _NOT_BUILDERS.search(call.op) or _asks_for_weights(call):
            continue
        if any(holds(load.receiver, call) or holds(call, load.receiver) for load in loads):
            continue
        if any(owner is call for freeze in freezes for owner in owners_of(freeze.receiver)):
            yield clue(
                "proven",
                call,
                "This network is built without pretrained weights and then frozen: its features stay random.",
                fix="Ask for the weights (`weights=...`, `pretrained=True`) or load a checkpoint "
                "before freezing.",
            )


def _asks_for_weights(call: Call) -> bool:
    """Weights given, or perhaps given."""
    for name in ("weights", "pretrained", "weights_backbone", "pretrained_backbone", "checkpoint_path", "**"):
        given = call.keywords.get(name)
        if given is not None and not (isinstance(given, Constant) and given.value in (None, False)):
            return True
    first = 1 if call.op == "timm.create_model" else 0
    return any(
        not (isinstance(given, Constant) and given.value in (None, False)) for given in call.args[first:]
    )


MOST = 0.5  # of the keys; a replaced head is a few


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Load

    for load in needed(record.of(Load), "loaded state dicts"):
        offered = load.matched + load.unexpected
        if offered and not load.matched:
            text = f"None of {offered} keys matched the model ({load.missing} missing): nothing was loaded"
            yield _finding(load, text, "proven")
        elif load.own:
            text = f"All {load.matched} tensors loaded into a new model were its own, as no key matched"
            yield _finding(load, text, "proven")
        elif load.overwritten:
            text = f"{load.matched} tensors were loaded and parameters were initialised again afterwards"
            yield _finding(load, text, "proven")
        elif load.unexpected > MOST * offered and load.missing > MOST * (load.matched + load.missing):
            text = f"Only {load.matched} of {offered} keys matched the model, {load.missing} are missing"
            yield _finding(load, text, "likely")


def _finding(load: "Load", text: str, telling: Telling) -> Evidence:
    return Evidence(
        f"{text}; the model continues with random weights, without a warning.",
        telling=telling,
        where=at(load),
        numbers={"matched": load.matched, "missing": load.missing, "unexpected": load.unexpected},
        fix="Print what `load_state_dict` returns; strip prefixes such as `module.`; load after "
        "initialising.",
    )
