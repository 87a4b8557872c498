"""A file, run in the abstract: everything that happens in it, in order, ready to be asked about."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.facts import torch_api
from sleuth.facts.interpreter.calls import apply, instantiate
from sleuth.facts.interpreter.expressions import attribute_of
from sleuth.facts.interpreter.interest import INTERESTING, TRAINS, WORTH_RUNNING
from sleuth.facts.interpreter.machine import Machine, OutOfBudget
from sleuth.facts.interpreter.statements import run_block
from sleuth.facts.interpreter.values import Call, Class, Context, Function, Instance, Scope, Value
from sleuth.facts.source import Project, Source
from sleuth.facts.words import Pattern

_WORD = Pattern(r"[A-Za-z_]\w*")


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
        if isinstance(value, Function):
            made = _run_uncalled(machine, value)
            if isinstance(made, Function):
                _run_uncalled(machine, made)  # a factory: what it hands out is called by others
        elif isinstance(value, Class) and value.source is machine.context.source:
            _run_class(machine, value)


def _run_uncalled(machine: Machine, function: Function) -> Value | None:
    definition = function.definition
    if definition is None or definition in machine.visits or not _worth(machine, definition):
        return None
    return apply(machine, definition, function, (), _annotated_models(machine, definition))


def _annotated_models(machine: Machine, definition: ast.AST) -> dict[str, Value]:
    """`def train(model: Net)`: a parameter that is said to be a model of this file is one."""
    spec = getattr(definition, "args", None)
    found: dict[str, Value] = {}
    for parameter in (*spec.args, *spec.kwonlyargs) if spec else ():
        cls = machine.scope.names.get(_annotation(parameter.annotation))
        if isinstance(cls, Class) and cls.derives_from(*torch_api.MODULE_BASES):
            found[parameter.arg] = _an_instance(machine, cls)
    return found


def _annotation(node: ast.expr | None) -> str:
    """`Net` of `Net`, `"Net"`, `Net | None` and `Optional[Net]`."""
    if isinstance(node, ast.BinOp):
        return _annotation(node.left)
    if isinstance(node, ast.Subscript):
        return _annotation(node.slice)
    if isinstance(node, ast.Constant):
        return str(node.value)
    return node.id if isinstance(node, ast.Name) else ""


def _an_instance(machine: Machine, cls: Class) -> Instance:
    known = next((seen for seen in machine.instances if seen.cls is cls), None)
    if known is not None:
        return known
    made = instantiate(machine, cls.definition or ast.Pass(), cls, (), {})
    assert isinstance(made, Instance)
    return made


def _run_class(machine: Machine, cls: Class) -> None:
    definition = cls.definition
    if definition is None or not _worth(machine, definition):
        return
    instance = _an_instance(machine, cls)
    methods = {name: member for name, member in cls.members.items() if isinstance(member, Function)}
    for method in sorted(methods.values(), key=lambda method: _named_by_others(method, methods)):
        bound = attribute_of(machine, instance, getattr(method.definition, "name", ""))
        if isinstance(bound, Function):
            _run_uncalled(machine, bound)


def _named_by_others(method: Function, methods: dict[str, Function]) -> bool:
    """Helpers are seen through their callers, in the loops these have, so callers come first."""
    call = f".{getattr(method.definition, 'name', '')}("
    return any(call in other.text() for other in methods.values() if other is not method)


def _worth(machine: Machine, definition: ast.AST) -> bool:
    """Whether a definition holds one of the words that rules look for, or calls one of the file that does."""
    if definition not in machine.worth_running:
        text = _text_of(machine, definition)
        machine.worth_running[definition] = bool(WORTH_RUNNING.search(text))
        if not machine.worth_running[definition]:
            names = set(_WORD.findall(text)) & machine.remember(_worthy_names, machine.context.source.tree)
            machine.worth_running[definition] = bool(names)
    return machine.worth_running[definition]


def _text_of(machine: Machine, definition: ast.AST) -> str:
    first, last = getattr(definition, "lineno", 1), getattr(definition, "end_lineno", 1) or 1
    return "\n".join(machine.context.source.lines[first - 1 : last])


def _worthy_names(tree: ast.AST) -> frozenset[str]:
    """Functions and methods that take part in training: whoever calls them sets the loop around them."""
    found = set()
    for outer in getattr(tree, "body", ()):
        for node in (outer, *getattr(outer, "body", ())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and TRAINS.search(ast.unparse(node)):
                found.add(node.name)
    return frozenset(found - {"__init__", "forward", "main"})


def _roots_first(machine: Machine) -> list[str]:
    """Module-level names, those that no other function mentions first."""
    names = [
        name
        for name, value in machine.scope.names.items()
        if isinstance(value, Function | Class) and value.source is machine.context.source
    ]
    mentions = Counter(_WORD.findall(machine.context.source.text))
    return sorted(names, key=lambda name: mentions[name] > 1)  # one mention is the definition itself
