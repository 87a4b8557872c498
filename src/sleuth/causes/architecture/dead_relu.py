"""A large share of ReLU units is zero for every input, so they can never learn again.

## What happens
A ReLU whose pre-activation is negative on the whole data set has output 0 and gradient 0. Its
weights receive exactly no gradient, so no later batch can bring it back. Nothing crashes: the
layer has simply become narrower than you wrote it. When a whole layer dies, the network computes
a constant and only the biases behind that layer still move.

Units usually die in one blow: a step that is too large pushes the biases far below zero. In a
20-256-256-1 regression net on unscaled targets, 100 Adam steps at 0.1 silenced all 256 units of
the second layer, and the output became one constant. Depth without width kills from the start: of 2000
networks ten layers deep and two units wide (He init, zero bias), 90% were constant before the
first step; at ten units wide, 0.2%.

Some dead units are normal. The same net, trained at 0.001, had 41% of that layer silent while its
loss fell as it should. Judge the share together with the loss, and over many batches: a unit that
is quiet on one batch of 32 is not dead.

## How to tell
- **probe**: run a few hundred examples through the model and count units of each ReLU that are
  zero on all of them; above about 90% of a layer is a bottleneck, a full layer is the cause.
- **watch**: the share of silent units jumps within a step or two and never comes back; the jump
  follows a spike in the loss or in the gradient norm.
- **experiment**: corrected from outside, every ReLU leaks one percent; units that were silent get a
  gradient and come back.
- **refuted by**: every ReLU layer has most of its units firing on at least one example of a large
  batch.

## How to fix
First remove what threw the units over the edge: lower the rate, warm up, scale inputs and
targets, use He initialisation with zero bias. A leaky slope keeps a way back:
```python
act = nn.LeakyReLU(0.01)      # or nn.GELU(): small but non-zero slope on the left
nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
nn.init.zeros_(layer.bias)
```
Dead units do not revive when the rate is lowered later; start again from fresh weights. Do not
chase a sparsity of 50%: that is what a healthy ReLU layer looks like.

## Often mistaken for
- `lr-too-high`: the usual killer; if a tenth of the rate from fresh weights keeps the units
  alive, name the rate and treat the dead units as its trace.
- `vanishing-gradients`: there the gradient is small everywhere in early layers; here it is
  exactly zero, unit by unit.
- `inputs-unnormalized`: a large constant offset in the inputs can push whole layers negative.

## Sources
- lu-2019: the theory sections on networks that are born dead, and how depth and width decide the
  probability.
- goodfellow-2016-ch6: section 6.3.1, on rectified units that cannot learn from examples for which
  they are inactive, and on generalisations with a non-zero left slope.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.growth import steps_by_number
from sleuth.record.questions import layer_types, needed, where_module

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "accumulation-unscaled bad-init-scale inputs-constant inputs-unnormalized loss-sign-flipped "
    "lr-too-high missing-zero-grad nonfinite-input wrong-reduction zero-init"
)
LOOKS_LIKE = {"stuck from the start": "even", "constant output": "usually", "seeds apart": "rarely"}
PREDICTS = {"same-batch": "usually", "noise-inputs": "even"}

MANY_UNITS = 0.9  # of a layer; see the page
ENOUGH = 32  # positions on which a live unit would have fired at least once


def probe(bench: "Workbench") -> Iterator[Evidence]:
    rectifiers = [
        unit for unit in bench.first.activations.units if unit.name in ("relu", "relu6", "threshold")
    ]
    for number, unit in enumerate(rectifiers):
        if unit.final or unit.units < 4 or unit.positions < ENOUGH or unit.dead < MANY_UNITS:
            continue
        again = bench.silence(number)
        if again.dead < MANY_UNITS:
            continue
        yield Evidence(
            f"{again.dead:.0%} of the {unit.units} units of this {unit.name} are zero for all "
            f"{again.examples} examples: they output nothing and get no gradient, so they stay dead.",
            telling="proven",
            where=unit.where,
            numbers={"dead": again.dead, "units": unit.units, "examples": again.examples},
            fix="Initialise biases at 0 and weights by He's rule, check the input scale, lower the "
            "learning rate; or use LeakyReLU.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.leaky_relus(world)


SAMPLES = 3  # in a row, the latest: units that stay silent
ROWS = 16  # examples in a batch; over fewer many live units are silent by chance


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Layers

    types, steps = layer_types(record), steps_by_number(record)
    shares: dict[str, list[float]] = {}
    for seen in needed(record.of(Layers), "activations"):
        step = steps.get(seen.n)
        if step is not None and step.rows is not None and step.rows < ROWS:
            continue
        for name, activation in seen.activations.items():
            if types.get(name, "") in ("ReLU", "ReLU6"):
                shares.setdefault(name, []).append(activation.dead_units)
    for name, dead in shares.items():
        late = dead[-SAMPLES:]
        if len(late) < SAMPLES or min(late) < MANY_UNITS:
            continue
        jumped = dead[0] < 0.5
        yield Evidence(
            f"{late[-1]:.0%} of the units of `{name}` were zero for every example in the last {SAMPLES} "
            "samples"
            + (f" ({dead[0]:.0%} at the start)" if jumped else "")
            + ": they output nothing and get no gradient, so they stay dead.",
            telling="proven",
            where=where_module(record, name),
            numbers={"dead": late[-1], "first": dead[0]},
            fix="Lower the learning rate, check the input scale and how weights and biases are "
            "initialised, or use LeakyReLU.",
        )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import where_written

    return where_written(finding, scene)
