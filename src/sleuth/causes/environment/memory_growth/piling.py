"""The line that keeps on adding to what holds the tensors of past steps."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sleuth.finding import Where
from sleuth.record.entries import Keeper, Record
from sleuth.source.trees import tree_of


def where_kept(record: Record, sources: Sequence[Path]) -> Where | None:
    """The line that puts more into what holds most tensors: `total = ... + value`, `history.append(x)`."""
    keeper = next(iter(record.of(Keeper)), None)
    words = re.findall(r"\w+", re.sub(r"\[.*?\]", "", keeper.name)) if keeper is not None else []
    for path in sources if words else ():
        for node in _statements_of(path):
            if re.search(rf"\b{words[-1]}\b", ast.unparse(node)) and _adds(node, words[-1]):
                return Where(str(path), node.lineno)
    return None if words else _where_memoised(sources)


_MEMOISED = re.compile(r"^(functools\.)?(cache|lru_cache\(\s*(maxsize\s*=\s*)?None\s*\))$")


def _where_memoised(sources: Sequence[Path]) -> Where | None:
    """A memory of answers without an end, which nobody can look into: that of a function of tensors first."""
    trees = [(path, tree) for path in sources if (tree := tree_of(path)) is not None]
    found = [(rank, Where(str(path), line)) for path, tree in trees for rank, line in _memories(tree)]
    return min(found, key=lambda entry: entry[0])[1] if found else None


def _memories(tree: ast.Module) -> Iterator[tuple[bool, int]]:
    """(whether it is likely to be small, its line): as a decorator, or called with a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            marks = [mark for mark in node.decorator_list if _MEMOISED.match(ast.unparse(mark))]
            yield from ((not _takes_tensors(node), mark.lineno) for mark in marks)
        elif isinstance(node, ast.Call) and _MEMOISED.match(ast.unparse(node.func)):
            yield True, node.lineno


_NUMBERS = re.compile(r"^(int|float|str|bool|tuple|Path)\b")


def _takes_tensors(function: ast.FunctionDef) -> bool:
    """By its annotations, or else by what it does with its first argument: numbers have no methods."""
    given = [entry for entry in function.args.args if entry.arg != "self"]
    said = [ast.unparse(entry.annotation) for entry in given if entry.annotation is not None]
    if any("Tensor" in words or "ndarray" in words for words in said):
        return True
    if not given or any(map(_NUMBERS.match, said[:1])):
        return False
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == given[0].arg
        for node in ast.walk(function)
    )


def _statements_of(path: Path) -> Iterator[ast.stmt]:
    tree = tree_of(path)
    yield from (
        (node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr))
        if tree
        else ()
    )


def _adds(node: ast.stmt, name: str) -> bool:
    """Whether a statement makes what goes by a name larger by something that comes from elsewhere."""
    if isinstance(node, ast.AugAssign):
        return ast.unparse(node.target).rpartition(".")[2].partition("[")[0] == name
    if isinstance(node, ast.Assign):
        onto = [ast.unparse(target).rpartition(".")[2] for target in node.targets]
        again = re.search(rf"\b{name}\b", ast.unparse(node.value)) is not None
        return (name in onto and again) or any(target.startswith(f"{name}[") for target in onto)
    return (
        re.search(rf"\b{name}(\[.*?\])?\.(append|appendleft|extend|add|update|insert)\(", ast.unparse(node))
        is not None
    )
