"""Categories turned into numbers: by each part of the data for itself, one number means two things."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from sleuth.roles import names_held_out, names_training
from sleuth.source.parsed_file import Source, called
from sleuth.source.word_search import Pattern

_KEYS = Pattern(r"\b(ids?|qid|group|groups|session|query|key)\b", re.IGNORECASE)
_ENCODERS = Pattern(r"\b(LabelEncoder|OrdinalEncoder)\b")


class Numbering(NamedTuple):
    """Codes made from the values of one table. In order of appearance they differ between any two tables;
    sorted, only where one lacks a value of the other."""

    node: ast.expr
    table: str
    sorted: bool


def numbered_apart(source: Source) -> Iterator[Numbering]:
    """Numberings of a held-out part by its own values, where the training part was numbered by its own."""
    loops = [node for node in source.of(ast.For) if _over_parts(node.iter)]
    for loop in loops:
        if isinstance(loop.target, ast.Name) and not _asks_which(loop):
            inside = (_numbering(node, source) for node in ast.walk(loop))
            yield from [found for found in inside if found is not None and found.table == loop.target.id][:1]
    by_recipe: dict[str, Numbering] = {}
    for found in filter(None, (_numbering(node, source) for node in source.nodes)):
        recipe = re.sub(rf"\b{re.escape(found.table)}\b", "_", ast.unparse(found.node))
        if names_training(found.table):
            by_recipe.setdefault(recipe, found)
        elif names_held_out(found.table) and recipe in by_recipe:
            yield found


def _over_parts(node: ast.expr) -> bool:
    """`(train, test)`"""
    if not isinstance(node, ast.Tuple | ast.List):
        return False
    names = [part.id for part in node.elts if isinstance(part, ast.Name)]
    return any(map(names_training, names)) and any(map(names_held_out, names))


def _asks_which(loop: ast.For) -> bool:
    """A branch in the loop may treat the parts differently."""
    return any(isinstance(part, ast.If | ast.IfExp) for part in ast.walk(loop))


def _numbering(node: ast.AST, source: Source) -> Numbering | None:
    if isinstance(node, ast.Attribute) and node.attr == "codes" and ast.unparse(node).endswith(".cat.codes"):
        own = "astype('category')" in ast.unparse(node.value)  # a type given by name brings its own list
        return _of(node, node.value, True) if own else None
    if not isinstance(node, ast.Call):
        return None
    name = called(node)
    given = node.args[0] if node.args else None
    if name == "factorize":
        ordered = any(keyword.arg == "sort" for keyword in node.keywords)
        return _of(node, given if given is not None else node.func, ordered)
    if name == "enumerate" and given is not None:
        return _of_values(node, given)
    if name == "fit_transform" and given is not None and isinstance(node.func, ast.Attribute):
        return _of(node, given, True) if _is_encoder(node.func.value, source) else None
    return None


def _of_values(node: ast.Call, given: ast.expr) -> Numbering | None:
    """`enumerate(table["city"].unique())`, `enumerate(sorted(set(table["city"])))`."""
    text = ast.unparse(given)
    if ".unique()" not in text and "set(" not in text:
        return None
    return _of(node, given, "sorted(" in text)


def _of(node: ast.expr, values: ast.expr, is_sorted: bool) -> Numbering | None:
    """The table is the innermost name whose column is read: `train["city"]`, `train.city`."""
    if _KEYS.search(ast.unparse(values).replace("_", " ")):
        return None  # each part has its own groups, and their numbers are never compared
    for part in ast.walk(values):
        if isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.value, ast.Name):
            return Numbering(node, part.value.id, is_sorted)
    return None


def _is_encoder(made: ast.expr, source: Source) -> bool:
    if isinstance(made, ast.Name):
        written = re.search(rf"\b{re.escape(made.id)}\s*=\s*([\w.]+)\(", source.text)
        return written is not None and _ENCODERS.search(written.group(1)) is not None
    return _ENCODERS.search(ast.unparse(made)) is not None
