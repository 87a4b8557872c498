"""The line that gives a data set of the user's own what it serves as inputs."""

import ast
from collections.abc import Iterator
from pathlib import Path

from sleuth.finding import Where
from sleuth.source.trees import tree_of


def where_served(sources: list[Path]) -> Where | None:
    """Where the only data set in sight stores what `__getitem__` returns first; of several none is told."""
    found = [
        Where(str(path), line)
        for path in sources
        if (tree := tree_of(path)) is not None
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for line in _stored(node)
    ]
    return found[0] if len(found) == 1 else None


def _stored(data: ast.ClassDef) -> Iterator[int]:
    methods = {node.name: node for node in data.body if isinstance(node, ast.FunctionDef)}
    if "__getitem__" not in methods or "__init__" not in methods:
        return
    served = _first_attribute(methods["__getitem__"])
    for node in ast.walk(methods["__init__"]):
        if isinstance(node, ast.Assign):
            stored = {part.attr for target in node.targets for part in _written(target)}
            if served in stored:
                yield node.lineno


def _written(target: ast.expr) -> Iterator[ast.Attribute]:
    return (part for part in ast.walk(target) if isinstance(part, ast.Attribute))


def _first_attribute(method: ast.FunctionDef) -> str:
    """`x` of `return self.x[i], self.y[i]`."""
    for node in ast.walk(method):
        if isinstance(node, ast.Return) and node.value is not None:
            first = node.value.elts[0] if isinstance(node.value, ast.Tuple) else node.value
            if isinstance(first, ast.Subscript) and isinstance(first.value, ast.Attribute):
                return first.value.attr
    return ""
