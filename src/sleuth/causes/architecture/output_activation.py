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

from sleuth.facts.flow import ancestry, depends_on, layer, parents, subject
from sleuth.facts.interpreter.values import Call, Instance, Value
from sleuth.facts.losses import COMPARES_NUMBERS, LossUse
from sleuth.facts.program import Program, clue, place
from sleuth.facts.topics.modules import applied, settled, sole_maker
from sleuth.facts.topics.shapes import shapes
from sleuth.finding import Finding, Severity

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
    "torch.abs .abs torch.exp .exp ** .pow .square .clamp torch.clamp == > < >= <= torch.sigmoid .sigmoid "
    ".argmax .softmax torch.relu .relu .long torch.tanh .tanh".split()
)


def lint(program: Program) -> Iterator[Finding]:
    for use in (*program.losses, *_by_hand(program)):
        maker = sole_maker(use.input)
        kind = _NAMES.get(layer(maker)) if maker is not None else None
        if maker is None or kind is None or not _surely_there(maker):
            continue
        severity = _judged(program, use, kind)
        if severity is not None:
            yield clue(
                severity,
                maker,
                f"`{kind}` on the output makes every prediction {_RANGE[kind]}, and the loss on line "
                f"{place(use.call).line} compares it with values that need not be.",
                fix="Return the last layer's raw output, or scale the target into that range.",
            )


def _by_hand(program: Program) -> Iterator[LossUse]:
    """`((pred - y) ** 2).mean()`, `(pred - y).abs().mean()`: the difference, both ways round."""
    for event in program.training.of("backward"):
        for value in ancestry(event.about, 60):
            if isinstance(value, Call) and value.op in ("**", ".pow", ".square", ".abs", "torch.abs"):
                gap = settled(subject(value))
                if isinstance(gap, Call) and gap.op == "-" and len(gap.args) == 2:
                    yield LossUse("mse_loss", gap, gap.args[0], gap.args[1])
                    yield LossUse("mse_loss", gap, gap.args[1], gap.args[0])


def _judged(program: Program, use: LossUse, kind: str) -> Severity | None:
    if use.name in _ON_SCORES:
        return "error" if kind.startswith("relu") else "warning" if kind == "tanh" else None
    if use.name not in COMPARES_NUMBERS or use.target is None or _is_of_the_same_kind(use):
        return None
    data = shapes(program).data(use.target)
    if _goes_beyond(use.target, kind) or _goes_beyond(data, kind):
        return "error"
    return "warning" if kind == "relu" and not _from_outside(use.target) else None


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
    if target is not None and target.op in _CHANGES_THE_RANGE:
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
        if isinstance(value, Call) and value.op in _CHANGES_THE_RANGE:
            return False
        if isinstance(value, Call) and (value.op in beyond or _standardises(value)):
            return True
    return False


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
