"""Everything users read, collected from the syntax trees of `src/sleuth`.

A string is read by somebody when it has at least two words: messages, fixes, questions, help texts and the
constants they are made of, wherever they are written. Of docstrings only those are shown that are the page of
a cause or the help of a command.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "sleuth"
HOLE = "{}"  # where a value stands
_PROSE = re.compile(r"[a-z]{2,}[,:;.]? [a-z`{(]", re.IGNORECASE)
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_PAGE = "## What happens"
_COMMANDS = ("command", "group", "verb")


@dataclass(frozen=True)
class Text:
    """One string as it is read, with where it begins: a message, or a page."""

    path: str  # below `src/sleuth`
    line: int
    text: str
    page: bool = False

    @property
    def words(self) -> str:
        """Without code, in one line."""
        return " ".join(_CODE.sub("`", self.text).split())


def everything() -> Iterator[Text]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield from texts(path.read_text("utf-8"), path.relative_to(SOURCE).as_posix())


def texts(code: str, path: str) -> Iterator[Text]:
    """What is read of one module."""
    tree = ast.parse(code)
    shown = dict(_shown_docstrings(tree))
    hidden = {id(node) for node in _docstrings(tree) if id(node) not in shown}
    for node, words in _strings(tree, hidden):
        page = shown.get(id(node), False)
        if page or _PROSE.search(words):
            yield Text(path, node.lineno, words, page)


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for owner in ast.walk(tree):
        if isinstance(owner, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = owner.body[0] if owner.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def _shown_docstrings(tree: ast.Module) -> Iterator[tuple[int, bool]]:
    """Those that users read, and whether each is a page."""
    for node in _docstrings(tree):
        if isinstance(node.value, str) and _PAGE in node.value:
            yield id(node), True
    for owner in ast.walk(tree):
        if isinstance(owner, ast.FunctionDef) and any(map(_is_command, owner.decorator_list)):
            first = owner.body[0]
            if isinstance(first, ast.Expr):
                yield id(first.value), False


def _is_command(decorator: ast.expr) -> bool:
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(made, ast.Attribute) and made.attr in _COMMANDS


def _strings(node: ast.AST, hidden: set[int]) -> Iterator[tuple[ast.expr, str]]:
    """Whole strings, those that are added up joined, outermost first; then what stands in their holes."""
    if id(node) in hidden:
        return
    if isinstance(node, ast.expr) and (words := _words(node)) is not None:
        yield node, words
        inner = [part for hole in _holes(node) for part in ast.iter_child_nodes(hole)]
    else:
        inner = list(ast.iter_child_nodes(node))
    for part in inner:
        yield from _strings(part, hidden)


def _words(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_words(part) or HOLE for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _words(node.left), _words(node.right)
        return None if left is None and right is None else (left or HOLE) + (right or HOLE)
    return None


def _holes(node: ast.expr) -> Iterator[ast.AST]:
    """The values within a string: holes of an f-string, and what is added to one that is none itself."""
    if isinstance(node, ast.JoinedStr):
        yield from (part for part in node.values if isinstance(part, ast.FormattedValue))
    if isinstance(node, ast.BinOp):
        for side in (node.left, node.right):
            if _words(side) is None:
                yield ast.Expression(side)
            else:
                yield from _holes(side)
