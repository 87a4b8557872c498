"""Batch normalisation takes its statistics over one example, or so few that they are noise.

## What happens
With two examples, BatchNorm1d outputs +1 and -1 for every feature, whatever the inputs were: all
that remains is which of the two was larger. With one example `nn.BatchNorm1d` on (1, C) raises
("Expected more than 1 value per channel"), and so you may meet this only as a crash on the last,
incomplete batch of an epoch. Convolutions hide it: (1, C, H, W) has H*W values to average, no
error is raised, and each image is normalised by itself. Brightness and contrast are then erased:
x and 3x + 7 gave the same output.

In eval mode the layer switches to running averages, a different function from the one that was
trained. Training looks good, evaluation is bad, and it gets worse the smaller the batch.
Detection and segmentation with one or two images a device, gradient accumulation (which does not
enlarge the batch that BN sees), and per-device statistics in distributed runs are the usual
homes.

## How to tell
- **lint**: a BatchNorm in the model, and training on a loader with a `batch_size` of 1 (the
  default) or 2, or on single examples (`x.unsqueeze(0)`, `x[i : i + 1]`).
- **probe**: examples behind each batch statistic in train mode: one is an error, up to four a
  warning; or a loader whose last batch would hold a single example.
- **watch**: batch sizes in the record of 1 to 4; running mean and variance jump from step to step
  instead of settling.
- **refuted by**: the model holds no batch-statistics layer, or each sees 16 or more examples in a
  step.

## How to fix
Use a normalisation that does not look at the batch, or make sure that there is one.
```python
norm = nn.GroupNorm(num_groups=8, num_channels=64)     # per example
loader = DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)
model = nn.SyncBatchNorm.convert_sync_batchnorm(model)  # statistics across processes
```
For fine-tuning with tiny batches keep pretrained BN layers in eval mode: call `.eval()` on them
after each `model.train()`. Prediction with batch size 1 in eval mode is no problem at all.

## Often mistaken for
- `train-mode-eval`: evaluation with one example in train mode shows the same numbers;
  `model.eval()` was forgotten.
- `preprocessing-mismatch`: train and test differ in the *inputs*; feed a training batch in eval
  mode to separate the two.
- `batch-too-small`: noisy gradients without any batch statistics.

## Sources
- ioffe-2015: section 3.1, statistics of the batch in training and of the population at inference.
- wu-2018: abstract and section 4.1, error of batch normalisation growing as the batch shrinks,
  and an alternative.
- pytorch-batchnorm: how running estimates are kept and used in evaluation.
"""

from collections.abc import Iterator, Sized
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import needed, raised, where_module
from sleuth.source.flow import ancestry, possible
from sleuth.source.interpreter.values import Call, Collection, Constant, Value
from sleuth.source.program import Program, clue, spot
from sleuth.source.topics.cadence import setting
from sleuth.source.topics.modes import parts
from sleuth.source.topics.modules import BATCH_NORM, axis_of, exact, is_one_long, settled

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import Record

LOOKS_LIKE = {"oscillates": "rarely", "good in training, bad in validation": "even"}
INVITED_BY = {"Dropout|BatchNorm": 3.0}
RAISES = {
    "Expected more than 1 value per channel when training": (
        "Batch norm got a batch of one example in train mode; use drop_last=True or another norm."
    ),
}
PREDICTS = {"same-batch": "even"}


# Two examples leave only which of them is larger; from about four on the statistics mean something.
_FEWEST = 2

NEEDS = "Norm"


def lint(program: Program) -> Iterator[Evidence]:
    for event in program.training.of("backward"):
        behind = list(ancestry(event.about, 3_000))
        for applied in behind:
            if not isinstance(applied, Call) or applied.op != "()" or not applied.args:
                continue
            norm = _batch_norm(applied.receiver) if not _kept_in_eval(program, applied) else None
            few = _few_examples(program, applied.args[0]) if norm is not None else None
            if norm is not None and few is not None:
                source, size = few
                examples = "one example" if size == 1 else f"{size} examples"
                yield clue(
                    "proven" if size == 1 and norm.op.endswith("1d") else "likely",
                    source,
                    f"The model is trained on {examples} at a time, and its "
                    f"`{norm.op.rpartition('.')[2]}` (line {spot(norm).line}) takes mean and variance "
                    "from those alone: in eval mode, with running averages, it computes something else.",
                    fix="Use a larger batch, or GroupNorm or LayerNorm instead.",
                )
                return


def _batch_norm(module: Value | None) -> Call | None:
    """A layer of the model that needs batch statistics."""
    for piece in parts(module):
        if isinstance(piece, Call) and BATCH_NORM.match(piece.op):
            kept = settled(piece.keywords.get("track_running_stats"))
            if not (isinstance(kept, Constant) and kept.value is False):
                return piece
    return None


def _kept_in_eval(program: Program, applied: Call) -> bool:
    """Parts of the model are put in eval mode by themselves (frozen statistics), or statistics are shared."""
    models = possible(applied.receiver)
    return any(
        not any(option is model for option in possible(event.about) for model in models)
        for event in program.training.of("eval")
    ) or any(call.op.endswith("convert_sync_batchnorm") for call in program.calls(*_CONVERTERS))


_CONVERTERS = ("torch.nn.SyncBatchNorm.convert_sync_batchnorm",)


def _few_examples(program: Program, value: Value) -> tuple[Call, int] | None:
    """The place that makes the batch, when it holds one or two examples."""
    here = settled(value)
    for _ in range(8):
        if not isinstance(here, Call):
            return None
        if here.op in (".unsqueeze", "torch.unsqueeze"):
            return (here, 1) if axis_of(here) == 0 and _from_a_loop(here) else None
        if here.op in ("next", "builtins.next"):
            return _small_loader(program, here.args[0]) if here.args else None
        if here.op == "[]":
            key = here.args[1]
            if is_one_long(key) and any(isinstance(v, Call) and v.op == "next" for v in ancestry(key, 12)):
                return here, 1
            if isinstance(key, Constant) and not isinstance(key.value, int | str):
                return (here, 1) if key.value is None and _from_a_loop(here) else None
            if exact(key) == 0 and not _is_batch(here.args[0]):
                return None  # the first of several: a batch made elsewhere
            here = settled(here.args[0])
        elif here.op in (".to", ".cuda", ".float", ".contiguous", ".double", ".half"):
            here = settled(here.receiver)
        else:
            return None
    return None


def _is_one(value: Value) -> bool:
    """Not one of several sizes that a branch chooses from."""
    return len(possible(value)) == 1


def _is_batch(value: Value) -> bool:
    inner = settled(value)
    return isinstance(inner, Call) and inner.op in ("next", "builtins.next")


def _small_loader(program: Program, iterable: Value) -> tuple[Call, int] | None:
    for loader in ancestry(iterable, 6):
        if not isinstance(loader, Call) or loader.op != "torch.utils.data.DataLoader":
            continue
        if {"batch_sampler", "**", "collate_fn"} & set(loader.keywords):
            return None
        if any(isinstance(given, Collection) and given.open for given in loader.args):
            return None
        given = loader.argument(1, "batch_size")
        size = 1.0 if given is None else setting(program, given) if _is_one(given) else None
        return (loader, int(size)) if size is not None and 1 <= size <= _FEWEST else None
    return None


def _from_a_loop(value: Call) -> bool:
    """One item of something that is gone through: `for x, y in dataset: model(x.unsqueeze(0))`."""
    turns = [here for here in ancestry(value, 12) if isinstance(here, Call) and here.op == "next"]
    return any(
        not any(
            isinstance(origin, Call) and origin.op == "torch.utils.data.DataLoader"
            for origin in ancestry(turn, 6)
        )
        for turn in turns
    )


FEW = 4  # examples behind a statistic; see the page


def probe(bench: "Workbench") -> Iterator[Evidence]:
    active = [norm for norm in bench.first.norms if norm.training]
    if not active:
        return
    worst = min(active, key=lambda norm: norm.examples)
    if worst.examples <= FEW:
        yield Evidence(
            f"{worst.kind} takes its statistics over {worst.examples} "
            f"example{'s' if worst.examples > 1 else ''} ({worst.values} values a channel): what "
            "distinguishes examples is normalised away, and eval mode differs.",
            telling="proven" if worst.examples == 1 else "likely",
            where=Where(module=worst.path or None),
            numbers={"examples": worst.examples, "values": worst.values, "layers": len(active)},
            fix="Use batches of 16 or more, or GroupNorm or LayerNorm.",
        )
    dataset, size = (
        getattr(bench.subject.loader, "dataset", None),
        getattr(bench.subject.loader, "batch_size", None),
    )
    keeps = not getattr(bench.subject.loader, "drop_last", True)
    if keeps and size and size > 1 and isinstance(dataset, Sized) and len(dataset) % size == 1:
        yield Evidence(
            f"{len(dataset)} examples in batches of {size} leave a last batch of one, over which "
            f"{worst.kind} cannot compute statistics.",
            telling="likely",
            where=Where(module=worst.path or None),
            numbers={"examples": len(dataset), "batch_size": size},
            fix="Set drop_last=True on the training loader.",
        )


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Model

    where = raised(record, "expected more than 1 value per channel")
    norms = [
        layer for model in record.of(Model) for layer in model.layers if layer.type.startswith("BatchNorm")
    ]
    if where is not None:
        yield Evidence(
            "The run stopped: batch norm in train mode was given a single value per channel, so there is "
            "no variance to divide by.",
            telling="proven",
            where=where,
            fix="Drop the last incomplete batch (`drop_last=True`), or use group or layer norm.",
        )
    if not norms:
        return
    rows = [step.rows for step in record.steps if step.rows is not None and step.training]
    needed(rows, "sizes of training batches")
    usual = curves.median(rows)
    if usual > FEW:
        return
    yield Evidence(
        f"`{norms[0].name}` ({norms[0].type}) takes its statistics from batches of {usual:.0f}: in "
        "training they are mostly noise, and the running averages used in evaluation differ from them.",
        telling="proven" if usual <= 1 else "likely" if usual <= 2 else "open",
        where=where_module(record, norms[0].name),
        numbers={"rows": usual},
        fix="Use GroupNorm or LayerNorm, or batches of 16 or more.",
    )
