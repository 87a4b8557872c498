"""Straight-through estimators: the value of one tensor with the gradient of another.

`z + (q - z).detach()` is worth q and differentiates as z. Whatever the spelling, it is a sum of three: one
tensor as it is, the same subtracted without history, and another one without history.
"""

import ast
from collections.abc import Iterator
from functools import partial

from sleuth.quick_dataclass import dataclass
from sleuth.source.flow import literal, subject
from sleuth.source.interpreter.values import Call, External, Unknown, Value
from sleuth.source.program import Program
from sleuth.source.topics.gradients import data_parents, walk
from sleuth.source.topics.guards import operands
from sleuth.source.topics.likeness import alike, core, only_reshapes
from sleuth.source.topics.modes import users
from sleuth.source.topics.modules import settled
from sleuth.source.word_search import Pattern


@dataclass(frozen=True)
class Estimator:
    """`slope` takes the gradient, `worth` gives the value."""

    call: Call
    slope: Value
    worth: Value


@dataclass(frozen=True)
class _Term:
    value: Value
    sign: int
    cut: bool


_SUMS = {"+": 1, "+=": 1, ".add": 1, "torch.add": 1, "-": -1, "-=": -1, ".sub": -1, "torch.sub": -1}
_CUTS = frozenset((".detach", "@data", "jax.lax.stop_gradient"))


def estimators(program: Program) -> Iterator[Estimator]:
    """Every sum of a program that has the value of one tensor and the gradient of another."""
    for call in program.calls(*_SUMS):
        if not call.context.grad or not _may_be_one(call):
            continue
        for named in (False, True):
            if (found := _read(call, list(_terms(call, 1, False, _syntax(call), named)))) is not None:
                yield found
                break


def _may_be_one(call: Call) -> bool:
    """Something without history is near: most sums need not be taken apart."""
    if not _is_sum(call):
        return False
    near = [settled(part) for part in operands(call)]
    near += [
        settled(part) for one in near if isinstance(one, Call) and one.op in _SUMS for part in operands(one)
    ]
    return any(isinstance(one, Call) and (one.op in _CUTS or not one.context.grad) for one in near)


def _read(call: Call, terms: list[_Term]) -> Estimator | None:
    """The sum of three, in whatever order."""
    live = [term.value for term in terms if not term.cut and term.sign > 0]
    gone = [term.value for term in terms if term.cut and term.sign < 0]
    worth = [term.value for term in terms if term.cut and term.sign > 0]
    if len(terms) != 3 or not (len(live) == len(gone) == len(worth) == 1):
        return None
    if not alike(live[0], gone[0]) or alike(live[0], worth[0]):
        return None
    return Estimator(call, live[0], worth[0])


def _terms(value: Value, sign: int, cut: bool, written: set[ast.AST], named: bool) -> Iterator[_Term]:
    """The terms of a sum, as far as it is written in one expression.

    A variable stays what it is, so that it can be told again in the other place; only with `named` is one
    looked into that holds a difference without history (`change = (q - z).detach()`).
    """
    known = settled(value)
    here = isinstance(known, Call) and known.node in written
    if not isinstance(known, Call) or not (here or named):
        yield _Term(value, sign, cut)
    elif known.op in _CUTS and (inner := subject(known)) is not None and (here or _is_difference(inner)):
        yield from _terms(inner, sign, True, written, named)
    elif _is_sum(known) and (here or (_is_difference(known) and (cut or not known.context.grad))):
        first, second = operands(known)
        cut, inside = cut or not known.context.grad, written if here else _syntax(known)
        yield from _terms(first, sign, cut, inside, named and here)
        yield from _terms(second, sign * _SUMS[known.op], cut, inside, named and here)
    else:
        yield _Term(value, sign, cut)


def _is_sum(call: Call) -> bool:
    """Of two, and without a factor such as `alpha=`."""
    return call.op in _SUMS and len(operands(call)) == 2 and not call.keywords


def _is_difference(value: Value) -> bool:
    known = settled(value)
    return isinstance(known, Call) and known.op in ("-", ".sub", "torch.sub")


def _syntax(call: Call) -> set[ast.AST]:
    """The pieces of syntax of one expression."""
    return set(ast.walk(call.node)) if call.node is not None else set()


# --- which of two is the quantised one ---

_HOMES = ("torch.", ".", "jax.numpy.", "torch.nn.functional.", "jax.nn.")
_STEPS = frozenset(
    "argmin argmax argsort round round_ sign sign_ sgn floor floor_ ceil ceil_ trunc fix one_hot bernoulli "
    "bernoulli_ multinomial heaviside searchsorted bucketize nonzero long int short bool sample gt ge lt le "
    "eq ne greater less floor_divide".split()
)
_HARD = frozenset(f"{home}{name}" for home in _HOMES for name in _STEPS) | frozenset(
    ("==", "!=", "<", "<=", ">", ">=", "//", "builtins.round", "builtins.int")
)
_RANKED = frozenset(
    f"{home}{name}" for home in ("torch.", ".") for name in "min max topk sort kthvalue".split()
)
_WHOLE = Pattern(r"^torch\.(u?int\d*|long|short|bool)$")
_WRITES = frozenset(("[]=", ".scatter_", ".index_fill_", ".masked_fill_", ".index_put_"))


def is_quantised(program: Program, value: Value, other: Value) -> bool:
    """Whether a value is a step function of what another one is a smooth function of.

    Every way from the one to what both have in common must pass an operation without a slope: a value that
    is partly a smooth function of the other is not told from it. (A scale taken from all entries is no way.)
    """
    smooth = partial(_made_from, program)
    source = {id(one) for one in walk(core(other), smooth, 1_000) if _is_tensor(one)} | {id(core(other))}
    seen = list(walk(core(value), lambda one: () if _is_step(one) else smooth(one), 1_000))
    if any(id(one) in source for one in seen if not _is_step(one)):
        return False
    steps = [one for one in seen if _is_hard(one) and id(one) not in source]
    return any(id(one) in source for step in steps for one in walk(step, smooth, 1_000))


def _is_tensor(value: Value) -> bool:
    """Something computed or handed in; not a weight, a setting or a size."""
    if isinstance(value, Unknown):
        return True
    return isinstance(value, Call) and value.op[:1] != "@" and value.op != "torch.nn.Parameter"


_REDUCED = frozenset(
    f"{home}{name}"
    for home in ("torch.", ".", "torch.linalg.")
    for name in "max min amax amin aminmax mean std var norm sum median quantile".split()
)


def _is_step(value: Value) -> bool:
    """Where a smooth way ends: at a jump, or at one number for many entries."""
    return _is_hard(value) or (isinstance(value, Call) and value.op in _REDUCED)


def _is_hard(value: Value) -> bool:
    """An operation whose result only jumps."""
    if not isinstance(value, Call) or value.result is not None:
        return False
    if value.op in (".to", ".type"):
        return any(
            isinstance(kind := settled(part), External) and _WHOLE.match(kind.name) for part in value.args
        )
    if value.op == "[]" and len(value.args) == 2:
        ranked = settled(value.args[0])
        return isinstance(ranked, Call) and ranked.op in _RANKED and literal(value.args[1]) == 1
    if value.op == "@indices":
        return True
    return value.op in _HARD


def _made_from(program: Program, value: Value) -> tuple[Value, ...]:
    """Where a value's numbers come from, and what was written into it afterwards."""
    if not isinstance(value, Call):
        return data_parents(value)
    if value.op == "torch.nn.Parameter":
        return ()  # what it began as is nobody's source
    if value.result is None and only_reshapes(value):
        inner = subject(value)
        return (inner,) if inner is not None else ()
    later = [use for use in users(program).get(id(value), ()) if use.op in _WRITES and use.receiver is value]
    return (*data_parents(value), *(part for use in later for part in (*use.args, *use.keywords.values())))
