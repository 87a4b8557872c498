"""Models that a function gets from outside, and the class of the file they most likely are.

`def train(model, loader)` says nothing of `model`. Where the file defines exactly one network that no
other of its networks holds, the parameter is taken to be that network: likely, not proven, so what rests on
it is at most a warning.
"""

import ast

from sleuth.source.flow import literal, possible
from sleuth.source.interpreter.values import Call, Class, Collection, Function, Instance, Unknown, Value
from sleuth.source.losses import is_loss_instance
from sleuth.source.program import Program
from sleuth.source.torch_api import is_module

_TOLD_BY = (".parameters", ".train", ".eval", ".state_dict", ".zero_grad", ".named_parameters")


def output_of(program: Program, call: Call) -> Value | None:
    """What a call of a model from outside most likely gives: the forward result of the file's one network."""
    if call.op == "[]" and len(call.args) == 2 and isinstance(call.args[0], Call):
        whole, place = output_of(program, call.args[0]), literal(call.args[1])
        if isinstance(whole, Collection) and isinstance(place, int) and not whole.open:
            return whole.items[place] if -len(whole.items) <= place < len(whole.items) else None
        return None
    if call.op != "()" or call.result is not None or not isinstance(call.receiver, Unknown):
        return None
    if not isinstance(call.receiver.node, ast.arg) or call.receiver.name not in program.about(
        _names_of_models
    ):
        return None
    return program.about(_only_output)


def _names_of_models(program: Program) -> frozenset[str]:
    """Parameters of functions that are used as models; none where several different ones are."""
    names = {
        call.receiver.name
        for call in program.calls(*_TOLD_BY)
        if isinstance(call.receiver, Unknown) and isinstance(call.receiver.node, ast.arg)
    }
    called = {
        call.receiver.name
        for call in program.calls("()")
        if isinstance(call.receiver, Unknown) and call.receiver.name in names
    }
    return frozenset(called) if len(called) == 1 else frozenset()


def _only_output(program: Program) -> Value | None:
    """What the file's only network gives; None where there are several."""
    found = program.about(outputs)
    return next(iter(found.values())) if len(found) == 1 else None


def outputs(program: Program) -> dict[Class, Value | None]:
    """What each network of the file gives that is no part of another, no base class and no loss."""
    networks = [one for one in program.instances if one.cls.source is program.source and is_module(one)]
    inner = {
        id(option.cls)
        for owner in program.instances
        for held in owner.attributes.values()
        for option in _held(held)
        if isinstance(option, Instance)
    }
    bases = {id(base) for one in networks for base in one.cls.bases}
    outer = [one for one in networks if id(one.cls) not in inner | bases and not is_loss_instance(one)]
    results: dict[Class, Value | None] = {one.cls: None for one in outer}
    for call in program.calls("def"):
        owner = call.receiver.bound if isinstance(call.receiver, Function) else None
        if isinstance(owner, Instance) and results.get(owner.cls, call) is None:
            if getattr(getattr(call.receiver, "definition", None), "name", "") == "forward":
                results[owner.cls] = call.result
    return results


def _held(value: Value) -> list[Value]:
    """An attribute's value; for a list of modules, what is in it."""
    found = possible(value)
    for option in list(found):
        given = option.args if isinstance(option, Call) and option.op.startswith("torch.nn.") else ()
        for part in (option, *given):
            if isinstance(part, Collection):
                found += [inner for item in part.items for inner in possible(item)]
            elif part is not option:
                found += possible(part)
    return found
