"""Classes that keep a running average, and forget half of it when they are reset, or are never reset."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from sleuth.source.parsed_file import Source
from sleuth.source.program import Program

_RESETS = frozenset({"reset", "clear", "restart", "reset_states", "zero", "on_epoch_start", "start_epoch"})


class HalfReset(NamedTuple):
    """A method that sets one side of a quotient back to zero and leaves the other as it was."""

    method: ast.FunctionDef
    cleared: str
    kept: str
    source: Source


def half_reset(program: Program) -> Iterator[HalfReset]:
    for source in program.sources:
        for cls in source.of(ast.ClassDef):
            yield from _of_class(cls, source)


def _of_class(cls: ast.ClassDef, source: Source) -> Iterator[HalfReset]:
    methods = [part for part in cls.body if isinstance(part, ast.FunctionDef)]
    clearing = [method for method in methods if method.name in _RESETS]
    if len(clearing) != 1 or any(_name(base) != "object" for base in cls.bases):
        return  # a class above it may do the rest
    method = clearing[0]
    if any(isinstance(part, ast.Call) for part in ast.walk(method)):
        return  # it hands the work on
    gathered = {name for other in methods if other is not method for name in _grown(other)}
    cleared = {name for part in ast.walk(method) for name in _assigned(part)} & gathered
    for above, below in _quotients(methods):
        if above in gathered and below in gathered and above != below:
            if (above in cleared) != (below in cleared):
                forgotten, kept = (above, below) if above in cleared else (below, above)
                yield HalfReset(method, forgotten, kept, source)
                return


def _grown(method: ast.FunctionDef) -> Iterator[str]:
    """Attributes that a method adds to."""
    for part in ast.walk(method):
        if isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add) and (name := _own(part.target)):
            yield name


def _assigned(node: ast.AST) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [
            part
            for target in node.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    yield from (name for target in targets if (name := _own(target)))


def _quotients(methods: list[ast.FunctionDef]) -> Iterator[tuple[str, str]]:
    """`self.sum / self.count`, also `self.sum / max(self.count, 1)`."""
    for method in methods:
        for part in ast.walk(method):
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
                above = _own(part.left)
                belows = {name for inner in ast.walk(part.right) if (name := _own(inner))}
                if above and len(belows) == 1:
                    yield above, belows.pop()


def _own(node: ast.AST) -> str:
    """The name in `self.name`."""
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if own and isinstance(node, ast.Attribute) else ""


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else "?"


class NeverReset(NamedTuple):
    """A call that adds to a meter which outlives the function it is read in, and that nobody sets back."""

    call: ast.Call
    cls: str
    reset: str
    source: Source


def never_reset(program: Program) -> Iterator[NeverReset]:
    calls = [(source, node) for source in program.sources for node in source.of(ast.Call)]
    for source in program.sources:
        for cls in source.of(ast.ClassDef):
            methods = {part.name: part for part in cls.body if isinstance(part, ast.FunctionDef)}
            clearing = [name for name in methods if name in _RESETS]
            if len(clearing) != 1 or not any(_quotients([*methods.values()])):
                continue
            if any(_attribute(node) == clearing[0] and not _within(node, cls) for _, node in calls):
                continue
            made = [(where, node) for where, node in calls if _name(node.func) == cls.name]
            if len(made) == 1 and _lasts(program, *made[0]):
                adding = {name for name in methods if name != clearing[0] and any(_grown(methods[name]))}
                reading = {*methods} - adding - {*clearing, "__init__"}
                stale = [
                    one for one in calls if _attribute(one[1]) in adding and _kept(made[0], *one, reading)
                ]
                stale = [one for one in stale if _called_again(program, _around(*one))]
                yield from (NeverReset(call, cls.name, clearing[0], where) for where, call in stale[:1])


def _attribute(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _within(node: ast.expr | ast.stmt, whole: ast.stmt) -> bool:
    return whole.lineno <= node.lineno <= (whole.end_lineno or whole.lineno)


def _around(source: Source, node: ast.expr) -> str:
    """The name of the innermost function around; empty at the top of a file."""
    functions = [one for one in source.of(ast.FunctionDef) if _within(node, one)]
    return max(functions, key=lambda one: one.lineno).name if functions else ""


def _lasts(program: Program, source: Source, made: ast.Call) -> bool:
    """Made for good: at the top of a file, in `main`, or by an object that is itself made once."""
    function = _around(source, made)
    owners = [one.name for one in source.of(ast.ClassDef) if _within(made, one)]
    if function == "__init__" and owners:
        return not _called_again(program, owners[-1])
    return not owners and (not function or not _called_again(program, function))


def _kept(made: tuple[Source, ast.Call], source: Source, call: ast.Call, reading: set[str]) -> bool:
    """`meter.update(...)` in a function that reads the meter, too, and did not make it."""
    function = _around(source, call)
    if not function or function == _around(*made) or not isinstance(call.func, ast.Attribute):
        return False
    owner = ast.unparse(call.func.value)
    body = [one for one in source.of(ast.FunctionDef) if one.name == function and _within(call, one)]
    return any(
        isinstance(part, ast.Attribute) and part.attr in reading and ast.unparse(part.value) == owner
        for one in body
        for part in ast.walk(one)
    )


def _called_again(program: Program, name: str) -> bool:
    """Called in a loop, or in two places."""
    sites = 0
    for source in program.sources:
        loops: list[ast.stmt] = [*source.of(ast.For), *source.of(ast.While)]
        for node in source.of(ast.Call):
            if name in (_attribute(node), _name(node.func)):
                sites += 2 if any(_within(node, loop) for loop in loops) else 1
    return sites >= 2
