"""Statements of the analysed program: what each does to variables and context."""

import ast
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from sleuth.source import torch_api
from sleuth.source.interpreter import expressions
from sleuth.source.interpreter.machine import Machine, element, merge, settle, unwrapped
from sleuth.source.interpreter.values import (
    Arm,
    Call,
    Carried,
    Class,
    Collection,
    Constant,
    Context,
    Deferred,
    External,
    Function,
    Instance,
    Loop,
    Scope,
    Table,
    Unknown,
    Value,
)

# How a block ended: normally, or with a jump that skips what follows.
FALLS_THROUGH, JUMPS = False, True

MAX_PHASES = 3  # a loop over so many words (train, val, test) is followed word by word, however long its body
UNROLL = 8  # a loop over a literal list of at most so many items is followed item by item

NO_GRAD = {
    "torch.no_grad",
    "torch.inference_mode",
    "torch.autograd.no_grad",
    "torch.autograd.grad_mode.no_grad",
    "torch.autograd.inference_mode",
}
WITH_GRAD = {"torch.enable_grad", "torch.autograd.enable_grad"}


def run_block(machine: Machine, body: Iterable[ast.stmt]) -> bool:
    """Run statements in order; True when the block ends in a jump (return, raise, break, continue)."""
    for statement in body:
        handler = _HANDLERS.get(type(statement))
        if handler is not None and handler(machine, statement):
            return JUMPS
    return FALLS_THROUGH


def _block_in(machine: Machine, context: Context, body: Iterable[ast.stmt]) -> bool:
    """Run a block in another context and come back."""
    outside, machine.context = machine.context, context
    jumped = run_block(machine, body)
    machine.context = outside
    return jumped


def _expression(machine: Machine, node: ast.Expr) -> bool:
    expressions.evaluate(machine, node.value)
    return FALLS_THROUGH


def _assign(machine: Machine, node: ast.Assign) -> bool:
    value = expressions.evaluate(machine, node.value)
    for target in node.targets:
        bind(machine, target, value)
    return FALLS_THROUGH


def _annotated(machine: Machine, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        bind(machine, node.target, expressions.evaluate(machine, node.value))
    return FALLS_THROUGH


def _augmented(machine: Machine, node: ast.AugAssign) -> bool:
    before = expressions.evaluate(machine, _as_load(node.target))
    change = expressions.evaluate(machine, node.value)
    op = expressions.OPERATORS[type(node.op)] + "="
    listed, added = settle(before), settle(change)
    if op == "+=" and isinstance(listed, Collection):
        # A list grows in place, under every name it has; in a loop it may grow by any number of turns.
        known = isinstance(added, Collection)
        listed.items.extend(added.items if isinstance(added, Collection) else [])
        listed.open |= (
            bool(machine.context.loops) or not known or (isinstance(added, Collection) and added.open)
        )
        machine.record(node, ".extend", listed, (change,))
        return FALLS_THROUGH
    bind(machine, node.target, machine.record(node, op, None, (before, change)))
    return FALLS_THROUGH


def bind(machine: Machine, target: ast.expr, value: Value) -> None:
    """Assign a value to a name, an attribute, an item or a pattern of these."""
    if isinstance(target, ast.Name):
        machine.scope.names[target.id] = value
    elif isinstance(target, ast.Attribute):
        _bind_attribute(machine, target, value)
    elif isinstance(target, ast.Tuple | ast.List):
        for name, part in zip(target.elts, _unpack(machine, target, value), strict=True):
            bind(machine, name, part)
    elif isinstance(target, ast.Starred):
        bind(machine, target.value, machine.unknown(target))
    elif isinstance(target, ast.Subscript):
        container = expressions.evaluate(machine, target.value)
        key = expressions.evaluate(machine, target.slice)
        container = settle(container)
        if isinstance(container, Table) and isinstance(key, Constant):
            container.items[key.value] = value
        elif isinstance(container, Collection):
            _replace_item(container, key, value)
        machine.record(target, "[]=", container, (key, value))


def _replace_item(container: Collection, key: Value, value: Value) -> None:
    place = key.value if isinstance(key, Constant) else None
    size = len(container.items)
    if isinstance(place, int) and not container.open and -size <= place < size:
        container.items[place] = value
    else:
        container.items.append(value)
        container.open = True


def _bind_attribute(machine: Machine, target: ast.Attribute, value: Value) -> None:
    owner = expressions.evaluate(machine, target.value)
    settled = settle(owner)
    if isinstance(settled, Instance):
        before = settled.attributes.get(target.attr)
        if before is not None and _conditional_since(machine, settled):
            value = merge([value, before])
        settled.attributes[target.attr] = value
    machine.record(target, f"@{target.attr}=", owner, (value,))


def _conditional_since(machine: Machine, instance: Instance) -> bool:
    """Whether this assignment may be skipped, seen from where the object was made."""
    made_under = len(instance.made_in.arms) if instance.made_in else 0
    return len(machine.context.arms) > made_under


def _unpack(machine: Machine, target: ast.Tuple | ast.List, value: Value) -> list[Value]:
    wanted = len(target.elts)
    value = unwrapped(value)
    if isinstance(value, Collection) and not value.open and len(value.items) == wanted:
        return list(value.items)
    return [
        machine.record(target, "[]", None, (value, machine.constant(target, place)))
        for place in range(wanted)
    ]


def _function(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    function = Function(node, machine.context.source, node, machine.scope)
    machine.scope.names[node.name] = function
    return FALLS_THROUGH


def _class(machine: Machine, node: ast.ClassDef) -> bool:
    bases = tuple(expressions.evaluate(machine, base) for base in node.bases)
    scope = Scope({}, machine.scope)
    outer, machine.scope = machine.scope, scope
    try:
        run_block(machine, node.body)
    finally:
        machine.scope = outer
    outer.names[node.name] = Class(node, machine.context.source, node, outer, bases, scope.names)
    return FALLS_THROUGH


def _import(machine: Machine, node: ast.Import) -> bool:
    for alias in node.names:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        machine.scope.names[alias.asname or name] = _named(machine, node, name, 0, None)
    return FALLS_THROUGH


def _import_from(machine: Machine, node: ast.ImportFrom) -> bool:
    module = node.module or ""
    for alias in node.names:
        if alias.name == "*":
            _star(machine, node, module)
        else:
            value = _named(machine, node, module, node.level, alias.name)
            machine.scope.names[alias.asname or alias.name] = value
    return FALLS_THROUGH


def _named(machine: Machine, node: ast.AST, module: str, level: int, name: str | None) -> Value:
    if level == 0 and _is_library(module):
        full = module if name is None else f"{module}.{name}"
        return External(node, machine.context.source, expressions.canonical(full))
    return Deferred(node, machine.context.source, module, level, name)


def _star(machine: Machine, node: ast.ImportFrom, module: str) -> None:
    source = None
    if node.level or not _is_library(module):
        source = machine.project.find(module, node.level, machine.context.source)
    if source is None:
        machine.scope.star_imports.append(module)
        return
    for key, value in expressions.run_module(machine, source).names.items():
        if not key.startswith("_"):
            machine.scope.names.setdefault(key, value)


@cache
def _is_library(name: str) -> bool:
    """Names that are certainly not files of the project: no need to look for them on disk."""
    return name.partition(".")[0] in LIBRARIES


LIBRARIES = frozenset(
    "torch torchvision torchaudio numpy pandas sklearn scipy matplotlib transformers datasets accelerate "
    "lightning pytorch_lightning ignite fastai skorch jax flax optax haiku equinox gymnasium gym "
    "stable_baselines3 tqdm rich click os sys re math random json time typing collections functools "
    "itertools pathlib dataclasses argparse logging copy abc contextlib warnings tensorflow keras wandb "
    "mlflow seaborn PIL cv2 imblearn xgboost lightgbm einops timm torchmetrics".split()
)


def _if(machine: Machine, node: ast.If) -> bool:
    if _is_main_guard(node.test):
        return run_block(machine, node.body)
    test = expressions.evaluate(machine, node.test)
    if isinstance(test, Constant) and (test.value is None or isinstance(test.value, bool)):
        return run_block(machine, node.body if test.value else node.orelse)
    return _branches(machine, [(Arm(node, "if", test), node.body), (Arm(node, "else", test), node.orelse)])


def _is_main_guard(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
    )


def _branches(machine: Machine, arms: list[tuple[Arm, list[ast.stmt]]]) -> bool:
    """Run alternatives from the same start; afterwards a variable is either of what the arms left."""
    start = machine.scope.names
    ends: list[dict[str, Value]] = []
    for arm, body in arms:
        machine.scope.names = dict(start)
        jumped = _block_in(machine, machine.context.inside(arm=arm), body)
        if not jumped:
            ends.append(machine.scope.names)
    machine.scope.names = start
    if not ends:
        return JUMPS
    _join(start, ends)
    return FALLS_THROUGH


def _join(start: dict[str, Value], ends: list[dict[str, Value]]) -> None:
    """Write the arms' variables back. The dict object stays: closures and modules hold on to it."""
    changed = {name for end in ends for name, value in end.items() if start.get(name) is not value}
    for name in changed:
        seen = [end[name] for end in ends if name in end]
        start[name] = seen[0] if all(value is seen[0] for value in seen) else merge(seen)


def _for(machine: Machine, node: ast.For | ast.AsyncFor) -> bool:
    iterable = expressions.evaluate(machine, node.iter)
    settled = settle(iterable)
    settled = torch_api.held_layers(settled) or settled
    if isinstance(settled, Collection) and not settled.open and 0 < len(settled.items) <= UNROLL:
        if machine.remember(_is_cheap, node) or _are_phases(settled):
            return _unrolled(machine, node, settled)
    loop = Loop(node, iterable)
    outside = machine.context
    machine.context = outside.inside(loop=loop)
    bind(machine, node.target, element(machine, node, settled))
    _turn(machine, loop, node.body)
    machine.context = outside
    run_block(machine, node.orelse)
    return FALLS_THROUGH


def _are_phases(items: Collection) -> bool:
    """`for phase in ("train", "val")`: which arm of `if phase == "train"` runs depends on the turn."""
    words = [item for item in items.items if isinstance(item, Constant) and isinstance(item.value, str)]
    return len(words) == len(items.items) <= MAX_PHASES


def _is_cheap(node: ast.For | ast.AsyncFor) -> bool:
    """Layers applied one after the other, not a training loop over a few settings."""
    return len(node.body) <= 6 and not any(
        isinstance(inner, ast.For | ast.While) for inner in ast.walk(node) if inner is not node
    )


def _unrolled(machine: Machine, node: ast.For | ast.AsyncFor, items: Collection) -> bool:
    loop = Loop(node, items, followed=True)
    outside = machine.context
    machine.context = outside.inside(loop=loop)
    for item in list(items.items):
        bind(machine, node.target, item)
        run_block(machine, node.body)
    machine.context = outside
    return FALLS_THROUGH


def _while(machine: Machine, node: ast.While) -> bool:
    loop = Loop(node)
    outside = machine.context
    machine.context = outside.inside(loop=loop)
    expressions.evaluate(machine, node.test)
    _turn(machine, loop, node.body)
    machine.context = outside
    run_block(machine, node.orelse)
    return FALLS_THROUGH


def _turn(machine: Machine, loop: Loop, body: list[ast.stmt]) -> None:
    """One turn stands for all: variables that the body changes enter it as `Carried`."""
    names = machine.scope.names
    carried = {
        name: Carried(loop.node, machine.context.source, name, names[name], None, loop)
        for name in machine.remember(_assigned, loop.node)
        if name in names and not _is_loop_target(loop.node, name)
    }
    names.update(carried)
    run_block(machine, body)
    names = machine.scope.names
    for name, value in carried.items():
        final = names.get(name, value)  # `del` may have removed it
        value.final = None if final is value else final
        if final is value and value.initial is not None:
            names[name] = value.initial


def _assigned(node: ast.AST) -> frozenset[str]:
    """Names that a loop's statements assign (function and class bodies inside it have their own names)."""
    found: set[str] = set()
    stack: list[ast.AST] = list(getattr(node, "body", []))
    while stack:
        here = stack.pop()
        if isinstance(here, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for target in _targets(here):
            found.update(
                part.id
                for part in ast.walk(target)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            )
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            stack += getattr(here, field, ())
    return frozenset(found)


def _targets(statement: ast.AST) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    if isinstance(statement, ast.AugAssign | ast.AnnAssign | ast.For | ast.AsyncFor):
        return [statement.target]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.optional_vars for item in statement.items if item.optional_vars is not None]
    return []


def _is_loop_target(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.For | ast.AsyncFor) and any(
        isinstance(part, ast.Name) and part.id == name for part in ast.walk(node.target)
    )


def _with(machine: Machine, node: ast.With | ast.AsyncWith) -> bool:
    managers: list[Value] = []
    for item in node.items:
        value = expressions.evaluate(machine, item.context_expr)
        managers.append(value)
        if item.optional_vars is not None:
            bind(machine, item.optional_vars, value)
    context = machine.context
    grad = context.grad
    for manager in managers:
        grad = grad_after(manager, grad)
    return _block_in(machine, context.inside(managers=tuple(managers), grad=grad), node.body)


def grad_after(manager: Value, grad: bool) -> bool:
    """Whether gradients are recorded inside a context manager (or a decorated function)."""
    value = settle(manager)
    name = value.op if isinstance(value, Call) else value.name if isinstance(value, External) else ""
    if name in NO_GRAD:
        mode = value.args[0] if isinstance(value, Call) and value.args else None
        return grad if isinstance(mode, Constant) and mode.value is False else False
    if name in WITH_GRAD:
        return True
    if name == "torch.set_grad_enabled" and isinstance(value, Call) and value.args:
        mode = settle(value.args[0])
        return bool(mode.value) if isinstance(mode, Constant) else grad
    return grad


def _try(machine: Machine, node: ast.Try) -> bool:
    jumped = _block_in(machine, machine.context.inside(guard=node), node.body)
    if not jumped:
        jumped = run_block(machine, node.orelse)
    after = dict(machine.scope.names)
    ends = [] if jumped else [after]
    start = machine.scope.names
    for handler in node.handlers:
        machine.scope.names = dict(start)
        if handler.name:
            machine.scope.names[handler.name] = machine.unknown(handler, handler.name)
        if not _block_in(machine, machine.context.inside(arm=Arm(node, "except")), handler.body):
            ends.append(machine.scope.names)
    machine.scope.names = start
    if ends:
        _join(start, ends)
    run_block(machine, node.finalbody)
    return FALLS_THROUGH if ends else JUMPS


def _return(machine: Machine, node: ast.Return) -> bool:
    value = expressions.evaluate(machine, node.value) if node.value else machine.constant(node, None)
    if machine.returns:
        machine.returns[-1].append(value)
    return JUMPS


def _jump(machine: Machine, node: ast.stmt) -> bool:
    return JUMPS


def _raise(machine: Machine, node: ast.Raise) -> bool:
    if node.exc is not None:
        expressions.evaluate(machine, node.exc)
    return JUMPS


def _assert(machine: Machine, node: ast.Assert) -> bool:
    expressions.evaluate(machine, node.test)
    return FALLS_THROUGH


def _delete(machine: Machine, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            machine.scope.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            listed = settle(expressions.evaluate(machine, target.value))
            if isinstance(listed, Collection):
                listed.items.clear()  # which item is gone decides what is left: nothing is certain
                listed.open = True
    return FALLS_THROUGH


def _match(machine: Machine, node: ast.Match) -> bool:
    expressions.evaluate(machine, node.subject)
    arms = [(Arm(node, f"case {place}"), case.body) for place, case in enumerate(node.cases)]
    return _branches(machine, [*arms, (Arm(node, "else"), [])])


def _as_load(target: ast.expr) -> ast.expr:
    """The target of `x += 1`, read as an expression."""
    return target


_HANDLERS: dict[type[ast.stmt], Callable[[Machine, Any], bool]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Return: _return,
    ast.Break: _jump,
    ast.Continue: _jump,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Match: _match,
}

__all__ = ["Unknown", "bind", "grad_after", "run_block"]
