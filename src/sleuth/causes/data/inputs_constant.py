"""An input, a feature or the whole batch does not vary, so there is nothing to learn from.

## What happens
A network that sees the same thing every time can still lower its loss: it learns the class
frequencies through its biases and stops there. On ten balanced classes that floor is ln 10 = 2.30;
for 99:1 labels it is 0.056, which looks like success. The curve bends, flattens, and everything
else (gradients, weights, accuracy of the majority class) looks normal.

The whole input is constant when an index is forgotten (`x[0]` instead of `x[i]`), an image file
fails to decode and the loader returns a blank, a mask zeroes everything, or an integer division
makes 0 of every pixel. One feature is constant when a column was filled with its default, a
category occurs once, or a sensor is dead.

```python
x = torch.from_numpy(image) // 255        # integer division: 0 everywhere, except where 255
```

A dead column among many is harmless by itself (3 of the 64 pixels of the 8x8 digits never change),
until it is divided by its std: 0/0 is NaN. scikit-learn's StandardScaler returns 0 there,
hand-written code does not.

## How to tell
- **probe**: zero variance over the batch for a whole input tensor, or for most features; two
  different rows give bit-identical outputs.
- **watch**: the same input statistics in every batch to the last digit, while the loss settles at
  the label entropy.
- **refuted by**: two rows of one batch that differ.

## How to fix
Print what arrives at `model(x)`: minimum, maximum, std, number of distinct rows. Then walk back
through the pipeline until variation appears. Drop columns that are constant *in the training
split*, and guard the division:

```python
std = x_train.std(dim=0)
x = (x - mean) / torch.where(std > 0, std, torch.ones_like(std))
```

A constant input is right on purpose for a bias column, an unconditional generator's placeholder, or
an input-independent baseline.

## Often mistaken for
- `input-destroyed`: inputs vary, but no longer with the label.
- `labels-constant`: inputs vary and the targets do not; then the loss goes to zero instead.
- `dead-relu`: the inputs vary and the variation dies inside the model.

## Sources
- karpathy-2019: section 2, the input-independent baseline and "visualize just before the net".
- ivanov-2017: part I, item 1, on accidentally feeding zeros or the same batch.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import where_input_made
from sleuth.record.questions import batches, needed, tensors

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

LOOKS_LIKE = {"stuck from the start": "even", "constant output": "even"}
PREDICTS = {"same-batch": "usually", "noise-inputs": "usually", "shuffled-labels": "usually"}

MOST = 0.95  # of the features without any variation: the border pixels of small images stay below


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for part in bench.data.inputs:
        if part.examples < 4 or (len(part.shape) < 2 and not part.floating):
            continue
        share = part.constant_features / part.features if part.features else 0.0
        if share < MOST or bench.data.may_be_constant(part):
            continue
        everything = share == 1.0
        yield Evidence(
            f"{part.constant_features} of {part.features} features of input {part.name} have the same "
            f"value in all {part.examples} examples of this batch; a constant feature cannot tell "
            "examples apart.",
            telling="proven" if everything else "likely",
            numbers={"constant_features": part.constant_features, "features": part.features},
            fix="Print two raw examples and follow them through the preprocessing to where they become "
            "equal.",
        )


def watch(record: "Record") -> Iterator[Evidence]:
    seen = [batch for batch in batches(record) if any(_several(values.shape) for values in batch.values)]
    needed(seen, "training batches of several rows")
    flat, living = 0, 0
    for batch in seen:
        inputs = [values for _, values in tensors([batch], "input") if _several(values.shape)]
        flat += bool(inputs) and all(values.constant_features == 1 for values in inputs)
        living += any(values.constant_features < 1 for values in inputs)
    if flat >= 3 and not living:
        first = next(values for _, values in tensors(seen, "input") if _several(values.shape))
        yield Evidence(
            f"In all {flat} recorded batches every row of the input is the same (mean "
            f"{first.mean or 0:.4g}): the model cannot tell the examples apart, and the best it can learn "
            "is the average target.",
            telling="proven",
            where=where_input_made(record, seen[0].line),
            numbers={"batches": flat},
            fix="Print two examples as the model receives them; look for an index, a mask or a scale that "
            "is constant.",
        )


def _several(shape: tuple[int, ...]) -> bool:
    return len(shape) >= 1 and shape[0] > 1


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_inputs

    return of_inputs(finding, scene)
