"""Tables of a series: columns made from earlier rows, and those that look at their own row as well."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from sleuth.source.parsed_file import Source, called
from sleuth.source.word_search import Pattern

_NONE: Mapping[str, set[str]] = MappingProxyType({})
WINDOWS = frozenset(("rolling", "expanding", "ewm"))
_CHANGES = frozenset(("diff", "pct_change"))  # from an earlier row to this one: what is left is this row
_TARGET = Pattern(r"^(y|target|label)s?(_|\d|$|[A-Z])|(_y|_target|_label)s?$", re.IGNORECASE)
# Examples cut as windows of rows have their target behind the window, however the columns are named.
_CUT_IN_WINDOWS = Pattern(
    r"(?<![a-z])(window|look_?back|seq_?len|sequence|horizon|time_?steps|sliding|unfold|context_?len)",
    re.IGNORECASE,
)


class OpenWindow(NamedTuple):
    """`df["mean7"] = df["sales"].rolling(7).mean()` where `sales` of the same row is the target."""

    node: ast.expr
    column: str
    target_line: int
    method: str = "rolling"

    @property
    def what(self) -> str:
        return "change of" if self.method in _CHANGES else "window over"


def open_windows(source: Source, others: Sequence[Source] = ()) -> Iterator[OpenWindow]:
    """Windows over a column that is the target of its own row, where earlier rows of it are inputs.

    What is the target may be said in another file than the table is made in.
    """
    if not source.holds(".shift("):
        return
    written = [node for node in source.of(ast.Assign) if _is_column(node.targets[0])]
    if _cut_in_windows(source, written):
        return
    known = _named_columns(source)
    lagged = {column for node in written for column in _shifted(node.value, False, known)}
    if not lagged:
        return
    ahead = {column for node in source.of(ast.Call) for column in _shifted(node, True, known)}
    targets = _all_targets(source, others)
    listed = _listed_inputs(source, {_name_of(node.targets[0]) for node in written})
    dropped, starts = _dropped(source), _starts(source)
    for node in written:
        name = _name_of(node.targets[0])
        if name in dropped or name in targets or (listed and not _may_be(node.targets[0], listed)):
            continue  # drawn, printed or predicted, not handed to a model
        if name and starts and not name.startswith(starts):
            continue  # inputs may be those that are called `lag_...`
        for column in sorted(_open(node.value, known) & lagged - ahead):
            if column in targets:
                used = [name for name, _ in _methods(node.value) if name in WINDOWS | _CHANGES]
                yield OpenWindow(node.value, column, targets[column], used[-1])


def _all_targets(source: Source, others: Sequence[Source]) -> dict[str, int]:
    return {
        column: line
        for one in (*others, source)
        for column, line in (_targets(one) | _called_target(one) | _fitted_targets(one)).items()
    }


def lags_of_nothing(source: Source, others: Sequence[Source] = ()) -> Iterator[OpenWindow]:
    """`df[f"lag{k}"] = df["sales"].shift(k)` for k from zero on: the first is the row's own answer."""
    if not source.holds(".shift(") or not source.holds("range("):
        return
    written = [node for node in source.of(ast.Assign) if _is_column(node.targets[0])]
    if _cut_in_windows(source, written):
        return
    ahead = {column for node in source.of(ast.Call) for column in _shifted(node, True)}
    targets = _all_targets(source, others)
    ahead |= {column for one in (*others, source) for column in _taken_further_on(one)}
    for call in _shifted_by_a_count_from_zero(source):
        for column in sorted(_columns(call.func) & targets.keys() - ahead):
            yield OpenWindow(call, column, targets[column], "shift")


def _shifted_by_a_count_from_zero(source: Source) -> Iterator[ast.Call]:
    turns: list[tuple[ast.expr, ast.expr, Sequence[ast.AST]]] = [
        (loop.target, loop.iter, loop.body) for loop in source.of(ast.For)
    ]
    made = [(listed.generators, listed.elt) for listed in source.of(ast.ListComp)]
    made += [(table.generators, table.value) for table in source.of(ast.DictComp)]
    turns += [(part.target, part.iter, [each]) for parts, each in made for part in parts if not part.ifs]
    for target, over, body in turns:
        if isinstance(target, ast.Name) and _counts_from_zero(over):
            for name, call in (found for node in body for found in _methods(node)):
                if name == "shift" and call.args and ast.dump(call.args[0]) == ast.dump(_read(target.id)):
                    yield call


def _taken_further_on(source: Source) -> set[str]:
    """Columns of which a target takes the rows from somewhere on: `y = df["level"].to_numpy()[1:]`."""
    return {
        column
        for node in source.of(ast.Assign)
        if any(isinstance(part, ast.Slice) and part.lower is not None for part in ast.walk(node.value))
        for column in _columns(node.value)
    }


def _read(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _counts_from_zero(over: ast.expr) -> bool:
    if not isinstance(over, ast.Call) or called(over) != "range" or not over.args:
        return False
    first = over.args[0]
    return len(over.args) == 1 or (isinstance(first, ast.Constant) and first.value == 0)


def _cut_in_windows(source: Source, written: Sequence[ast.Assign]) -> bool:
    """Whether a name speaks of sequences cut from the table; how far a moving average reaches is another
    kind of window, and so is a piece of the table whose columns are made anew."""
    if not _CUT_IN_WINDOWS.search(source.text):
        return False
    reach = {
        part.id
        for name, call in _methods(source.tree)
        if name in WINDOWS
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for part in ast.walk(argument)
        if isinstance(part, ast.Name)
    }
    for loop in source.of(ast.For):
        if isinstance(loop.target, ast.Name) and loop.target.id in reach:
            reach |= {part.id for part in ast.walk(loop.iter) if isinstance(part, ast.Name)}
    reach |= _pieces(source, written)
    said = {node.id for node in source.of(ast.Name)} | {node.arg for node in source.of(ast.arg)}
    said |= {node.name for node in source.of(ast.FunctionDef)} | {
        node.name for node in source.of(ast.ClassDef)
    }
    said |= {node.attr for node in source.of(ast.Attribute)}
    return any(_CUT_IN_WINDOWS.search(name) for name in said - reach)


def _pieces(source: Source, written: Sequence[ast.Assign]) -> set[str]:
    """Names handed to a function that writes columns."""
    places = [node.lineno for node in written]
    makers = {
        function.name
        for function in source.of(ast.FunctionDef)
        if any(function.lineno <= place <= (function.end_lineno or 0) for place in places)
    }
    calls = [call for call in source.of(ast.Call) if called(call) in makers]
    return {part.id for call in calls for part in call.args if isinstance(part, ast.Name)}


def _dropped(source: Source) -> set[str]:
    """Columns that a `drop` names."""
    calls = [call for name, call in _methods(source.tree) if name == "drop"]
    return {
        str(part.value)
        for call in calls
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for part in ast.walk(argument)
        if isinstance(part, ast.Constant)
    }


def _starts(source: Source) -> tuple[str, ...]:
    """What names are asked to start with."""
    asked = [
        argument for name, call in _methods(source.tree) if name == "startswith" for argument in call.args
    ]
    return tuple(
        part.value
        for argument in asked
        for part in ast.walk(argument)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def _fitted_targets(source: Source) -> dict[str, int]:
    """`model.fit(table[inputs], table["sales"])`: one row of both is one example."""
    found: dict[str, int] = {}
    for name, call in _methods(source.tree):
        if name != "fit" or len(call.args) < 2:
            continue
        inputs, target = call.args[:2]
        if isinstance(inputs, ast.Subscript) and isinstance(target, ast.Subscript):
            column = _name_of(target)
            if column and ast.dump(inputs.value) == ast.dump(target.value):
                found[column] = call.lineno
    return found


def _named_columns(source: Source) -> dict[str, set[str]]:
    """Names that stand for columns: `by_store = df.groupby("store")["y"]`, and for the name of one:
    `def add_lags(frame, column="sales")`."""
    texts: dict[str, set[str]] = {}
    for function in source.of(ast.FunctionDef):
        given = function.args.args[len(function.args.args) - len(function.args.defaults) :]
        for parameter, default in zip(given, function.args.defaults, strict=True):
            if isinstance(default, ast.Constant) and isinstance(default.value, str):
                texts.setdefault(parameter.arg, set()).add(default.value)
    named: dict[str, set[str]] = {}
    for node in source.of(ast.Assign):
        target, value = node.targets[0], node.value
        if not isinstance(target, ast.Name):
            continue
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            texts.setdefault(target.id, set()).add(value.value)
        elif isinstance(value, ast.Subscript):
            key = value.slice
            named.setdefault(target.id, set()).update(
                {key.value}
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
                else texts.get(key.id, set())
                if isinstance(key, ast.Name)
                else set()
            )
    return named


def _called_target(source: Source) -> dict[str, int]:
    """Columns that are themselves called `y` or `target`."""
    written = [(node, _name_of(node.targets[0])) for node in source.of(ast.Assign)]
    return {name: node.lineno for node, name in written if name and _TARGET.search(name)}


def _may_be(target: ast.expr, listed: set[str]) -> bool:
    """Whether a column may be one of those listed: by its name, the fixed start of it, or for all we know."""
    key = target.slice if isinstance(target, ast.Subscript) else None
    if isinstance(key, ast.JoinedStr):
        first = key.values[0] if key.values else None
        start = first.value if isinstance(first, ast.Constant) else ""
        return any(name.startswith(str(start)) for name in listed)
    return _name_of(target) in listed or isinstance(key, ast.Name)


def centred_windows(source: Source) -> Iterator[OpenWindow]:
    """Windows with as many later rows as earlier ones, over a column of which a later row is the target."""
    if not (source.holds("center=True") and any(map(source.holds, WINDOWS))):
        return
    ahead = {
        column: node.lineno for node in source.of(ast.Call) for column in sorted(_shifted(node, forward=True))
    }
    targets = _targets(source) | ahead
    written = [node for node in source.of(ast.Assign) if _is_column(node.targets[0])]
    listed = _listed_inputs(source, {_name_of(node.targets[0]) for node in written})
    for node in written:
        name = _name_of(node.targets[0])
        if _TARGET.search(name) or (listed and name not in listed):
            continue  # a smooth target is a choice; and some columns are drawn or printed
        centred = any(
            keyword.arg == "center"
            and isinstance(keyword.value, ast.Constant)
            and keyword.value.value is True
            for _, call in _methods(node.value)
            for keyword in call.keywords
        )
        for column in sorted(_columns(node.value)) if centred and not _shifted(node.value, False) else ():
            if column in targets and name not in targets:
                yield OpenWindow(node.value, column, targets[column])


def _is_column(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript)


def _name_of(target: ast.expr) -> str:
    """`mean7` of `df["mean7"] = ...`."""
    key = target.slice if isinstance(target, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _listed_inputs(source: Source, written: set[str]) -> set[str]:
    """What stands in lists of column names that hold a column made here; nothing where none is listed."""
    lists = [node.elts for node in source.of(ast.List)] + [node.elts for node in source.of(ast.Tuple)]
    names = [{part.value for part in parts if isinstance(part, ast.Constant)} for parts in lists]
    return {str(name) for one in names if one & (written - {""}) for name in one}


def _columns(node: ast.AST, known: Mapping[str, set[str]] = _NONE) -> set[str]:
    """`sales` of `df["sales"]` and `df[["sales"]]`, and of names that are known to stand for it."""
    keys = [_only(part.slice) for part in ast.walk(node) if isinstance(part, ast.Subscript)]
    found = {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} if known else set()
    return found.union(*(known[name] for name in names & known.keys()))


def _only(key: ast.expr) -> ast.expr:
    return key.elts[0] if isinstance(key, ast.List) and len(key.elts) == 1 else key


def _methods(node: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            yield part.func.attr, part


def _shifted(node: ast.expr, forward: bool, known: Mapping[str, set[str]] = _NONE) -> set[str]:
    """Columns of which another row is taken: an earlier one, or (forward) a later one."""
    found: set[str] = set()
    for name, call in _methods(node):
        if name == "shift" and call.args:
            backwards = isinstance(call.args[0], ast.UnaryOp) and isinstance(call.args[0].op, ast.USub)
            found |= _columns(call.func, known) if backwards == forward else set()
    return found


def _open(node: ast.expr, known: Mapping[str, set[str]]) -> set[str]:
    """Columns whose window ends with the row itself: nothing is shifted, no side left open."""
    names = {name for name, _ in _methods(node)}
    closed = any(keyword.arg == "closed" for _, call in _methods(node) for keyword in call.keywords)
    ends_here = names & (WINDOWS | _CHANGES)
    return _columns(node, known) if ends_here and "shift" not in names and not closed else set()


def _targets(source: Source) -> dict[str, int]:
    """Columns that a name like `y` is made of, and the line."""
    found: dict[str, int] = {}
    for node in source.of(ast.Assign):
        names = [
            part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)
        ]
        if any(_TARGET.search(name) for name in names) and not _is_column(node.targets[0]):
            # `part["sales"]` and `part.sales` alike.
            read = {part.attr for part in ast.walk(node.value) if isinstance(part, ast.Attribute)}
            found |= dict.fromkeys(sorted(_columns(node.value) | read), node.lineno)
    return found
