"""A state that a loop hands from turn to turn, to a method that never looks at it."""

import ast
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import Source, called


@dataclass(frozen=True)
class UnreadState:
    """The statement that makes a state anew, and the parameter that brings the old one in vain."""

    statement: ast.Assign
    source: Source
    method: str
    parameter: str
    handed_in: int  # line of the call that carries the state


@dataclass(frozen=True)
class _Carrier:
    """`out, state = model(x, state)` in a loop: what is called, and where the state stands."""

    name: str
    position: int | None
    keyword: str | None
    line: int
    may_be_a_model: bool


def unread_states(sources: tuple[Source, ...]) -> Iterator[UnreadState]:
    """`def forward(self, x, state): out, state = self.rnn(x); return out, state`, called by such a loop."""
    carriers = [carrier for source in sources for carrier in _carriers(source)]
    if not carriers:
        return
    methods = [(source, one) for source in sources for one in source.of(ast.FunctionDef)]
    for source, method in methods:
        made = _made_anew(method)
        if made is None:
            continue
        for parameter in _unread(method, made):
            fitting = [carrier for carrier in carriers if _brings(carrier, method, parameter)]
            others = [one for _, one in methods if one is not method and one.name == method.name]
            # Which of two classes is called is not known here; the other one may be the one that remembers.
            if fitting and not any(_could_take(carrier, one) for one in others for carrier in fitting):
                yield UnreadState(made, source, method.name, parameter, fitting[0].line)
                break


def _carriers(source: Source) -> Iterator[_Carrier]:
    loops: list[ast.For | ast.While] = [*source.of(ast.For), *source.of(ast.While)]
    told: set[int] = set()
    functions = {one.name for one in source.of(ast.FunctionDef)} | {*_imported(source)}
    for loop in loops:
        for node in ast.walk(loop):
            if not isinstance(node, ast.Assign) or id(node) in told or not isinstance(node.value, ast.Call):
                continue
            target = node.targets[0]
            if not isinstance(target, ast.Tuple):
                continue
            told.add(id(node))
            taken = {part.id for part in target.elts if isinstance(part, ast.Name)}
            yield from _carried(node.value, taken, _root(node.value.func) not in functions)


def _imported(source: Source) -> Iterator[str]:
    statements: list[ast.Import | ast.ImportFrom] = [*source.of(ast.Import), *source.of(ast.ImportFrom)]
    for node in statements:
        for name in node.names:
            yield (name.asname or name.name).partition(".")[0]


def _root(function: ast.expr) -> str:
    """The first name in `self.model(...)`, `model(...)`."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return function.id if isinstance(function, ast.Name) else ""


def _carried(call: ast.Call, taken: set[str], model: bool) -> Iterator[_Carrier]:
    """The arguments of a call that its own answer renews; the first is the token or the window itself."""
    name = called(call)
    for position, given in enumerate(call.args):
        if position > 0 and isinstance(given, ast.Name) and given.id in taken:
            yield _Carrier(name, position, None, call.lineno, model)
    for keyword in call.keywords:
        if isinstance(keyword.value, ast.Name) and keyword.value.id in taken:
            yield _Carrier(name, None, keyword.arg, call.lineno, model)


def _made_anew(method: ast.FunctionDef) -> ast.Assign | None:
    """`out, state = self.rnn(x)`, always run, whose second part the method hands back."""
    if [entry.arg for entry in method.args.args][:1] != ["self"]:
        return None
    back = {
        part.id
        for node in ast.walk(method)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple)
        for part in node.value.elts[1:]
        if isinstance(part, ast.Name)
    }
    for statement in method.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
            continue
        parts = statement.targets[0].elts
        by_a_layer = isinstance(statement.value, ast.Call) and ast.unparse(statement.value.func).startswith(
            "self."
        )
        if by_a_layer and len(parts) == 2 and isinstance(parts[1], ast.Name) and parts[1].id in back:
            return statement
    return None


def _unread(method: ast.FunctionDef, made: ast.Assign) -> Iterator[str]:
    """Parameters of which nothing is read until the state is made, nor afterwards but under its name."""
    stored = {part.id for part in ast.walk(made.targets[0]) if isinstance(part, ast.Name)}
    reads = [
        part for part in ast.walk(method) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    ]
    end = made.end_lineno or made.lineno
    for parameter in [*method.args.args[2:], *method.args.kwonlyargs]:
        name = parameter.arg
        if not any(part.id == name and (part.lineno <= end or name not in stored) for part in reads):
            yield name


def _brings(carrier: _Carrier, method: ast.FunctionDef, parameter: str) -> bool:
    names = [entry.arg for entry in method.args.args][1:]
    place = names.index(parameter) if parameter in names else None
    return _is_called(carrier, method) and (
        carrier.keyword == parameter if carrier.position is None else carrier.position == place
    )


def _could_take(carrier: _Carrier, method: ast.FunctionDef) -> bool:
    names = [entry.arg for entry in (*method.args.args, *method.args.kwonlyargs)]
    room = carrier.keyword in names if carrier.position is None else carrier.position + 1 < len(names)
    return _is_called(carrier, method) and room


def _is_called(carrier: _Carrier, method: ast.FunctionDef) -> bool:
    """By its name; `forward` by whatever the model is called, which no function and no library is."""
    return method.name == carrier.name or (method.name == "forward" and carrier.may_be_a_model)
