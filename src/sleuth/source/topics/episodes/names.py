"""What the names of variables and attributes say about episodes."""

import ast
import re
from collections.abc import Iterator

from sleuth.source.flow import literal
from sleuth.source.interpreter.values import Arm, Call, Context, Unknown, Value
from sleuth.source.word_search import Pattern

_FLAG = Pattern(
    r"(^|_)(not_?|non_?)?(next_?)?(done|term|terminal|terminate|terminated|termination|finished|final)s?(_|$)",
    re.I,
)
_REWARD = Pattern(r"(^|_)(rewards?|rews?|r|rs)(_|$)", re.I)
_OBSERVATION = Pattern(r"(^|_)(obs|observations?|states?|s|s2|sp|next|ns|nobs)(_|$)", re.I)


def words(node: ast.AST) -> set[str]:
    """The names and attributes that a piece of syntax mentions."""
    return {
        part.id if isinstance(part, ast.Name) else part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute)
    }


def tests(context: Context) -> Iterator[ast.expr]:
    """What the branches around a place asked."""
    for arm in context.arms:
        yield from _test(arm)


def _test(arm: Arm) -> Iterator[ast.expr]:
    if isinstance(arm.node, ast.If | ast.IfExp):
        yield arm.node.test


def names_end(text: str) -> bool:
    return bool(_FLAG.search(text))


def by_word(name: str) -> str:
    if _FLAG.search(name):
        return "done"
    if _REWARD.search(name):
        return "reward"
    return "observation" if _OBSERVATION.search(name) else ""


def by_name(value: Value) -> Iterator[str]:
    name = ""
    if isinstance(value, Unknown):
        name = value.name
    elif isinstance(value, Call) and value.op.startswith("@"):
        name = value.op[1:]
    elif isinstance(value, Call) and value.op == "[]":
        name = target_name(value) or str(literal(value.args[1]) or "")
    word = by_word(name)
    if word:
        yield word + "?"


def target_name(call: Call) -> str:
    """The name that an item of an unpacked tuple got."""
    place = literal(call.args[1]) if call.op == "[]" else None
    if isinstance(call.node, ast.Tuple | ast.List) and isinstance(place, int) and place < len(call.node.elts):
        return getattr(call.node.elts[place], "id", "")
    return ""
