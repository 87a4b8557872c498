"""A label that is cut out of one column of its table, where that column stays among the inputs."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from sleuth.source.parsed_file import Source, called

_READERS = ("read_csv", "read_parquet", "read_excel", "read_sql", "read_json", "read_feather", "read_table")
_CUTS = frozenset("where cut qcut digitize select map apply between isin ge gt le lt eq".split())


class CutTarget(NamedTuple):
    """`df["fails"] = df["hours_left"] < 48`, and `df.drop(columns=["fails"])` for the inputs."""

    node: ast.Assign
    inputs: ast.Call
    column: str
    target: str


def cut_targets(source: Source) -> Iterator[CutTarget]:
    if not source.holds(".drop("):
        return
    written = {column: node for node in source.of(ast.Assign) if (column := _written(node))}
    if not written or _lists_inputs(source, {*written}):
        return
    gone = _taken_away(source)
    for target, node in written.items():
        read = _read(node.value, _frame(node))
        if len(read) != 1 or not _is_cut(node.value):
            continue
        (column,) = read
        without = [call for call in _kept_drops(source) if target in _words(call)]
        if column == target or column in gone or not without or not _is_outcome(source, column, written):
            continue
        yield CutTarget(node, without[0], column, target)


def _written(node: ast.Assign) -> str:
    """`fails` of `df["fails"] = ...`."""
    target = node.targets[0]
    key = target.slice if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _frame(node: ast.Assign) -> str:
    target = node.targets[0]
    return ast.unparse(target.value) if isinstance(target, ast.Subscript) else ""


def _read(value: ast.expr, frame: str) -> set[str]:
    """The columns of a table that an expression reads: `df["hours"]`, `df.hours`."""
    found = set()
    for part in ast.walk(value):
        if isinstance(part, ast.Subscript | ast.Attribute) and ast.unparse(part.value) == frame:
            if isinstance(part, ast.Attribute):
                found.add(part.attr)
            elif isinstance(part.slice, ast.Constant):
                found.add(str(part.slice.value))
            else:
                found.add("?")
    return found


def _is_cut(value: ast.expr) -> bool:
    """A comparison, or a function that sorts numbers into a few kinds."""
    return any(isinstance(part, ast.Compare) for part in ast.walk(value)) or any(
        called(part) in _CUTS for part in ast.walk(value) if isinstance(part, ast.Call)
    )


def _kept_drops(source: Source) -> list[ast.Call]:
    """The `drop` calls whose result is given a name; others may be printed, or looked at."""
    named = {id(part) for node in source.of(ast.Assign) for part in ast.walk(node.value)}
    return [call for call in source.of(ast.Call) if called(call) == "drop" and id(call) in named]


def _lists_inputs(source: Source, written: set[str]) -> bool:
    """Whether columns are listed by name, other than to drop them: then those are the inputs."""
    keys = {word for table in source.of(ast.Dict) for key in table.keys if key for word in _words(key)}
    asked = [part.slice for part in source.of(ast.Subscript) if isinstance(part.slice, ast.Constant)]
    read = {word for key in asked for word in _words(key)}
    dropped = {id(part) for call in source.of(ast.Call) if called(call) == "drop" for part in ast.walk(call)}
    lists: list[ast.expr] = [*source.of(ast.List), *source.of(ast.Tuple)]
    return any(
        len(_words(names) & (written | keys | read)) > 1 for names in lists if id(names) not in dropped
    )


def _words(node: ast.AST) -> set[str]:
    return {
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def _taken_away(source: Source) -> set[str]:
    """Columns that are dropped, popped or deleted somewhere, or stand in a list or a name of their own:
    whoever lists columns chooses them."""
    away = [call for call in source.of(ast.Call) if called(call) in ("drop", "pop")]
    lists: list[ast.AST] = [*source.of(ast.List), *source.of(ast.Tuple), *source.of(ast.Set)]
    return {word for node in (*away, *source.of(ast.Delete), *lists) for word in _words(node)}


def _is_outcome(source: Source, column: str, written: dict[str, ast.Assign]) -> bool:
    """A column that is worked out from others, or that came with the data. One that was drawn to be an input
    may well decide the label of a made-up task."""
    node = written.get(column)
    if node is not None:
        return bool(_read(node.value, _frame(node)) - {column}) or _made_from_columns(source, node)
    return source.holds_one_of(_READERS) and not any(
        column in _words(key) for table in source.of(ast.Dict) for key in table.keys if key is not None
    )


def _made_from_columns(source: Source, node: ast.Assign) -> bool:
    """Worked out from a name that was itself made of columns of the table."""
    frame = _frame(node)
    names = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
    return any(
        isinstance(target, ast.Name) and target.id in names and bool(_read(other.value, frame))
        for other in source.of(ast.Assign)
        for target in other.targets
        if other.lineno < node.lineno
    )
