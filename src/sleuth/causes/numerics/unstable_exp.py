"""A hand-written softmax, logsumexp, softplus or sigmoid that overflows.

## What happens
`exp` ends early. In float32 and bfloat16 it is infinite from 88.8 upwards, in float16 from 11.1. A
textbook softmax, exp(z) / sum(exp(z)), therefore gives inf / inf = NaN for the very logit that
should win, and 0 / 0 = NaN if all logits are very negative. With fresh weights the logits are
small, so tests pass; trouble comes late, on the examples of which the model is most certain.

The sigmoid is subtler. `1 / (1 + exp(-z))` at z = -100 returns a correct 0, and its gradient is
NaN. `log(1 + exp(z))` at z = 100 is inf where the result is 100. `log(softmax(z))` does not
overflow and is still wrong: from 104 below the winner the probability is 0 in float32 and its log
-inf, where `log_softmax` gives the right number.

```python
p = torch.exp(z) / torch.exp(z).sum(-1, keepdim=True)
loss = -torch.log(p[rows, y])
kl = 0.5 * (torch.exp(log_var) + mu ** 2 - 1 - log_var)     # log_var is not bounded
```

`exp` of something bounded above is safe: a negative squared distance, a log-probability, a score
from which the row's maximum was subtracted.

## How to tell
- **lint**: `exp` divided by a sum of `exp`; `log` of a `sum` of `exp`; `log(1 + exp(...))`;
  `1 / (1 + exp(-x))`. A `log` directly around `softmax` or `sigmoid` is reported as `unsafe-log-div`.
- **probe**: with the last layer a hundred times larger, or already on this batch, an `exp`
  overflows whose sum goes into a logarithm or under a fraction bar.
- **watch**: the step that gave the first non-finite value is played again: an `exp` of ordinary
  numbers made it, in a run that was in order until then.
- **experiment**: corrected from outside, exponents above 60 are held there; the run stays finite.
- **refuted by**: the result agrees with the library function at logits of +1000 and -1000.

## How to fix
Use the library: the maximum is subtracted for you and the backward pass is written to match.

```python
logp = F.log_softmax(z, dim=-1)
total = torch.logsumexp(z, dim=-1)
loss = F.cross_entropy(z, y)
s, sp, ls = torch.sigmoid(z), F.softplus(z), F.logsigmoid(z)
```

If you need your own, subtract `z.amax(-1, keepdim=True).detach()` first. A learned log-variance or
temperature deserves a clamp *before* its `exp`.

## Often mistaken for
- `unsafe-log-div`: a pole at zero rather than an overflow; `log(sigmoid(z))` belongs to both.
- `lr-too-high`: logits explode over a few steps; here ordinary logits of 90, or 12 in float16,
  suffice.

## Sources
- goodfellow-2016-ch4: section 4.1; softmax stabilised by subtracting the largest input, and why the
  log needs an implementation of its own.
- pytorch-bce-logits: opening paragraph; the log-sum-exp trick inside the fused loss.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import poles
from sleuth.record.questions import at
from sleuth.source.flow import ancestry, keeps_numbers, layer, number, parents, root, subject
from sleuth.source.interpreter.values import Call, Carried, Collection, Either, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.activations import kind
from sleuth.source.topics.cadence import setting

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

LOOKS_LIKE = {"falls, then explodes": "even", "not finite": "usually"}
PREDICTS = {"same-batch": "even", "float64": "usually"}

_HOMES = ("torch", "numpy", "jax.numpy")
_EXPS = (".exp", *(f"{home}.exp" for home in _HOMES))
_SUMS = (".sum", *(f"{home}.sum" for home in _HOMES))
_LOGS = (".log", *(f"{home}.log" for home in _HOMES))
_LOG1PS = (".log1p", *(f"{home}.log1p" for home in _HOMES))
# What keeps the argument of exp small, or says that its author thought of it.
_BOUNDS = frozenset(
    "max amax maximum minimum min amin logsumexp clamp clip clamp_max tanh sigmoid log_softmax logsigmoid "
    "log_prob normalize cosine_similarity norm cdist abs square pow ** cos sin softmax nan_to_num "
    "softplus relu6 pairwise_distance".split()
)
# Of these, the ones that keep it between -1 and 1, before it is scaled.
_UNIT_BOUNDS = frozenset("tanh sigmoid softmax cos sin normalize cosine_similarity norm".split())
LARGEST_EXPONENT = 88.7  # of a float32

NEEDS = "exp"


def lint(program: Program) -> Iterator[Evidence]:
    left_out = _left_out_where_large(program)
    for call in program.calls("/"):
        if len(call.args) == 2 and id(call) not in left_out:
            yield from _softmax(program, call)
            yield from _sigmoid(program, call)
    for call in program.calls(*_LOGS, *_LOG1PS):
        if id(call) not in left_out:
            yield from _log_of_exp(program, call)


def _left_out_where_large(program: Program) -> set[int]:
    """What `numpy.where(x > 20, x, ...)` chooses from. (Where torch chooses, the gradient is still NaN.)"""
    return {
        id(part)
        for choice in program.calls("numpy.where")
        if len(choice.args) == 3 and _compares(choice.args[0])
        for arm in choice.args[1:]
        for part in ancestry(arm, 40)
    }


def _compares(value: Value | None) -> bool:
    made = root(value)
    return isinstance(made, Call) and made.op in ("<", "<=", ">", ">=")


def _softmax(program: Program, call: Call) -> Iterator[Evidence]:
    """`exp(z) / exp(z).sum()`."""
    above, below = _exp(call.args[0]), _summed_exp(call.args[1])
    if above is not None and below is not None and (above is below or _argument(above) is _argument(below)):
        yield from _overflow(
            program, call, above, "A softmax written with a bare `exp`", "`softmax` or `log_softmax`"
        )


def _sigmoid(program: Program, call: Call) -> Iterator[Evidence]:
    """`1 / (1 + exp(-z))`; NumPy's has no gradient that could be NaN."""
    exponential = _one_plus_exp(call.args[1])
    above = _bare_exp(call.args[0])
    if above is not None and exponential is not None and _argument(above) is _argument(exponential):
        yield from _overflow(
            program, call, above, "A sigmoid written as `exp(z) / (1 + exp(z))`", "`torch.sigmoid`"
        )
    if not call.context.grad:  # 1 / (1 + inf) is exactly 0, and nobody takes a slope
        return
    if number(call.args[0]) == 1 and exponential is not None and not exponential.op.startswith("numpy."):
        yield from _overflow(
            program, call, exponential, "A sigmoid written with a bare `exp`", "`torch.sigmoid`"
        )


def _log_of_exp(program: Program, call: Call) -> Iterator[Evidence]:
    inner = subject(call)
    if call.op in _LOG1PS:
        single = _exp(inner)
        if single is not None:
            yield from _overflow(program, call, single, "`log1p(exp(...))`", "`softplus`")
        return
    if (summed := _summed_exp(inner)) is not None:
        yield from _overflow(program, call, summed, "The log of a sum of bare `exp`", "`logsumexp`")
    elif (single := _one_plus_exp(inner)) is not None:
        yield from _overflow(program, call, single, "`log(1 + exp(...))`", "`softplus`")


def _overflow(program: Program, call: Call, exponential: Call, what: str, instead: str) -> Iterator[Evidence]:
    if _is_drawn(_argument(exponential)) or _is_low_itself(_argument(exponential)):
        return
    bounds, learned = _examine(_argument(exponential))
    # A cosine is at most 1; divided by a temperature of 0.01 it is 100.
    if bounds and not (bounds <= _UNIT_BOUNDS and _scale(program, _argument(exponential)) > LARGEST_EXPONENT):
        return
    yield clue(
        "proven" if learned else "likely",
        call,
        f"{what}: {_end_of(exponential)}, and then the result or its gradient is inf or NaN.",
        fix=f"Use {instead}, or subtract the row's maximum first.",
    )


def _end_of(exponential: Call) -> str:
    if exponential.op.startswith("numpy."):  # whose numbers are float64 unless somebody says otherwise
        return "in float64 it is infinite from 709.8 on (88.8 in float32)"
    return "in float32 it is infinite from 88.8 on (11.1 in float16)"


_DRAWS = frozenset("normal standard_normal uniform random rand randn gauss".split())


def _is_drawn(value: Value | None) -> bool:
    """Numbers straight out of a generator, as data are made of: hardly one lies beyond ten spreads."""
    made = root(value)
    while isinstance(made, Call) and made.op == "*" and len(made.args) == 2:
        made = root(next((part for part in made.args if number(part) is None), None))
    return isinstance(made, Call) and made.op.rpartition(".")[2] in _DRAWS


def _exp(value: Value | None) -> Call | None:
    """The exp that made a value, seen through masks and changes of shape."""
    for _ in range(8):
        value = root(value)
        if not isinstance(value, Call):
            return None
        if value.op in _EXPS:
            return value
        value = subject(value) if keeps_numbers(value) else value.args[0] if value.op == "*" else None
    return None


def _summed_exp(value: Value | None) -> Call | None:
    made = _without_epsilon(value)
    while isinstance(made, Call) and keeps_numbers(made):
        made = root(subject(made))
    return _exp(subject(made)) if isinstance(made, Call) and made.op in _SUMS else None


def _without_epsilon(value: Value | None) -> Value | None:
    made = root(value)
    if isinstance(made, Call) and made.op == "+":
        rest = [part for part in made.args if number(part) is None]
        return root(rest[0]) if len(rest) == 1 else made
    return made


def _one_plus_exp(value: Value | None) -> Call | None:
    made = root(value)
    if not isinstance(made, Call) or made.op != "+" or not any(number(part) == 1 for part in made.args):
        return None
    return next((found for part in made.args if (found := _bare_exp(part)) is not None), None)


def _bare_exp(value: Value) -> Call | None:
    made = root(value)
    return made if isinstance(made, Call) and made.op in _EXPS else None


def _argument(exponential: Call) -> Value | None:
    return root(subject(exponential))


def _scale(program: Program, value: Value | None) -> float:
    """The factors and divisors around the argument of exp that the source gives a number, multiplied."""
    scale = 1.0

    def known(part: Value | None) -> float | None:
        return setting(program, part)

    for _ in range(8):
        made = root(value)
        if not isinstance(made, Call):
            break
        parts = made.args if made.receiver is None else (made.receiver, *made.args)
        if made.op in _TIMES and len(parts) == 2:
            factors = [(known(one), other) for one, other in (parts, parts[::-1]) if known(one) is not None]
            if not factors:
                break
            scale, value = scale * abs(factors[0][0] or 0.0), factors[0][1]
        elif made.op in _OVER and len(parts) == 2 and known(parts[1]):
            scale, value = scale / abs(known(parts[1]) or 1.0), parts[0]
        elif made.op == "neg" or keeps_numbers(made):
            value = made.args[0] if made.op == "neg" else subject(made)
        else:
            break
    return scale


_TIMES = ("*", ".mul", "torch.mul")
_OVER = ("/", ".div", "torch.div")


def _examine(value: Value | None) -> tuple[frozenset[str], bool]:
    """What limits the argument, and whether it comes from a layer or a parameter."""
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    bounds: set[str] = set()
    learned = False
    while queue and len(seen) < 80:
        here = queue.pop(0)  # nearest first: what bounds an argument stands close to it
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Call) and here.result is None:
            short = layer(here).rpartition(".")[2]
            if short in _BOUNDS or kind(here) in ("sigmoid", "tanh", "log_softmax", "softmax"):
                bounds.add(short if short in _BOUNDS else kind(here))
                continue
            if _smaller_less_larger(here) or (here.op == "[]" and _compares(here.args[-1])):
                bounds.add("chosen by size")
                continue
            if here.op == "()" or here.op == "torch.nn.Parameter":
                learned = True
                continue
        if isinstance(here, Call | Carried | Either | Collection):
            queue.extend(parents(here))
    return frozenset(bounds), learned


def _is_low_itself(argument: Value | None) -> bool:
    """The very argument is bounded; what stands further back, behind layers, says nothing of it."""
    for _ in range(8):
        argument = root(argument)
        if not isinstance(argument, Call):
            return False
        if _own_size_masked(argument) or _is_low_ramp(argument) or _ordered_pair(argument):
            return True
        if argument.op == "neg":
            argument = argument.args[0]
        elif keeps_numbers(argument):
            argument = subject(argument)
        else:
            return False
    return False


def _own_size_masked(call: Call) -> bool:
    """A mask that asks for something else, such as padding, says nothing of the size."""
    if call.op not in (".masked_fill", "torch.masked_fill"):
        return False
    mask = root(call.argument(0 if call.receiver is not None else 1, "mask"))
    while isinstance(mask, Call) and mask.op == "~" and mask.args:
        mask = root(mask.args[0])
    filled = root(subject(call))
    return isinstance(mask, Call) and _compares(mask) and any(root(part) is filled for part in mask.args)


def _is_low_ramp(call: Call) -> bool:
    """`linspace(-rate, 0, n)`: evenly spaced, and both ends are low."""
    if call.op.rpartition(".")[2] != "linspace" or len(call.args) < 2:
        return False
    first, last = (root(end) for end in call.args[:2])
    return all(
        (isinstance(end, Call) and end.op == "neg")
        or ((known := number(end)) is not None and known < LARGEST_EXPONENT)
        for end in (first, last)
    )


def _ordered_pair(difference: Call) -> bool:
    """`low - high` after `low, high = (a, b) if a < b else (b, a)`: two names swapped on a condition."""
    if difference.op != "-" or len(difference.args) != 2:
        return False
    low, high = (_alternatives(part) for part in difference.args)
    return len(low) == 2 and low[0] is not low[1] and low == high[::-1]


def _alternatives(value: Value) -> list[Value | None]:
    """The value on either side of a branch, also as one item of a pair that was chosen there."""
    place = None
    if isinstance(value, Call) and value.op == "[]" and len(value.args) == 2:
        place, value = number(value.args[1]), value.args[0]
    if not isinstance(value, Either):
        return []
    if place is None:
        return [root(option) for option in value.options]
    pairs = [option.items for option in value.options if isinstance(option, Collection)]
    return [root(pair[int(place)]) for pair in pairs if place < len(pair)]


def _smaller_less_larger(difference: Call) -> bool:
    """`where(a > b, b, a) - where(a > b, a, b)`."""
    parts = [root(part) for part in difference.args] if difference.op == "-" else []
    chosen = [part for part in parts if isinstance(part, Call) and part.op == "torch.where"]
    if len(chosen) != 2 or any(len(part.args) != 3 for part in chosen):
        return False
    (mask, one, other), (same, *swapped) = ([root(part) for part in call.args] for call in chosen)
    return mask is same and _compares(mask) and [one, other] == swapped[::-1]


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for hazard in bench.numerics.hazards:
        if hazard.operation in ("exp", "expm1") and hazard.by_hand:
            now = hazard.situation == "this batch"
            yield Evidence(
                f"`exp` overflows on {hazard.situation} (largest argument {hazard.argument:.3g}; float32 "
                "ends at 88.7), and "
                "its sum goes into a logarithm or a division: a softmax or logsumexp written by hand.",
                telling="proven" if now else "likely",
                where=hazard.where,
                numbers={"argument": hazard.argument, "situation": hazard.situation},
                fix="Use torch.logsumexp, torch.softmax, F.softplus or torch.sigmoid, which subtract the "
                "maximum first.",
            )


def watch(record: "Record") -> Iterator[Evidence]:
    seen = poles.met(record, poles.EXPONENTIALS)
    if seen is not None:
        largest = max((value.maximum for value in seen.inputs if value.maximum is not None), default=0.0)
        yield Evidence(
            f"`{seen.operation}` overflowed at step {seen.n} (largest argument {largest:.3g}; float32 "
            "ends at 88.7): this was the first infinite value of the run.",
            telling="proven",
            where=at(seen, seen.module or None),
            numbers={"step": seen.n, "argument": largest},
            fix="Use torch.logsumexp, torch.softmax, F.softplus or torch.sigmoid, which subtract the maximum "
            "first; or bound the exponent.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.bounded_exponents(world)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.unguarded import at_the_pole

    return at_the_pole(finding, scene)
