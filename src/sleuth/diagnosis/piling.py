"""The line that keeps on adding to what holds the tensors of past steps."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from sleuth.diagnosis.syntax import tree_of
from sleuth.facts.step import Keeper, Record
from sleuth.finding import Where


def where_kept(record: Record, sources: list[Path]) -> Where | None:
    """The line that puts more into what holds most tensors: `total = ... + value`, `history.append(x)`."""
    keeper = next(iter(record.of(Keeper)), None)
    words = re.findall(r"\w+", re.sub(r"\[.*?\]", "", keeper.name)) if keeper is not None else []
    for path in sources if words else ():
        for node in _statements_of(path):
            if re.search(rf"\b{words[-1]}\b", ast.unparse(node)) and _adds(node, words[-1]):
                return Where(str(path), node.lineno)
    return None if words else _where_memoised(sources)


_MEMOISED = re.compile(r"@(functools\.)?cache\s*$|\blru_cache\(\s*(maxsize\s*=\s*)?None\s*\)")


def _where_memoised(sources: list[Path]) -> Where | None:
    """A memory of answers without an end, which nobody can look into."""
    for path in sources:
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
            if _MEMOISED.search(line.partition("#")[0]):
                return Where(str(path), number)
    return None


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
