"""Parameters that should learn carry requires_grad=False and receive no gradient.

## What happens
Freezing is one line, and it freezes more than you think. A loop over `model.parameters()` written
for the backbone also covers the head when the head was replaced *before* the loop. An "unfreeze at
epoch 5" that compares names with a prefix the wrapper has changed (`module.`, `_orig_mod.`) never
matches. A loaded model may arrive frozen by its author.

If everything is frozen, `backward()` raises and you notice. If one layer stays trainable, all is
quiet: gradients of the frozen ones are None, optimizers skip them, the few free parameters pull
the loss down to what a readout of fixed features can do.

"Frozen" is also less than you may think. Batch-norm running statistics keep following the data as
long as the module is in train mode. And a parameter frozen in mid-run whose `.grad` is zero rather
than None (`set_to_none=False`) is still moved by Adam's momentum and by weight decay.

```python
model.fc = nn.Linear(512, 10)
for p in model.parameters():      # after the new head: it is frozen too
    p.requires_grad = False
```

## How to tell
- **lint**: a loop or `requires_grad_(False)` over the whole model with no later unfreezing, most
  clearly when the same model then goes to an optimizer; an unfreezing that has no effect, such as
  `model.encoder.requires_grad = True` (a module has no such switch, only its parameters have).
- **probe**: share of parameters with `requires_grad=False`, by module; suspicious if the output
  layer is among them, if nearly everything is, or if a frozen module still has random weights.
- **watch**: parameters held by the optimizer that have no gradient on any step and do not change.
- **experiment**: corrected from outside, everything is unfrozen and given to the optimizer; the
  training loss falls further.
- **refuted by**: `all(p.requires_grad for p in model.parameters())`.

## How to fix
Freeze by name, then put in the new part, then print what is left.

```python
model.requires_grad_(False)
model.fc = nn.Linear(512, 10)                 # new layers are trainable by default
trainable = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=1e-3)
print(sum(p.numel() for p in trainable), "trainable")
```
A frozen pretrained backbone, an EMA teacher, a fixed positional table, or a discriminator frozen
while the generator is trained are intended. Put frozen batch-norm layers in `eval()` as well, after
each `model.train()`.

## Often mistaken for
- `detached-graph`: there the flag is True and the path is cut; here the flag itself is False.
- `no-grad-training`: the flags are True, and a context manager stops the recording.
- `underpowered-model`: nothing is frozen and the fit is still poor.

## Sources
- pytorch-autograd: "Setting requires_grad"; what the flag does in the forward and the backward
  pass, and its use for fine-tuning.
- pytorch-zero-grad: `set_to_none` notes; zero and None gradients are treated differently.
"""

import ast
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import where_only_written
from sleuth.quick_dataclass import replace
from sleuth.record.questions import at, loaded, module_of, needed, optimizer_of, raised, where_module
from sleuth.source.edits import Edits, statement_of
from sleuth.source.flow import keeps_numbers, literal, possible
from sleuth.source.interpreter.values import Call, Constant, Value
from sleuth.source.losses import loss_of
from sleuth.source.program import Program, clue, line_of, rewrite
from sleuth.source.topics.gradients import is_optimizer, optimized, owners_of, steps_after, switches_off
from sleuth.source.topics.modes import handed_over, holds, is_model, parts, users
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Model, Parameter, Record

UNLESS = {"any": "thawed-later", "numbers": "sets-free-after-the-end"}
LOOKS_LIKE = {"stuck from the start": "even"}
INVITED_BY = {"load_state_dict|from_pretrained": 3.0, "requires_grad": 3.0}
NEEDS = "requires_grad require_grad from_pretrained freeze"
PREDICTS = {"same-batch": "even"}


def lint(program: Program) -> Iterator[Evidence]:
    switches = sorted(
        (call for call in program.calls(".requires_grad_", "@requires_grad=") if not _is_on_a_loss(call)),
        key=lambda call: call.order,
    )
    freezes = [call for call in switches if switches_off(call) is True and not _without_effect(call)]
    for call in switches:
        if _without_effect(call) and switches_off(call) is False:
            if (freeze := _frozen_before(call, freezes)) is not None:
                yield clue(
                    "proven",
                    call,
                    "A module has no `requires_grad` switch: this sets an unused attribute, and the "
                    f"parameters frozen on {line_of(freeze, call)} stay frozen.",
                    fix="Call `.requires_grad_(True)` on the module, or set the flag on each parameter.",
                )
    yield from _misspelt(program, freezes)
    yield from _random_table(program, switches)
    for freeze in freezes:
        if freeze.context.arms:
            continue
        so_far = [one for one in freezes if one.order <= freeze.order and not one.context.arms]
        if (idle := _trains_only_frozen(program, freeze, so_far, switches)) is not None:
            stepped = idle.op == ".step"
            yield clue(
                "proven" if stepped else "likely",
                freeze,
                f"This freezes everything that the optimizer {'stepped' if stepped else 'made'} on "
                f"{line_of(idle, freeze)} is given, and nothing unfreezes it: the new layers are frozen "
                "with the rest.",
                fix="Freeze first and add the new layers afterwards, or freeze only the part that must "
                "not learn.",
            )


def _is_on_a_loss(call: Call) -> bool:
    """`loss.requires_grad_(True)` lets backward run and thaws no parameter."""
    return all(isinstance(option, Call) and loss_of(option) is not None for option in possible(call.receiver))


def _without_effect(call: Call) -> bool:
    """`module.requires_grad = x`: a plain attribute, not the flag of its parameters."""
    return call.op == "@requires_grad=" and all(is_model(option) for option in possible(call.receiver))


def _frozen_before(call: Call, freezes: list[Call]) -> Call | None:
    for freeze in freezes:
        if freeze.order < call.order:
            for owner in owners_of(freeze.receiver):
                if holds(owner, call.receiver) or holds(call.receiver, owner):
                    return freeze
    return None


_PUT_IN = ("builtins.setattr", ".add_module", ".register_module", ".set_submodule")


def _trains_only_frozen(
    program: Program, freeze: Call, so_far: list[Call], switches: list[Call]
) -> Call | None:
    """The step of an optimizer all of whose parameters this freezes for good; the optimizer, of a piece."""
    frozen = [module for one in so_far for module in _whole_modules(one)]
    if not _whole_modules(freeze) or any(
        other.order > freeze.order and switches_off(other) is not True and not _without_effect(other)
        for other in switches
    ):
        return None
    if any(call.order > freeze.order for call in program.calls(*_PUT_IN)):
        return None  # parts under a name that is only known when it runs
    for backward in program.training.of("backward"):
        if backward.call.order < freeze.order:
            continue
        for step in steps_after(program, backward):
            if _holds_only_frozen(program, step.about, frozen, freeze):
                return step.call
    if program.training.of("backward", "step"):
        return None
    # A piece that ends before its loop. What is never trained in sight may be thawed out of sight, too.
    made = [call for call in program.trace[freeze.order :] if is_optimizer(call)]
    return next((call for call in made if _holds_only_frozen(program, call, frozen, freeze)), None)


def _holds_only_frozen(program: Program, optimizer: Value | None, frozen: list[Value], freeze: Call) -> bool:
    owners = optimized(optimizer)
    made = max((option.order for option in possible(optimizer) if isinstance(option, Call)), default=0)
    return bool(owners) and all(
        _all_frozen(program, owner, frozen, freeze.order)
        and not handed_over(program, owner, freeze.order, made)  # adapters may be in it since
        for owner in owners or ()
    )


def _whole_modules(freeze: Call) -> list[Value]:
    """The modules that are frozen from end to end: by their own method or by a loop over all parameters."""
    found: list[Value] = []
    for option in possible(freeze.receiver):
        if is_model(option):
            found.append(option)
        elif isinstance(option, Call) and option.op in ("next", "[]"):
            source = option.args[0] if option.op == "next" else _looped(option)
            if isinstance(source, Call) and source.op in (".parameters", ".named_parameters"):
                found += [owner for owner in possible(source.receiver) if is_model(owner)]
    return found


def _looped(item: Call) -> Value | None:
    pair = item.args[0]
    return pair.args[0] if isinstance(pair, Call) and pair.op == "next" else None


def _all_frozen(program: Program, owner: Value, frozen: list[Value], at: int) -> bool:
    """Held by what was frozen, and nothing new was made or put in since."""
    if not any(holds(module, owner) for module in frozen):
        return False
    if any(isinstance(piece, Call) and piece.order > at and piece.op[:1] != "@" for piece in parts(owner)):
        return False
    return not any(
        (call.op[:1] == "@" and call.op[-1:] == "=" and call.op != "@requires_grad=") or call.op == "[]="
        for call in program.trace[at:]
        if call.receiver is not None and any(holds(module, call.receiver) for module in frozen)
    )


def _misspelt(program: Program, freezes: list[Call]) -> Iterator[Evidence]:
    """`p.require_grad = True`, `p.requires_grad_ = True`, `p.requires_grad == True`: no switch is moved."""
    if not freezes:
        return
    statements = {node.value for node in program.source.of(ast.Expr)}
    for call in program.trace[freezes[0].order :]:
        if _looks_like_the_switch(call.op):
            written, seen = f"`.{call.op[1:-1]} =`", call.receiver
            meant = literal(call.args[-1]) is True
        elif call.op == "==" and call.node in statements:
            left = call.args[0]
            if not isinstance(left, Call) or left.op != "@requires_grad":
                continue
            written, seen = "`requires_grad ==`", left.receiver
            meant = literal(call.args[1]) is True
        elif call.op == "@requires_grad_" and call.node in statements:
            written, seen, meant = "`requires_grad_` without parentheses", call.receiver, True
        else:
            continue
        for freeze in freezes:
            if meant and freeze.order < call.order and _share_parameters(freeze, seen):
                yield clue(
                    "proven",
                    call,
                    f"{written} has no effect: the parameters frozen on {line_of(freeze, call)} stay frozen.",
                    fix="Write `param.requires_grad = True`, or call `module.requires_grad_(True)`.",
                    edits=_spelt_right(call),
                )
                break


def _spelt_right(call: Call) -> Edits:
    """The flag of a parameter under its right name; which of the two switches a module wants is not said."""
    statement = statement_of(call.node, call.source)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Attribute) or any(is_model(option) for option in possible(call.receiver)):
        return ()
    return rewrite(target, call.source, f"{ast.unparse(target.value)}.requires_grad")


def _looks_like_the_switch(op: str) -> bool:
    """An attribute that is set, spelt almost as `requires_grad`."""
    name = op[1:-1]
    return (
        op[:1] == "@"
        and op[-1:] == "="
        and "grad" in name.lower()
        and "req" in name.lower()
        and name != "requires_grad"
    )


def _share_parameters(freeze: Call, other: Value | None) -> bool:
    theirs = owners_of(other)
    return any(
        holds(mine, owner) or holds(owner, mine) for mine in owners_of(freeze.receiver) for owner in theirs
    )


# Makers of random numbers: by themselves no knowledge that would be worth keeping.
_RANDOM = Pattern(
    r"^(torch\.(randn?|normal|empty)|numpy\.random\.\w+|torch\.nn\.init\.\w+_|\.(uniform|normal|randn|rand)_?)$"
)
_PASSES = frozenset(
    [
        "*",
        "/",
        "+",
        "-",
        "torch.tensor",
        "torch.from_numpy",
        "torch.FloatTensor",
        "torch.as_tensor",
        ".astype",
    ]
)


def _random_table(program: Program, switches: list[Call]) -> Iterator[Evidence]:
    """`Embedding.from_pretrained` freezes unless told otherwise; here the table holds random numbers."""
    for call in program.calls("torch.nn.Embedding.from_pretrained", "torch.nn.EmbeddingBag.from_pretrained"):
        table = call.argument(0, "embeddings")
        if "freeze" in call.keywords or "**" in call.keywords or len(call.args) > 1:
            continue
        made = _random_makers(table)
        if not made or _filled(program, table, made):
            continue
        # switched on by anyone, in whatever way: not for this rule to follow
        if any(switches_off(other) is not True for other in switches) or "@weight=" in {
            other.op for other in program.trace[call.order :]
        }:
            continue
        yield clue(
            "likely",
            call,
            "`from_pretrained` freezes its table by default, and this one is randomly initialised "
            f"({line_of(made[0], call)}): the embedding never learns.",
            fix="Use `nn.Embedding(...)`, or pass `freeze=False`.",
        )


def _random_makers(table: Value | None) -> list[Call]:
    """The random draws that a table consists of; none where anything else is in it."""
    found: list[Call] = []
    queue = list(possible(table))
    for _ in range(30):
        if not queue:
            return found
        here = queue.pop()
        if isinstance(here, Constant):
            continue
        if not isinstance(here, Call):
            return []
        if _RANDOM.match(here.op):
            found.append(here)
        elif here.op in _PASSES or keeps_numbers(here):
            given = (here.receiver, *here.args) if here.receiver is not None else here.args
            queue += [option for part in given[:2] for option in possible(part)]
        else:
            return []
    return []


def _filled(program: Program, table: Value | None, made: list[Call]) -> bool:
    """Whether rows are written into it: known vectors, with random ones for unknown words."""
    held = {id(option) for value in (table, *made) for option in possible(value)}
    takers = [call for draw in made for call in users(program).get(id(draw), ())]
    if any(call.op in ("def", "()") or call.op.startswith("builtins.") for call in takers):
        return True  # whoever gets it may fill it
    if any(draw.op == "torch.empty" for draw in made) and not any(_RANDOM.match(call.op) for call in takers):
        return True
    return any(
        id(option) in held
        for call in program.calls("[]=", ".copy_", ".index_copy_", "@data=")
        for option in possible(call.receiver)
    )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    gradients = bench.first.gradients
    frozen = [p for p in gradients.parameters if not p.trainable and p.used]
    free = [p for p in gradients.parameters if p.trainable and p.used]
    if free:  # a teacher inside the model, which answers under `no_grad`, is no part of what learns
        frozen = [p for p in frozen if p.recorded]
    if not frozen:
        return
    numbers = {"frozen": len(frozen), "free": len(free)}
    # A frozen body under a free head is transfer learning. Frozen parameters above free ones, or frozen ones
    # handed to the optimizer, contradict themselves.
    above = bool(free) and max(p.order for p in frozen) > max(p.order for p in free)
    # Not so a frozen judge, which is a model of its own, nor adapters with frozen layers on either side.
    judges = {p.root for p in frozen}.isdisjoint(p.root for p in free)
    between = above and min(p.order for p in frozen) < min(p.order for p in free)
    above = above and not judges and not between
    handed = [p for p in frozen if p.optimizer == 0]  # the one that steps; an older phase may hold them too
    if not free:
        what = "every parameter is frozen, so nothing can be learned"
    elif above:
        top = max(frozen, key=lambda p: p.order).name
        what = f"the output side (`{top}`) is frozen while layers before it learn"
    elif handed:
        first = handed[0].name
        what = f"{len(handed)} of them, such as `{first}`, were given to the optimizer, which skips them"
    else:
        return
    yield Evidence(
        f"{len(frozen)} of {len(frozen) + len(free)} parameters have requires_grad=False: {what}.",
        telling="proven" if above or not free else "likely",
        where=Where(module=(handed or frozen)[0].module or None),
        numbers=numbers,
        fix="Call `module.requires_grad_(True)`; assigning `module.requires_grad = True` does nothing.",
    )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.thawed(world)


_LEARNS = ("Linear", "Conv", "LSTM", "GRU", "RNN", "Bilinear", "MultiheadAttention")


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Holding, Layers, Model

    needed(record.of(Model), "models")
    for model in record.of(Model):
        kinds = {layer.name: layer.type for layer in model.layers}
        frozen = [
            p
            for p in model.parameters
            if not p.trainable and kinds.get(module_of(p.name), "").startswith(_LEARNS)
        ]
        if not frozen or not record.steps:
            continue
        whole = len(frozen) == len(model.parameters)
        held = {name for seen in record.of(Holding) for name in seen.frozen}
        after = [seen for seen in record.of(Layers) if seen.n >= model.n]
        moved = {name for seen in after for name, change in seen.updates.items() if change}
        frozen = [p for p in frozen if not _copied(p, model)]
        still = [p for p in frozen if p.name not in moved]
        if not still or whole or len(still) < len(frozen):
            continue  # a frozen model as a whole is a teacher or a target; one may be thawed bit by bit
        # Random weights that never learn are a mistake; weights that were trained before may rest.
        fresh = model.n == 0 and not loaded(record)
        random = [p for p in still if model.n and _at_its_start(p)]
        if random and any(not _at_its_start(p) for p in still if len(p.shape) >= 2):
            still, fresh = random, True  # what was trained before rests, and a new layer with it
        names = [p.name for p in still]
        yield Evidence(
            f"{len(still)} of {len(model.parameters)} parameters "
            f"({', '.join(names[:3])}{', ...' if len(names) > 3 else ''}) have `requires_grad=False`"
            + (" though the optimizer holds them" if set(names) & held else "")
            + (": they keep their random initial values." if fresh else "; fine if they are pretrained."),
            telling="likely" if fresh else "aside",
            where=_where_frozen(record, module_of(names[0]))
            if fresh
            else where_module(record, module_of(names[0])),
            numbers={"frozen": len(still), "parameters": len(model.parameters)},
            fix="Set `requires_grad_(True)` on what should learn, before the optimizer is made.",
        )
    yield from _held_again(record)
    where = raised(record, "does not require grad and does not have a grad_fn")
    models = [model for model in record.of(Model) if model.parameters]
    if where is not None and models and not any(p.trainable for model in models for p in model.parameters):
        yield Evidence(
            "backward failed: every parameter of the model has `requires_grad=False`.",
            telling="proven",
            where=where,
            fix="Set `requires_grad_(True)` on what should learn.",
        )


def _where_frozen(record: "Record", module: str) -> Where:
    """The line that freezes, if the script has one only; else where the module was made."""
    line = where_only_written(record, r"requires_grad\s*=\s*False|requires_grad_\(False\)")
    return where_module(record, module) if line is None else replace(line, module=module)


ENOUGH = 256  # weights, for the largest of them to lie within 2% of the bound of their draw


def _at_its_start(parameter: "Parameter") -> bool:
    """A matrix as torch draws it, evenly up to 1/sqrt(inputs); a few steps carry some weight beyond."""
    size = math.prod(parameter.shape)
    if len(parameter.shape) < 2 or size < ENOUGH:
        return False
    bound = 1 / math.sqrt(math.prod(parameter.shape[1:]))
    return 0.98 * bound < parameter.largest <= 1.0001 * bound


def _held_again(record: "Record") -> Iterator[Evidence]:
    """One optimizer left parameters out, a later one holds them: they shall learn, and are still frozen."""
    from sleuth.record.entries import Holding

    fewest: dict[str, int] = {}
    for seen in record.of(Holding):
        larger = any(held > fewest.get(model, held) for model, held in seen.of_models.items())
        made = optimizer_of(record, seen.optimizer)
        if seen.frozen and larger:
            yield Evidence(
                f"This optimizer holds {len(seen.frozen)} parameters that an earlier one left out "
                f"({', '.join(seen.frozen[:2])}, ...), and they still have `requires_grad=False`: "
                "unfreezing them had no effect.",
                telling="proven",
                where=at(made) if made else None,
                numbers={"frozen": len(seen.frozen)},
                fix="Unfreeze with `module.requires_grad_(True)`; setting `module.requires_grad = True` "
                "does nothing.",
            )
            return
        for model, held in seen.of_models.items():
            fewest[model] = min(held, fewest.get(model, held))


def _copied(parameter: "Parameter", model: "Model") -> bool:
    """It began as a copy of a trainable one: a momentum or target network."""
    return any(
        other.trainable and other.shape == parameter.shape and other.norm == parameter.norm != 0
        for other in model.parameters
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_freezes, scene.sources)


def _freezes(statement: "Statement") -> int | None:
    """Where parameters are taken out of training, or are meant to be put back in."""
    if re.search(r"requires_grad_\(False\)|requires_grad = False", statement.text):
        return 0
    return 1 if re.search(r"requires_grad_\(|\.requires_grad = ", statement.text) else None
