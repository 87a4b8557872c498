"""The inputs are far from zero mean and unit spread, so no step size suits all weights.

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
Only the largest column is heard.

## How to tell
- **probe**: per feature, |mean| or spread of the batch far above 1 (or far below), or spreads that
  differ by orders of magnitude between columns; first-layer gradients dwarf the later ones.
- **watch**: a jump in the first steps, then a plateau at chance level with many silent units; the
  same input scale in every batch.
- **refuted by**: standardising the inputs at the model's door changes nothing in the curve.

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

from sleuth.finding import Finding

if TYPE_CHECKING:
    from sleuth.facts.bench import Bench


# Size (root mean square) of a feature. Standardised data has 1; pixels from 0 to 255 have about 100. Above
# ten the first layer's pre-activations leave the range that every initialisation is made for.
LARGE, HUGE = 10.0, 100.0
SMALL = 1e-3


def probe(bench: "Bench") -> Iterator[Finding]:
    if bench.failure or bench.first.normalised_first:
        return
    for part in bench.first.data.inputs:
        if not part.floating or part.features == 0 or part.nonfinite:
            continue
        numbers = {"largest_size": part.farthest, "widest": part.widest, "narrowest": part.narrowest}
        if part.farthest > LARGE:
            yield Finding(
                f"Input {part.name} reaches a size of {part.farthest:.3g} in a feature (spreads from "
                f"{part.narrowest:.2g} to {part.widest:.2g}); weights are initialised for inputs of "
                "about 1, so the "
                "first layer dominates everything.",
                severity="error" if part.farthest > HUGE else "warning",
                credence=0.9 if part.farthest > HUGE else 0.6,
                numbers=numbers,
                fix="Subtract the training mean and divide by the training spread, feature by feature.",
            )
        elif 0 < part.farthest < SMALL:
            yield Finding(
                f"No feature of input {part.name} is larger than {part.farthest:.2g}; the biases "
                "outweigh it and the "
                "model sees the same input every time.",
                severity="warning",
                credence=0.6,
                numbers=numbers,
                fix="Scale the inputs to a spread of about 1; look for a division that was made twice.",
            )
