"""Updates are smaller than the spacing of the weights, so adding them changes nothing.

## What happens
The gradient is fine, the optimizer steps, and the weight stays bit for bit the same. A bfloat16
number has 8 significant bits: the neighbour of 1.0 below is 0.996. Subtract 0.001 and rounding
returns 1.0. A LayerNorm gain of 1 under AdamW at rate 1e-3 did not move in 1000 steps of constant
gradient. For smaller weights the spacing is finer and the effect partial, which makes it harder to
see: in a bfloat16 `Linear(512, 512)` with default init, steps of 1e-4 left 29% of the weights
unchanged, 3e-5 82%, 1e-5 91%. Weight decay is the first victim: rate 1e-4 times decay 0.01 is a
relative change of 1e-6.

It comes from `model.half()` or `model.bfloat16()` before training, or by loading a checkpoint in half
precision and fine-tuning it at a small rate. Float32 is not immune: 1000.0 minus 3e-5 is 1000.0,
and a float32 step counter stops at 16777216.

```python
model = Model.from_pretrained(name, torch_dtype=torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)     # mostly lost in rounding
```

Autocast with float32 parameters is not affected: only activations are in half precision there.

## How to tell
- **watch**: parameters with a non-zero gradient of which a large share does not change after
  `optimizer.step()`; parameter dtype float16 or bfloat16; a ratio of update to weight below half
  the machine epsilon (0.004 for bfloat16, 0.0005 for float16, 6e-8 for float32).
- **experiment**: corrected from outside, everything in double precision; weights that did not change
  move.
- **refuted by**: the parameters are float32 and the ratio of update to weight is above 1e-6.

## How to fix
Keep the weights that the optimizer sees in float32 and compute in half precision through autocast.

```python
model = model.float()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
with torch.autocast("cuda", dtype=torch.bfloat16):
    loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```

If memory forbids it: an optimizer with float32 master weights or stochastic rounding, or float32
for the adapters only. Pure bfloat16 at a high rate can train; judge it by the share of unchanged
weights.

## Often mistaken for
- `lr-too-low`: float32 weights do move at the same rate, if slowly; here they do not move at all.
- `update-skipped`: no element changes, whatever its size, because the update never happened.
- `lr-collapsed`: the schedule made the rate tiny; check the rate itself first.

## Sources
- micikevicius-2018: section 3.1, FP32 master copy of weights; small updates are lost when added to
  much larger half-precision weights.
- goldberg-1991: the part on rounding error, relative error and ulps; the spacing of floating-point
  numbers.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling, Where
from sleuth.quick_dataclass import replace
from sleuth.record import curves
from sleuth.record.questions import courses, learned, models_of, needed, where_optimizer

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record, Step

CONSEQUENCE_OF = "lr-collapsed scheduler-cadence"
LOOKS_LIKE = {"stuck from the start": "rarely"}
INVITED_BY = {"autocast|GradScaler|\\.half\\(|bfloat16": 3.0}
PREDICTS = {"same-batch": "even", "float64": "always", "lr×10": "even"}


# Half of the machine epsilon: a smaller relative change rounds to nothing.
_HALF_EPSILON = {"bfloat16": 0.0039, "float16": 0.00049, "float32": 6e-8}


def watch(record: "Record") -> Iterator[Evidence]:
    needed([step for step in record.steps if step.update_norm is not None], "sizes of updates")
    yield from _lost(record)
    yield from _lost_in_a_part(record)


FEWEST = 5  # sampled steps
# Times what the type can tell apart: a plain step of this size cannot be lost in every element. That nothing
# moves then is no rounding: the step does not write (`update-skipped`).
TELLABLE = 30.0


def _lost_in_a_part(record: "Record") -> Iterator[Evidence]:
    """Half-precision weights among others that are not: a table that is stored small, a tower."""
    from sleuth.record.entries import Layers, Model

    trained = [p for model in record.of(Model) for p in model.parameters if p.trainable]
    kinds = {p.name: p.dtype.removeprefix("torch.") for p in trained}
    halves = {name: kind for name, kind in kinds.items() if kind in ("bfloat16", "float16")}
    course = next(iter(courses(record)), None)
    if not halves or len(halves) == len(kinds) or course is None:
        return
    for name, kind in halves.items():
        ratios = [
            seen.updates[name] / seen.weights[name]
            for seen in record.of(Layers)
            if seen.updates.get(name) is not None and seen.weights.get(name) and seen.gradients.get(name)
        ]
        if len(ratios) < FEWEST or curves.median(ratios) >= _HALF_EPSILON[kind] / 2:
            continue
        yield Evidence(
            f"`{name}` is {kind}, and a step changes it by {curves.median(ratios):.1e} of its size, below "
            f"the {_HALF_EPSILON[kind]:.0e} that this type can represent: most elements do not change.",
            telling="open" if learned(course, 0.3) else "likely",  # an experiment may make more of it
            where=_made_at(record, name),
            numbers={"ratio": curves.median(ratios), "dtype": kind},
            fix="Keep these weights in float32 (autocast makes the arithmetic small, not the weights).",
        )
        return


def _made_at(record: "Record", parameter: str) -> Where | None:
    from sleuth.record.entries import Model

    module = parameter.rpartition(".")[0]
    for model in record.of(Model):
        for layer in model.layers:
            if layer.name == module and layer.line:
                return Where(layer.path or None, layer.line, module=module)
    return None


def _lost(record: "Record") -> Iterator[Evidence]:
    for course in courses(record):
        types = {
            p.dtype.removeprefix("torch.")
            for m in models_of(record, course.id)
            for p in m.parameters
            if p.trainable
        }
        if len(types) != 1 or (kind := next(iter(types))) not in _HALF_EPSILON:
            continue
        steps = [
            s for s in course.steps if s.update_norm is not None and s.weight_norm and s.grad_norm and s.lr
        ]
        ratios = [(s.update_norm or 0.0) / (s.weight_norm or 1.0) for s in steps]
        if len(ratios) < 5 or curves.median(ratios) >= _HALF_EPSILON[kind] / 2:
            continue
        lost = sum(ratio == 0 for ratio in ratios) / len(ratios)
        if lost > 0.5 and curves.median(_due(s) for s in steps) > TELLABLE * _HALF_EPSILON[kind]:
            continue
        half = kind != "float32"
        if not half and (lost < 0.5 or learned(course, 0.3)):
            continue
        telling: Telling = "proven" if lost > 0.5 else "likely"
        yield Evidence(
            f"Weights are {kind} and each step changes them by {curves.median(ratios):.1e} of their size, "
            f"below the {_HALF_EPSILON[kind]:.0e} that this type can tell apart"
            + (
                f"; {lost:.0%} of the measured steps changed nothing at all."
                if lost >= 0.005
                else ": most elements do not change."
            ),
            telling="open" if learned(course, 0.3) else telling,  # an experiment may make more of it
            where=where_optimizer(record, course.id),
            numbers={"ratio": curves.median(ratios), "lost": lost, "dtype": kind},
            fix="Keep a float32 copy of the weights (autocast with float32 parameters), or raise the "
            "learning rate.",
        )


def _due(step: "Step") -> float:
    """What a plain step along the gradient would change, of the size of the weights."""
    return (step.lr or 0.0) * (step.grad_norm or 0.0) / (step.weight_norm or 1.0)


def experiment(trials: "Trials") -> Iterator[Evidence]:
    """Half-precision weights whose steps are lost, and a change that makes them count helps."""
    helped = [name for name in ("float64", "lr×10") if trials.yes(name)]
    if not helped or trials.unstable:
        return
    for finding in (*_lost(trials.base), *_lost_in_a_part(trials.base)):
        if finding.telling == "open":
            seen = f"{finding.message} Larger updates help ({helped[0]}: {trials.figures(helped[0])})."
            yield replace(finding, message=seen, telling="likely")


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.settings import where_halved

    return where_halved(str(finding.numbers.get("dtype", "")), scene.sources)
