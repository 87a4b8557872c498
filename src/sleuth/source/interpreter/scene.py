"""A file, run in the abstract: everything that happens in it, in order, ready to be asked about."""

import ast
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source import torch_api
from sleuth.source.interpreter.calls import apply, instantiate
from sleuth.source.interpreter.expressions import attribute_of
from sleuth.source.interpreter.interest import INTERESTING, MAY_TRAIN, READS_PICTURES, TRAINS, WORTH_RUNNING
from sleuth.source.interpreter.machine import Machine, OutOfBudget, merge
from sleuth.source.interpreter.statements import run_block
from sleuth.source.interpreter.values import Call, Class, Context, Function, Instance, Scope, Value
from sleuth.source.parsed_file import Project, Source, walked
from sleuth.source.word_search import words_of


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
    if INTERESTING.within(source.text) or READS_PICTURES.within(source.text):
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
    given = _perhaps_given(machine, definition) | _told_by_parts(machine, definition)
    given |= _annotated_models(machine, definition)
    return apply(machine, definition, function, (), given)


def _perhaps_given(machine: Machine, definition: ast.AST) -> dict[str, Value]:
    """`def loop(model, optimizer=None)`: nobody here leaves the optimizer out, so both ways are open."""
    spec = getattr(definition, "args", None)
    if spec is None:
        return {}
    pairs = [*zip(spec.args[::-1], spec.defaults[::-1], strict=False)]
    pairs += [(entry, default) for entry, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    return {
        entry.arg: merge([machine.constant(default, None), machine.unknown(entry, entry.arg)])
        for entry, default in pairs
        if isinstance(default, ast.Constant) and default.value is None
    }


def _annotated_models(machine: Machine, definition: ast.AST) -> dict[str, Value]:
    """`def train(model: Net)`: a parameter that is said to be a model of this file is one."""
    spec = getattr(definition, "args", None)
    found: dict[str, Value] = {}
    for parameter in (*spec.args, *spec.kwonlyargs) if spec else ():
        cls = machine.scope.names.get(_annotation(parameter.annotation))
        if isinstance(cls, Class) and cls.derives_from(*torch_api.MODULE_BASES):
            found[parameter.arg] = _an_instance(machine, cls)
    return found


def _told_by_parts(machine: Machine, definition: ast.AST) -> dict[str, Value]:
    """`ac.pi(obs)`, `ac.v(obs)`: a parameter whose parts are those of one model class of the file is one."""
    spec = getattr(definition, "args", None)
    names = {parameter.arg for parameter in spec.args} - {"self"} if spec else set()
    models = machine.remember(_parts_of_models, machine.context.source)
    text = _text_of(machine, definition) if names and models else ""
    asked = {name for name in names if f"{name}." in text}  # to walk is a hundred times as slow
    read: dict[str, set[str]] = {}
    for node in walked(definition) if asked else ():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in asked:
            read.setdefault(node.value.id, set()).add(node.attr)
    found: dict[str, Value] = {}
    for name, parts in read.items():
        fitting = [cls for cls, own in models if _fits(parts, own)]
        cls = machine.scope.names.get(fitting[0]) if len(fitting) == 1 else None
        if isinstance(cls, Class) and cls.derives_from(*torch_api.MODULE_BASES):
            found[name] = _an_instance(machine, cls)
    return found


def _parts_of_models(source: Source) -> list[tuple[str, set[str]]]:
    """The classes at the top of a file with layers (two or more) that they keep under names of their own."""
    classes = [node for node in source.tree.body if isinstance(node, ast.ClassDef) and node.bases]
    kept = [part for part in source.attributes_set if _is_own(part)] if classes else []
    parts = [(node.name, {part.attr for part in kept if _holds(node, part)}) for node in classes]
    return [(name, own) for name, own in parts if len(own) > 1]


def _is_own(node: ast.Attribute) -> bool:
    """`self.x`"""
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _holds(outer: ast.ClassDef, part: ast.expr) -> bool:
    return outer.lineno <= part.lineno <= (outer.end_lineno or outer.lineno)


def _fits(read: set[str], own: set[str]) -> bool:
    """At least two parts of its own are read, and nothing that only another object has."""
    return len(read & own) >= 2 and all(name in own or name in _OF_EVERY_MODULE for name in read)


_OF_EVERY_MODULE = frozenset(
    "parameters named_parameters train eval to cuda cpu zero_grad state_dict load_state_dict modules "
    "children apply requires_grad_ training forward".split()
)


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
    methods = {member: member.text() for member in cls.members.values() if isinstance(member, Function)}
    for method in sorted(methods, key=lambda method: _named_by_others(method, methods)):
        bound = attribute_of(machine, instance, getattr(method.definition, "name", ""))
        if isinstance(bound, Function):
            _run_uncalled(machine, bound)


def _named_by_others(method: Function, methods: dict[Function, str]) -> bool:
    """Helpers are seen through their callers, in the loops these have, so callers come first."""
    call = f".{getattr(method.definition, 'name', '')}("
    return any(call in text for other, text in methods.items() if other is not method)


def _worth(machine: Machine, definition: ast.AST) -> bool:
    """Whether a definition holds one of the words that rules look for, or calls one of the file that does."""
    if definition not in machine.worth_running:
        text = _text_of(machine, definition)
        machine.worth_running[definition] = WORTH_RUNNING.within(text)
        if not machine.worth_running[definition]:
            worthy = machine.remember(_worthy_names, machine.context.source)
            machine.worth_running[definition] = bool(worthy) and not worthy.isdisjoint(words_of(text))
    return machine.worth_running[definition]


def _text_of(machine: Machine, definition: ast.AST) -> str:
    return "\n".join(_lines_of(machine.context.source, definition))


def _lines_of(source: Source, definition: ast.AST) -> list[str]:
    first, last = getattr(definition, "lineno", 1), getattr(definition, "end_lineno", 1) or 1
    return source.lines[first - 1 : last]


def _worthy_names(source: Source) -> frozenset[str]:
    """Functions and methods that take part in training or keep its state: who calls them tells when."""
    if not any(source.holds(word) for word in ("backward", "step", "zero_grad", "state_dict")):
        return frozenset()
    found = set()
    for outer in source.tree.body:
        for node in (outer, *getattr(outer, "body", ())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _trains(source, node):
                found.add(node.name)
    return frozenset(found - {"__init__", "forward", "main"})


def _trains(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function zeroes, goes backward, steps or handles a state, other than in a comment."""
    body = _lines_of(source, node)
    whole = "\n".join(body)
    # The plain words first, in all of it: a pattern takes ten times as long to say no, and line by line more.
    words = [word for word in ("step", "backward", "zero_grad", "state_dict") if word in whole]
    if not words:
        return False
    lines = [line for line in body if any(word in line for word in words) and MAY_TRAIN.search(line)]
    if any(TRAINS.search(line.partition("#")[0]) for line in lines):
        return True
    return bool(lines) and bool(TRAINS.search(ast.unparse(node)))  # slow, and knows comments from strings


def _roots_first(machine: Machine) -> list[str]:
    """Module-level names, those that no other function mentions first."""
    names = [
        name
        for name, value in machine.scope.names.items()
        if isinstance(value, Function | Class) and value.source is machine.context.source
    ]
    mentions = machine.context.source.mentions
    return sorted(names, key=lambda name: mentions[name] > 1)  # one mention is the definition itself
