"""The state of an abstract run: the place, the variables, and the trace of all that happened, in order."""

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from sleuth.quick_dataclass import dataclass, field
from sleuth.source import torch_api
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    Context,
    Either,
    External,
    Instance,
    Scope,
    Table,
    Unknown,
    Value,
)
from sleuth.source.parsed_file import Project, Source

T = TypeVar("T")

MAX_CALLS = 20_000  # operations recorded for one file; beyond, the file is too large to follow
MAX_DEPTH = 12  # functions followed into functions
MAX_VISITS = 3  # how often one function is followed, from different places


class OutOfBudget(Exception):
    """The file is larger than can be followed; what was seen so far stands."""


@dataclass(eq=False)
class Machine:
    """One abstract run over a file and the local files it imports."""

    project: Project
    context: Context
    scope: Scope
    trace: list[Call] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    visits: dict[ast.AST, int] = field(default_factory=dict)
    undefined: dict[str, Unknown] = field(default_factory=dict)
    worth_running: dict[ast.AST, bool] = field(default_factory=dict)
    worth: dict[ast.AST, bool] = field(default_factory=dict)
    trace_of: Source | None = None  # the file in question; what it imports is followed more sparingly
    active: list[ast.AST] = field(default_factory=list)
    returns: list[list[Value]] = field(default_factory=list)
    memory: dict[tuple[Callable[..., Any], ast.AST | Source], Any] = field(default_factory=dict)

    def record(
        self,
        node: ast.AST,
        op: str,
        receiver: Value | None = None,
        args: tuple[Value, ...] = (),
        keywords: dict[str, Value] | None = None,
        result: Value | None = None,
    ) -> Call:
        """Note that an operation happened here, and return its value."""
        if len(self.trace) >= MAX_CALLS:
            raise OutOfBudget
        call = Call(
            node,
            self.context.source,
            op,
            receiver,
            args,
            keywords or {},
            self.context,
            len(self.trace),
            result,
        )
        self.trace.append(call)
        return call

    def remember(self, fact: Callable[[Any], T], node: ast.AST | Source) -> T:
        """A fact about a file or a piece of its syntax, worked out once and forgotten with this run."""
        key = (fact, node)
        if key not in self.memory:
            self.memory[key] = fact(node)
        known: T = self.memory[key]
        return known

    def unknown(self, node: ast.AST | None, name: str = "") -> Unknown:
        return Unknown(node, self.context.source, name)

    def constant(self, node: ast.AST | None, value: object) -> Constant:
        return Constant(node, self.context.source, value)


def merge(options: list[Value]) -> Value:
    """One value for several possible ones."""
    flat: list[Value] = []
    for option in options:
        for one in option.options if isinstance(option, Either) else (option,):
            if not any(one is other for other in flat):
                flat.append(one)
    if len(flat) == 1:
        return flat[0]
    return Either(flat[0].node, flat[0].source, tuple(flat[:8]))


def element(machine: Machine, node: ast.AST, iterable: Value) -> Value:
    """What a loop variable holds."""
    iterable = torch_api.held_layers(iterable) or iterable
    if isinstance(iterable, Collection) and iterable.items:
        return merge(list(iterable.items))
    if isinstance(iterable, Call):
        if iterable.op == "builtins.enumerate" and iterable.args:
            index = machine.unknown(node, "index")
            inner = element(machine, node, iterable.args[0])
            return Collection(node, machine.context.source, [index, inner], "tuple")
        if iterable.op == "builtins.zip":
            parts = [element(machine, node, part) for part in iterable.args]
            return Collection(node, machine.context.source, parts, "tuple")
        if iterable.op == ".items" and isinstance(iterable.receiver, Table) and iterable.receiver.items:
            values = merge(list(iterable.receiver.items.values()))
            return Collection(node, machine.context.source, [machine.unknown(node), values], "tuple")
        if iterable.op == ".values" and isinstance(iterable.receiver, Table) and iterable.receiver.items:
            return merge(list(iterable.receiver.items.values()))
        if iterable.op in PASS_ITERABLES and iterable.args:
            return element(machine, node, iterable.args[0])
    return machine.record(node, "next", None, (iterable,))


# Wrappers that hand on the elements of what they wrap.
PASS_ITERABLES = {
    "tqdm.tqdm",
    "tqdm.auto.tqdm",
    "tqdm.notebook.tqdm",
    "tqdm.trange",
    "builtins.iter",
    "builtins.list",
    "builtins.tuple",
    "builtins.sorted",
    "builtins.reversed",
    "itertools.islice",
    "itertools.cycle",
    "rich.progress.track",
}


def settle(value: Value) -> Value:
    """The value itself where only one thing can be meant: the end of a chain of single options."""
    if type(value) is not Carried and type(value) is not Either:
        return value
    seen = 0
    while seen < 20:
        seen += 1
        if isinstance(value, Carried):
            if value.initial is None:
                return value
            value = value.initial
        elif isinstance(value, Either) and value.options:
            known = [option for option in value.options if not _is_none(option)]
            if len(known) != 1:
                return value
            value = known[0]
        else:
            return value
    return value


def unwrapped(value: Value) -> Value:
    """As `settle`, and into what a followed call gave back where that is a structure with known parts."""
    value = settle(value)
    inner = value
    for _ in range(20):
        if not isinstance(inner, Call) or inner.result is None:
            break
        inner = settle(inner.result)
    return inner if isinstance(inner, Collection | Table | Instance) else value


def _is_none(value: Value) -> bool:
    return isinstance(value, Constant) and value.value is None


def is_external(value: Value | None, *names: str) -> bool:
    return isinstance(value, External) and value.name in names
