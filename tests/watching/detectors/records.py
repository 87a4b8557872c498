"""Records made by hand: one healthy run with every kind of line, and ways to spoil it."""

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

from sleuth import catalog
from sleuth.finding import FAULTS, Evidence
from sleuth.record.entries import (
    Activation,
    Batch,
    End,
    Evaluation,
    Holding,
    Layer,
    Layers,
    Loader,
    LossCall,
    Metric,
    Model,
    Optimizer,
    Parameter,
    Pattern,
    Record,
    Run,
    Step,
    Values,
)
from sleuth.record.questions import NotRecorded

STEPS = 120
SAMPLED = (0, 1, 2, 3, 4, 8, 16, 32, 64, 100)
ORDER = (("zero_grad", 1, 10), ("forward", 1, 11), ("loss", 0, 11), ("backward", 0, 12), ("step", 1, 13))


def wobble(n: int) -> float:
    """Noise without a seed: between -1 and 1, and without a trend."""
    return math.sin(12.9898 * n + 1.3) * math.cos(7.1 * n)


def falling(n: int, start: float = 1.1, end: float = 0.12, pace: float = 20.0) -> float:
    """A loss that falls and settles."""
    return end + (start - end) * math.exp(-n / pace) + 0.01 * wobble(n)


def step(n: int, **changes: Any) -> Step:
    loss = falling(n)
    usual = Step(
        n,
        t=n * 0.01,
        optimizer=1,
        line=13,
        path="train.py",
        pattern=1,
        loss=loss,
        backwards=1,
        loss_line=12,
        loss_path="train.py",
        called_loss=loss,
        called_factor=1.0,
        grad_norm=1.0 + 0.2 * wobble(n),
        grad_norm_at_step=1.0 + 0.2 * wobble(n),
        left_over=0.0,
        lr=0.01,
        weight_norm=10.0,
        update_norm=0.02,
        training=True,
        batch=f"b{n}",
        rows=32,
        data_s=0.001,
        forward_s=0.002,
        backward_s=0.003,
        optimizer_s=0.001,
        total_s=0.01 + 0.001 * wobble(n),
        rss=500_000_000,
        tensors=100,
        graph=40,
    )
    return replace(usual, **changes)


def model(**changes: Any) -> Model:
    layers = (
        Layer("", "Net", 5, "train.py"),
        Layer("fc1", "Linear", 6, "train.py"),
        Layer("act", "ReLU", 7, "train.py"),
        Layer("fc2", "Linear", 8, "train.py"),
        Layer("drop", "Dropout", 9, "train.py"),
        Layer("out", "Linear", 9, "train.py"),
    )
    parameters = (
        Parameter("fc1.weight", (64, 20), optimizers=(1,), norm=4.6, std=0.129, largest=0.22),
        Parameter("fc1.bias", (64,), optimizers=(1,), norm=1.0, std=0.12),
        Parameter("fc2.weight", (64, 64), optimizers=(1,), norm=4.6, std=0.072),
        Parameter("out.weight", (3, 64), optimizers=(1,), norm=1.0, std=0.072),
        Parameter("out.bias", (3,), optimizers=(1,), norm=0.1, std=0.07),
    )
    usual = Model(1, "Net", 20, "train.py", 0, layers, parameters, mode_matters=True, devices=("cpu",))
    return replace(usual, **changes)


def layers(n: int, **changes: Any) -> Layers:
    names = ("fc1.weight", "fc1.bias", "fc2.weight", "out.weight", "out.bias")
    usual = Layers(
        n,
        gradients=dict.fromkeys(names, 0.3),
        weights=dict.fromkeys(names, 3.0),
        updates=dict.fromkeys(names, 0.003),
        activations={
            "fc1": Activation(0.0, 0.6, 2.0),
            "act": Activation(0.3, 0.4, 2.0, zero=0.5, dead_units=0.05),
            "fc2": Activation(0.0, 0.5, 2.0),
            "out": Activation(0.0, 0.4, 1.5),
        },
        types={"fc1": "Linear", "act": "ReLU", "fc2": "Linear", "out": "Linear"},
    )
    return replace(usual, **changes)


def batch(n: int, phase: str = "train", **changes: Any) -> Batch:
    inputs = Values(
        "0", (32, 20), "float32", -2.9, 3.1, 0.01 * wobble(n), 1.0, role="input", largest_feature_mean=0.3
    )
    counts = {"0": 11, "1": 10, "2": 11}
    labels = Values("1", (32,), "int64", 0, 2, 1.0, 0.8, distinct=3, counts=counts, role="target")
    usual = Batch(n, phase, 1, 1 if phase == "train" else 2, f"b{n}", 11, (inputs, labels))
    return replace(usual, **changes)


def call(n: int, **changes: Any) -> LossCall:
    usual = LossCall(
        "cross_entropy",
        11,
        "train.py",
        n,
        value=falling(n),
        input_shape=(32, 3),
        target_shape=(32,),
        input_dtype="float32",
        target_dtype="int64",
        input_min=-2.0,
        input_max=2.1,
        target_min=0,
        target_max=2,
        target_distinct=3,
        classes=3,
        input_made_by="AddmmBackward0",
        output_std_over_batch=0.4,
    )
    return replace(usual, **changes)


def evaluation(n: int, **changes: Any) -> Evaluation:
    usual = Evaluation(
        n,
        1,
        30,
        "train.py",
        4,
        200,
        loader=2,
        fingerprint="evaluation",
        loss=falling(n, end=0.2),
        loss_function="cross_entropy",
        correct=0.4 + 0.5 * (1 - math.exp(-n / 20)),
        seen_in_training=0.0,
    )
    return replace(usual, **changes)


@cache  # a record is never changed, and hundreds of tests start from this one
def healthy(steps: int = STEPS) -> Record:
    """A classifier that learns, with every line a recorder may write."""
    loaders = (
        Loader(1, 2, "train.py", "TensorDataset", 1600, 32, True, "RandomSampler"),
        Loader(2, 3, "train.py", "TensorDataset", 200, 64, False, "SequentialSampler"),
    )
    return Record(
        (
            Run("train.py", versions={"torch": "2"}),
            *loaders,
            model(),
            Optimizer(1, "Adam", 21, "train.py", lr=0.01, parameters=5),
            Holding(1, of_models={"1": 5}),
            Pattern(1, ORDER),
            *(step(n) for n in range(steps)),
            *(layers(n) for n in SAMPLED if n < steps),
            *(batch(n) for n in SAMPLED if n < steps),
            *(batch(n, "eval") for n in (20, 40, 60)),
            *(call(n) for n in SAMPLED if n < steps),
            *(evaluation(n) for n in range(20, steps + 1, 20)),
            *(Metric("val acc", evaluation(n).correct or 0.0, n, line=31) for n in range(20, steps + 1, 20)),
            End("finished", steps),
        )
    )


def spoil(record: Record, kind: type[Any], **changes: Any) -> Record:
    """Change fields of all lines of a kind; a function is called with the line."""

    def spoiled(item: Any) -> Any:
        given = {name: value(item) if callable(value) else value for name, value in changes.items()}
        return replace(item, **given)

    return Record(tuple(spoiled(item) if isinstance(item, kind) else item for item in record.items))


def drop(record: Record, *kinds: type[Any]) -> Record:
    return Record(tuple(item for item in record.items if not isinstance(item, kinds)))


def add(record: Record, *items: Any) -> Record:
    return Record((*record.items, *items))


def pattern(record: Record, *names: str | tuple[str, int]) -> Record:
    """The same run with another order of events; ids are 1, lines count up. It also ends with them."""
    events = tuple(
        (name, 1, 10 + at) if isinstance(name, str) else (*name, 10 + at) for at, name in enumerate(names)
    )
    return spoil(spoil(record, Pattern, events=events), End, pattern=1)


def ended(record: Record, message: str, line: int = 12) -> Record:
    end = End(
        "raised", exception="RuntimeError", message=message, frames=(("train.py", line, "main"),), pattern=1
    )
    return add(drop(record, End), end)


def found(slug: str, record: Record) -> list[Evidence]:
    """What this cause alone says; nothing where the record does not tell."""
    findings: list[Evidence] = []
    with suppress(NotRecorded):
        findings += catalog.ask("watch", record, {slug: catalog.find(slug)})
    return findings


def serious(findings: Iterable[Evidence]) -> list[Evidence]:
    return [finding for finding in findings if finding.telling in FAULTS]


Twins = dict[str, tuple[list[Record], list[Record]]]


def cases(twins: Twins, bad: bool) -> list[tuple[str, int, Record]]:
    """(cause, number, record) for a parametrised test."""
    return [
        (slug, number, record)
        for slug, both in twins.items()
        for number, record in enumerate(both[0 if bad else 1])
    ]
