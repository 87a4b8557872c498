"""Tanh or sigmoid units sit in their flat tails and pass almost no gradient back.

## What happens
The derivative of tanh at 3 is 0.0099 and at 5 it is 0.0002; the sigmoid's largest is 0.25, and at 5
it is 0.0066. A unit driven out there still produces a perfectly reasonable number near 1 or -1,
so the forward pass looks fine, while everything in front of it learns a hundred times more
slowly.

Large pre-activations come from large inputs or large weights. Raw pixel values from 0 to 255 into
a default `nn.Linear(784, 128)` put 98% of the following tanh outputs beyond 0.97; the same pixels
standardised put 0.03% there. The other origins are `std=1` initialisation, a bias that
drifted, and gates of a recurrent cell fed with unscaled features.

Saturation can be right. A gate that learnt to stay open, an attention weight near 1 and the
output of a confident classifier are all saturated after successful training. The alarm is for
hidden units that saturate at the start, on both tails, regardless of the example.

## How to tell
- **probe**: share of hidden tanh outputs beyond 0.97 in magnitude (sigmoid: below 0.03 or above
  0.97) on one batch; above half a layer is bad.
- **watch**: the saturated share is high from step 0, or climbs while the loss does not change.
- **refuted by**: pre-activations of the suspected layer have a std of about 1 and most outputs
  lie well inside the range.

## How to fix
Bring the pre-activations back to unit scale; scaling the input is the first thing to try.
```python
x = (x - train_mean) / train_std
nn.init.xavier_uniform_(layer.weight, gain=nn.init.calculate_gain("tanh"))
nn.init.zeros_(layer.bias)
```
A LayerNorm in front of the activation does the same for deep stacks. Replacing tanh by ReLU hides
the symptom and keeps the bad scale, so fix the scale first. An output unit that the task wants at
0 or 1 is no fault; there the loss should take logits.

## Often mistaken for
- `inputs-unnormalized`: the root when standardising the batch in front of the model unsaturates the
  units; then name that.
- `bad-init-scale`: the root when well-scaled inputs still saturate and the weights' std is far
  from 1/sqrt(fan_in).
- `output-activation`: concerns only the last layer, whose range is too narrow for the target.

## Sources
- glorot-2010: section 3, measurements of how sigmoid and tanh layers saturate during training,
  and which layer goes first.
- goodfellow-2016-ch6: section 6.3.2, on why saturating units make gradient learning hard in
  hidden layers.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import courses, layer_types, learned, needed, where_module

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

CONSEQUENCE_OF = "bad-init-scale inputs-unnormalized lr-too-high nonfinite-input raw-units zero-init"
UNLESS = {"numbers": "overcome"}
LOOKS_LIKE = {"stuck from the start": "rarely", "constant output": "rarely"}
PREDICTS = {"same-batch": "even", "lr×10": "even"}

MOST = 0.5  # of a layer's outputs beyond 0.97 (tanh), or within 0.03 of a bound (sigmoid)


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for unit in bench.first.activations.units:
        if unit.saturated > MOST and not unit.final and unit.units >= 4 and unit.inside:
            yield Evidence(
                f"{unit.saturated:.0%} of this {unit.name}'s outputs lie in its flat tails, where almost "
                "no gradient passes: the layers before it hardly learn.",
                telling="likely",
                where=unit.where,
                numbers={"saturated": unit.saturated, "units": unit.units},
                fix="Standardise the inputs and use Xavier's initialisation; or a norm layer before the "
                "activation.",
            )


NEARLY_ALL = 0.9  # of a layer's outputs: beyond, next to no gradient passes
FLAT = ("Tanh", "Sigmoid", "Hardtanh", "Hardsigmoid")


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Layers

    types = layer_types(record)
    shares: dict[str, list[float]] = {}
    for seen in needed(record.of(Layers), "activations"):
        for name in list(seen.activations)[:-1]:  # an output that is sure of itself is no hidden unit
            if types.get(name, "") in FLAT:
                shares.setdefault(name, []).append(seen.activations[name].saturated)
    # Saturation in a run that learns well all the same (gates, codes) is no fault.
    learns = any(learned(course, 0.3) for course in courses(record)[:1])
    for name, saturated in shares.items():
        late = curves.median(saturated[-5:])
        if len(saturated) < 3 or late < MOST:
            continue
        grave = late >= NEARLY_ALL and not learns
        yield Evidence(
            f"{late:.0%} of the outputs of `{name}` ({types[name]}) sit in the flat tails "
            f"({saturated[0]:.0%} at the start): hardly any gradient passes through them.",
            telling="proven" if grave else "open",
            where=where_module(record, name),
            numbers={"saturated": late, "first": saturated[0]},
            fix="Scale inputs and weights so that the values before the activation are near 1; lower the "
            "learning rate.",
        )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import where_written

    return where_written(finding, scene)
