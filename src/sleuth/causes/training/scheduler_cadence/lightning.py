"""Lightning's `configure_optimizers`: which schedulers it hands over, stepped how often, in what unit."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from sleuth.source.flow import literal, possible, root
from sleuth.source.interpreter.values import (
    Call,
    Collection,
    Constant,
    Function,
    Instance,
    Scope,
    Table,
    Unknown,
    Value,
)
from sleuth.source.loop import Event
from sleuth.source.program import Program
from sleuth.source.topics.cadence import alike, is_optimizer_call
from sleuth.source.torch_api import LIGHTNING
from sleuth.source.word_search import Pattern

# What Lightning and loaders count: batches or optimizer steps of the whole run.
_COUNTS = frozenset({"estimated_stepping_batches", "num_training_batches"})
# Names by which the author says that steps are meant.
_NAMED_STEPS = Pattern(r"^(num_|n_|max_|total_)?(train(ing)?_)?(steps|batches)(_per_epoch)?$")
_LOADER = Pattern(r"loader|\bdl\b|_dl\b|batches|dataset|\w_set\b|\w_ds\b|train_data")
_SCHEDULE = Pattern(r"LR$|[Ss]chedule")
_EPOCH = Pattern(r"^e$|(?<![a-z])ep(och)?s?(?![a-z])", re.IGNORECASE)  # what a function is called with
_NOT_LENGTHS = frozenset(
    "optimizer max_lr base_lr eta_min gamma factor last_epoch verbose mode monitor".split()
)
_RATE_SECOND = ("OneCycleLR", "CyclicLR")  # their second argument is a rate


class Handed(NamedTuple):
    """A scheduler as it is handed over: by itself or in a dictionary of settings (`at` is where)."""

    at: Value
    scheduler: Value
    owner: Instance
    settings: Table | None = None


def handed_over(program: Program) -> Iterator[Handed]:
    """The schedulers that `configure_optimizers` of a Lightning module returns, in any of its forms."""
    for site in program.calls("def"):
        function = site.receiver
        owner = function.bound if isinstance(function, Function) else None
        if not isinstance(owner, Instance) or not owner.cls.derives_from(*LIGHTNING):
            continue
        if getattr(getattr(function, "definition", None), "name", "") == "configure_optimizers":
            for returned in possible(site.result):
                yield from _in_returned(returned, owner)


def _in_returned(returned: Value, owner: Instance) -> Iterator[Handed]:
    if isinstance(returned, Table) and "lr_scheduler" in returned.items:
        yield from _settled(returned.items["lr_scheduler"], returned, owner)
    if not isinstance(returned, Collection):
        return
    items = [root(item) for item in returned.items]
    if len(items) == 2 and isinstance(items[0], Collection):  # [optimizers], [schedulers]
        listed = items[1].items if isinstance(items[1], Collection) else returned.items[1:]
        for scheduler in listed:
            yield from _settled(scheduler, returned, owner)
        return
    for item in items:
        if isinstance(item, Table):
            yield from _in_returned(item, owner)


def _settled(value: Value, holder: Value, owner: Instance) -> Iterator[Handed]:
    for option in possible(value):
        if not isinstance(option, Table):
            yield Handed(holder, option, owner)
        elif "scheduler" in option.items:
            for scheduler in possible(option.items["scheduler"]):
                yield Handed(option, scheduler, owner, option)


def by_epoch(program: Program, handed: Handed) -> bool:
    """Whether Lightning itself steps it, once per epoch: its default."""
    return not _by_hand(program, handed) and (
        handed.settings is None or _says_epoch(program, handed.settings)
    )


def _says_epoch(program: Program, settings: Table) -> bool:
    interval = settings.items.get("interval")
    if interval is not None:
        return all(literal(option) == "epoch" for option in possible(interval))
    if isinstance(settings.node, ast.Dict) and None in settings.node.keys:
        return False  # `**more` may say it
    later = program.calls("[]=", ".update", ".setdefault", "|=")
    return not any(_changes(call, settings) for call in later)


def _changes(call: Call, settings: Table) -> bool:
    """Whether a dictionary gets an entry under a key that is not to be seen."""
    if call.op == "[]=" and isinstance(root(call.args[0]), Constant):
        return False
    changed = call.receiver if call.receiver is not None else call.args[0]
    return any(option is settings for option in possible(changed))


def _by_hand(program: Program, handed: Handed) -> bool:
    """Whether the module steps its schedulers itself."""
    owner = handed.owner
    automatic = owner.attributes.get("automatic_optimization", owner.cls.member("automatic_optimization"))
    if (automatic is not None and literal(automatic) is not True) or owner.cls.member("lr_scheduler_step"):
        return True
    if program.holds("lr_schedulers", "lr_scheduler_configs"):
        return True
    stepped: list[Event] = program.training.of("scheduler")
    return any(alike(event.about, handed.scheduler) for event in stepped)


def by_step(program: Program, handed: Handed) -> bool:
    """Whether Lightning is told to step it after every batch."""
    interval = None if handed.settings is None else handed.settings.items.get("interval")
    told = [literal(option) for option in possible(interval)] if interval is not None else []
    return bool(told) and all(word == "step" for word in told) and not _by_hand(program, handed)


_EPOCHS = Pattern(r"^(num_|n_|max_|total_|train_)*epochs?$", re.IGNORECASE)
_PER_BATCH = Pattern(r"step|batch|iter|len\(", re.IGNORECASE)


def planned_in_epochs(program: Program, scheduler: Value) -> str:
    """The name of a number of epochs that a schedule is planned with as it is, with nothing that would make
    steps of it; "" where there is none."""
    for _, length in _lengths(program, scheduler):
        settled = root(length)
        node = settled.definition if isinstance(settled, Function) else length.node
        if not isinstance(node, ast.AST) or _PER_BATCH.search(ast.unparse(node)):
            continue
        multiplied = {
            id(part)
            for product in ast.walk(node)
            if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult)
            for part in (product.left, product.right)
        }
        for part in ast.walk(node):
            word = (
                part.id
                if isinstance(part, ast.Name)
                else part.attr
                if isinstance(part, ast.Attribute)
                else ""
            )
            if _EPOCHS.match(word) and id(part) not in multiplied:
                return ast.unparse(part)
    return ""


class Unit(NamedTuple):
    """Why a schedule is planned in steps, and whether that is certain or only what a name says."""

    reason: str
    certain: bool


def unit_of(program: Program, scheduler: Value) -> Unit | None:
    """Why the numbers of a schedule are optimizer steps; None where they are epochs or not known."""
    found = [
        unit for name, length in _lengths(program, scheduler) if (unit := _unit(name, length)) is not None
    ]
    return max(found, key=lambda unit: unit.certain, default=None)


def maker(program: Program, scheduler: Value) -> Call | None:
    """The call that made a scheduler: a library's, or of a class of the project."""
    if isinstance(scheduler, Call):
        return scheduler if scheduler.op[:1].isalpha() and scheduler.receiver is None else None
    return next((call for call in program.calls("new") if call.receiver is scheduler), None)


def _lengths(program: Program, scheduler: Value) -> Iterator[tuple[str, Value]]:
    """The numbers a schedule is planned with, those of the schedules it is put together from included."""
    made = maker(program, scheduler)
    if made is None:
        return
    first = 2 if made.op.endswith(_RATE_SECOND) else 1
    given = [("", value) for value in made.args[first:]]
    given += [(name, value) for name, value in made.keywords.items() if name not in _NOT_LENGTHS]
    for name, value in given:
        settled = root(value)
        inner = [root(item) for item in settled.items] if isinstance(settled, Collection) else []
        if inner and all(_is_schedule(item) for item in inner):
            for item in inner:
                yield from _lengths(program, item) if item is not None else ()
        elif name == "steps_per_epoch" and literal(value) == 1:
            return
        else:
            yield name, value


def _is_schedule(value: Value | None) -> bool:
    if isinstance(value, Instance):
        return True
    return isinstance(value, Call) and bool(_SCHEDULE.search(value.op))


def _unit(name: str, length: Value) -> Unit | None:
    settled = root(length)
    if isinstance(settled, Function):
        return _unit_of_function(settled)
    if name == "steps_per_epoch":
        return Unit("`steps_per_epoch` expects one call per batch", certain=True)
    return _counted(length)


def _counted(length: Value | None) -> Unit | None:
    """Whether a number is made from the number of batches or steps; divided by it, it is in epochs again."""
    named: Unit | None = None
    for value in _made_from(length):
        if isinstance(value, Call) and value.op in ("/", "//") and _counted(value.args[1]) is not None:
            return None
        if isinstance(value, Call) and value.op[:1] == "@" and value.op[1:] in _COUNTS:
            return Unit(f"its length comes from `{value.op[1:]}`", certain=True)
        if isinstance(value, Call) and value.op == "builtins.len" and _is_of_loader(value):
            return Unit("its length is computed from the number of batches", certain=True)
        word = value.op[1:] if isinstance(value, Call) and value.op[:1] == "@" else getattr(value, "name", "")
        if isinstance(value, Call | Unknown) and _NAMED_STEPS.match(word):
            named = Unit(f"its length comes from `{word}`", certain=False)
    return named


def _made_from(length: Value | None, limit: int = 80) -> Iterator[Value]:
    """A number and what it was computed from; the optimizer that a schedule also gets is left out."""
    queue = possible(length)
    seen: set[int] = set()
    while queue and len(seen) < limit:
        here = queue.pop(0)
        if id(here) in seen or is_optimizer_call(here):
            continue
        seen.add(id(here))
        yield here
        inner: list[Value] = []
        if isinstance(here, Call) and here.op != "builtins.len":
            inner = [*here.args, *here.keywords.values()]
        elif isinstance(here, Collection):
            inner = list(here.items)
        queue += [option for part in inner for option in possible(part)]


def _is_of_loader(length: Call) -> bool:
    if not length.args:
        return False
    made = [option.op for option in possible(length.args[0]) if isinstance(option, Call)]
    if any(op.endswith("DataLoader") or op in (".train_dataloader", "@train_dataloader") for op in made):
        return True
    node = length.node
    return isinstance(node, ast.Call) and bool(node.args) and bool(_LOADER.search(ast.unparse(node.args[0])))


def _unit_of_function(function: Function) -> Unit | None:
    """`lambda step: min(1, step / total)`: it does not say that it counts epochs; its numbers are steps."""
    definition = function.definition
    names = [entry.arg for entry in definition.args.args if entry.arg != "self"] if definition else []
    if definition is None or not names or _EPOCH.search(names[0]):
        return None
    for node in ast.walk(definition):
        if isinstance(node, ast.Attribute) and node.attr in _COUNTS:
            return Unit(f"its length comes from `{node.attr}`", certain=True)
        value = _variable(node, function.scope)
        if value is not None and (unit := _counted(value)) is not None and unit.certain:
            return unit
    return None


def _variable(node: ast.AST, scope: Scope | None) -> Value | None:
    """A variable of the code around a function, or an attribute that the object has there."""
    owner = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(owner, ast.Name):
        return None
    while scope is not None and owner.id not in scope.names:
        scope = scope.parent
    value = scope.names[owner.id] if scope is not None else None
    if isinstance(node, ast.Name):
        return value if not isinstance(value, Instance) else None
    held = root(value)
    assert isinstance(node, ast.Attribute)
    return held.attributes.get(node.attr) if isinstance(held, Instance) else None
