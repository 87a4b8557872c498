"""Guards: what a condition says of a value at zero, and where a selection leaves an operation's pole out.

`torch.where(n > 0, x / n, 0)` computes `x / n` everywhere and then shows only a part of it. Backward goes
through all of it: the part not shown gets a gradient of zero, times a slope that is infinite there.
"""

import operator
from collections.abc import Callable, Iterator
from functools import partial

from sleuth.quick_dataclass import dataclass
from sleuth.source.flow import literal, possible, subject
from sleuth.source.interpreter.values import Call, Carried, Either, Unknown, Value
from sleuth.source.program import Program
from sleuth.source.topics.activations import kind
from sleuth.source.topics.gradients import gradient_parents, sure_gradient_parents, walk
from sleuth.source.topics.likeness import alike, core
from sleuth.source.topics.modes import has_weights, is_model, may_be_model
from sleuth.source.topics.modules import exact
from sleuth.source.torch_api import is_module
from sleuth.source.word_search import Pattern


@dataclass(frozen=True)
class Selection:
    """A choice by entries: `kept` is shown where `test` is `side`."""

    call: Call
    kept: Value
    test: Value
    side: bool


def selections(program: Program) -> Iterator[Selection]:
    """`torch.where`, `masked_fill` and `x[test] = ...`, once for each value that they show a part of."""
    for call in program.calls("torch.where", ".where", "torch.masked_fill", *_FILLS, "[]="):
        yield from _selected(call)


_FILLS = (".masked_fill", ".masked_fill_")


def _selected(call: Call) -> Iterator[Selection]:
    if call.op == "torch.where":
        test, one, other = call.argument(0, "condition"), call.argument(1, "input"), call.argument(2, "other")
        other = other if other is not None else call.keywords.get("y")
    elif call.op == ".where":
        test, one, other = call.argument(0, "condition"), call.receiver, call.argument(1, "other")
    else:
        place = 1 if call.op == "torch.masked_fill" else 0
        test, one = call.argument(place, "mask"), None
        other = call.argument(0, "input") if call.op == "torch.masked_fill" else call.receiver
    for kept, side in ((one, True), (other, False)):
        if test is not None and kept is not None:
            yield Selection(call, kept, test, side)


# --- what a condition says ---

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    name: compare
    for names, compare in (
        ("> .gt torch.gt torch.greater .greater", operator.gt),
        (">= .ge torch.ge torch.greater_equal .greater_equal", operator.ge),
        ("< .lt torch.lt torch.less .less", operator.lt),
        ("<= .le torch.le torch.less_equal .less_equal", operator.le),
        ("== .eq torch.eq", operator.eq),
        ("!= .ne torch.ne torch.not_equal .not_equal", operator.ne),
    )
    for name in names.split()
}
_NOT = frozenset(("~", "not", "torch.logical_not", ".logical_not"))
_AND = frozenset(("&", "torch.logical_and", ".logical_and"))
_OR = frozenset(("|", "torch.logical_or", ".logical_or"))
_COUNTS = frozenset((".sum", "torch.sum", ".count_nonzero", "torch.count_nonzero"))


def at_zero(test: Value | None, value: Value | None, depth: int = 6) -> bool | None:
    """What a condition is for entries where a value is zero; None where it does not say."""
    test = core(test)
    if not isinstance(test, Call) or depth == 0:
        return None
    given = operands(test)
    if test.op in _NOT and given:
        inner = at_zero(given[0], value, depth - 1)
        return None if inner is None else not inner
    if test.op in _AND | _OR:
        decides = test.op in _OR
        answers = [at_zero(part, value, depth - 1) for part in given]
        return decides if decides in answers else None if None in answers else not decides
    if test.op in (".bool", ".any", "torch.any") and given:
        return False if _vanishes_with(test, given[0], value) else None
    return _compared(test.op, given, value) if test.op in _COMPARE and len(given) == 2 else None


def _vanishes_with(test: Call, inner: Value, value: Value | None) -> bool:
    if test.op == ".bool":
        return alike(_zero_with(inner), _zero_with(value))
    counted = _zero_with(value)  # none set is a count of zero
    return isinstance(counted, Call) and counted.op in _COUNTS and alike(subject(counted), inner)


def _compared(op: str, given: tuple[Value, ...], value: Value | None) -> bool | None:
    limits = [exact(part) for part in given]
    for side, other in ((0, 1), (1, 0)):
        limit = limits[other]
        if limit is not None and alike(_zero_with(given[side]), _zero_with(value)):
            return _COMPARE[op](0, limit) if side == 0 else _COMPARE[op](limit, 0)
    return None


def operands(call: Call) -> tuple[Value, ...]:
    """What an operation works on, be it written as a method, a function or with a sign."""
    return call.args if call.receiver is None else (call.receiver, *call.args)


_VANISH = frozenset(
    f"{home}{name}" for home in ("torch.", ".") for name in ("abs", "sqrt", "square", "neg")
) | {"neg", "pos"}
_POWERS = frozenset(("**", ".pow", "torch.pow"))


def _zero_with(value: Value | None) -> Value | None:
    """The value that is zero where this one is: seen through roots, powers and plain factors."""
    for _ in range(20):
        value = core(value)
        if not isinstance(value, Call):
            return value
        given = operands(value)
        if (
            (value.op in _VANISH and given)
            or (value.op in _POWERS and len(given) == 2 and (exact(given[1]) or 0) > 0)
            or (value.op == "/" and exact(given[1]))
        ):
            value = given[0]
        elif value.op == "*" and sum(bool(exact(part)) for part in given) == 1:
            value = next(part for part in given if not exact(part))
        else:
            return value
    return value


# --- operations with a pole at zero ---

_LOGS = frozenset(f"{home}{name}" for home in ("torch.", ".") for name in ("log", "log2", "log10"))
_ROOTS = frozenset(f"{home}{name}" for home in ("torch.", ".") for name in ("sqrt", "rsqrt", "reciprocal"))
_QUOTIENTS = frozenset(("/", "/=", "torch.div", ".div", "torch.true_divide", ".true_divide", "torch.divide"))


def divisor(call: Value) -> Value | None:
    """What must not be zero: what is divided by, or what a log, a root or a falling power is taken of."""
    if not isinstance(call, Call):
        return None
    given = operands(call)
    if call.op in _LOGS | _ROOTS and len(given) == 1:
        return given[0]
    if call.op in _QUOTIENTS and len(given) == 2 and "rounding_mode" not in call.keywords:
        return given[1]
    if call.op in _POWERS and len(given) == 2:
        exponent = exact(given[1])
        return given[0] if exponent is not None and exponent < 1 and exponent != 0 else None
    return None


_EPSILON = Pattern(r"eps|delta|tiny|smooth|finfo|laplace|jitter")
_REPLACED = frozenset(
    f"{home}{name}"
    for home in ("torch.", ".")
    for name in ("where", "masked_fill", "nan_to_num", "maximum", "max", "fmax", "exp", "softplus")
) | {"builtins.max", "torch.nn.functional.softplus"}
_CLAMPS = frozenset(
    f"{home}{name}{end}"
    for home in ("torch.", ".")
    for name in ("clamp", "clip", "clamp_min")
    for end in ("", "_")
)
_MENDS = ("[]=", ".clamp_", ".clamp_min_", ".clip_", ".masked_fill_", ".add_", ".fill_", ".copy_")


def may_be_zero(program: Program, value: Value | None, at: Call) -> bool:
    """Whether nothing keeps a value off zero: no clamp, no epsilon, no entries replaced on the way."""
    made = core(value)
    if exact(made) is not None:
        return False
    if any(mend.order < at.order and core(mend.receiver) is made for mend in program.calls(*_MENDS)):
        return False
    if isinstance(made, Either | Carried):
        return all(may_be_zero(program, one, at) for one in possible(made))
    if not isinstance(made, Call):
        return True
    given = operands(made)
    if made.op in _CLAMPS:
        least = made.argument(1 if made.receiver is None else 0, "min")
        return least is None or (exact(least) is not None and (exact(least) or 0) <= 0)
    if made.op in ("+", "+=", ".add", "torch.add"):
        return not any(_is_epsilon(part) for part in given)
    if made.op in ("*", "**") or made.op in _VANISH:
        return any(may_be_zero(program, part, at) for part in given if exact(part) is None)
    return made.op not in _REPLACED


def _is_epsilon(part: Value) -> bool:
    known = core(part)
    name = known.name if isinstance(known, Unknown) else known.op if isinstance(known, Call) else ""
    # `count + (count == 0)` adds one just where it is needed
    return bool(exact(known)) or name in _COMPARE or bool(_EPSILON.search(name.lower()))


@dataclass(frozen=True)
class Trap:
    """A pole that a selection hides from the result, not from the gradient."""

    pole: Call
    selection: Selection
    zero: bool  # the test names zero itself, not some small number or a NaN


def traps(program: Program) -> Iterator[Trap]:
    """Operations at whose pole a selection shows something else."""
    for selection in selections(program):
        if not selection.call.context.grad:
            continue
        mended = _is_broken(selection)
        for value in walk(selection.kept, gradient_parents, 60):
            argument = divisor(value)
            if argument is None or not isinstance(value, Call) or not value.context.grad:
                continue
            hidden = at_zero(selection.test, argument) is not selection.side
            hidden = hidden and at_zero(selection.test, argument) is not None
            if not hidden and not (mended and core(selection.kept) is value):
                continue
            if may_be_zero(program, argument, value):
                yield Trap(value, selection, hidden and _names_zero(selection.test))


_BROKEN = {f"{home}{name}": True for home in ("torch.", ".") for name in ("isnan", "isinf")} | {
    "torch.isfinite": False,
    ".isfinite": False,
}


def _is_broken(selection: Selection) -> bool:
    """`torch.where(torch.isnan(mean), 0, mean)`: what is not a number is replaced afterwards."""
    test, side = core(selection.test), selection.side
    while isinstance(test, Call) and test.op in _NOT and operands(test):
        test, side = core(operands(test)[0]), not side
    if not isinstance(test, Call) or test.op not in _BROKEN or not operands(test):
        return False
    return side is not _BROKEN[test.op] and alike(operands(test)[0], selection.kept)


def _names_zero(test: Value | None) -> bool:
    """No limit between 0 and 1 in a condition: with `> 1e-6` a person may fear small numbers only."""
    limits = [exact(value) for value in walk(core(test), _parts_of_test, 20)]
    return all(limit is None or limit == 0 or abs(limit) >= 1 for limit in limits)


def _parts_of_test(value: Value) -> tuple[Value, ...]:
    deeper = isinstance(value, Call) and (value.op in _NOT | _AND | _OR or value.op in _COMPARE)
    return operands(value) if deeper and isinstance(value, Call) else ()


# --- whether a gradient comes that way ---


def learns(trap: Trap, perhaps: Callable[[Unknown], bool]) -> bool:
    """Whether something trainable lies behind the pole, on a way that no other selection closes."""
    step = partial(_open_parents, trap, _floor(divisor(trap.pole)))
    starts = [part for part in operands(trap.pole) if exact(part) is None]
    return any(_is_trainable(value, perhaps) for start in starts for value in walk(start, step, 600))


_GATHERED = frozenset(f"{home}{name}" for home in ("torch.", ".") for name in ("sum", "mean", "amax"))


def _floor(argument: Value | None) -> Call | None:
    """The relu whose silence makes an argument zero: backward selects there as well, and stops the NaN."""
    for _ in range(10):
        argument = _zero_with(argument)
        if not isinstance(argument, Call):
            return None
        if kind(argument) == "relu" or argument.op in _CLAMPS:
            return argument
        if argument.op not in _GATHERED:
            return None
        argument = subject(argument)
    return None


def _open_parents(trap: Trap, floor: Call | None, value: Value) -> tuple[Value, ...]:
    """Where backward surely goes on; a selection by the same test lets nothing of the pole's entries pass."""
    if value is floor:
        return ()
    if isinstance(value, Call) and value.op in ("torch.where", ".where", *_FILLS):
        argument = divisor(trap.pole)
        return tuple(
            one.kept
            for one in _selected(value)
            if at_zero(one.test, argument) is None or at_zero(one.test, argument) is one.side
        )
    return sure_gradient_parents(value)


def _is_trainable(value: Value, perhaps: Callable[[Unknown], bool]) -> bool:
    if isinstance(value, Unknown):
        return perhaps(value)
    if not isinstance(value, Call) or not value.context.grad:
        return False
    if value.op in ("torch.nn.Parameter", ".requires_grad_"):
        return True
    if "requires_grad" in value.keywords:
        return literal(value.keywords["requires_grad"]) is True
    if value.op in ("@weight", "@bias"):
        return has_weights(value.receiver)
    if value.op != "()" or value.result is not None:
        return False
    if isinstance(value.receiver, Call) and is_module(value.receiver):
        return has_weights(value.receiver)
    return is_model(value.receiver) or may_be_model(value.receiver)
