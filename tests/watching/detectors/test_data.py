"""The data family: a spoiled record and its healthy twin for each cause."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sleuth.record.entries import (
    Activation,
    Batch,
    Evaluation,
    Layers,
    Loader,
    LossCall,
    Metric,
    Model,
    Record,
    Seed,
    Step,
    Values,
)
from tests.watching.detectors import records
from tests.watching.detectors.records import Twins, add, cases, drop, ended, found, healthy, serious, spoil

NAN = float("nan")
ROWS: dict[str, Any] = {"rows": 200, "calls": 1, "training_rows": 1000}


def tensors(phase: str = "train", role: str = "input", **changes: Any) -> Record:
    """The healthy run with other statistics of one tensor of its batches."""

    def changed(batch: Batch) -> tuple[Values, ...]:
        if batch.phase != phase:
            return batch.values
        given = {name: value(batch) if callable(value) else value for name, value in changes.items()}
        return tuple(replace(values, **given) if values.role == role else values for values in batch.values)

    return spoil(healthy(), Batch, values=changed)


def words(train: dict[str, float], held_out: dict[str, float], distinct: int = 200) -> Record:
    """A text as ids, padded with 0: the shares of the commonest in training and in evaluation."""

    def of(shares: dict[str, float]) -> Values:
        return Values("0", (32, 20), "int64", distinct=distinct, common=shares, last="0", role="input")

    return spoil(
        healthy(), Batch, values=lambda b: (of(train if b.phase == "train" else held_out), *b.values[1:])
    )


def steered(spread: float) -> Record:
    """A model that meets what it leads to itself: as in training at first, then ever nearer to rest."""
    first = next(batch for batch in healthy().of(Batch) if batch.phase == "eval")
    inputs = first.values[0]
    turns = [
        replace(
            first, n=120 + turn, values=(replace(inputs, std=max(spread, (inputs.std or 1.0) * 0.5**turn)),)
        )
        for turn in range(30)
    ]
    return add(drop(healthy(), Batch), *(b for b in healthy().of(Batch) if b.phase == "train"), *turns)


def stuck(record: Record) -> Record:
    return spoil(record, Step, loss=lambda s: 1.1 + 0.001 * (s.n % 3))


def both_sides(**changes: Any) -> Record:
    record = tensors(**changes)
    return spoil(record, Batch, values=lambda b: record.of(Batch)[0].values)


def scaled(train: float, held_out: float, rows: int = 32) -> Record:
    """The largest mean of a feature in training batches and in an evaluation of a hundred rows."""
    record = tensors(largest_feature_mean=train)
    even: dict[str, Any] = {
        "shape": (100, 20),
        "feature_std_ratio": 1.00001,
        "largest_feature_mean": held_out,
    }
    return spoil(
        record,
        Batch,
        values=lambda b: tuple(
            replace(v, **(even if b.phase == "eval" else {"shape": (rows, 20)})) for v in b.values
        ),
    )


RARE = {"0": 31, "1": 1}


def _seeded_at(steps: range, what: str = "generator") -> list[Seed]:
    return [Seed(what, 7, 12, n, "train.py") for n in steps]


LOUD = {"fc1": Activation(30.0, 80.0, 300.0), "act": Activation(dead_units=0.7)}
RAW: dict[str, Any] = {"mean": 120.0, "std": 70.0, "maximum": 255.0, "minimum": 0.0}
WORKERS = spoil(healthy(), Loader, workers=2)
CONSTANT: dict[str, Any] = {"counts": {"1": 32}, "distinct": 1}
ONE_LABEL: dict[str, Any] = {"target_min": 1, "target_max": 1, "target_distinct": 1}
ONE_MAP: dict[str, Any] = ONE_LABEL | {
    "target_shape": (32, 40, 40),
    "target_served": True,
    "input_made_by": "Conv",
}
BCE = "binary_cross_entropy_with_logits"


def _named(record: Record, name: str) -> Record:
    looks = record.of(Evaluation)
    return add(drop(record, Metric), *(Metric(name, 0.9, look.n) for look in looks))


def _half_in_the_loss(record: Record) -> Record:
    return spoil(record, LossCall, input_shape=(16, 3), target_shape=(16,))


def _coarse_then_fine(n: int) -> dict[str, int]:
    return {"0": 16, "1": 16} if n < 60 else {str(label): 4 for label in range(8)}


def second_loader(n: int, data: int = 0) -> Record:
    """Half of the passes come from another loader of the same line, made after n steps, with other rows;
    where data sets are told apart, the first serves number 1."""
    first = next(made for made in healthy().of(Loader) if not made.shuffled)
    seen = spoil(healthy(), Evaluation, fingerprint=lambda e: f"set {e.n > 60}")
    seen = spoil(seen, Evaluation, loader=lambda e: 77 if e.n > 60 else e.loader)
    seen = spoil(seen, Loader, data=int(data > 0))
    return add(seen, replace(first, id=77, n=n, data=data))


def in_parts(record: Record) -> Record:
    """Each pass calls a second part of the model with what the first one made."""
    made = [replace(seen, line=seen.line + 1, fingerprint=f"{seen.n}") for seen in record.of(Evaluation)]
    return add(record, *made)


def _at_the_loss(span: Callable[[int], tuple[int, int]]) -> Record:
    """A run of bare tensors, of which each loss call saw labels from one number to another."""
    return spoil(
        drop(healthy(), Loader, Batch),
        LossCall,
        target_min=lambda c: float(span(c.n)[0]),
        target_max=lambda c: float(span(c.n)[1]),
        target_distinct=lambda c: 1 + span(c.n)[1] - span(c.n)[0],
        target_shape=(32,),
        target_dtype="int64",
    )


TWINS: Twins = {
    "augmented-eval": (
        [
            second_loader(61),  # made anew for each pass
            second_loader(61, data=1),
            spoil(healthy(), Evaluation, fingerprint=lambda e: f"pass {e.n}"),
            spoil(healthy(), Evaluation, fingerprint=lambda e: f"pass {e.n > 60}", loss=None),
        ],
        [
            healthy(),
            spoil(spoil(healthy(), Evaluation, fingerprint=lambda e: f"{e.n}"), Loader, shuffled=True),
            spoil(healthy(), Evaluation, fingerprint=lambda e: f"{e.n}", rows=lambda e: e.n),
            spoil(healthy(), Evaluation, fingerprint=lambda e: f"{e.n}", loader=None),
            in_parts(healthy()),
            second_loader(0),  # validation and test, side by side
            second_loader(61, data=2),  # validation and, in the end, test
            spoil(
                spoil(healthy(), Evaluation, fingerprint=lambda e: f"{e.n}"), LossCall, target_dtype="float32"
            ),
        ],
    ),
    "class-imbalance": (
        [
            spoil(tensors(role="target", counts=RARE), Evaluation, constant_output=True),
            spoil(tensors(role="target", counts=RARE), Evaluation, correct=31 / 32),
            add(
                drop(tensors(role="target", counts=RARE), Step, Evaluation),
                *(records.step(n, loss=0.139 + 0.01 * records.wobble(n)) for n in range(300)),
            ),
        ],
        [
            healthy(),
            tensors(role="target", counts=RARE),  # learned all the same
            spoil(tensors(role="target", counts=RARE), LossCall, weighted=True),
            spoil(tensors(role="target", counts={"0": 20, "1": 12}), Evaluation, constant_output=True),
        ],
    ),
    "duplicate-worker-seed": (
        [
            spoil(WORKERS, Batch, repeated_rows=lambda b: 16 if b.n else 0),
            spoil(spoil(healthy(), Loader, workers=4), Batch, repeated_rows=lambda b: 25 if b.n > 3 else 0),
        ],
        [
            WORKERS,
            spoil(healthy(), Batch, repeated_rows=16),
            spoil(spoil(WORKERS, Batch, repeated_rows=16), Loader, sampler="WeightedRandomSampler"),
        ],
    ),
    "inputs-constant": (
        [tensors(constant_features=1.0, std=0.0), tensors(constant_features=1.0, mean=0.5)],
        [
            healthy(),
            tensors(constant_features=0.9),
            tensors(constant_features=lambda b: 1.0 if b.n else 0.0),
            tensors(constant_features=1.0, shape=(1, 20)),
        ],
    ),
    "inputs-unnormalized": (
        [
            stuck(spoil(tensors(**RAW), Layers, activations={})),
            spoil(tensors(std=300.0), Layers, activations=LOUD),
            stuck(spoil(tensors(feature_std_ratio=1e6), Layers, activations={})),
        ],
        [
            healthy(),
            tensors(**RAW),  # the model scales them itself: its first layer answers with ordinary numbers
            spoil(tensors(**RAW), Layers, activations={}),  # learns all the same
            stuck(tensors(std=3.0, mean=1.0)),
        ],
    ),
    "labels-all-ignored": (
        [
            spoil(healthy(), LossCall, ignored=1.0, value=NAN),
            spoil(
                healthy(),
                LossCall,
                ignored=lambda c: float(c.n == 8),
                value=lambda c: NAN if c.n == 8 else 1.0,
            ),
        ],
        [
            healthy(),
            spoil(healthy(), LossCall, ignored=0.97),
            spoil(healthy(), LossCall, ignored=lambda c: float(c.n == 8), value=0.0, reduction="sum"),
        ],
    ),
    "labels-constant": (
        [
            spoil(tensors(role="target", **CONSTANT), LossCall, **ONE_LABEL),
            spoil(
                spoil(drop(healthy(), Batch), LossCall, **ONE_LABEL), Step, loss=lambda s: 1 / (1 + s.n**2)
            ),
            # One label a pixel, from a loader of 400 pictures.
            spoil(spoil(healthy(), Loader, examples=400), LossCall, **ONE_MAP),
            spoil(add(healthy(), *(records.call(n) for n in range(100))), LossCall, **ONE_MAP),
        ],
        [
            healthy(),
            spoil(
                drop(healthy(), Batch), LossCall, target_min=0, target_max=0
            ),  # contrastive: made, not served
            spoil(
                tensors(role="target", **CONSTANT),
                LossCall,
                target_min=lambda c: c.n % 2,
                target_max=lambda c: c.n % 2,
            ),
            spoil(healthy(), LossCall, function="mse_loss", **ONE_LABEL),
            spoil(spoil(healthy(), Loader, examples=5000), LossCall, **ONE_MAP),  # the rest may hold others
            spoil(healthy(), LossCall, ignored=1.0, **ONE_MAP),
            spoil(
                tensors(role="target", path="target", **CONSTANT),
                LossCall,
                input_made_by="CatBackward0",
                **ONE_LABEL,
            ),
        ],
    ),
    "labels-out-of-range": (
        [
            spoil(healthy(), LossCall, function=BCE, target_max=255.0),
            spoil(healthy(), LossCall, function="binary_cross_entropy", target_min=-1.0, target_max=1.0),
            ended(healthy(), "Target 10 is out of bounds."),
        ],
        [
            healthy(),
            spoil(healthy(), LossCall, function=BCE, target_min=0.1, target_max=0.9),
            ended(healthy(), "index 10 is out of bounds for axis 0"),
        ],
    ),
    "nonfinite-input": (
        [
            spoil(
                tensors(nonfinite=lambda b: 3 if b.n == 8 else 0),
                Step,
                loss=lambda s: NAN if s.n >= 8 else s.loss,
            ),
            spoil(tensors(role="target", nonfinite=1), Step, loss=NAN),
        ],
        [
            healthy(),
            tensors(nonfinite=2),  # the model masks them
            spoil(
                tensors(nonfinite=lambda b: 3 * (b.n > 16)), Step, loss=lambda s: NAN if s.n >= 5 else s.loss
            ),
        ],
    ),
    "preprocessing-mismatch": (
        [
            tensors("eval", mean=120.0, std=70.0),
            tensors("eval", std=0.004, mean=0.0),
            spoil(tensors("eval", mean=6.0), Evaluation, loss=4.0),
            scaled(train=0.1, held_out=2e-8),
            words(
                {"0": 0.3, "5": 0.1, "7": 0.1}, {"0": 0.3, "1": 0.3, "5": 0.05, "7": 0.05}
            ),  # unknown words
            words({"0": 0.3, "5": 0.2, "7": 0.2}, {"0": 0.3, "8": 0.2, "9": 0.15}),  # numbered otherwise
        ],
        [
            healthy(),
            steered(0.004),
            words(
                {"0": 0.3, "5": 0.1, "7": 0.1}, {"0": 0.7, "5": 0.04, "7": 0.05}
            ),  # longer rows, more padding
            words(
                {"0": 0.02, "5": 0.2, "7": 0.2}, {"0": 0.7, "5": 0.06, "7": 0.06}
            ),  # hardly any in training
            words({"5": 0.2, "7": 0.2}, {"8": 0.2, "9": 0.15}, distinct=5),  # a few settings
            words({"5": 0.02, "7": 0.02}, {"8": 0.02, "9": 0.02}),  # no word is common
            words({"1": 0.04, "5": 0.2}, {"1": 0.2, "5": 0.15}),  # a harder text
            scaled(train=0.1, held_out=0.03),  # statistics from elsewhere
            scaled(train=1e-8, held_out=2e-8),  # each row alone
            scaled(train=0.1, held_out=2e-8, rows=100),  # the nodes of one graph, some dropped in training
            spoil(scaled(train=0.1, held_out=2e-8), Evaluation, seen_in_training=1.0),
            spoil(scaled(train=0.1, held_out=2e-8), Evaluation, seen_in_training=0.3),
            tensors("eval", mean=0.4, std=1.3),
            tensors("eval", mean=lambda b: 120.0 if b.n == 60 else 0.0),  # one look at something else
            tensors("eval", mean=120.0, shape=(3, 20)),  # too few numbers
            both_sides(mean=120.0, std=70.0),
        ],
    ),
    "repeated-batch": (
        [
            spoil(healthy(), Step, batch="same"),
            spoil(healthy(), Step, batch=lambda s: f"b{s.n % 3}"),
            add(spoil(drop(healthy(), Loader), Step, batch="full"), *_seeded_at(range(8))),
        ],
        [
            healthy(),
            spoil(healthy(), Step, batch=lambda s: f"b{s.n % 50}"),  # epochs of 50 batches
            add(spoil(drop(healthy(), Loader), Step, batch="full"), *_seeded_at(range(0, 80, 10))),  # epochs
            add(spoil(drop(healthy(), Loader), Step, batch="full"), *_seeded_at(range(8), "torch")),
            add(drop(healthy(), Loader), *_seeded_at(range(8))),  # the batches differ all the same
            spoil(drop(healthy(), Loader), Step, batch="full"),
            spoil(spoil(healthy(), Loader, examples=32), Step, batch="full"),
        ],
    ),
    "split-overlap": (
        [
            spoil(healthy(), Evaluation, seen_in_training=0.6),
            spoil(healthy(), Evaluation, seen_in_training=lambda e: 0.2 * e.n / 120),
            spoil(drop(healthy(), Loader), Evaluation, seen_in_training=0.6, loader=None),
            spoil(healthy(), Evaluation, seen_in_training=0.6, equal_rows=0.4),
            # Far more than the pairs that meet within the set explain; copies made before the split.
            spoil(healthy(), Evaluation, seen_in_training=0.5, equal_rows=0.01, **ROWS),
            spoil(healthy(), Evaluation, seen_in_training=0.5, equal_rows=0.3, **ROWS),
            # A score that promises new rows, of a run that never looks at one.
            _named(spoil(healthy(), Evaluation, seen_in_training=1.0), "val acc"),
            _named(spoil(healthy(), Evaluation, seen_in_training=0.99), "test_accuracy"),
        ],
        [
            healthy(),
            _named(spoil(healthy(), Evaluation, seen_in_training=1.0), "accuracy"),
            _named(spoil(healthy(), Evaluation, seen_in_training=1.0, equal_rows=0.6), "val acc"),
            # Counts of a few words: rows meet between the sets as often as within one.
            spoil(healthy(), Evaluation, seen_in_training=0.06, equal_rows=0.01, **ROWS),
            spoil(healthy(), Evaluation, seen_in_training=0.7, equal_rows=0.1, **ROWS),
            spoil(healthy(), Evaluation, seen_in_training=0.6, equal_rows=0.6),
            _named(spoil(healthy(), Evaluation, seen_in_training=1.0), "train/valid frames"),
            _named(
                add(
                    spoil(healthy(), Evaluation, seen_in_training=1.0),
                    records.evaluation(119, line=40, seen_in_training=0.0),
                ),
                "val acc",
            ),
            _named(spoil(tensors(shape=(32, 2)), Evaluation, seen_in_training=1.0), "val acc"),
            # All nodes of a graph go in, and the loss takes those that have a label.
            _named(_half_in_the_loss(spoil(healthy(), Evaluation, seen_in_training=1.0)), "val acc"),
            _half_in_the_loss(spoil(healthy(), Evaluation, seen_in_training=0.6)),
            # A look at the training set is meant.
            drop(spoil(healthy(), Evaluation, seen_in_training=1.0), Metric),
            spoil(spoil(healthy(), Evaluation, seen_in_training=0.3), Batch, repeated_rows=20),
            spoil(healthy(), Evaluation, seen_in_training=0.01),
            spoil(healthy(), Evaluation, seen_in_training=0.6, inside=True),
            add(
                drop(healthy(), Evaluation),
                *(records.evaluation(n, seen_in_training=0.8) for n in range(30, 90)),
            ),
            # Half of the calls of a line are on the training set.
            spoil(drop(healthy(), Loader), Evaluation, seen_in_training=0.5, loader=None, calls=2),
            # Random rows of the training set, not all served yet.
            spoil(
                drop(healthy(), Loader), Evaluation, seen_in_training=lambda e: 0.1 + e.n / 200, loader=None
            ),
            spoil(
                tensors(dtype="int64"), Evaluation, seen_in_training=0.6
            ),  # short windows of a small language
            spoil(tensors(shape=(32, 2)), Evaluation, seen_in_training=0.6),
        ],
    ),
    "unshuffled-training": (
        [
            spoil(tensors(role="target", counts=lambda b: {str(b.n % 3): 32}), Loader, shuffled=False),
            drop(tensors(role="target", counts=lambda b: {str(b.n // 10 % 4): 32}), Loader),
            # No model object and no loader: the loss alone was seen.
            _at_the_loss(lambda n: (n % 3, n % 3)),
        ],
        [
            _at_the_loss(lambda n: (0, 2)),
            _at_the_loss(lambda n: (0, 0 if n % 4 else 2)),  # one class is all but alone
            _at_the_loss(lambda n: (min(n // 20, 3), min(n // 20, 3))),  # tasks, one after the other
            drop(
                tensors(role="target", counts=lambda b: {"0": 31, "1": 1} if b.n == 4 else {"0": 32}), Loader
            ),
            spoil(healthy(), Loader, shuffled=False),
            tensors(role="target", counts=lambda b: {str(b.n % 3): 32}),  # chance: the loader shuffles
            spoil(tensors(role="target", counts=lambda b: {"0": 20, "1": 12}), Loader, shuffled=False),
            # Two models, one after the other: the first one's task has fewer classes.
            drop(
                spoil(
                    tensors(role="target", counts=lambda b: _coarse_then_fine(b.n)),
                    Batch,
                    model=lambda b: 1 if b.n < 60 else 2,
                ),
                Loader,
            ),
        ],
    ),
}


@pytest.mark.parametrize(("slug", "number", "record"), cases(TWINS, bad=True))
def test_spoiled(slug: str, number: int, record: Record) -> None:
    assert serious(found(slug, record))


@pytest.mark.parametrize(("slug", "number", "record"), cases(TWINS, bad=False))
def test_healthy(slug: str, number: int, record: Record) -> None:
    assert not serious(found(slug, record))


def test_bytes_at_the_door_and_two_humps_are_worth_a_note() -> None:
    (note,) = found("input-dtype-overflow", tensors(dtype="uint8"))
    assert note.severity == "note"
    assert "wrap" in note.message
    wrapped: dict[str, Any] = {"minimum": 0.0, "maximum": 255.0, "mean": 128.0, "std": 100.0}
    assert found("input-dtype-overflow", tensors(**wrapped))
    assert found("input-dtype-overflow", tensors(minimum=0.0, maximum=1.0, mean=0.5, std=0.42))
    assert not found("input-dtype-overflow", healthy())
    assert not found("input-dtype-overflow", tensors(minimum=0.0, maximum=255.0, mean=33.0, std=78.0))


def test_places_and_numbers() -> None:
    (finding,) = found("split-overlap", spoil(healthy(), Evaluation, seen_in_training=0.6))
    assert finding.where is not None
    assert (finding.where.path, finding.where.line) == ("train.py", 30)
    assert "60%" in finding.message
    (finding,) = found("repeated-batch", spoil(healthy(), Step, batch="same"))
    assert finding.where is not None
    assert finding.where.line == 2
    assert finding.numbers["different"] == 1


def test_a_model_that_begins_with_a_norm_takes_raw_inputs() -> None:
    record = stuck(spoil(tensors(**RAW), Layers, activations={}))
    normed = replace(records.model().layers[1], type="BatchNorm1d")
    assert not found("inputs-unnormalized", spoil(record, Model, layers=(normed,)))


def test_a_fixed_order_without_sorted_labels_is_a_note() -> None:
    record = spoil(spoil(healthy(), Loader, shuffled=False), Step, batch=lambda s: f"b{s.n % 50}")
    (note,) = found("unshuffled-training", record)
    assert note.severity == "note"
    assert note.numbers["period"] == 50


def test_sorted_targets_of_a_regression_are_a_note() -> None:
    record = spoil(healthy(), Loader, shuffled=False)
    target = Values("1", (32,), "float32", 0.0, 1.0, 0.0, 0.1, role="target")
    record = spoil(record, Batch, values=lambda b: (replace(target, mean=b.n / 10),))
    (note,) = found("unshuffled-training", record)
    assert note.severity == "note"
    assert not found("unshuffled-training", add(record))[1:]
