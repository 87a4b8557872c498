"""A log, root, division or power whose argument can reach its pole.

## What happens
It works for nine epochs. Then one example makes a probability exactly 0, one vector has length 0,
one batch has no positives, and the loss is `inf` or NaN. The danger grows as the model gets
*better*: in float32 a sigmoid is exactly 1 from a logit of about 17, so `log(1 - p)` is -inf for a
prediction that is sure, and `p * log(p)` is NaN at p = 0.

Epsilons often do nothing. `1 - 1e-8` is 1 in float32. `1e-8` is 0 in float16. An epsilon in the
wrong place protects the value and not the gradient: `log(p + 1e-8)` is finite, with a gradient of 1e8
at p = 0. Clamping is the other half measure: below the limit its gradient is 0, so the example can
never recover.

```python
loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
unit = v / v.norm(dim=-1, keepdim=True)
f1 = 2 * tp / (2 * tp + fp + fn)          # a batch without positives
```

A selection hides the pole and leaves the gradient. `torch.where(n > 0, s / n, 0)` computes `s / n`
everywhere; the entries it does not show get a gradient of 0, and 0 times the infinite derivative of the
pole is NaN. The loss is finite, and after one step every weight behind `s` is NaN. `masked_fill`
and `mean[n == 0] = 0` do the same. The argument must be safe *before* the operation.

```python
mean = total / count                                   # NaN gradient for an empty row
mean = torch.where(count > 0, mean, torch.zeros_like(mean))
```

A log whose argument is at least 1 by construction (`log1p` of a count), or a division by a fixed
constant, is safe.

## How to tell
- **lint**: `log`, `sqrt`, `/`, `** -1`, `** 0.5`, `acos` or `atanh` on a value that comes from the
  model or the data, with no clamp, epsilon or safe variant on the way; an epsilon below the
  precision of the dtype; a pole that `where`, `masked_fill` or an assignment by mask takes out of
  the result after the operation, where a gradient flows.
- **probe**: the first operation that turns finite arguments into a result or derivative that is
  not, on this batch, with all targets equal, with inputs of zero, and with the last layer a
  hundred times larger.
- **watch**: the step that gave the first non-finite value is played again: a division, logarithm or
  root made it of finite numbers, in a run that was in order until then.
- **experiment**: corrected from outside, logarithms and square roots never get arguments at which
  they are infinite; the run stays finite.
- **refuted by**: the argument is bounded away from its pole by construction, for every input.

## How to fix
Stay in log space, and use functions that know their limits.

```python
loss = F.binary_cross_entropy_with_logits(logits, y)    # not log(sigmoid)
logp = F.log_softmax(logits, dim=-1)                    # not log(softmax)
entropy = torch.special.entr(p).sum(-1)                 # 0 at p = 0
unit = F.normalize(v, dim=-1, eps=1e-6)
ratio = a / b.clamp_min(1e-6)                           # b is never negative
mean = total / count.clamp(min=1)                       # before the division, not `where` after it
```

Where an epsilon is the solution, choose it by the dtype (`torch.finfo(x.dtype).eps`) and put it
inside.

## Often mistaken for
- `nonfinite-forward`: the symptom at module level; this page is about the line that does it.
- `unstable-exp`: overflow of an exponential at large arguments, not a pole at small ones.
- `nonfinite-input`: the NaN is in the batch before any of these lines runs.

## Sources
- goodfellow-2016-ch4: section 4.1; underflow to zero followed by a log or a division.
- pytorch-bce-logits: opening paragraph; the fused loss is more stable than a sigmoid followed by
  BCE.
"""

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling, Where
from sleuth.record import poles
from sleuth.record.questions import at
from sleuth.source.edits import Edits, method_added
from sleuth.source.flow import ancestry, depends_on, layer, number, possible, root, subject
from sleuth.source.interpreter.values import Call, Function, Instance, Unknown, Value
from sleuth.source.losses import is_loss_instance
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.activations import always, kind, origins
from sleuth.source.topics.gradients import reached
from sleuth.source.topics.modules import module_around
from sleuth.source.topics.stand_ins import output_of
from sleuth.source.torch_api import is_module
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record
    from sleuth.source.topics.guards import Trap

LOOKS_LIKE = {"not finite": "usually"}
INVITED_BY = {"torch\\.log|\\.log\\(|sqrt|/ ": 2.0}
PREDICTS = {"same-batch": "even", "float64": "even"}

_LOGS = ("torch.log", ".log", "torch.log2", ".log2", "torch.log10", "jax.numpy.log", "torch.log_", ".log_")
_GATHERS = ("gather", "torch.gather", "select", "index_select", "torch.take_along_dim")
_ROOTS = ("torch.sqrt", ".sqrt", "jax.numpy.sqrt")
_NORMS = (".norm", "torch.norm", "torch.linalg.norm", "torch.linalg.vector_norm")
_CHECKS = (
    *(f"{home}{name}" for home in ("torch.", ".") for name in ("isinf", "isnan", "isfinite", "nan_to_num")),
    *("torch.where", ".where", ".any", ".masked_fill"),
)
_COMPARISONS = ("==", "!=", ">", ">=", "<", "<=")
# Nearer to 1 than this a float32 is 1.
HALF_STEP_BELOW_ONE = 2.0**-25


def lint(program: Program) -> Iterator[Evidence]:
    for call in program.calls(*_LOGS):
        if call.context.grad:
            yield from _log(program, call)
    for call in program.calls("/"):
        if call.context.grad and len(call.args) == 2 and number(call.args[1]) is None:
            yield from _division(program, call)
    for call in program.calls(*_ROOTS, "**", ".pow"):
        if call.context.grad and _takes_a_root(call):
            yield from _distance_to_itself(call)
    for call in program.calls("torch.acos", ".acos", "torch.arccos", ".arccos"):
        made, complete = origins(subject(call))
        if complete and call.context.grad and all("cosine_similarity" in layer(one) for one in made):
            yield _pole(
                call, "likely", "`acos` of a cosine", "its derivative is infinite at 1 and -1", _CLAMP_COSINE
            )
    if any(True for _ in program.calls(*_SELECTIONS)):
        from sleuth.source.topics.guards import traps

        for trap in traps(program):
            yield from _hidden_pole(program, trap)


_CLAMP_COSINE = "Clamp the cosine to a little inside (-1, 1), or use `atan2`."
_LOG_SPACE = (
    "Use `log_softmax`, `logsigmoid` or a loss that takes logits instead of the log of a sigmoid or softmax."
)


def _pole(call: Call, telling: Telling, what: str, why: str, fix: str) -> Evidence:
    return clue(
        telling,
        call,
        f"{what}: {why}, and the result or its gradient is infinite or NaN there.",
        fix=fix,
        edits=_kept_away(call),
    )


_SELECTIONS = ("torch.where", ".where", "torch.masked_fill", ".masked_fill", ".masked_fill_", "[]=")


def _hidden_pole(program: Program, trap: "Trap") -> Iterator[Evidence]:
    """`torch.where(n > 0, x / n, 0)`: clean forward, NaN backward."""
    from sleuth.source.topics.guards import divisor, learns

    pole, choice = trap.pole, trap.selection.call
    trained = id(pole) in program.about(_behind_backward)
    if not (trained or _on_its_own(pole)) or not learns(trap, _is_prediction if _in_loss_code(pole) else _no):
        return
    name = _SIGNS.get(pole.op) or f"`{pole.op.rpartition('.')[2]}`"
    yield clue(
        "proven" if trained and trap.zero else "likely",
        pole,
        f"Line {spot(choice).line} removes the entries where {name} is infinite, but only afterwards: "
        "backward multiplies their gradient of 0 by an infinite derivative, which is NaN, and one such "
        "entry makes every weight NaN.",
        fix=f"Make `{_written(divisor(pole), pole)}` safe before the operation: `clamp(min=...)`, or "
        "`torch.where` on it.",
        edits=_kept_away(pole),
    )


_SIGNS = {"/": "this division", "/=": "this division", "**": "this power"}


def _written(value: Value | None, pole: Call) -> str:
    """The argument at fault as it stands in the source."""
    node = pole.node
    if isinstance(node, ast.BinOp):
        return ast.unparse(node.left if isinstance(node.op, ast.Pow) else node.right)
    if isinstance(node, ast.AugAssign):
        return ast.unparse(node.value)
    if isinstance(node, ast.Call) and pole.op[:1] == "." and isinstance(node.func, ast.Attribute):
        given = node.func.value if value is pole.receiver else node.args[0]
        return ast.unparse(given)
    return "the argument"


def _behind_backward(program: Program) -> frozenset[int]:
    return frozenset(id(value) for event in program.training.of("backward") for value in reached(event.about))


def _on_its_own(pole: Call) -> bool:
    """In a model or loss that nobody here calls, and part of what it gives back."""
    outermost = pole.context.sites[0] if pole.context.sites else None
    if outermost is None or not isinstance(outermost.node, ast.FunctionDef):
        return False
    if module_around(pole) is None and not _in_loss_code(pole):
        return False
    return any(value is pole for value in reached(outermost.result))


_PREDICTION = Pattern(r"pred|logit|^out|output|score|hat$|recon|prob|^input$|embed|feat")


def _is_prediction(value: Unknown) -> bool:
    return bool(_PREDICTION.search(value.name.lower()))


def _no(value: Unknown) -> bool:
    return False


_LEAST = "1e-8"  # the smallest power of ten that float32 still adds to a probability near it


def _kept_away(call: Call) -> Edits:
    """The argument of a log, or a divisor, kept off zero. Not safe: how far off is the author's to say."""
    node, source = call.node, call.source
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return rewrite(node.right, source, f"({ast.unparse(node.right)} + {_LEAST})", safe=False)
    if not isinstance(node, ast.Call) or call.op not in _LOGS or not call.op.startswith(("torch.", ".")):
        return ()
    inner = node.func.value if call.op[:1] == "." and isinstance(node.func, ast.Attribute) else None
    written = inner or (node.args[0] if len(node.args) == 1 else None)
    return method_added(written, source, f"clamp(min={_LEAST})")


def _log(program: Program, call: Call) -> Iterator[Evidence]:
    inner = subject(call)
    assume = partial(output_of, program)
    squashed = always(inner, ("softmax", "sigmoid", "relu"), _GATHERS, assume)
    if squashed and not _drawn_by_itself(inner, squashed):
        name = layer(squashed[0]).rpartition(".")[2]
        what = f"The log of `{name}` from line {spot(squashed[0]).line}"
        yield _pole(call, "likely", what, "it becomes exactly 0 in float32", _LOG_SPACE)
        return
    rest = _complement(inner)
    if rest is None:
        return
    if squashed := always(rest, ("softmax", "sigmoid"), _GATHERS, assume):
        name = layer(squashed[0]).rpartition(".")[2]
        what = f"The log of 1 minus `{name}` from line {spot(squashed[0]).line}"
        yield _pole(call, "likely", what, "it is exactly 1 from a logit of 17 on", _LOG_SPACE)
    elif _is_squared_tanh(rest):
        what = "The log of 1 minus a squared `tanh`"
        fix = "Add an epsilon inside the log, or use `2 * (log(2) - x - softplus(-2 * x))`."
        yield _pole(call, "likely", what, "it is exactly 1 in float32 from 9 on", fix)
    elif _clamped_at_one(rest):
        what = "The log of 1 minus a value clamped to something that float32 rounds to 1"
        yield _pole(
            call, "likely", what, "the clamp does nothing", "Clamp at `1 - 1e-6`, or stay in log space."
        )


_DRAWS = ("torch.multinomial", ".multinomial", ".sample")
_PICKS = ("[]", ".gather", "torch.gather", "torch.take_along_dim", ".take_along_dim")


def _drawn_by_itself(value: Value | None, squashed: list[Call]) -> bool:
    """Only entries that a draw from these very probabilities chose: they had a chance above 0."""
    for pick in ancestry(value, 40):
        if isinstance(pick, Call) and pick.op in _PICKS:
            chosen = pick.args[1:] if pick.receiver is None else (*pick.args, *pick.keywords.values())
            for draw in (part for place in chosen for part in ancestry(place, 60)):
                if isinstance(draw, Call) and draw.op in _DRAWS:
                    return any(depends_on(draw, one) for one in squashed)
    return False


def _complement(value: Value | None) -> Value | None:
    """x, given `1 - x`."""
    made = root(value)
    if isinstance(made, Call) and made.op == "-" and number(made.args[0]) == 1:
        return made.args[1]
    return None


def _is_squared_tanh(value: Value) -> bool:
    made = root(value)
    if not isinstance(made, Call) or made.op not in ("**", ".pow", ".square", "torch.square", "torch.pow"):
        return False
    return bool(always(made.args[0] if made.receiver is None else made.receiver, ("tanh",)))


def _clamped_at_one(value: Value) -> bool:
    made, complete = origins(value)
    return complete and all(_clamps_to_nothing(call) for call in made)


def _clamps_to_nothing(call: Call) -> bool:
    if layer(call).rpartition(".")[2] not in ("clamp", "clip"):
        return False
    top = number(call.argument(1 if call.receiver is not None else 2, "max"))
    return top is not None and 0 <= 1 - top < HALF_STEP_BELOW_ONE


def _division(program: Program, call: Call) -> Iterator[Evidence]:
    above, below = call.args[0], _without_factors(call.args[1])
    made, complete = origins(below)
    if not complete or len(made) != 1:
        return
    divisor = made[0]
    name = layer(divisor).rpartition(".")[2]
    if (
        _counts_classes(divisor)
        and (call.context.loops or _in_loss_code(call))
        and not _is_checked(program, call, divisor)
        and not _looked_up(program, call, divisor)
    ):
        what = f"Division by the class counts of one batch, made on line {spot(divisor).line}"
        yield _pole(call, "likely", what, "a class may be absent from it", "`clamp(min=1)` the counts.")
    elif _is_spread(divisor) and _in_forward(call):
        what = "Division by a standard deviation without an epsilon"
        yield _pole(call, "likely", what, "it is 0 for constant rows", "Add an epsilon, or use nn.LayerNorm.")
    elif (
        name == "sum"
        and divisor.op != "builtins.sum"
        and _same_subject(above, divisor)
        and _may_vanish(divisor)
    ):
        what = "Values that went through `relu` are divided by their own sum"
        yield _pole(call, "likely", what, "all of a row may be 0", "Add an epsilon to the sum.")
    elif layer(divisor) in _NORMS and _in_forward(call) and _same_subject(above, divisor):
        telling: Telling = "likely" if _may_vanish(divisor) else "open"
        what = f"A vector is divided by its own `{name}`"
        yield _pole(
            call, telling, what, "a row of zeros has length 0", "Use `F.normalize`, which has an epsilon."
        )


def _without_factors(value: Value) -> Value:
    """`classes * counts`: a literal factor does not move the pole."""
    made = root(value)
    if isinstance(made, Call) and made.op == "*":
        rest = [part for part in made.args if number(part) is None]
        if len(rest) == 1:
            return rest[0]
    return value


def _looked_up(program: Program, quotient: Call, counts: Call) -> bool:
    """`(1 / count)[y]`, where `y` are the labels that were counted: of a class that is absent nobody asks."""
    labels = possible(subject(counts))
    return any(
        item.args[0] is quotient and any(one is label for one in possible(item.args[1]) for label in labels)
        for item in program.calls("[]")
        if len(item.args) == 2
    )


def _counts_classes(call: Call) -> bool:
    """`one_hot(y).sum(0)`, `bincount(y)`: how often each class occurs."""
    if call.op in ("torch.bincount", ".bincount"):
        return True
    if call.op not in (".sum", "torch.sum"):
        return False
    named = call.args or call.keywords.get("dim")
    made, complete = origins(subject(call))
    return bool(named) and complete and all(layer(one).endswith("one_hot") for one in made)


def _is_checked(program: Program, division: Call, counts: Call) -> bool:
    """Somebody asks whether the counts are zero, or mends what the division gave."""
    for call in program.calls(*_COMPARISONS, *_CHECKS):
        parts = call.args if call.receiver is None else (call.receiver, *call.args)
        if any(root(part) is counts or depends_on(part, division) for part in parts):
            return True
    return False


def _is_spread(call: Call) -> bool:
    name = layer(call)
    if name in (".std", "torch.std"):
        return _runs_over_rows(call)
    if name in _ROOTS:
        made, complete = origins(subject(call))
        return complete and all(layer(one) in (".var", "torch.var") and _runs_over_rows(one) for one in made)
    return False


def _runs_over_rows(call: Call) -> bool:
    """The spread of one row, which may be constant (padding); that of a column over a batch hardly is."""
    where = call.keywords.get("dim") or next(
        iter(call.args if call.receiver is not None else call.args[1:]), None
    )
    return number(where) == -1


def _may_vanish(call: Call) -> bool:
    """Whether all that is summed or measured may be exactly zero."""
    return bool(always(subject(call), ("relu",)))


def _same_subject(above: Value, norm: Call) -> bool:
    return root(above) is root(subject(norm))


def _in_forward(call: Call) -> bool:
    owner = _owner(call)
    return owner is not None and is_module(owner)


def _in_loss_code(call: Call) -> bool:
    name = getattr(call.context.function, "name", "")
    owner = _owner(call)
    return "loss" in name.lower() or (owner is not None and is_loss_instance(owner))


def _owner(call: Call) -> Instance | None:
    site = call.context.sites[-1] if call.context.sites else None
    function = site.receiver if site is not None else None
    owner = function.bound if isinstance(function, Function) else None
    return owner if isinstance(owner, Instance) else None


def _takes_a_root(call: Call) -> bool:
    if call.op in _ROOTS:
        return True
    exponent = number(call.args[-1]) if call.args else None
    return exponent == 0.5


def _distance_to_itself(call: Call) -> Iterator[Evidence]:
    """The distances of all pairs of one set: the diagonal is 0, where the root has an infinite slope."""
    inner = call.args[0] if call.op == "**" else subject(call)
    summed = root(inner)
    if not isinstance(summed, Call) or summed.op not in (".sum", "torch.sum"):
        return
    squared = root(subject(summed))
    if not isinstance(squared, Call) or squared.op not in ("**", ".pow", ".square", "torch.square"):
        return
    apart = root(squared.args[0] if squared.receiver is None else squared.receiver)
    if isinstance(apart, Call) and apart.op == "-" and _core(apart.args[0]) is _core(apart.args[1]):
        if any(isinstance(part, Call) and (part.op == "()" or kind(part)) for part in ancestry(apart, 80)):
            what = "The root of squared distances of one set to itself"
            fix = "Add an epsilon inside the root, or use `torch.cdist`."
            yield _pole(call, "likely", what, "each point is at distance 0 from itself", fix)


def _core(value: Value | None) -> Value | None:
    """What was there before axes were added."""
    for _ in range(8):
        value = root(value)
        if isinstance(value, Call) and layer(value).rpartition(".")[2] in (
            "unsqueeze",
            "[]",
            "expand",
            "view",
        ):
            if value.op == "[]" and number(value.args[-1]) is not None:
                return value  # one of several: `a, b = converted(a, b)`
            value = subject(value)
        else:
            return value
    return value


def probe(bench: "Workbench") -> Iterator[Evidence]:
    known = "log log2 log10 log1p sqrt rsqrt div rdiv truediv rtruediv reciprocal pow acos asin".split()
    for hazard in bench.numerics.hazards:
        if hazard.operation not in known or hazard.bad_input:
            continue
        now = hazard.situation == "this batch"
        what = "its derivative is not finite" if hazard.in_gradient else "its result is not finite"
        yield Evidence(
            f"`{hazard.operation}` becomes infinite on {hazard.situation}: nearest argument "
            f"{hazard.argument:.3g}, and {what}. One such batch makes every weight NaN.",
            telling="proven" if now else "likely",
            where=hazard.where,
            numbers={"argument": str(hazard.argument), "situation": hazard.situation},
            fix="Clamp or add an epsilon before the operation: counts.clamp(min=1), log(x + 1e-8), or "
            "log_softmax.",
        )


def watch(record: "Record") -> Iterator[Evidence]:
    seen = poles.met(record, poles.DIVISIONS | poles.LOGARITHMS | poles.ROOTS)
    if seen is not None:
        yield Evidence(
            f"`{seen.operation}` produced the first infinity or NaN of the run at step {seen.n}, from "
            "finite inputs. One such batch makes every weight NaN.",
            telling="proven",
            where=at(seen, seen.module or None),
            numbers={"step": seen.n, "operation": seen.operation},
            fix="Clamp or add an epsilon before the operation: `x / (y + 1e-8)`, `log(x.clamp(min=1e-8))`.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_losses

    of_losses.away_from_poles(world)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.unguarded import at_the_pole

    return at_the_pole(finding, scene)
