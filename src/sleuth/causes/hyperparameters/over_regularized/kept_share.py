"""Shares to keep and shares to drop: which of the two a number is, as its name tells."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from sleuth.source.edits import around
from sleuth.source.flow import literal, number
from sleuth.source.interpreter.values import Call, Constant, Unknown, Value
from sleuth.source.parsed_file import Source
from sleuth.source.topics.modules import settled
from sleuth.source.word_search import Pattern

_KEEPS = frozenset("keep keeps kept retain retained retention keepprob keeprate pkeep".split())
_CHANCES = frozenset(
    "p prob probs proba probability rate ratio frac fraction share chance percent pct".split()
)
_TOGETHER = frozenset(("keepprob", "keeprate", "pkeep"))
# `keep_drop_rate`, `keep_dropout`: kept is then the rate or the layer, not the units.
_SHARE_DROPPED = Pattern(r"drop(out|path)?_(p|prob|probability|rate|ratio|frac|fraction)(_|$)")
_CAMEL = Pattern(r"(?<=[a-z0-9])(?=[A-Z])")


def says_keep(name: str) -> bool:
    """`keep_prob`, `dropout_keep_prob`, `keepRate`, `p_retain`, `keep`: a share of units that stay."""
    snake = _CAMEL.sub("_", name).lower().strip("_-").replace("-", "_")
    words = set(re.split(r"_+", snake))
    if words.isdisjoint(_KEEPS) or _SHARE_DROPPED.search(snake):
        return False
    return len(words) == 1 or not words.isdisjoint(_CHANCES | _TOGETHER)


@lru_cache(maxsize=8)
def mentions_keeping(source: Source) -> bool:
    """Whether a word of the file says so: `keepdim` and `keys_to_keep` do not."""
    return any(says_keep(word) for word in source.mentions if "keep" in word.lower() or "ret" in word)


def kept(value: Value | None, written: ast.AST | None) -> str:
    """The name under which a share to keep is handed over as it is; nothing where no name says so.

    `written` is the argument as it stands in the call: the value itself may be a number from far away.
    """
    if _is_turned(value):
        return ""
    return next((name for name in (*_written(written), *_read(value), *_born(value)) if says_keep(name)), "")


def _is_turned(value: Value | None) -> bool:
    """`1 - keep_prob`, be it under the old name: what stays was made what goes."""
    known = settled(value)
    if isinstance(known, Call) and known.op == "-" and number(known.args[0]) == 1:
        names = (*_written(getattr(known.node, "right", None)), *_read(known.args[1]), *_born(known.args[1]))
        return any(map(says_keep, names))
    node = known.node if isinstance(known, Constant) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return any(map(says_keep, _written(node.right)))
    return False


def _written(node: ast.AST | None) -> Iterator[str]:
    """The last word of an expression: a variable, an attribute, a key."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Subscript):
        yield from _text(node.slice)
    elif isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "get" and node.args:
            yield from _text(node.args[0])
        elif isinstance(function, ast.Name) and function.id == "getattr" and len(node.args) > 1:
            yield from _text(node.args[1])
        elif isinstance(function, ast.Name) and function.id == "float" and node.args:
            yield from _written(node.args[0])


def _text(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _read(value: Value | None) -> Iterator[str]:
    """What a value from outside was called there: a parameter, an attribute, a key."""
    known = settled(value)
    if isinstance(known, Unknown):
        yield known.name
    elif isinstance(known, Call) and known.op[:1] == "@":
        yield known.op[1:]
    elif isinstance(known, Call) and known.op == "[]" and isinstance(key := literal(known.args[1]), str):
        yield key


def _born(value: Value | None) -> Iterator[str]:
    """The name that a number got where it stands: `keep_prob = 0.8`, `dict(keep_prob=0.8)`, a default."""
    known = settled(value)
    if not isinstance(known, Constant) or known.node is None or known.source is None:
        return
    holder = next(around(known.node, known.source), None)
    if isinstance(holder, ast.Assign):
        yield from (name for target in holder.targets for name in _written(target))
    elif isinstance(holder, ast.AnnAssign):
        yield from _written(holder.target)
    elif isinstance(holder, ast.keyword) and holder.arg not in (None, "default"):
        yield holder.arg or ""
    elif isinstance(holder, ast.Dict) and known.node in holder.values:
        key = holder.keys[holder.values.index(known.node)]
        yield from _text(key) if key is not None else ()
    elif isinstance(holder, ast.arguments):
        yield from _parameter_with(holder, known.node)


def _parameter_with(spec: ast.arguments, default: ast.AST) -> Iterator[str]:
    """The parameter that a default belongs to."""
    names = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(names[::-1], spec.defaults[::-1], strict=False)]
    pairs += [(name, given) for name, given in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if given]
    yield from (name.arg for name, given in pairs if given is default)
