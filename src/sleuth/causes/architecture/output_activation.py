"""An activation on the output clips the range of values that the target needs.

## What happens
The last layer ends in ReLU, sigmoid or tanh, and the targets go beyond. The loss falls to a floor
and stays. For standardised targets the best possible mean squared error is 0.50 behind a ReLU,
0.58 behind a sigmoid and 0.15 behind a tanh, whatever stands before it (untouched, it would be
0). With prices in thousands behind a sigmoid every prediction becomes 1.

ReLU is the worst of them: once the output is negative for all examples, the gradient of the whole
model is exactly zero and the run is over at step one, with a loss that never changes. It usually
comes from a helper that appends an activation after *every* layer:
```python
layers = []
for a, b in zip(sizes, sizes[1:]):
    layers += [nn.Linear(a, b), nn.ReLU()]     # also after the last one
model = nn.Sequential(*layers)
```
Fine: sigmoid with targets in [0, 1], tanh for images scaled to [-1, 1] (the generator of a GAN)
or for bounded actions, softplus for a positive scale, ReLU when zero is a real and frequent
target.

## How to tell
- **lint**: the model's last operation is ReLU and the loss is MSE, L1 or Huber; sigmoid or tanh
  there when the target is seen to be standardised or unbounded; ReLU or tanh in front of a
  cross-entropy.
- **probe**: targets of the batch lie outside the range that the last operation can produce, or
  outputs of exactly 0 (or within 1% of a bound) make up a large share while targets do not.
- **experiment**: corrected from outside, a model's last activation passes everything through; the
  loss falls below the floor it had.
- **refuted by**: every target of the batch lies strictly inside the output's range.

## How to fix
Return the raw linear output, or scale the target into the range and undo it after prediction.
```python
y_scaled = (y - y_mean) / y_std
loss = F.mse_loss(model(x), y_scaled)          # model ends in nn.Linear
prediction = model(x) * y_std + y_mean
```
If a bound is physical (a share, a positive length), keep a smooth map: sigmoid for (0, 1),
`F.softplus` for positive values. Never ReLU for "must be positive".

## Often mistaken for
- `double-softmax`: softmax or sigmoid on the output *and* a loss that applies it again; a
  classification twin.
- `dead-relu`: concerns hidden units; a dead output ReLU belongs here.
- `inputs-unnormalized`: unscaled targets behind a linear output are slow, but have no floor.

## Sources
- goodfellow-2016-ch6: section 6.2.2, output units matched to the kind of target, and why a
  thresholded output loses its gradient.
"""

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling
from sleuth.source.edits import layer_taken_out
from sleuth.source.flow import ancestry, depends_on, layer, parents, subject
from sleuth.source.interpreter.values import Call, Collection, Constant, Instance, Value
from sleuth.source.losses import LossUse
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.modules import applied, exact, settled, sole_maker
from sleuth.source.topics.shapes import shapes
from sleuth.source.topics.stand_ins import output_of
from sleuth.torch_losses import COMPARES_NUMBERS

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench

CHANGES_LOSS = True
INVITED_BY = {"mse_loss|MSELoss|L1Loss": 2.0}
PREDICTS = {"same-batch": "usually"}

_NAMES = {
    name: kind
    for kind, classes in {"relu": "ReLU", "sigmoid": "Sigmoid", "tanh": "Tanh", "relu6": "ReLU6"}.items()
    for name in (f"torch.{kind}", f"torch.nn.functional.{kind}", f".{kind}", f"torch.nn.{classes}")
}
_RANGE = {"relu": "never negative", "relu6": "between 0 and 6", "sigmoid": "between 0 and 1"}
_RANGE["tanh"] = "between -1 and 1"
# Losses on raw scores: a class that is to be unlikely needs a negative one.
_ON_SCORES = frozenset({"cross_entropy", "binary_cross_entropy_with_logits"})
# Drawn or scaled so that values beyond every bounded range are certain.
_UNBOUNDED = frozenset(
    "torch.randn torch.randn_like numpy.random.randn sklearn.datasets.make_regression "
    "sklearn.datasets.load_diabetes sklearn.preprocessing.scale scipy.stats.zscore".split()
)
_BEYOND_ONE = _UNBOUNDED | {"sklearn.datasets.fetch_california_housing", "sklearn.datasets.make_friedman1"}


_CHANGES_THE_RANGE = frozenset(
    "abs exp ** pow square clamp clip == != > < >= <= sigmoid expit argmax argmin softmax relu long tanh sin "
    "cos where sign maximum minimum rank argsort MinMaxScaler minmax_scale & | not ~".split()
)
# Normal noise narrower than this is put on targets of any range.
WIDE = 0.5


def lint(program: Program) -> Iterator[Evidence]:
    for use in (*program.losses, *_by_hand(program)):
        maker = sole_maker(use.input)
        handed_in = output_of(program, maker) if maker is not None else None
        maker = sole_maker(handed_in) if handed_in is not None else maker
        kind = _NAMES.get(layer(maker)) if maker is not None else None
        if maker is None or kind is None or not _surely_there(maker):
            continue
        telling = _judged(program, use, kind)
        if telling is not None:
            yield clue(
                telling if handed_in is None else "likely",
                maker,
                f"`{kind}` on the output makes every prediction {_RANGE[kind]}, and the loss on "
                f"{line_of(use.call, maker)} compares it with targets that need not be.",
                fix="Return the last layer's raw output, or scale the target into that range.",
                edits=layer_taken_out(maker),
            )


def _by_hand(program: Program) -> Iterator[LossUse]:
    """`((pred - y) ** 2).mean()`, `(pred - y).abs().mean()`, `torch.maximum(q * (y - pred), ...)`: the
    difference, both ways round."""
    for event in program.training.of("backward"):
        for value in ancestry(event.about, 60):
            if isinstance(value, Call) and value.op in _TAKES_A_GAP:
                gap = settled(subject(value) if value.op in _OF_ONE else _gap_in(value))
                if isinstance(gap, Call) and gap.op == "-" and len(gap.args) == 2:
                    yield LossUse("mse_loss", gap, gap.args[0], gap.args[1])
                    yield LossUse("mse_loss", gap, gap.args[1], gap.args[0])


_OF_ONE = frozenset(("**", ".pow", ".square", ".abs", "torch.abs"))
_OF_TWO = frozenset(("torch.maximum", "torch.max", ".maximum", "torch.where"))  # quantiles, Huber by hand
_TAKES_A_GAP = _OF_ONE | _OF_TWO


def _gap_in(call: Call) -> Value | None:
    """The difference that one of two branches multiplies with something."""
    for part in call.args:
        inner = settled(part)
        for factor in inner.args if isinstance(inner, Call) and inner.op == "*" else [inner]:
            if isinstance(known := settled(factor), Call) and known.op == "-" and len(known.args) == 2:
                if not any(isinstance(settled(side), Constant) for side in known.args):
                    return known
    return None


def _judged(program: Program, use: LossUse, kind: str) -> Telling | None:
    if use.name in _ON_SCORES:
        return "proven" if kind.startswith("relu") else "likely" if kind == "tanh" else None
    if use.name not in COMPARES_NUMBERS or use.target is None or _is_of_the_same_kind(use):
        return None
    data = shapes(program).data(use.target)
    if _goes_beyond(use.target, kind) or _goes_beyond(data, kind):
        return "proven"
    return "likely" if kind == "relu" and not _from_outside(use.target) else None


def _surely_there(maker: Call) -> bool:
    """Not an activation that a branch adds for some layers only (`if i < last: layers.append(nn.ReLU())`)."""
    made = applied(maker)
    if made is None or made.node is not maker.node:
        return True
    return len(made.context.arms) <= len(maker.context.arms)


def _is_of_the_same_kind(use: LossUse) -> bool:
    """The target is an activation, a model's output or its input: features, distillation, rebuilding."""
    target = sole_maker(use.target)
    if target is not None and (layer(target) in _NAMES or applied(target) is not None):
        return True
    if target is not None and _changes_the_range(target):
        return True  # made to fit
    origin = settled(use.target)
    if origin is None or (isinstance(origin, Call) and origin.op == "()"):
        return True
    return depends_on(use.input, origin)


def _from_outside(target: Value) -> bool:
    """Nothing is known of where the target comes from: a part of a library, not a training script."""
    return not any(isinstance(value, Call | Instance) for value in ancestry(target, 50))


def _goes_beyond(target: Value | None, kind: str) -> bool:
    """Whether the target certainly has values outside the activation's range."""
    beyond = _BEYOND_ONE if kind == "sigmoid" else _UNBOUNDED
    for value in _made_from(target):
        if isinstance(value, Call) and _changes_the_range(value):
            return False
        if isinstance(value, Call) and (value.op in beyond or _standardises(value) or _draws_widely(value)):
            return True
        if isinstance(value, Call) and value.op.rpartition(".")[2] in ("tensor", "array", "FloatTensor"):
            written = [exact(part) for part in _written(value.args[:1])]
            if any(one is not None and not _LIMITS[kind][0] <= one <= _LIMITS[kind][1] for one in written):
                return True
    return False


_LIMITS = {"relu": (0.0, inf), "relu6": (0.0, 6.0), "sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0)}


def _changes_the_range(call: Call) -> bool:
    return layer(call).rpartition(".")[2] in _CHANGES_THE_RANGE


def _written(values: tuple[Value, ...]) -> Iterator[Value]:
    """The items of a list of numbers, or of lists of them."""
    for value in values:
        made = settled(value)
        if isinstance(made, Collection):
            yield from _written(tuple(made.items))
        elif made is not None:
            yield made


def _draws_widely(call: Call) -> bool:
    """Numbers from NumPy's normal distribution, around 0 and not as a little noise."""
    if call.op in ("numpy.random.normal", ".normal"):
        if call.receiver is not None and not _is_generator(call.receiver):
            return False
        around, spread = call.argument(0, "loc"), call.argument(1, "scale")
        return (around is None or exact(around) == 0) and (spread is None or (exact(spread) or 0) >= WIDE)
    return call.op == "numpy.random.standard_normal" or (
        call.op == ".standard_normal" and _is_generator(call.receiver)
    )


def _is_generator(value: Value | None) -> bool:
    made = settled(value)
    return isinstance(made, Call) and made.op in ("numpy.random.default_rng", "numpy.random.RandomState")


def _made_from(target: Value | None) -> Iterator[Value]:
    """The target and what it was made from, nearest first; a loader's batch is not taken apart here."""
    queue: list[Value] = [target] if target is not None else []
    seen: set[int] = set()
    while queue and len(seen) < 60:
        here = queue.pop(0)
        if id(here) not in seen:
            seen.add(id(here))
            yield here
            queue.extend(parents(here) if getattr(here, "op", "") not in ("next", "builtins.next") else ())


def _standardises(call: Call) -> bool:
    """`scaler.transform(y)` of a StandardScaler, `(y - y.mean()) / y.std()`."""
    if call.op in (".transform", ".fit_transform"):
        return any(
            isinstance(value, Call) and value.op.endswith(".StandardScaler")
            for value in ancestry(call.receiver, 8)
        )
    if call.op != "/" or len(call.args) != 2:
        return False
    top, spread = (settled(part) for part in call.args)
    return (
        isinstance(top, Call)
        and top.op == "-"
        and any(
            isinstance(value, Call) and value.op in (".std", "torch.std", "numpy.std")
            for value in ancestry(spread, 12)
        )
    )


SHARE = 0.02  # of the targets out of reach; a few may be outliers


def probe(bench: "Workbench") -> Iterator[Evidence]:
    regression = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
    for use in bench.first.losses:
        if use.name in regression and use.outside_share > SHARE:
            yield Evidence(
                f"The output ends in {use.squash}, and {use.outside_share:.0%} of the targets (from "
                f"{use.target_min:.3g} to {use.target_max:.3g}) lie where it cannot reach.",
                telling="proven",
                where=use.where,
                numbers={"outside": use.outside_share, "minimum": use.target_min, "maximum": use.target_max},
                fix="End a regression with a plain linear layer, or scale the targets into the range.",
            )
        if use.name == "cross_entropy" and use.squash == "relu":
            yield Evidence(
                "The class scores end in relu: no class can be scored below zero, and a class at zero "
                "gets no gradient.",
                telling="likely",
                where=use.where,
                numbers={"classes": use.classes},
                fix="Remove the activation after the last layer.",
            )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.open_output(world)
