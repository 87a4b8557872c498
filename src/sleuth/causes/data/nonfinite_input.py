"""NaN or infinity was already in the batch before the model touched it.

## What happens
One bad cell is enough. A single NaN in a batch of 8 rows makes the mean loss NaN, every weight
gradient of the first layer NaN, and after one optimizer step every parameter NaN. From then on
clean batches produce NaN too, so the batch you look at when you notice is usually not the one.

The value comes from missing table entries, in dividing by a feature's zero std, in the log of a
zero count, in a corrupt file, or in a float16 cast of a number above 65504. Nothing downstream
stops it: ReLU, `clamp` and `max` all pass NaN on. Batch norm writes it into `running_mean`, where
it stays even if you skip the step. Metrics can hide it: `argmax` picks the NaN entry and
`nan > 0.5` is simply False, so an accuracy or a threshold still prints a plausible number.

## How to tell
- **probe**: `torch.isfinite(x).all()` is False for an input or target tensor, with the column or
  pixel position; the same rows without those cells give a finite loss.
- **watch**: the first non-finite number of the run is in a batch, at a step where the parameters
  were still finite.
- **refuted by**: the batch of the first NaN loss is entirely finite; then look inside the model.

## How to fix
Repair the data where it is made, and refuse bad batches loudly at the door.

```python
finite = torch.isfinite(x)
if not finite.all():
    rows = (~finite).flatten(1).any(dim=1).nonzero().flatten()
    raise ValueError(f"non-finite inputs in rows {rows.tolist()}")
```

Impute with statistics of the training split and, where missingness means something, add an
indicator column. Do not paper over it with a bare `torch.nan_to_num`: it turns NaN into 0 and
infinity into 3.4e38, which is finite and just as ruinous. Masked NaN is no defence either:
`nan * 0` is NaN, so use `torch.where` on the input, before the arithmetic.

## Often mistaken for
- `nonfinite-forward`: there the batch is finite and a module makes the first NaN.
- `unsafe-log-div`: the pole is reached in your model or loss code, not in the stored data.
- `lr-too-high`: the loss grows for some steps before it overflows; a bad cell strikes at once.

## Sources
- karpathy-2019: "1. Become one with the data", on searching a data set for corrupted examples and
  outliers before any training; outliers tend to expose bugs in preparation.
- ivanov-2017: part I, item 1, on looking at what is really fed to the network.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import where_input_made
from sleuth.record.questions import batches, broke_at, needed

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

LOOKS_LIKE = {"not finite": "usually"}
PREDICTS = {"same-batch": "always"}


def _masked(bench: "Workbench") -> bool:
    """Whether nothing of it reaches the loss or a gradient: missing values are told apart inside."""
    if bench.failure:
        return False
    slopes = [p.gradient for p in bench.first.gradients.parameters if p.gradient is not None]
    return bool(slopes) and all(map(math.isfinite, (bench.first.loss, *slopes)))


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for part in bench.data.tensors:
        if part.nonfinite:
            meant = _masked(bench)
            yield Evidence(
                f"The {part.role} {part.name} of this batch holds {part.nonfinite} values that are NaN "
                f"or infinite, the first at {part.nonfinite_at}; "
                + (
                    "loss and gradients are finite nevertheless, so the model masks them."
                    if meant
                    else "one of them is enough to make loss and weights NaN."
                ),
                telling="open" if meant else "proven",
                numbers={"nonfinite": part.nonfinite, "first_at": part.nonfinite_at},
                fix="Find where they enter (a missing value, 0/0, log of 0) and impute or drop those rows.",
            )


def watch(record: "Record") -> Iterator[Evidence]:
    needed(batches(record), "training batches")
    broken = broke_at(record)
    for batch in batches(record):
        for values in batch.values:
            if not values.nonfinite or (broken is not None and broken < batch.n):
                continue
            yield Evidence(
                f"{values.nonfinite} values of {values.role or 'input'} {values.path} are NaN or infinite in "
                f"the batch of step {batch.n}"
                + (
                    ", while loss and gradients were finite until then: it comes from the data."
                    if broken is not None
                    else "; the loss stays finite, so the model may mask them."
                ),
                telling="proven" if broken is not None else "open",
                where=where_input_made(record, batch.line),
                numbers={"nonfinite": values.nonfinite, "step": batch.n},
                fix="Find the rows (`torch.isfinite(x).all(1)`) and drop or fill them where the data is "
                "read.",
            )
            return


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_inputs

    return of_inputs(finding, scene)
