"""The loss does not fit the task, such as squared error on class indices.

## What happens
Cross-entropy with a single output unit is always zero: the softmax of one number is 1. Give it a
(N, 1) output with a float target of the same shape and PyTorch takes the target for class
probabilities; loss and gradients are exactly 0 and the run looks finished before it began. (With
integer targets a label 1 raises an out-of-bounds error, which is kinder.) Leave out the class axis
and give it two vectors of length N, and the *batch* becomes the class axis.

Squared error on class indices runs too: mixing up class 0 and class 9 costs 81 times as much as 0
and 1, and for an undecided example the best prediction is 4.5, a class that means nothing. Other odd
couples: softmax cross-entropy for labels that may hold together, plain MSE for counts or prices
that span decades, MSE on sigmoid outputs (works, slowly: see `loss-saturated`).

```python
model = nn.Linear(20, 1)
loss = nn.CrossEntropyLoss()(model(x), y.float().unsqueeze(1))   # 0.0, for ever
```

## How to tell
- **probe**: the output has one column under cross-entropy; its targets are zeros and ones with
  several ones in a row; the target of a regression loss has an integer type and 3 to 20 distinct
  values.
- **lint**: `CrossEntropyLoss` beside a last layer with one unit; `mse_loss` with an argument called
  labels or with `.argmax(...)`; `BCEWithLogitsLoss` against class indices that were never one-hot.
- **refuted by**: output width, target dtype and target values that match a row of the table below.

## How to fix
| task | outputs | target | loss |
|---|---|---|---|
| one of K classes | K | int64 class index | `cross_entropy` |
| yes or no | 1 | float 0.0 or 1.0, same shape | `binary_cross_entropy_with_logits` |
| several labels at once | K | float 0/1, shape (N, K) | `binary_cross_entropy_with_logits` |
| a real number | 1 | float, standardised | `mse_loss`, `huber_loss` |
| a count | 1, the log rate | float | `poisson_nll_loss` |

```python
model = nn.Linear(20, 1)
loss = F.binary_cross_entropy_with_logits(model(x).squeeze(-1), y.float())
```

Squared error on one-hot targets, or on ordered grades, is a legitimate choice: leave it if it was
made.

## Often mistaken for
- `labels-out-of-range`: the loss is right and the label values are not.
- `loss-disconnected`: gradients vanish too, but the loss value is not a constant 0.
- `loss-saturated`: the pairing is sensible and the gradient vanishes at extreme outputs only.

## Sources
- goodfellow-2016-ch6: section 6.2.2, Output Units; which output and loss belong to which
  distribution.
- pytorch-cross-entropy: description of `target`; class indices or class probabilities, and the
  shapes.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.source.flow import layer, literal, number, root, subject
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.losses import LossUse
from sleuth.source.program import Program, clue, spot
from sleuth.source.topics.activations import axis_of, kind, origins
from sleuth.source.topics.shapes import Shapes, shapes
from sleuth.torch_losses import COMPARES_NUMBERS

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench

CONSEQUENCE_OF = "labels-out-of-range"
PREDICTS = {"same-batch": "even"}


# Data whose targets number three classes or more; two classes as 0 and 1 suit many losses.
_CLASS_TABLES = (
    "load_iris",
    "load_digits",
    "load_wine",
    "fetch_covtype",
    "fetch_20newsgroups",
    "fetch_olivetti_faces",
)
# torchvision's data sets whose examples are (image, number of the class).
_CLASS_IMAGES = frozenset(
    "MNIST FashionMNIST KMNIST EMNIST QMNIST CIFAR10 CIFAR100 SVHN STL10 ImageNet Food101 GTSRB Flowers102 "
    "EuroSAT DTD StanfordCars FGVCAircraft Caltech101 Caltech256 USPS Imagenette OxfordIIITPet".split()
)


def lint(program: Program) -> Iterator[Evidence]:
    algebra = shapes(program)
    for use in program.losses:
        if use.name == "cross_entropy":
            yield from _one_class(algebra, use)
        elif use.name in COMPARES_NUMBERS and use.call.context.grad:
            yield from _class_numbers(algebra, use)
        if use.name in COMPARES_NUMBERS or use.name in ("binary_cross_entropy", "nll_loss"):
            yield from _softmax_of_one(algebra, use)


def _one_class(algebra: Shapes, use: LossUse) -> Iterator[Evidence]:
    """Cross-entropy over a single class is always zero; over a vector, the batch becomes the classes."""
    shape = algebra.of(use.input)
    if shape is None or literal(use.option("reduction")) == "none":
        return
    if shape.rank == 2 and shape.sizes[1] == 1:
        yield clue(
            "proven",
            use.made or use.call,
            f"`cross_entropy` gets one score for each example{_made(use.input)}: a softmax over one class is "
            "always 1, so the loss and its gradient are exactly 0.",
            fix="Use `binary_cross_entropy_with_logits` for yes or no, or give the model one output per "
            "class.",
        )
    elif shape.rank == 1 and shape.sure and _was_one_wide(algebra, use.input):
        yield clue(
            "proven",
            use.made or use.call,
            f"`cross_entropy` gets a vector with one score for each example{_made(use.input)}: it treats "
            "the examples of the batch as classes.",
            fix="Use `binary_cross_entropy_with_logits` for yes or no, or give the model one output per "
            "class.",
        )


def _was_one_wide(algebra: Shapes, value: Value | None) -> bool:
    """`model(x).squeeze(1)` of a model with one output: the axis that is left counts the examples."""
    made = root(value)
    inner = algebra.of(subject(made)) if isinstance(made, Call) and made.op in _FLATTENS else None
    return inner is not None and inner.rank == 2 and inner.sizes[1] == 1


_FLATTENS = (".squeeze", "torch.squeeze", ".flatten", ".view", ".reshape", "torch.flatten")


def _made(value: Value | None) -> str:
    made, _ = origins(value)
    return f" (the layer applied on line {spot(made[0]).line} has one unit)" if made else ""


def _class_numbers(algebra: Shapes, use: LossUse) -> Iterator[Evidence]:
    """A squared or absolute error against the numbers of classes, which have no distance to each other."""
    target = root(use.target)
    picked = isinstance(target, Call) and layer(target).rpartition(".")[2] == "argmax"
    if picked and isinstance(target, Call):
        # A scalar place (a boundary, a keypoint) is a number; the class of a one-hot row is not.
        made, _ = origins(subject(target))
        where = "the class numbers that `argmax` picks from one-hot rows"
        if not any(layer(call).endswith("one_hot") for call in made):
            return
    elif _counts_classes(algebra.data(use.target)):
        where = "class numbers"
    else:
        return
    yield clue(
        "likely",
        use.call,
        f"`{use.name}` compares the output with {where}, which have no order: predicting class 0 for 9 "
        f"costs {81 if use.name == 'mse_loss' else 9} times as much as predicting it for 1.",
        fix="Give the model one output per class and use `cross_entropy`, or make the targets one-hot.",
    )


def _counts_classes(data: Value | None) -> bool:
    """The target column of a classification data set with more than two classes."""
    if not isinstance(data, Call):
        return False
    if data.op == "@target":
        return _is_class_table(data.receiver)
    if data.op == "[]" and literal(data.args[1]) == 1:
        return _is_class_table(data.args[0]) or _is_batch_of_images(data.args[0])
    return False


def _is_batch_of_images(value: Value | None) -> bool:
    """A batch of one of torchvision's data sets whose target is the number of a class.

    A Subset may hold two of the classes only, and 0 and 1 suit many losses.
    """
    batch = root(value)
    if not isinstance(batch, Call) or batch.op not in ("next", "builtins.next") or not batch.args:
        return False
    source = root(batch.args[0])
    for _ in range(8):
        if not isinstance(source, Call):
            return False
        if source.op.startswith("torchvision.datasets."):
            # A target that is changed on the way may be anything.
            own = {"target_transform", "transforms", "target_type", "**"} & source.keywords.keys()
            return source.op.rpartition(".")[2] in _CLASS_IMAGES and not own
        if "collate_fn" in source.keywords:
            return False
        if source.op == "[]" or source.op.endswith((".DataLoader", "random_split", "iter", "tqdm")):
            source = root(source.args[0] if source.args else source.keywords.get("dataset"))
        else:
            return False
    return False


def _is_class_table(value: Value | None) -> bool:
    table = root(value)
    if not isinstance(table, Call) or not table.op.startswith("sklearn.datasets."):
        return False
    name = table.op.rpartition(".")[2]
    if name == "make_classification":
        return (number(table.keywords.get("n_classes")) or 2) > 2
    return name in _CLASS_TABLES


def _softmax_of_one(algebra: Shapes, use: LossUse) -> Iterator[Evidence]:
    """A softmax over an axis of length one gives 1 whatever the model says."""
    made, complete = origins(use.input)
    for call in made if complete else ():
        shape, axis = algebra.of(subject(call)), axis_of(call)
        if kind(call) not in ("softmax", "log_softmax") or shape is None or axis is None or not shape.rank:
            continue
        if (axis == -1 or (shape.sure and axis == shape.rank - 1)) and shape.sizes[-1] == 1:
            yield clue(
                "proven",
                call,
                "This softmax runs over a single output, so its result is always 1 and has no gradient.",
                fix="Use a sigmoid (better: `binary_cross_entropy_with_logits`), or one output a class.",
            )


FEW = 20  # distinct whole numbers: more look like counts, fewer like classes


def probe(bench: "Workbench") -> Iterator[Evidence]:
    regression = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
    for use in bench.first.losses:
        numbers = {"classes": use.classes, "distinct_targets": use.target_distinct}
        if use.name == "cross_entropy" and use.classes == 1 and len(use.input_shape) > 1:
            yield Evidence(
                "cross_entropy gets one column: the softmax of one number is always 1, so loss and "
                "gradient are always zero.",
                telling="proven",
                where=use.where,
                numbers=numbers,
                fix="Use `binary_cross_entropy_with_logits`, or give the model one output per class.",
            )
        if use.name == "cross_entropy" and use.several_ones:
            yield Evidence(
                f"cross_entropy gets targets of zeros and ones, and {use.several_ones:.0%} of the rows "
                "have several ones: its softmax assumes exactly one class per example, so labels that "
                'occur together suppress each other, and "no label" cannot be predicted.',
                telling="proven",
                where=use.where,
                numbers=numbers | {"several_ones": use.several_ones},
                fix="Use `binary_cross_entropy_with_logits`, one yes or no per class, for labels that do "
                "not exclude each other.",
            )
        if use.name in regression and "int" in use.target_dtype and 2 < use.target_distinct <= FEW:
            yield Evidence(
                f"{use.name} gets {use.target_distinct} different whole numbers of type "
                f"{use.target_dtype}, which look like class indices: it treats class 3 as twice as wrong "
                "as class 2 where class 1 is right.",
                telling="likely",
                where=use.where,
                numbers=numbers,
                fix="Use `cross_entropy` with one output per class, unless the numbers are quantities.",
            )
