"""The labels lie outside the range or dtype that the loss expects.

## What happens
Some losses check their targets and some do not. `CrossEntropyLoss` on the CPU raises "Target 10 is
out of bounds"; on a GPU the same mistake is a device-side assert, reported at some later, unrelated
line. `BCEWithLogitsLoss` checks nothing: a 0/255 mask starts at 0.693 like a healthy one, then goes
to -1607 after a single SGD step of 0.1 and to -14408 after nine. The loss has no lower bound for
targets outside 0..1, so it improves for ever and the model saturates. Labels of -1/+1 or 1/2 do
the same, more slowly.

```python
mask = torch.from_numpy(np.array(Image.open(path))).float()   # 0 and 255
loss = F.binary_cross_entropy_with_logits(logits, mask)       # falls below zero
```

Silent in cross-entropy: classes numbered 1..C with C+1 outputs (one output is never used), a
class id that happens to equal `ignore_index`, and float targets of the same shape as the logits,
which are taken for probabilities whatever their sum.

## How to tell
- **probe**: target minimum, maximum and dtype against the loss: class ids within 0..C-1 and int64
  for cross-entropy, floats within 0..1 for the binary losses, rows summing to 1 for soft targets.
- **watch**: a loss that may not be negative becomes negative, and keeps falling without limit.
- **refuted by**: `y.min()`, `y.max()` and `y.dtype` fit the loss in every batch.

## How to fix
Map labels once, when the data set is built, and assert the range there.

```python
mask = (mask > 127).float()                      # 0/255 to 0/1
y = torch.tensor([class_to_id[name] for name in names])
assert 0 <= y.min() and y.max() < num_classes
```

Resize masks with nearest-neighbour interpolation; bilinear invents classes between classes. Values
strictly between 0 and 1 are legal for binary losses (label smoothing, soft targets), and -100 is
legal for cross-entropy where you mean "ignore". An id sequence with gaps is not an error, but the
outputs in the gaps are wasted.

## Often mistaken for
- `loss-sign-flipped`: also falls below zero, but with targets in range.
- `loss-wrong-for-task`: the labels are fine for some loss, just not for the one in use.
- `labels-all-ignored`: targets equal the ignore index everywhere; the loss is NaN or 0, not
  falling.

## Sources
- pytorch-bce-logits: the parameters and "Shape" part, targets are numbers between 0 and 1.
- pytorch-cross-entropy: the description of class-index targets in [0, C) and of probability
  targets.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import where_target_made
from sleuth.record.questions import by_line, loss_calls, raised

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

LOOKS_LIKE = {"falls, then explodes": "rarely"}
RAISES = {
    "Target \\S+ is out of bounds|index out of range in self|Assertion .*t >= 0 && t < n_classes": (
        "A label (or token) is outside the range the loss (or embedding) was made for."
    ),
}
PREDICTS = {"same-batch": "even"}

_REFUSALS = (
    ("out of bounds", "a class index lies outside of the model's outputs"),
    ("expected scalar type long", "class indices must be int64"),
    ("expected floating point type for target", "class indices must be int64"),
    ("between 0 and 1", "this loss expects numbers from 0 to 1"),
    ("not implemented for 'int'", "class indices must be int64"),
    ("expected target", "the target's shape or type does not fit the loss"),
)


def probe(bench: "Workbench") -> Iterator[Evidence]:
    if bench.failure:
        yield from _refused(bench)
        return
    for use in bench.first.losses:
        numbers = {"minimum": use.target_min, "maximum": use.target_max}
        if use.name.startswith("binary") and (use.target_min < 0 or use.target_max > 1):
            yield Evidence(
                f"{use.name} gets targets from {use.target_min:g} to {use.target_max:g}; it is made for "
                "targets from 0 to 1, outside it falls without limit and the outputs diverge.",
                telling="proven",
                where=use.where,
                numbers=numbers,
                fix="Map the targets to 0 and 1 (for a mask with 255: `target / 255` or `target > 0`).",
            )
        soft = use.name == "cross_entropy" and "float" in use.target_dtype
        if soft and (use.target_min < 0 or use.target_max > 1):
            yield Evidence(
                f"cross_entropy gets a floating target from {use.target_min:g} to {use.target_max:g}, "
                "which it reads as class probabilities; those lie between 0 and 1.",
                telling="proven",
                where=use.where,
                numbers=numbers,
                fix="Give class indices as int64, or rows that are non-negative and sum to 1.",
            )


def _refused(bench: "Workbench") -> Iterator[Evidence]:
    said = bench.failure.lower()
    for words, meaning in _REFUSALS:
        if words in said and "target" in said:
            part = next(iter(bench.data.targets), None)
            seen = f" ({part.dtype}, from {part.minimum:g} to {part.maximum:g})" if part is not None else ""
            yield Evidence(
                f"The loss rejects the targets{seen}: {meaning}. The error: {bench.failure}.",
                telling="proven",
                fix="Compare `y.min()`, `y.max()` and `y.dtype` with what the loss expects.",
            )
            return


_TWO_CLASS = ("binary_cross_entropy", "binary_cross_entropy_with_logits")


def watch(record: "Record") -> Iterator[Evidence]:
    refused = raised(
        record,
        "is out of bounds.",
        "between 0 and n_classes",
        "target out of range",
        "t >= 0 && t < n_classes",
    )
    if refused is not None and record.end is not None and "arget" in record.end.message:
        yield Evidence(
            f'The run stopped with "{record.end.message.splitlines()[0][:120]}": a label is not a valid '
            "class index.",
            telling="proven",
            where=refused,
            fix="Count the classes from 0 to K-1 and give the last layer K outputs.",
        )
    for calls in by_line(loss_calls(record)).values():
        outside = [
            call
            for call in calls
            if call.function in _TWO_CLASS and ((call.target_max or 0) > 1 or (call.target_min or 0) < 0)
        ]
        if outside:
            call = outside[0]
            yield Evidence(
                f"`{call.function}` receives targets from {call.target_min or 0:g} to "
                f"{call.target_max or 0:g} at step {call.n}; it is made for 0 to 1. Outside that range "
                "the loss falls without limit.",
                telling="proven",
                where=where_target_made(record, call),
                numbers={
                    "minimum": call.target_min or 0.0,
                    "maximum": call.target_max or 0.0,
                    "calls": len(outside),
                },
                fix="Map the targets to 0 and 1: divide a 0/255 mask by 255, map -1/1 to 0/1.",
            )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_targets

    return of_targets(finding, scene)
