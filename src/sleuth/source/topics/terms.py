"""What is minimised: the values handed to `backward`, taken apart into additive terms with their signs."""

import ast
from collections.abc import Callable, Iterator

from sleuth.quick_dataclass import dataclass, replace
from sleuth.source import torch_api
from sleuth.source.flow import keeps_numbers, layer, number, possible, root, subject
from sleuth.source.interpreter.values import Call, Carried, Collection, Either, Function, Instance, Value
from sleuth.source.program import Program

_PLUS = frozenset({"+", "+=", "torch.add", ".add", ".add_"})
_MINUS = frozenset({"-", "-=", "torch.sub", ".sub", ".sub_"})
_TIMES = frozenset({"*", "*=", "torch.mul", ".mul", ".mul_"})
_OVER = frozenset({"/", "/=", "torch.div", ".div", ".div_"})
REDUCTIONS = frozenset({".mean", ".sum", "torch.mean", "torch.sum", "jax.numpy.mean", "jax.numpy.sum"})
_JOINS = frozenset({"torch.stack", "torch.cat", "builtins.sum"})


@dataclass(frozen=True, eq=False)
class Term:
    """One addend. `sign` is -1 where it is subtracted; `around` are the means, sums and minuses around it."""

    value: Value
    sign: int = 1
    factor: float = 1.0
    divided: bool = False
    conditional: bool = False
    around: tuple[Call, ...] = ()
    joined: Call | None = None  # the sum or product that brings it in


@dataclass(frozen=True)
class Objective:
    """Something that is minimised. `at` is the `backward` call, or the function that returns it.

    `certain` is False where only the function's name (`dice_loss`) says that its result is minimised.
    """

    value: Value
    at: Call
    certain: bool = True


def objectives(program: Program) -> Iterator[Objective]:
    """Everything that the program, or the framework that drives it, minimises."""
    seen: set[int] = set()
    runs_backward: set[int] = set()
    for loss, call in _backwards(program):
        runs_backward |= {id(site) for site in call.context.sites}
        if loss is not None:
            seen |= {id(part) for part in _reach(loss)}
            yield Objective(loss, call)
    for call in program.calls("def"):
        function = call.receiver
        if not isinstance(function, Function) or call.result is None or function.definition is None:
            continue
        name = getattr(function.definition, "name", "")
        if id(call) in runs_backward:
            continue  # what it returns, often detached, is for the log
        if name in ("training_step", "compute_loss") and _belongs_to_framework(function):
            yield Objective(_returned_loss(call.result), call)
        elif isinstance(call.node, ast.FunctionDef | ast.ClassDef) and id(root(call.result)) not in seen:
            if "loss" in _full_name(function).lower():
                yield Objective(_returned_loss(call.result), call, certain=False)


def _backwards(program: Program) -> Iterator[tuple[Value | None, Call]]:
    yield from ((event.about, event.call) for event in program.training.of("backward"))
    # Lightning's manual optimization.
    yield from ((call.argument(0, "loss"), call) for call in program.calls(".manual_backward"))


def _reach(value: Value) -> list[Value]:
    return [value, *possible(value)]


def _belongs_to_framework(function: Function) -> bool:
    owner = function.bound
    return isinstance(owner, Instance) and (
        owner.cls.derives_from(*torch_api.LIGHTNING) or owner.cls.derives_from("transformers.Trainer")
    )


def _full_name(function: Function) -> str:
    """`dice_loss`, or the class for `DiceLoss.forward` (its other methods may return anything)."""
    name = getattr(function.definition, "name", "")
    if isinstance(function.bound, Instance):
        return function.bound.cls.name if name in ("forward", "__call__") else name
    return name


def _returned_loss(value: Value) -> Value:
    """`return {"loss": loss}` and `return loss, outputs` hand the loss on in a container."""
    settled = root(value)
    if isinstance(settled, Collection) and settled.items:
        return settled.items[0]
    items = getattr(settled, "items", None)
    if isinstance(items, dict) and "loss" in items:
        found = items["loss"]
        return found if isinstance(found, Value) else value
    return value


def terms(value: Value | None, stop: Callable[[Call], bool] | None = None, limit: int = 60) -> list[Term]:
    """The additive terms of a value, through sums, signs, literal factors, divisions, means and branches.

    `stop` names operations that are terms in themselves and not to be taken apart.
    """
    found: list[Term] = []
    queue: list[Term] = [Term(value)] if value is not None else []
    seen: set[tuple[int, int]] = set()
    while queue and len(seen) < limit:
        here = queue.pop(0)
        if (id(here.value), here.sign) in seen:
            continue
        seen.add((id(here.value), here.sign))
        whole = stop is not None and isinstance(here.value, Call) and stop(here.value)
        parts = None if whole else _parts(here)
        if parts is None:
            found.append(here)
        else:
            queue.extend(parts)
    return found


def _parts(term: Term) -> list[Term] | None:
    value = term.value
    if isinstance(value, Either):
        return [replace(term, value=option, conditional=True) for option in value.options]
    if isinstance(value, Carried):
        return [replace(term, value=part) for part in (value.initial, value.final) if part is not None]
    if not isinstance(value, Call):
        return None
    if value.result is not None:
        return [replace(term, value=value.result)]
    return _parts_of_call(term, value)


def _parts_of_call(term: Term, call: Call) -> list[Term] | None:
    operands = call.args if call.receiver is None else (call.receiver, *call.args)
    if call.op == "neg":
        return [replace(term, value=operands[0], sign=-term.sign, around=(*term.around, call))]
    if call.op in _PLUS | _MINUS and len(operands) >= 2:
        second = -term.sign if call.op in _MINUS else term.sign
        around = (*term.around, call) if call.op in _MINUS else term.around
        return [
            replace(term, value=operands[0], joined=call),
            replace(term, value=operands[1], sign=second, around=around, joined=call),
        ]
    if call.op in _TIMES and len(operands) >= 2:
        return _without_factor(term, call, operands[0], operands[1])
    if call.op in _OVER and len(operands) >= 2:
        return [replace(term, value=operands[0], divided=True)]
    if call.op in REDUCTIONS:
        inner = subject(call)
        return [replace(term, value=inner, around=(*term.around, call))] if inner is not None else None
    if call.op in _JOINS and operands:
        listed = root(operands[0])
        if isinstance(listed, Collection) and listed.items:
            return [replace(term, value=item) for item in listed.items]
        return None
    if call.op == ".scale" and call.args:  # an AMP scaler
        return [replace(term, value=call.args[0])]
    if keeps_numbers(call) and layer(call).lstrip(".@") not in ("[]", "detach", "numpy"):
        inner = subject(call)
        return [replace(term, value=inner)] if inner is not None else None
    return None


def _without_factor(term: Term, call: Call, left: Value, right: Value) -> list[Term] | None:
    for factor, rest in ((left, right), (right, left)):
        known = number(factor)
        if known is not None and known != 0:
            if known > 0:
                return [replace(term, value=rest, factor=term.factor * known, joined=call)]
            around = (*term.around, call)
            return [replace(term, value=rest, sign=-term.sign, factor=-term.factor * known, around=around)]
    return None


def through_reductions(value: Value | None) -> Value | None:
    """What stands inside means, sums and changes of shape."""
    for _ in range(20):
        value = root(value)
        if isinstance(value, Call) and (value.op in REDUCTIONS or keeps_numbers(value)):
            value = subject(value)
        else:
            return value
    return value
