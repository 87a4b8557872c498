"""The inputs are far from zero mean and unit variance, so no step size suits all weights.

## What happens
A gradient of a first-layer weight is proportional to the input it multiplies. Feed pixel values up
to 255 and these gradients are hundreds of times larger than the rest of the network was
initialised for: the first steps blow the layer away, its ReLUs die, and the loss then rests
quietly at the entropy of the labels. Inputs that are too small do the opposite and nothing moves.

Measured on 8x8 digits, a 64-64-10 ReLU network, SGD, ten epochs, rate 0.1: standardised inputs
reach a training loss of 0.06 and 95% test accuracy. The same data scaled to 0..255 sits at 2.30
and 8%. With rate 0.001 it works (0.04, 94%), which is why people blame the rate. A large offset is
worse than a large scale: standardised data plus 100 learns nothing with SGD, nor with Adam at its
default rate. Dividing by 255 twice leaves the loss at 2.30 as well.

In tables the usual form is mixed: income in the tens of thousands beside an age and a 0/1 flag.
Only the largest column counts.

## How to tell
- **probe**: per feature, |mean| or std of the batch far above 1 (or far below), still so where the
  first weights meet it; first-layer gradients dwarf the later ones.
- **watch**: a jump in the first steps, then a plateau at chance level with many silent units; the
  same input scale in every batch.
- **experiment**: corrected from outside, the mean and std of the first batch are taken out of
  every input before it enters the model; the same script then learns at the same rate.
- **refuted by**: standardising the inputs in front of the model changes nothing in the curve.

## How to fix
Standardise with numbers taken from the training split, and use the same numbers everywhere.

```python
mean, std = x_train.mean(dim=0), x_train.std(dim=0)
std[std == 0] = 1.0                     # constant column: leave it at zero, not NaN
x_train, x_test = (x_train - mean) / std, (x_test - mean) / std
```

Images: 0..1 or -1..1 is close enough. Heavy tails: take a log first, then standardise. Leave it
alone for trees, for token ids that go into an embedding, and for models that begin with their own
normalisation layer.

## Often mistaken for
- `lr-too-high`: a smaller rate rescues both; only here does standardising rescue it at the old
  rate.
- `bad-init-scale`: the inputs are fine and the activations still grow or fade from layer to layer.
- `preprocessing-mismatch`: training works and only the evaluation inputs are on another scale.

## Sources
- cs231n-nn2: "Data Preprocessing", on mean subtraction and scaling of features.
- ivanov-2017: part I, item 12, standardising features as a checklist item.
- fsdl-2021: the "start simple" part, normalising inputs among the first defaults.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import where_input_made
from sleuth.record import curves
from sleuth.record.questions import batches, courses, is_float, layer_types, learned, needed, tensors

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record, Values

CONSEQUENCE_OF = "nonfinite-input raw-units"
LOOKS_LIKE = {"stuck from the start": "rarely"}
INVITED_BY = {"mse_loss|MSELoss|L1Loss": 2.0}
PREDICTS = {"same-batch": "even", "lr×0.1": "usually"}


# Size (root mean square) of a feature. Standardised data has 1; pixels from 0 to 255 have about 100. Above
# ten the first layer's pre-activations leave the range that every initialisation is made for.
LARGE, HUGE = 10.0, 100.0
SMALL = 1e-3


def probe(bench: "Workbench") -> Iterator[Evidence]:
    if bench.failure or bench.first.normalised_first:
        return
    for part in bench.first.data.inputs:
        if not part.floating or part.features == 0 or part.nonfinite or _scaled_inside(bench, part.name):
            continue
        numbers = {"largest_size": part.farthest, "widest": part.widest, "narrowest": part.narrowest}
        if part.farthest > LARGE:
            yield Evidence(
                f"Input {part.name} reaches {part.farthest:.3g} in a feature (standard deviations from "
                f"{part.narrowest:.2g} to {part.widest:.2g}); weights are initialised for inputs of about "
                "1, so the first layer dominates everything.",
                telling="proven" if part.farthest > HUGE else "likely",
                numbers=numbers,
                fix="Subtract the training mean and divide by the training standard deviation, feature "
                "by feature.",
            )
        elif 0 < part.farthest < SMALL:
            yield Evidence(
                f"No feature of input {part.name} is larger than {part.farthest:.2g}; next to the biases "
                "all inputs look the same to the model.",
                telling="likely",
                numbers=numbers,
                fix="Scale the inputs to a standard deviation of about 1; look for a scaling that was "
                "applied twice.",
            )


def _scaled_inside(bench: "Workbench", name: str) -> bool:
    """The model brings it to an ordinary size before the first weights meet it: `(x - self.mean) / self.std`,
    or coordinates made dimensionless."""
    sizes = bench.first.entering.get("" if name == "batch" else name, ())
    return bool(sizes) and SMALL < max(sizes) <= LARGE


UNEVEN = 1e4  # spread of one feature over that of another: both cannot suit one learning rate
STRONG = 10.0  # activations of a first layer on inputs of unit spread lie near 1
DEAD = 0.5  # share of silent or saturated units that shows harm


def watch(record: "Record") -> Iterator[Evidence]:
    found = [values for _, values in tensors(batches(record), "input", is_float) if values.std is not None]
    needed(found, "statistics of float inputs")
    worst = max(found, key=_size)
    if _size(worst) < LARGE and worst.feature_std_ratio < UNEVEN:
        return
    if _normalised_first(record):
        return
    harmed = _harm(record)
    batch = next(batch for batch in batches(record) if worst in batch.values)
    yield Evidence(
        f"Input {worst.path} lies between {worst.minimum or 0:.4g} and {worst.maximum or 0:.4g} (std "
        f"{worst.std or 0:.3g}, largest mean of a feature {worst.largest_feature_mean:.3g}), far from "
        "zero mean and unit variance"
        + (f", and it does harm: {harmed}." if harmed else "; the run learns despite it so far."),
        telling="likely" if harmed else "aside",
        where=where_input_made(record, batch.line),
        numbers={"std": worst.std or 0.0, "mean": worst.mean or 0.0, "uneven": worst.feature_std_ratio},
        fix="Standardise each feature with the mean and standard deviation of the training set.",
    )


def _size(values: "Values") -> float:
    return max(abs(values.mean or 0.0), values.std or 0.0, values.largest_feature_mean)


def _normalised_first(record: "Record") -> bool:
    """The model scales its inputs itself: its first layer is a norm, or answers with ordinary numbers."""
    from sleuth.record.entries import Layers, Model

    models = [model for model in record.of(Model) if model.parameters]
    kinds = [layer.type for model in models[:1] for layer in model.layers if layer.name]
    if kinds and any("Norm" in kind for kind in kinds[:2]):
        return True
    types = layer_types(record)
    for seen in record.of(Layers)[:1]:
        for name, activation in seen.activations.items():
            kind = types.get(name, "")
            if kind.startswith(("LSTM", "GRU", "RNN")):
                return False  # whatever goes in, what comes out lies between -1 and 1
            if kind.startswith(("Linear", "Conv")):
                return max(activation.std, abs(activation.mean)) < STRONG
    return False


def _harm(record: "Record") -> str:
    """What large inputs did: no fall of the loss, or units silenced at once."""
    from sleuth.record.entries import Layers

    for seen in record.of(Layers)[-3:]:
        for name, activation in seen.activations.items():
            if (lost := max(activation.dead_units, activation.saturated)) >= DEAD:
                return f"{lost:.0%} of the units of `{name}` are silent or saturated"
    for course in courses(record)[:1]:
        values = course.losses
        if curves.exploded(values) is not None:
            return "the loss explodes"
        if len(values) >= 50 and not learned(course, 0.3):
            finite = course.finite_losses
            return f"the loss went from {curves.start(finite):.3g} to {curves.end(finite):.3g} only"
    return ""


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_data

    of_data.standardised_inputs(world)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_inputs

    return of_inputs(finding, scene)
