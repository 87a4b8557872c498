"""Training data is served in a fixed, sorted order.

## What happens
Each batch teaches one class and unteaches the last one. On 8x8 digits sorted by class, with SGD at
0.1, the loss sank to about 1 within each class and jumped to about 3 at the boundaries; after two
epochs the network predicted the last class for everything (10% test accuracy).

Batch norm turns nuisance into failure. With sorted batches every batch has the statistics of one
class; at evaluation the running averages fit none of them. After ten epochs: 29% test accuracy
sorted, 95% shuffled, and nothing else changed. Without batch norm the same comparison ended at 94%
against 95%, so a missing shuffle can also go unnoticed for months and merely cost a little.

`DataLoader` does not shuffle by default, and folders, `sorted(glob(...))` and database exports
are ordered by class, date or source. The milder form shuffles once at load time and then repeats
the same order every epoch; that is usually harmless.

## How to tell
- **lint**: a training `DataLoader` without `shuffle=True`, sampler or batch sampler; slices
  `x[i:i+b]` with no permutation, in the loop or in the generator that it goes through. Unknown when
  arguments arrive through `**kwargs`, and irrelevant for an iterable dataset that shuffles itself.
- **watch**: batches with one or two classes where the epoch holds many (seen at the loss where no
  model object took them); a saw-tooth loss whose period is exactly one epoch; the same sequence of
  batches in each epoch.
- **experiment**: corrected from outside, every loader shuffles; the fluctuations within an epoch go away.
- **refuted by**: the label mix of single batches looks like that of the whole set, and the order
  differs between epochs.

## How to fix
```python
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
test_loader = DataLoader(test_set, batch_size=256)            # no need to shuffle here
```

By hand, draw a new permutation every epoch. For streams use a shuffle buffer much larger than the
longest run of equal labels, and shuffle the shards. Fixed order is right for curriculum learning,
for recurrent state carried from batch to batch, and for buckets of equal length as long as the
buckets themselves are shuffled.

## Often mistaken for
- `lr-too-high`: also a ragged loss, but not with the period of an epoch.
- `train-mode-eval`: batch norm again makes the two modes disagree, with well-mixed batches.
- `labels-constant`: one label over the whole epoch, not per batch.

## Sources
- goodfellow-2016-ch8: section 8.1.3, why minibatches must be drawn at random and why shuffling once
  is usually enough.
- ioffe-2015: section 4.2.1, more thorough shuffling helped batch-normalised networks.
- pytorch-data: `DataLoader`, `shuffle` is False by default.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.causes.data.unshuffled_training.cut_in_order import cuts_in_order
from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import (
    at,
    batches,
    by_line,
    is_float,
    loss_calls,
    needed,
    tensors,
    training_loader,
)
from sleuth.source.edits import keyword_set
from sleuth.source.flow import ancestry, literal, root
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    Function,
    Instance,
    Loop,
    Value,
)
from sleuth.source.program import Program, clue
from sleuth.source.topics.loaders import DATA_LOADER, dataset_of, line, loader_of, loops_with_steps
from sleuth.source.topics.row_order import class_after_class, in_time, is_drawn, is_shuffled
from sleuth.source.topics.splits import Splits, splits_of

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Batch, LossCall, Record, Values

LOOKS_LIKE = {"oscillates": "usually"}
PREDICTS = {"lr×0.1": "even"}

STREAMS = ("torch.utils.data.IterableDataset", "torch.utils.data.IterDataPipe")
FIX = "Pass `shuffle=True` to the training loader (or draw a new permutation every epoch)."

NEEDS = "DataLoader loader range( split"


def lint(program: Program) -> Iterator[Evidence]:
    splits = splits_of(program)
    for loop in loops_with_steps(program):
        if _carries_state(program, loop):
            continue
        for loader in loader_of(loop):
            if _keeps_order(loader):
                yield from _judge(splits, loader)
        yield from _sorted_slices(splits, loop)
    yield from _lightning(program, splits)


def _judge(splits: Splits, loader: Call) -> Iterator[Evidence]:
    dataset = dataset_of(loader)
    if isinstance(dataset, Constant) or _may_shuffle_itself(dataset):
        return
    evidence = class_after_class(splits, dataset)
    if evidence is not None:
        yield clue(
            "proven",
            loader,
            "This loader does not shuffle training rows that are sorted by class (line "
            f"{line(evidence)}): each batch teaches one class and the model forgets the previous ones.",
            fix=FIX,
            edits=keyword_set(loader, "shuffle", "True") if len(loader.args) < 3 else (),
        )
    elif not (
        is_shuffled(splits, dataset) or is_drawn(splits, dataset) or in_time(splits, dataset, loader.order)
    ):
        yield clue(
            "likely",
            loader,
            "This training loader does not shuffle: every epoch sees the rows in the same order, which "
            "hurts if they are sorted (by class, date, source).",
            fix=FIX,
            edits=keyword_set(loader, "shuffle", "True") if len(loader.args) < 3 else (),
        )


def _keeps_order(loader: Call) -> bool:
    """The loader is told nothing that could mix the rows, and is not told in ways that cannot be read."""
    if {"sampler", "batch_sampler", "**"} & loader.keywords.keys() or len(loader.args) > 3:
        return False
    if any(isinstance(part, Collection) and part.kind == "rest" for part in loader.args):
        return False
    size = loader.argument(1, "batch_size")
    if isinstance(size, Constant) and size.value is None:
        return False
    if any(isinstance(part, Call) and part.op == "builtins.len" for part in ancestry(size, 20)):
        return False  # one batch holds everything
    shuffle = loader.argument(2, "shuffle")
    return shuffle is None or literal(shuffle) is False


def _may_shuffle_itself(dataset: Value | None) -> bool:
    made = root(dataset)
    if isinstance(made, Instance):
        serves = made.cls.member("__getitem__")
        return made.cls.derives_from(*STREAMS) or serves is None or _draws_anew(serves)
    # A call into other code (a stream, a table that was mixed when it was made) cannot be judged.
    if isinstance(made, Call):
        return not made.op.startswith(("torchvision.datasets.", "torch.utils.data.", "torchaudio.datasets."))
    return True


def _draws_anew(serves: Value) -> bool:
    """`__getitem__` does not look at the index it is given: there is no order to mix."""
    written = serves.definition if isinstance(serves, Function) else None
    if written is None or isinstance(written, ast.Lambda) or len(written.args.args) != 2:
        return False
    index = written.args.args[1].arg
    return not any(isinstance(part, ast.Name) and part.id == index for part in ast.walk(written))


def _carries_state(program: Program, loop: Loop) -> bool:
    """A recurrent state handed from batch to batch needs the order."""
    for event in program.training.of("forward"):
        if event.inside(loop):
            for argument in (*event.call.args, *event.call.keywords.values()):
                if any(
                    isinstance(part, Carried) and part.loop is loop and part.final is not None
                    for part in ancestry(argument, 40)
                ):
                    return True
    return False


def _sorted_slices(splits: Splits, loop: Loop) -> Iterator[Evidence]:
    """`x[i : i + b]` over rows that stand class after class."""
    for item in cuts_in_order(splits.program, loop):
        evidence = class_after_class(splits, item.args[0])
        if evidence is not None:
            yield clue(
                "proven",
                item,
                f"Batches are sliced from rows that are sorted by class (line {line(evidence)}) and never "
                "shuffled.",
                fix=FIX,
            )
            return


def _lightning(program: Program, splits: Splits) -> Iterator[Evidence]:
    """Lightning asks `train_dataloader` for the training loader; it does not shuffle by itself."""
    for loader in program.calls(DATA_LOADER):
        function = loader.context.function
        if getattr(function, "name", "") == "train_dataloader" and _keeps_order(loader):
            made = dataset_of(loader)
            # What kind of model it feeds is out of sight: only where rows are independent pictures.
            if isinstance(made, Call) and made.op.startswith("torchvision.datasets."):
                yield from _judge(splits, loader)


FEW = 0.34  # classes in a batch over classes in all; a mixed batch of 2K rows holds 86% of K classes
PARTED = 0.5  # spread of a target within a batch over its spread between batches


def watch(record: "Record") -> Iterator[Evidence]:
    served = batches(record)
    at_the_loss = _labels_at_the_loss(record)
    needed(served or at_the_loss, "training batches")
    labels: dict[int, list[tuple[Batch, Values]]] = {}  # a later model may learn another task
    for batch, values in tensors(served, "target"):
        if values.counts:
            labels.setdefault(batch.model, []).append((batch, values))
    targets = [
        (b, v) for b, v in tensors(served, "target", is_float) if v.std is not None and v.mean is not None
    ]
    loader = training_loader(record)
    if loader is not None and loader.shuffled:
        return
    where = at(loader) if loader else None
    if any(len(seen) >= 4 for seen in labels.values()):
        for seen in labels.values():
            yield from _sorted_labels(seen, where) if len(seen) >= 4 else ()
    elif len(targets) >= 8:
        yield from _sorted_targets(targets, where)
    elif not labels:
        for calls in at_the_loss:
            yield from _sorted_at_the_loss(calls)
    marks = [step.batch for step in record.steps if step.batch]
    turn = curves.period(marks)
    if turn and turn >= 4:
        yield Evidence(
            f"The same {turn} batches come in the same order in each epoch; harmless if neighbouring rows "
            "are unrelated.",
            telling="aside",
            where=where,
            numbers={"period": turn},
            fix="Use `shuffle=True`, unless a recurrent state is carried from batch to batch.",
        )


def _sorted_labels(labels: "list[tuple[Batch, Values]]", where: Where | None) -> Iterator[Evidence]:
    total: Counter[str] = Counter()
    for _, values in labels:
        total.update(values.counts or {})
    rows = curves.median(sum((values.counts or {}).values()) for _, values in labels)
    inside = curves.median(len(values.counts or {}) for _, values in labels)
    # Where one class is all but alone, most mixed batches hold nothing else; but it leads all of them.
    leading = {max(values.counts, key=values.counts.__getitem__) for _, values in labels if values.counts}
    if len(leading) < 2 or rows < 2 * len(total) or inside > max(1.0, FEW * len(total)):
        return
    yield _sorted(inside, len(total), rows, where)


def _sorted(inside: float, classes: int, rows: float, where: Where | None) -> Evidence:
    return Evidence(
        f"A batch of {rows:.0f} holds {inside:.0f} of {classes} classes: the data is sorted by label, so "
        "the model forgets each class while it trains on the next.",
        telling="proven",
        where=where,
        numbers={"classes_in_batch": inside, "classes": classes, "rows": rows},
        fix="`DataLoader(..., shuffle=True)`, or permute the rows before each epoch.",
    )


def _labels_at_the_loss(record: "Record") -> "list[list[LossCall]]":
    """Training calls of a loss over classes with one label a row, those of each line together."""
    calls = [
        call
        for call in loss_calls(record)
        if call.function in ("cross_entropy", "nll_loss")
        and len(call.target_shape) == 1
        and "int" in call.target_dtype
        and None not in (call.target_distinct, call.target_min, call.target_max)
        and not call.ignored
    ]
    return [same for same in by_line(calls).values() if len(same) >= 4]


def _sorted_at_the_loss(calls: "list[LossCall]") -> Iterator[Evidence]:
    spans = [(call.target_min or 0.0, call.target_max or 0.0) for call in calls]
    classes = int(max(high for _, high in spans) - min(low for low, _ in spans)) + 1
    rows = curves.median(call.target_shape[0] for call in calls)
    inside = curves.median(call.target_distinct or 1 for call in calls)
    if classes < 2 or rows < 2 * classes or inside > max(1.0, FEW * classes):
        return
    if _comes_again(spans):
        yield _sorted(inside, classes, rows, at(calls[0]))


def _comes_again(spans: list[tuple[float, float]]) -> bool:
    """Labels that none of the first ones were among, and the first ones after them. Mixed batches of twice as
    many rows as classes always share some; tasks learned one after the other do not come again."""
    low, high = spans[0]
    apart = [start > high or end < low for start, end in spans]
    return True in apart and not all(apart[apart.index(True) :])


def _sorted_targets(targets: "list[tuple[Batch, Values]]", where: Where | None) -> Iterator[Evidence]:
    means = [values.mean or 0.0 for _, values in targets]
    inside = curves.median(values.std or 0.0 for _, values in targets)
    between = curves.spread(means)
    steady = max(curves.rising(means), 1 - curves.rising(means))
    if between > 0 and inside < PARTED * between and steady > 0.9:
        yield Evidence(
            f"Targets vary by {inside:.3g} (std) within a batch and by {between:.3g} between batches, and "
            "drift one way: the rows come in sorted order.",
            telling="open",
            where=where,
            numbers={"within": inside, "between": between},
            fix="Shuffle the rows, unless a recurrent state is carried from batch to batch.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_data

    of_data.shuffled_loaders(world)


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import last_resort

    return last_resort(None, finding, _writes_rows_in_order, scene)


def _writes_rows_in_order(statement: "Statement") -> int | None:
    """Where the order of the rows is written down as it stands, or else where batches are cut from it."""
    if re.search(
        r"= *(torch\.|np\.|numpy\.)?(arange|list\(range)\((0, )?(len\(|\w+\.(shape|size))", statement.text
    ):
        return 0
    return 1 if statement.in_loop and re.search(r"\[(\w+):\1 \+ ", statement.text) else None
