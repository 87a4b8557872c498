"""A scale of weights that was divided with `//`."""

import ast
from collections.abc import Iterator

from sleuth.source.parsed_file import Source, called, walked

_DRAWS = frozenset(
    "randn rand normal standard_normal uniform normal_ trunc_normal_ uniform_ randn_like".split()
)
_ONE_DIVIDED = ("1 //", "1//", "1.0 //", "1.0//", "1. //", "1.//")


def floored_scales(source: Source) -> Iterator[ast.BinOp]:
    """`1 // expression` that multiplies a draw of weights or is its spread, at once or under a name."""
    if not source.holds_one_of(("rand", "normal", "uniform")) or not source.holds_one_of(_ONE_DIVIDED):
        return  # a walk through all syntax is dear, and `//` alone stands in every address
    for division in source.of(ast.BinOp):
        if isinstance(division.op, ast.FloorDiv) and _is_one(division.left) and _is_large(division.right):
            if any(map(_scales_a_draw, _uses(source, division))):
                yield division


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (1, 1.0)


def _is_large(node: ast.expr) -> bool:
    """A root of something: the width of a layer, which is more than 1."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Pow)
    return isinstance(node, ast.Call) and called(node) == "sqrt"


def _uses(source: Source, division: ast.BinOp) -> Iterator[ast.AST]:
    """What the quotient stands in, itself or under the name that it is given."""
    holder = source.parents.get(division)
    if holder is not None:
        yield holder
    if isinstance(holder, ast.Assign) and isinstance(holder.targets[0], ast.Name):
        name = holder.targets[0].id
        for node in source.of(ast.Name):
            if node.id == name and isinstance(node.ctx, ast.Load):
                yield source.parents[node]


def _scales_a_draw(use: ast.AST) -> bool:
    if isinstance(use, ast.keyword):
        return use.arg in ("std", "scale", "stddev")
    if isinstance(use, ast.Call):
        return called(use) in _DRAWS
    if not isinstance(use, ast.BinOp) or not isinstance(use.op, ast.Mult):
        return False
    return any(isinstance(part, ast.Call) and called(part) in _DRAWS for part in walked(use))
