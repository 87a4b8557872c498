"""A cause says all about itself: nothing outside `causes/` names one."""

import ast
import re
from collections.abc import Iterator, Mapping

from sleuth import catalog
from tests.contract.sources import of_the_engine

SLUGS = set(catalog.causes())
WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

# Files that may all the same, each with its reason. The list only ever gets shorter.
MAY_NAME: Mapping[str, str] = {
    "stuck_metric/answers.py": "a row of its decision table, in JSON as well, has that name",
}


def named_in(tree: ast.Module) -> Iterator[str]:
    """Causes in the strings of a source; docstrings may speak of whatever helps the reader.

    A cause of a single word is taken for one only where it stands alone: the word has other uses.
    """
    prose = {id(node.body[0].value) for node in ast.walk(tree) if _has_docstring(node)}  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            words = set(WORD.findall(node.value)) & SLUGS
            yield from (word for word in sorted(words) if "-" in word or word == node.value)


def _has_docstring(node: ast.AST) -> bool:
    described = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    return described and ast.get_docstring(node) is not None  # type: ignore[arg-type]


def test_no_file_outside_causes_names_a_cause() -> None:
    named = {name: list(named_in(tree)) for name, tree in of_the_engine().items()}
    assert {name: slugs for name, slugs in named.items() if slugs and name not in MAY_NAME} == {}
    assert all(named[name] for name in MAY_NAME), "a file names no cause any more: strike it from the list"


def test_a_slug_in_code_would_be_seen_and_one_in_prose_is_not() -> None:
    code = '"""As dead-relu."""\nX = "undo(dead-relu): zero-init."\nY = ("overfitting", "no overfitting")\n'
    assert list(named_in(ast.parse(code))) == ["dead-relu", "zero-init", "overfitting"]
