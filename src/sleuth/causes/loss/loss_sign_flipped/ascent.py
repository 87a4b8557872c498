"""Weights moved by hand along the slope of their loss: uphill."""

from collections.abc import Iterator

from sleuth.source.flow import ancestry, literal, number, parents, possible, root
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.losses import loss_of
from sleuth.source.program import Program
from sleuth.source.topics.terms import terms
from sleuth.source.word_search import Pattern

_ASKED = ("torch.autograd.grad", ".autograd.grad")


def uphill(program: Program) -> Iterator[Call]:
    """`p += lr * p.grad` over a model's parameters, in a program whose every loss is best when small."""
    if _goes_both_ways(program) or not _minimises(program):
        return
    for call in program.trace:
        if call.op in ("+=", ".add_", "@data=") and (moved := _move(call)) is not None and _adds(*moved):
            yield call


def _goes_both_ways(program: Program) -> bool:
    """Sharpness-aware steps and attacks on weights go up first, and down by an optimizer or by hand."""
    return any(event.call.op == ".step" for event in program.training.of("step")) or any(
        call.op in ("-=", ".sub_") and call.args and number(call.args[-1]) is None for call in program.trace
    )


def _minimises(program: Program) -> bool:
    losses = [event.about for event in program.training.of("backward")]
    losses += [call.argument(0, "outputs") for call in program.trace if call.op in _ASKED]
    parts = [part for loss in losses for part in terms(loss)]
    return bool(parts) and all(
        part.sign > 0 and isinstance(part.value, Call) and loss_of(part.value) is not None for part in parts
    )


def _move(call: Call) -> tuple[Value | None, Value, int] | None:
    """The weight, what is added to it, and the sign of the rate that stands beside it."""
    if call.op == "+=" and len(call.args) == 2:
        return call.args[0], call.args[1], 1
    if call.op == ".add_" and len(call.args) == 1:
        rate = number(call.keywords["alpha"]) if "alpha" in call.keywords else 1.0
        return call.receiver, call.args[0], 1 if rate is not None and rate > 0 else -1
    if call.op == "@data=" and call.args:
        total = root(call.args[0])
        if isinstance(total, Call) and total.op == "+" and len(total.args) == 2:
            return total.args[0], total.args[1], 1
    return None


def _adds(weight: Value | None, change: Value, sign: int) -> bool:
    if not _is_weight(weight):
        return False  # an input moved uphill is an attack, or a picture of what a unit likes
    parts = terms(change)
    return len(parts) == 1 and parts[0].sign * sign > 0 and _is_slope(parts[0].value)


def _is_weight(value: Value | None) -> bool:
    """One of a model's parameters, or of several tensors that a loop goes through."""
    made = [part for part in ancestry(value, 20, _held_in) if isinstance(part, Call)]
    if any(call.op in (".parameters", ".named_parameters") for call in made):
        return True
    several = [root(option) for option in possible(value)]
    return len(several) > 1 and all(isinstance(one, Call) and _wants_slopes(one) for one in several)


# What is read of a weight to make another tensor beside it, which may gather slopes.
_ONLY_LIKE_IT = Pattern(r"^@(device|dtype|shape)$|^\.(size|new_\w+)$|^torch\.\w+_like$")


def _held_in(value: Value) -> tuple[Value, ...]:
    """What a value was taken from: no keys, and nothing of which only place, kind or size is read."""
    if isinstance(value, Call) and _ONLY_LIKE_IT.match(value.op):
        return ()
    keyed = isinstance(value, Call) and value.op == "[]"
    return parents(value)[:1] if keyed else parents(value)


def _wants_slopes(call: Call) -> bool:
    wanted = call.keywords.get("requires_grad")
    return call.op in (".requires_grad_", "torch.nn.Parameter") or literal(wanted) is True


def _is_slope(value: Value) -> bool:
    made = root(value)
    if not isinstance(made, Call):
        return False
    if made.op == "*":
        return any(_is_slope(part) for part in made.args) and not any(_turned(part) for part in made.args)
    if made.op in ("next", "[]"):
        return any(_is_slope(part) for part in (made.receiver, *made.args) if part is not None)
    return made.op in ("@grad", *_ASKED)


def _turned(factor: Value) -> bool:
    made = root(factor)
    return isinstance(made, Call) and made.op == "neg"
