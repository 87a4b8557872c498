"""Initial weights are far too large or small, so activations blow up or fade with depth.

## What happens
The error is exponential in depth. A ReLU layer of width n with weights of standard deviation s
multiplies the signal by s*sqrt(n/2). For width 128 and `normal_(w)` (s = 1) that is 8 a layer:
ten layers measured an output std of 6e8 and an initial cross-entropy of 9e9. With s = 0.01 it
is 0.08 a layer: the last hidden layer had a std of 6e-12, loss exactly ln 10, gradients of
6e-12. He initialisation on the same net kept 0.5 to 1.

Too small is the quieter one: the loss starts at a textbook chance level, and nothing moves. Too
large announces itself by an absurd first loss, and normalisation layers or Adam can hide either
for long stretches, at the price of a wasted start.

Usual origins: `nn.init.normal_(w)` or `torch.randn` without a scale, `uniform_(-1, 1)`, an
embedding (default std 1) tied to the output matrix, a transformer's residual branches without
depth scaling, or a copied 0.01 from a paper with another width.

## How to tell
- **probe**: a layer's output (std) over its input (size), for the layer in the
  middle: below 0.15 or above 20, or a drift of more than 1000 through all hidden layers. Torch's
  default gives about 0.58, He's rule 1.4.
- **watch**: the first recorded loss is orders above chance, or sits exactly at chance with
  gradient norms below 1e-6.
- **experiment**: corrected from outside, layers start with weights that keep a signal's size (He);
  the loss falls from the first steps.
- **refuted by**: standardised input leaves every layer with a std between 0.1 and 10.

## How to fix
Scale by fan-in, with the gain of the activation in use:
```python
nn.init.kaiming_normal_(fc.weight, nonlinearity="relu")          # ReLU family
nn.init.xavier_uniform_(fc.weight, gain=5 / 3)                   # tanh
w = nn.Parameter(torch.randn(d_in, d_out) / d_in**0.5)           # hand-made
nn.init.normal_(emb.weight, std=0.02)                            # tied embedding
```
With normalisation in each block the exact scale matters little; do not hunt a factor of two
there. A deliberately tiny last layer (for a flat first prediction, or a policy head) is fine.

## Often mistaken for
- `inputs-unnormalized`: the activations are already off at the first layer's input.
- `init-loss-off`: the symptom of this cause at the loss; name the weights when they explain it.
- `zero-init`: the special case of zero variance, where units are equal and not only small.

## Sources
- he-2015: section 2.2, derivation of the variance that keeps rectifier nets level, forward and
  backward.
- glorot-2010: section 4.2, the corresponding argument for symmetric activations.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import loaded, module_of, needed, where_module

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Activation, Parameter, Record

ANSWERS = "initial loss"
CONSEQUENCE_OF = "inputs-constant inputs-unnormalized nonfinite-input raw-units zero-init"
UNLESS = {"numbers": "overcome"}
LOOKS_LIKE = {"seeds apart": "even"}
PREDICTS = {"same-batch": "even", "lr×0.1": "usually"}

LOW, HIGH = 0.15, 20.0  # spread out over size in, of the middle layer; default 0.58, He 1.4, trained up to 10
DRIFT = 1e3  # over all hidden layers
ALIVE = 0.2  # of the first input's size, at the entry of a later layer


def probe(bench: "Workbench") -> Iterator[Evidence]:
    # A layer that gives out nothing was set to zero on purpose, or is dead: other causes see that.
    hidden = bench.first.activations.layers[:-1]
    layers = [layer for layer in hidden if layer.size_in > 0 and layer.spread_out > 0]
    if len(layers) < 2:
        return
    gains = sorted(layer.gain for layer in layers)
    middle = gains[len(gains) // 2]
    drift = layers[-1].spread_out / layers[0].size_in
    drifted = len(layers) > 2 and not 1 / DRIFT < drift < DRIFT
    if LOW < middle < HIGH and not drifted:
        return
    way = "fade" if middle <= LOW or drift < 1 else "blow up"
    if way == "blow up" and LOW < middle < HIGH and bench.first.activations.turns:
        return  # each turn is of a fair size and they add up over time: see exploding-gradients
    if way == "fade" and all(layer.size_in > ALIVE * layers[0].size_in for layer in layers[1:]):
        return  # something between the layers (a norm, the factor in a sine) brings the signal back each time
    yield Evidence(
        f"Signals {way} on their way through the model: a layer typically gives out {middle:.2g} times "
        f"what it takes in, and after {len(layers)} layers {drift:.2g} of the input's size is left; a "
        "gain near 1 per layer keeps the signal alive.",
        telling="proven" if not 0.1 * LOW < middle < 10 * HIGH or drifted else "likely",
        where=layers[-1].where,
        numbers={"typical_gain": middle, "drift": drift, "layers": len(layers)},
        fix="Initialise with std = sqrt(2 / fan_in) for ReLU or Xavier for tanh; remove constants set by "
        "hand.",
    )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.initialised_anew(world)


WEAK, STRONG = 0.15, 6.0  # std × sqrt(fan in): default .58, He 1.4, GPT's 0.02 at width 64 gives .16
LOUD, FAINT = 30.0, 1e-3  # spread of a hidden layer's output that goes with it; a healthy one is near 1


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Layers, Model

    first = needed([seen for seen in record.of(Layers) if seen.n == 0], "activations of the first step")[0]
    for model in record.of(Model):
        if loaded(record, until=0) or model.n > 0:
            continue
        kinds = {layer.name: layer.type for layer in model.layers}
        matrices = [
            p
            for p in model.parameters
            if len(p.shape) >= 2 and p.std and "Embedding" not in kinds.get(module_of(p.name), "")
        ]
        for parameter in matrices[:-1]:  # a quiet last layer is good practice
            out = first.activations.get(module_of(parameter.name))
            if out is None or not (odd := _odd(parameter, out)):
                continue
            yield Evidence(
                f"`{parameter.name}` starts with a standard deviation of {parameter.std:.3g} for "
                f"{_fan_in(parameter)} inputs ({_gain(parameter):.2g} times the scale that preserves "
                f"variance), and before the first step the output of its layer {odd} (std {out.std:.2g}).",
                telling="proven",
                where=where_module(record, module_of(parameter.name)),
                numbers={"gain": _gain(parameter), "std": parameter.std, "output_std": out.std},
                fix="Initialise weights with a standard deviation of sqrt(2 / fan_in) (He), or keep "
                "PyTorch's default.",
            )
            return


def _fan_in(parameter: "Parameter") -> int:
    return math.prod(parameter.shape[1:])


def _gain(parameter: "Parameter") -> float:
    return parameter.std * math.sqrt(_fan_in(parameter))


def _odd(parameter: "Parameter", out: "Activation") -> str:
    if _gain(parameter) > STRONG and out.std > LOUD:
        return "has blown up"
    return "has faded" if _gain(parameter) < WEAK and out.std < FAINT else ""


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import where_written

    return where_written(finding, scene)
