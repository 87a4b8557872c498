"""Hinges of triplets: `relu(d_pos - d_neg + margin)`, and the same with the two distances swapped."""

import ast
import re
from collections.abc import Iterator

from sleuth.source.flow import ancestry, layer, literal
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.program import Program
from sleuth.source.word_search import Pattern

_HINGES = (
    "torch.nn.functional.relu torch.relu .relu torch.clamp .clamp torch.clamp_min .clamp_min torch.clip .clip"
).split()
_LIKE = Pattern(r"(^|_)(pos|positive|positives|ap|same|match|dp)(_|\d|$)", re.IGNORECASE)
_UNLIKE = Pattern(r"(^|_)(neg|negative|negatives|an|diff|different|dn)(_|\d|$)", re.IGNORECASE)
_NEAR = 10  # operations behind a distance that tell what it is
_DISTANCE = frozenset("pow ** square norm cdist pairwise_distance PairwiseDistance vector_norm dist".split())
_LIKENESS = frozenset("cosine_similarity CosineSimilarity matmul @ mm bmm einsum dot".split())

Leaf = tuple[str, Value, int]  # as it is written, what it is, its sign


def swapped(program: Program) -> Iterator[Call]:
    """Hinges that ask the distance to what is alike to be the larger one."""
    for call in program.calls(*_HINGES):
        node, value = _argument(call)
        if node is None or value is None or not _cuts_at_zero(call):
            continue
        signs = {kind: sign for word, value, sign in _leaves(node, value, 1) if (kind := _kind(word, value))}
        if signs == {"like": -1, "unlike": 1}:
            yield call


def _argument(call: Call) -> tuple[ast.expr | None, Value | None]:
    """What is cut off at zero, as written and as a value."""
    written = call.node
    if not isinstance(written, ast.Call):
        return None, None
    if call.op.startswith("."):
        owner = written.func.value if isinstance(written.func, ast.Attribute) else None
        return owner, call.receiver
    return (written.args[0], call.args[0]) if written.args and call.args else (None, None)


def _cuts_at_zero(call: Call) -> bool:
    if "relu" in call.op:
        return True
    place = 0 if call.op.startswith(".") else 1
    return literal(call.argument(place, "min")) == 0


def _leaves(node: ast.expr, value: Value | None, sign: int) -> Iterator[Leaf]:
    """The summands, each with its sign."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        if isinstance(value, Call) and value.op in ("+", "-") and len(value.args) == 2:
            yield from _leaves(node.left, value.args[0], sign)
            yield from _leaves(node.right, value.args[1], sign if value.op == "+" else -sign)
    elif value is not None:
        yield ast.unparse(node).rpartition(".")[2], value, sign


def _kind(word: str, value: Value) -> str:
    if not _is_distance(value):
        return ""
    like, unlike = _LIKE.search(word) is not None, _UNLIKE.search(word) is not None
    return "" if like == unlike else "like" if like else "unlike"


def _is_distance(value: Value) -> bool:
    near = {layer(here).rpartition(".")[2] for here in ancestry(value, _NEAR) if isinstance(here, Call)}
    return bool(near & _DISTANCE) and not near & _LIKENESS
