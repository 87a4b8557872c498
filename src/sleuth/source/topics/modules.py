"""Layers at work: what a call applies, what it was made with, which layer feeds which, who holds whom."""

import ast
from collections.abc import Iterator
from functools import cached_property

from sleuth.quick_dataclass import dataclass
from sleuth.source import torch_api
from sleuth.source.flow import keeps_numbers, layer, possible, subject
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    Either,
    Function,
    Instance,
    Table,
    Value,
)
from sleuth.source.program import Program
from sleuth.source.topics.modes import has_weights
from sleuth.source.word_search import Pattern

AFFINE = Pattern(r"^torch\.nn\.(Lazy)?(Linear|Bilinear|Conv[123]d)$")
BATCH_NORM = Pattern(r"^torch\.nn\.(Lazy)?(Sync)?BatchNorm(\dd)?$")
DROPOUT = Pattern(r"^torch\.nn\.(Feature)?(Alpha)?Dropout(\dd)?$")
RECURRENT = frozenset({"torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU"})
CELLS = frozenset({"torch.nn.RNNCell", "torch.nn.LSTMCell", "torch.nn.GRUCell"})

_PRODUCTS = frozenset("@ torch.matmul torch.mm torch.nn.functional.linear .matmul .mm".split())
_LEAVES = frozenset(
    f"torch.{name}" for name in "zeros ones full empty randn rand normal randint tensor eye".split()
)


def settled(value: Value | None) -> Value | None:
    """The one thing a value surely is: seen through followed calls, not through branches or loops."""
    for _ in range(50):
        if isinstance(value, Call) and value.result is not None:
            value = value.result
        elif isinstance(value, Carried) and value.final is None and value.initial is not None:
            value = value.initial
        elif isinstance(value, Either) and len(value.options) == 1:
            value = value.options[0]
        else:
            return value
    return value


def exact(value: Value | None) -> float | None:
    """The number a value surely is."""
    known = settled(value)
    if isinstance(known, Constant) and isinstance(known.value, int | float):
        return None if isinstance(known.value, bool) else float(known.value)
    return None


def applied(call: Value | None) -> Call | None:
    """The torch layer that a call applies."""
    if isinstance(call, Call) and call.op == "()" and isinstance(call.receiver, Call):
        return call.receiver if torch_api.is_module(call.receiver) else None
    return None


def axis_of(call: Call, name: str = "dim", position: int = 0) -> float | None:
    """The axis an operation was told to work on, as method or as function."""
    return exact(call.argument(position + (call.receiver is None), name))


def is_one_long(key: Value | None) -> bool:
    """A slice of length one: `i : i + 1`."""
    part = settled(key)
    node = part.node if isinstance(part, Collection) and part.kind == "slice" else None
    if not isinstance(node, ast.Slice) or node.lower is None or node.upper is None:
        return False
    return ast.unparse(node.upper) in (f"{ast.unparse(node.lower)} + 1", f"1 + {ast.unparse(node.lower)}")


def sole_maker(value: Value | None) -> Call | None:
    """The one operation that surely made a value's numbers, seen through reshapes and moves."""
    for _ in range(100):
        value = settled(value)
        if not isinstance(value, Call):
            return None
        if not keeps_numbers(value):
            return value
        value = subject(value)
    return None


def parameter(value: Value | None) -> Call | None:
    """The trainable leaf behind a value: an nn.Parameter or a tensor that requires a gradient."""
    for _ in range(10):
        value = settled(value)
        if not isinstance(value, Call):
            return None
        if value.op == "torch.nn.Parameter":
            return value
        if value.op in _LEAVES:
            wanted = settled(value.keywords.get("requires_grad"))
            return value if isinstance(wanted, Constant) and wanted.value is True else None
        if value.op == ".requires_grad_":
            wanted = settled(value.argument(0, "requires_grad"))
            if isinstance(wanted, Constant) and wanted.value is False:
                return None
            inner = settled(value.receiver)
            return inner if isinstance(inner, Call) else None
        if value.op not in ("@T", ".t", ".transpose", "@mT", "torch.t", "torch.transpose"):
            return None
        value = subject(value)
    return None


@dataclass(frozen=True)
class Affine:
    """One application of a linear map: a layer's, or a product with a trainable leaf. Sizes where written."""

    call: Call
    weight: Call
    input: Value | None
    inner: float | None
    outer: float | None
    made: Call | None = None

    @property
    def biased(self) -> bool:
        """Nobody said that there is no bias (the factors of a low-rank layer have none)."""
        if self.made is None:
            return True
        off = settled(self.made.keywords.get("bias"))
        return not (isinstance(off, Constant) and off.value is False)


def affine(call: Value | None) -> Affine | None:
    """The linear map that a call applies, if it is one."""
    if not isinstance(call, Call):
        return None
    made = applied(call)
    if made is not None:
        if not AFFINE.match(made.op) or not call.args:
            return None
        lazy = "Lazy" in made.op
        wide = made.argument(0 if lazy else 1, "out_channels" if "Conv" in made.op else "out_features")
        narrow = None if lazy else made.argument(0, "in_channels" if "Conv" in made.op else "in_features")
        return Affine(call, made, call.args[0], exact(narrow), exact(wide), made)
    if call.op in _PRODUCTS and call.result is None:
        left = call.receiver if call.receiver is not None else call.args[0] if call.args else None
        right = call.args[0] if call.receiver is not None and call.args else call.argument(1, "weight")
        weight = parameter(right)
        if weight is not None and left is not right:
            sizes = _sizes(weight)
            if call.op == "torch.nn.functional.linear":
                sizes = sizes[::-1]
            return Affine(call, weight, left, sizes[0], sizes[1])
    return None


def _sizes(weight: Call) -> tuple[float | None, float | None]:
    made = settled(weight.args[0]) if weight.op == "torch.nn.Parameter" and weight.args else weight
    if isinstance(made, Call) and made.op in ("*", "/") and made.args:
        made = settled(made.args[0])
    if not isinstance(made, Call):
        return None, None
    given = made.args
    if given and isinstance(tuple_ := settled(given[0]), Collection):
        given = tuple(tuple_.items)
    return (exact(given[0]), exact(given[1])) if len(given) >= 2 else (None, None)


def method_of(call: Call) -> Function | None:
    """The project function in which a call happens."""
    for site in reversed(call.context.sites):
        if site.op == "def" and isinstance(site.receiver, Function):
            return site.receiver
    return None


def module_around(call: Call) -> Instance | None:
    """The nn.Module whose method a call happens in (a plain function called by one counts)."""
    for site in reversed(call.context.sites):
        bound = site.receiver.bound if isinstance(site.receiver, Function) else None
        if isinstance(bound, Instance):
            return bound if torch_api.is_module(bound) else None
    return None


def model_code_around(call: Call) -> Iterator[ast.AST]:
    """The functions of a model that a call happens in: its methods, and what they call; not the script."""
    inside = [site.receiver for site in call.context.sites if isinstance(site.receiver, Function)]
    outermost = next(
        (n for n, function in enumerate(inside) if torch_api.is_module(function.bound)), len(inside) - 1
    )
    for function in inside[max(0, outermost) :]:
        if function.definition is not None:
            yield function.definition


def mentions(definition: ast.AST, *words: str) -> bool:
    """Whether a function's code names one of these variables, attributes or keywords."""
    for node in ast.walk(definition):
        name = (
            node.id
            if isinstance(node, ast.Name)
            else node.attr
            if isinstance(node, ast.Attribute)
            else node.arg
            if isinstance(node, ast.arg | ast.keyword)
            else None
        )
        if name in words:
            return True
    return False


def contained(value: Value | None, limit: int = 200) -> Iterator[Value]:
    """The objects in a plain Python container, containers inside it included; modules are not entered."""
    queue: list[Value] = possible(value)
    seen: set[int] = set()
    while queue and len(seen) < limit:
        here = queue.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Collection):
            queue.extend(option for item in here.items for option in possible(item))
        elif isinstance(here, Table):
            queue.extend(option for item in here.items.values() for option in possible(item))
        elif isinstance(here, Call) and here.op == "{}":
            queue.extend(option for item in here.args for option in possible(item))
        else:
            yield here


def registered(instance: Instance) -> set[int]:
    """The ids of all modules that an nn.Module knows: its attributes, what containers among them hold."""
    queue: list[Value] = [
        option
        for value in instance.attributes.values()
        for option in possible(value)
        if torch_api.is_module(option)
    ]
    seen: set[int] = set()
    while queue:
        here = queue.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        held: list[Value] = []
        if isinstance(here, Instance):
            held = list(here.attributes.values())
        elif isinstance(here, Call):
            held = [inner for given in here.args for inner in contained(given)]
        queue.extend(option for value in held for option in possible(value) if torch_api.is_module(option))
    return seen


def trains(value: Value) -> bool:
    """Whether a module certainly has weights to train."""
    if isinstance(value, Call):
        if value.op in ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"):
            return any(trains(inner) for given in value.args for inner in contained(given))
        return has_weights(value)
    if isinstance(value, Instance) and torch_api.is_module(value):
        return any(
            isinstance(option, Call) and (option.op == "torch.nn.Parameter" or trains(option))
            for held in value.attributes.values()
            for option in possible(held)
        )
    return False


def plain_containers(program: Program) -> Iterator[tuple[Call, Instance, list[Value]]]:
    """Lists and dicts kept as attributes of an nn.Module: the assignment, the owner, the modules in them."""
    later = _put_in_later(program)
    for call in program.trace:
        if call.op[0] != "@" or call.op[-1] != "=" or not call.args:
            continue
        for owner in possible(call.receiver):
            if not isinstance(owner, Instance) or not torch_api.is_module(owner):
                continue
            if not any(_is_container(option) for option in possible(call.args[0])):
                continue
            kept = owner.attributes.get(call.op[1:-1])
            if kept is not None and any(a is b for a in possible(kept) for b in possible(call.args[0])):
                put_in = [late for option in possible(call.args[0]) for late in later.get(id(option), ())]
                held = [
                    item
                    for value in (call.args[0], *put_in)
                    for item in contained(value)
                    if torch_api.is_module(item)
                ]
                if held:
                    yield call, owner, held


def _put_in_later(program: Program) -> dict[int, list[Value]]:
    """What a dict gets after it was made: under a key that is known only at run time, or by its methods."""
    found: dict[int, list[Value]] = {}
    for call in program.calls("[]=", ".setdefault", ".update"):
        for holder in possible(call.receiver):
            if isinstance(holder, Table) and call.args:
                found.setdefault(id(holder), []).append(call.args[-1])
    return found


def _is_container(value: Value) -> bool:
    return isinstance(value, Collection | Table) or (isinstance(value, Call) and value.op == "{}")


@dataclass(frozen=True, eq=False)
class Uses:
    """Who takes a value: the calls that get it as argument or receiver."""

    program: Program

    @cached_property
    def _takers(self) -> dict[int, list[Call]]:
        found: dict[int, list[Call]] = {}
        for call in self.program.trace:
            for given in (call.receiver, *call.args, *call.keywords.values()):
                for value in _handed_over(given):
                    found.setdefault(id(value), []).append(call)
        return found

    @cached_property
    def _returned(self) -> set[int]:
        """Values that are part of a tuple, list or dict which a function hands back."""
        found: set[int] = set()
        for call in self.program.trace:
            if isinstance(call.result, Collection | Table):
                found.update(id(item) for item in contained(call.result))
        return found

    def of(self, value: Value) -> list[Call]:
        return self._takers.get(id(value), [])

    def handed_back(self, value: Value) -> bool:
        return id(value) in self._returned


def _handed_over(value: Value | None) -> Iterator[Value]:
    """A value and, for a tuple or a branch, its parts."""
    if value is None:
        return
    yield value
    if isinstance(value, Either):
        yield from value.options
    elif isinstance(value, Carried):
        yield from (part for part in (value.initial, value.final) if part is not None)
    elif isinstance(value, Collection):
        yield from value.items
    elif isinstance(value, Table):
        yield from value.items.values()


def uses(program: Program) -> Uses:
    """Who uses what in a program, worked out once."""
    return program.about(Uses)


def short_name(call: Call) -> str:
    """`Linear`, `relu` ...: the last word of what a call applies."""
    return layer(call).rpartition(".")[2]
