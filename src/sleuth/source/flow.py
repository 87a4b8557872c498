"""What feeds what: walking the graph of values from a result back to what it was made from."""

import ast
from collections.abc import Callable, Iterable, Iterator

from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Class,
    Collection,
    Constant,
    Either,
    External,
    Instance,
    Loop,
    Table,
    Unknown,
    Value,
)

# Operations that hand on the numbers they get: other shape, other device, other precision, same meaning.
SAME_NUMBERS = frozenset(
    "view reshape squeeze unsqueeze flatten to float double half bfloat16 cuda cpu contiguous permute "
    "transpose t clone expand expand_as type type_as mT T mH H movedim swapaxes unflatten ravel view_as "
    "reshape_as detach requires_grad_ long int cast numpy".split()
)
SAME_NUMBERS_FUNCTIONS = frozenset(
    "torch.squeeze torch.unsqueeze torch.flatten torch.reshape torch.transpose torch.permute torch.clone "
    "torch.as_tensor torch.from_numpy torch.movedim torch.swapaxes torch.ravel torch.t einops.rearrange "
    "torch.nn.Identity torch.nn.Flatten torch.nn.Unflatten".split()
)


def parents(value: Value | None) -> tuple[Value, ...]:
    """The values that a value was directly made from."""
    if isinstance(value, Call):
        if value.result is not None:
            return (value.result,)
        made_from = (*value.args, *value.keywords.values())
        return made_from if value.receiver is None else (value.receiver, *made_from)
    if isinstance(value, Either):
        return value.options
    if isinstance(value, Carried):
        return tuple(part for part in (value.initial, value.final) if part is not None)
    if isinstance(value, Collection):
        return tuple(value.items)
    if isinstance(value, Table):
        return tuple(value.items.values())
    return ()


def ancestry(
    value: Value | None,
    limit: int = 2_000,
    made_from: Callable[[Value], Iterable[Value]] = parents,
) -> Iterator[Value]:
    """The value and everything it was made from, nearest first; `made_from` may leave some of it out."""
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue and len(seen) < limit:
        here = queue.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        yield here
        queue.extend(made_from(here))


def depends_on(value: Value | None, other: Value) -> bool:
    return any(here is other for here in ancestry(value))


def moves_with(value: Value | None, loop: Loop) -> bool:
    """Whether a value comes from the loop's own variable or from one that it changes."""
    return any(
        (isinstance(part, Carried) and part.loop is loop and part.final is not None)
        or (isinstance(part, Call | Unknown) and part.node is loop.node)
        for part in ancestry(value, 150)
    )


def layer(call: Call) -> str:
    """The name of what was applied: the class for a module, the function or method name otherwise.

    `torch.softmax(x, 1)`, `x.softmax(1)`, `F.softmax(x, 1)` and `nn.Softmax(1)(x)` have the names
    `torch.softmax`, `.softmax`, `torch.nn.functional.softmax` and `torch.nn.Softmax`.
    """
    if call.op == "()" and isinstance(call.receiver, Call) and call.receiver.op[:1].isalpha():
        return call.receiver.op  # a made object; `table[key](x)` applies something unknown
    return call.op


def keeps_numbers(call: Call) -> bool:
    """Whether the call only reshapes, moves or picks out what it gets."""
    name = layer(call)
    if name == "[]":
        return True
    return name.lstrip(".@") in SAME_NUMBERS if name[:1] in ".@" else name in SAME_NUMBERS_FUNCTIONS


def subject(call: Call) -> Value | None:
    """What an operation works on: the receiver of a method, otherwise the first argument."""
    if call.op == "()" or call.receiver is None:
        return call.args[0] if call.args else call.keywords.get("input", call.keywords.get("x"))
    return call.receiver


def makers(value: Value | None, limit: int = 400) -> Iterator[Call]:
    """The operations that made a value's numbers, seen through reshapes, moves and branches."""
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue and len(seen) < limit:
        here = queue.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        if not isinstance(here, Call):
            queue.extend(parents(here) if isinstance(here, Either | Carried) else ())
        elif here.result is not None:
            queue.append(here.result)
        elif keeps_numbers(here):
            inner = subject(here)
            queue.extend([inner] if inner is not None else [])
        else:
            yield here


def root(value: Value | None) -> Value | None:
    """The object behind wrappers, branches and loops, for asking whether two names mean one object."""
    for _ in range(50):
        if isinstance(value, Carried) and value.initial is not None:
            value = value.initial
        elif isinstance(value, Either) and value.options:
            value = value.options[0]
        elif isinstance(value, Call) and value.op == "@module" and value.receiver is not None:
            value = value.receiver
        elif isinstance(value, Call) and value.result is not None:
            value = value.result
        else:
            return value
    return value


def possible(value: Value | None) -> list[Value]:
    """Every object a value may be."""
    found: list[Value] = []
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue:
        here = queue.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Either | Carried):
            queue.extend(parents(here))
        elif isinstance(here, Call) and here.result is not None:
            queue.append(here.result)
        else:
            found.append(here)
    return found


def same(left: Value | None, right: Value | None) -> bool:
    """Whether two values may be the same object."""
    others = possible(right)
    return any(one is other for one in possible(left) for other in others)


def number(value: Value | None) -> float | None:
    """The number a value is, where that is written in the source."""
    settled = root(value)
    if isinstance(settled, Constant) and isinstance(settled.value, int | float):
        return float(settled.value)
    return None


def literal(value: Value | None) -> object:
    """The literal a value is, whichever branch was taken, or None."""
    settled = root(value)
    if not isinstance(settled, Constant):
        return None
    others = possible(value) if isinstance(value, Either) else ()
    differ = any(isinstance(one, Constant) and one.value != settled.value for one in others)
    return None if differ else settled.value


def spelling(call: Call) -> str:
    """How the program writes the object whose method is called: `self.optimizer`, `opt_g` ..."""
    node = call.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return ast.unparse(node.func.value)
    if isinstance(node, ast.Attribute):
        return ast.unparse(node.value)
    return ""


def class_name(value: Value | None) -> str:
    """The class of an object: full name for libraries, plain name for the project's own."""
    settled = root(value)
    if isinstance(settled, Instance):
        return settled.cls.name
    if isinstance(settled, Call):
        return settled.op
    if isinstance(settled, Class):
        return settled.name
    return settled.name if isinstance(settled, Unknown) else ""


def type_name(dtype: Value | None) -> str:
    """`int16` of `np.int16`, `torch.int16` and `"int16"`; nothing where the source does not say."""
    here = root(dtype)
    name = here.name.rpartition(".")[2] if isinstance(here, External) else literal(here)
    return name if isinstance(name, str) else ""
