"""A file, run in the abstract: everything that happens in it, in order, ready to be asked about."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.facts.interpreter.calls import apply, instantiate
from sleuth.facts.interpreter.interest import INTERESTING, WORTH_RUNNING
from sleuth.facts.interpreter.machine import Machine, OutOfBudget
from sleuth.facts.interpreter.statements import run_block
from sleuth.facts.interpreter.values import Call, Class, Context, Function, Instance, Scope
from sleuth.facts.source import Project, Source

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, eq=False)
class Scene:
    """What an abstract run saw."""

    source: Source
    trace: tuple[Call, ...]
    instances: tuple[Instance, ...]
    scope: Scope
    complete: bool

    def calls(self, *ops: str) -> Iterator[Call]:
        wanted = frozenset(ops)
        return (call for call in self.trace if call.op in wanted)


def play(source: Source, project: Project | None = None) -> Scene:
    """Run a file: module level first, then whatever nobody called."""
    project = project or Project()
    scope = Scope({})
    machine = Machine(project, Context(source), scope, trace_of=source)
    project.scopes[source] = scope
    complete = True
    if INTERESTING.search(source.text):
        try:
            run_block(machine, source.tree.body)
            _run_the_uncalled(machine)
        except (OutOfBudget, RecursionError):
            complete = False
    return Scene(source, tuple(machine.trace), tuple(machine.instances), scope, complete)


def _run_the_uncalled(machine: Machine) -> None:
    """Functions and classes of a library file: run with unknown arguments, callers before what they call."""
    for name in _roots_first(machine):
        value = machine.scope.names.get(name)
        if (
            isinstance(value, Function)
            and value.definition is not None
            and value.definition not in machine.visits
            and _worth(machine, value.definition)
        ):
            made = apply(machine, value.definition or ast.Pass(), value, (), {})
            if isinstance(made, Function) and made.definition not in machine.visits:
                # A factory: what it hands out is called by others.
                apply(machine, made.definition or ast.Pass(), made, (), {})
        elif isinstance(value, Class) and value.source is machine.context.source:
            _run_class(machine, value)


def _run_class(machine: Machine, cls: Class) -> None:
    definition = cls.definition
    if definition is None or not _worth(machine, definition):
        return
    instance = next((seen for seen in machine.instances if seen.cls is cls), None)
    if instance is None:
        made = instantiate(machine, definition, cls, (), {})
        assert isinstance(made, Instance)
        instance = made
    methods = [member for member in cls.members.values() if isinstance(member, Function)]
    for method in methods:
        body = method.definition
        if body is not None and body not in machine.visits and _worth(machine, body):
            bound = Function(method.node, method.source, body, method.scope, instance)
            apply(machine, body, bound, (), {})


def _worth(machine: Machine, definition: ast.AST) -> bool:
    """Whether a definition holds one of the words that rules look for."""
    first, last = getattr(definition, "lineno", 1), getattr(definition, "end_lineno", 1) or 1
    return bool(WORTH_RUNNING.search("\n".join(machine.context.source.lines[first - 1 : last])))


def _roots_first(machine: Machine) -> list[str]:
    """Module-level names, those that no other function mentions first."""
    names = [
        name
        for name, value in machine.scope.names.items()
        if isinstance(value, Function | Class) and value.source is machine.context.source
    ]
    mentions = Counter(_WORD.findall(machine.context.source.text))
    return sorted(names, key=lambda name: mentions[name] > 1)  # one mention is the definition itself
