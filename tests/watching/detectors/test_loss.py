"""The loss family: a spoiled record and its healthy twin for each cause."""

import math
from dataclasses import replace
from typing import Any

import pytest

from sleuth.finding import FAULTS
from sleuth.record.entries import (
    Crossed,
    Evaluation,
    Holding,
    Layer,
    LossCall,
    Metric,
    Model,
    Optimizer,
    Record,
    Step,
    Threshold,
    Warned,
)
from tests.watching.detectors import records
from tests.watching.detectors.records import Twins, add, cases, drop, ended, found, healthy, serious, spoil

BCE = "binary_cross_entropy_with_logits"
WARNING = "Using a target size (torch.Size([32])) that is different to the input size (torch.Size([32, 1]))."
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
TWICE = "Trying to backward through the graph a second time (or directly access saved tensors)"


def calls(**changes: Any) -> Record:
    return spoil(healthy(), LossCall, **changes)


def reported(name: str, *values: float) -> Record:
    """An evaluation and one number after it, every ten steps."""
    bare = drop(drop(healthy(), Metric), Evaluation)
    looks = [records.evaluation(10 * turn) for turn, _ in enumerate(values)]
    return add(bare, *looks, *(Metric(name, value, 10 * turn) for turn, value in enumerate(values)))


def steps(**changes: Any) -> Record:
    return spoil(healthy(), Step, **changes)


def over_at_once(step: Step) -> float:
    return 0.03 if step.n < 8 else 0.0


def second_term(value: Any, **changes: Any) -> Record:
    """The healthy run with one more loss call a step."""
    extra = [replace(call, line=14, value=value(call.n), **changes) for call in healthy().of(LossCall)]
    return add(healthy(), *extra)


def game(record: Record) -> Record:
    """Two optimizers that take turns."""
    return add(
        spoil(record, Step, optimizer=lambda s: 1 + s.n % 2),
        Optimizer(2, "Adam", 22, "train.py", parameters=5),
    )


def recurrent(record: Record) -> Record:
    return spoil(record, Model, layers=(Layer("rnn", "LSTM", 6, "train.py"),))


def compared(**changes: Any) -> Threshold:
    return replace(Threshold(40, "train.py", ">", 0.5, -3.0, 4.0, raw_output=True), **changes)


GROWS = steps(graph=lambda s: 40 + 10 * s.n, loss=lambda s: 1.0 + s.n)
NO_GRADIENT: dict[str, Any] = {"grad_norm": 0.0, "grad_norm_at_step": 0.0, "update_norm": 0.0}

TWINS: Twins = {
    "double-softmax": (
        [
            calls(probabilities=True, input_min=0.0, input_max=1.0),
            calls(function=BCE, probabilities=True, input_made_by="SigmoidBackward0"),
            calls(function=BCE, probabilities=True),
        ],
        [
            healthy(),
            calls(log_probabilities=True),
            calls(probabilities=lambda c: c.n == 3),
            calls(function="mse_loss", probabilities=True),
            calls(function="nll_loss", log_probabilities=True),
        ],
    ),
    "init-loss-off": (
        [
            calls(value=lambda c: 30.0 - c.n / 10),
            calls(value=30.0, weighted=True),  # a mean by weight: guessing costs the same
            calls(function=BCE, value=9.0),
        ],
        [
            healthy(),
            calls(value=2.0),
            calls(function=BCE, value=9.0, weighted=True),  # rows may weigh anything
            calls(function="mse_loss", value=900.0),
        ],
    ),
    "logit-threshold": (
        [add(healthy(), compared()), add(calls(function=BCE), compared(against=0.3))],
        [
            add(healthy(), compared(against=0.0)),
            add(healthy(), compared(minimum=0.01, maximum=0.99, raw_output=False)),
            add(calls(function="mse_loss"), compared()),
            add(healthy(), compared(raw_output=False)),
        ],
    ),
    "logits-into-prob-loss": (
        [
            calls(function="nll_loss"),
            calls(function="kl_div", input_max=0.8, input_min=0.0),
            ended(healthy(), "all elements of input should be between 0 and 1"),
        ],
        [
            healthy(),
            calls(function="nll_loss", input_max=-0.001, log_probabilities=True),
            calls(function="nll_loss", input_max=1e-6),
        ],
    ),
    "loss-broadcast": (
        [
            calls(function="mse_loss", input_shape=(32, 1), target_shape=(32,)),
            calls(function="l1_loss", input_shape=(32,), target_shape=(32, 1)),
            add(healthy(), Warned(WARNING, "UserWarning", 11, "train.py")),
        ],
        [
            healthy(),
            calls(function="mse_loss", input_shape=(32, 1), target_shape=(32, 1)),
            calls(function="mse_loss", input_shape=(32, 5), target_shape=(1, 5)),
            add(healthy(), Warned("Something else", "UserWarning", 11, "train.py")),
        ],
    ),
    "loss-disconnected": (
        [
            steps(**NO_GRADIENT),
            ended(healthy(), NO_GRAPH),
            spoil(
                second_term(lambda n: 2.0, requires_grad=False),
                Step,
                loss=lambda s: records.falling(s.n) + 2.0,
            ),
        ],
        [
            healthy(),
            steps(grad_norm=lambda s: 0.0 if s.n < 2 else 1.0),
            steps(**(NO_GRADIENT | {"loss": float("nan")})),
            second_term(lambda n: 2.0, requires_grad=False),  # logged only
            ended(calls(requires_grad=False), NO_GRAPH),
            steps(grad_norm=None, grad_norm_at_step=None, update_norm=None),
        ],
    ),
    "loss-metric-mismatch": (
        [
            spoil(healthy(), Metric, value=0.1),
            spoil(healthy(), Metric, value=11.0, name="test_accuracy"),
            spoil(spoil(healthy(), Evaluation, correct=0.06), Metric, value=0.97, name="knn_probe_acc"),
            spoil(healthy(), Metric, value=0.0, name="hr@10"),
            add(healthy(), Crossed(51, "train.py", "==", (32, 1), (32,))),
            spoil(healthy(), Metric, value=0.0, name="val ndcg@20"),
            reported("val ndcg@10", 0.3, 0.08, 0.03, 0.02, 0.02, 0.01),  # from the wrong end
            reported("exact", *[0.167] * 8),  # the same in every report, of a model whose answers change
        ],
        [
            healthy(),
            reported("exact", *[0.167] * 7, 0.168),
            reported("val ndcg@10", 0.3, 0.5, 0.6, 0.6, 0.5, 0.4),  # it overfits
            reported("val ndcg@10", 0.3, 0.1, 0.2, 0.3, 0.5, 0.6),  # a bad start
            reported("exact match", *[0.0] * 8),  # a whole sequence right comes late
            reported("train exact", *[0.167] * 8),
            reported("base rate", *[0.167] * 8),
            spoil(reported("exact", *[0.167] * 8), Evaluation, correct=0.9),  # always the same class
            spoil(healthy(), Metric, value=lambda m: 100 * m.value),
            spoil(healthy(), Metric, value=0.1, name="train acc"),
            spoil(healthy(), Metric, value=0.1, n=7),
            # A code as wide as there are classes, which a second model reads.
            spoil(
                spoil(spoil(healthy(), LossCall, function="mse_loss"), Evaluation, correct=0.06),
                Metric,
                value=lambda m: 0.9 + m.n / 9999,
                name="knn_probe_acc",
            ),
            spoil(healthy(), Metric, value=0.0, name="hours"),
            spoil(healthy(), Metric, value=lambda m: 0.0 if m.n < 60 else 0.05, name="hr@10"),
            spoil(steps(loss=1.0), Metric, value=0.0, name="hr@10"),  # nothing is learned: no wonder
            # Of many answers a row some may not count: padding.
            spoil(
                spoil(healthy(), Metric, value=lambda m: 0.1 + m.n / 9999),
                Evaluation,
                answers=lambda e: 20 * e.rows,
            ),
        ],
    ),
    "loss-not-reset": (
        [GROWS, recurrent(GROWS), ended(healthy(), TWICE)],
        [
            healthy(),
            steps(graph=lambda s: 40 + s.n % 30),
            recurrent(steps(graph=lambda s: 40 + 10 * s.n)),
            recurrent(ended(healthy(), TWICE)),
        ],
    ),
    "loss-saturated": (
        [spoil(spoil(healthy(), Step, loss=over_at_once), Evaluation, correct=0.2)],
        [
            healthy(),
            spoil(healthy(), Step, loss=over_at_once),  # and every margin is met by right answers
            spoil(healthy(), Evaluation, correct=0.2),
        ],
    ),
    "loss-sign-flipped": (
        [
            steps(loss=lambda s: -1.0 - s.n, called_loss=lambda s: 1.0 + s.n, called_factor=None),
            spoil(healthy(), Optimizer, settings={"maximize": True}),
            steps(loss=lambda s: -0.001 * 1.2**s.n, called_loss=None),
            steps(loss=lambda s: 0.1 - s.loss, called_factor=-1.0),
        ],
        [
            healthy(),
            steps(called_factor=lambda s: -1.0 if s.n % 2 else 0.7),  # weighed by a reward
            steps(loss=lambda s: -2.0 - s.n / 100, called_loss=None),  # a log-likelihood of a density
            game(steps(loss=lambda s: -s.loss, called_factor=-1.0)),
        ],
    ),
    "loss-terms-imbalanced": (
        [
            second_term(lambda n: 1e6 * math.exp(-n / 30)),
            second_term(lambda n: 5e4 / (1 + n), function="mse_loss"),
            second_term(lambda n: 200.0 * math.exp(-n / 30)),
        ],
        [
            healthy(),
            second_term(lambda n: 5.0 * math.exp(-n / 30)),
            second_term(lambda n: 200.0 * math.exp(-n / 30)),  # beside it, the first is learned as well
            second_term(lambda n: 1e6 + n, function="mse_loss"),
        ],
    ),
}
# The first term of those stands at chance.
TWINS["loss-terms-imbalanced"] = (
    [
        spoil(r, LossCall, value=lambda c: 1.1 if c.line == 11 else c.value)
        for r in TWINS["loss-terms-imbalanced"][0]
    ],
    TWINS["loss-terms-imbalanced"][1],
)


@pytest.mark.parametrize(("slug", "number", "record"), cases(TWINS, bad=True))
def test_spoiled(slug: str, number: int, record: Record) -> None:
    assert serious(found(slug, record))


@pytest.mark.parametrize(("slug", "number", "record"), cases(TWINS, bad=False))
def test_healthy(slug: str, number: int, record: Record) -> None:
    assert not serious(found(slug, record))


def summed(weight: float) -> Record:
    """A term at chance and one that is learned, with a weight, and the loss that they add up to."""

    def small(n: int) -> float:
        return 1.1 + 0.001 * (n % 3)

    def large(n: int) -> float:
        return 20.0 * math.exp(-n / 30) + 0.1 * (n % 2)

    record = second_term(large, function="mse_loss")
    record = spoil(record, LossCall, value=lambda c: small(c.n) if c.line == 11 else c.value)
    return spoil(record, Step, loss=lambda s: small(s.n) + weight * large(s.n))


def test_terms_are_compared_with_the_weights_they_have_in_the_sum() -> None:
    (finding,) = serious(found("loss-terms-imbalanced", summed(8.0)))
    assert float(finding.numbers["weight"]) == pytest.approx(8.0, rel=1e-3)
    assert float(finding.numbers["ratio"]) == pytest.approx(8.0 * 20.0 / 1.1, rel=1e-2)
    assert finding.where is not None
    assert finding.where.line == 14  # the term that drowns the other
    assert not found("loss-terms-imbalanced", summed(1.0))
    drowned = second_term(lambda n: 200.0 * math.exp(-n / 30), function="mse_loss")
    drowned = spoil(drowned, LossCall, value=lambda c: 1.1 if c.line == 11 else c.value)
    tamed = spoil(drowned, Step, loss=lambda s: 1.1 + 0.01 * 200.0 * math.exp(-s.n / 30))
    assert serious(found("loss-terms-imbalanced", drowned))  # its loss is no sum of the two: as they are
    assert not found("loss-terms-imbalanced", tamed)


def test_terms_against_each_other_are_a_note() -> None:
    more = [records.call(n) for n in (5, 6, 7, 80)]
    rising = [replace(c, line=14, value=2 - (c.value or 0)) for c in (*healthy().of(LossCall), *more)]
    record = add(drop(healthy(), LossCall), *healthy().of(LossCall), *more, *rising)
    (note,) = found("loss-terms-conflict", record)
    assert note.telling not in FAULTS
    assert float(note.numbers["correlation"]) < -0.9
    assert not found("loss-terms-conflict", second_term(lambda n: 1 / (1 + n)))
    assert not found("loss-terms-conflict", game(record))
    assert not found("loss-terms-conflict", healthy())


def test_places_and_numbers() -> None:
    (finding,) = found("loss-broadcast", TWINS["loss-broadcast"][0][0])
    assert finding.where is not None
    assert (finding.where.path, finding.where.line) == ("train.py", 11)
    assert "(32, 1)" in finding.message
    assert "(32,)" in finding.message
    (finding,) = found("loss-not-reset", GROWS)
    assert finding.where is not None
    assert finding.where.line == 12
    assert finding.numbers["last"] == 40 + 10 * 119
    (finding,) = found("logit-threshold", add(healthy(), compared()))
    assert "0.62" in finding.message
    assert finding.where is not None
    assert finding.where.line == 40


def test_a_loss_over_classes_starts_at_the_logarithm_of_their_number() -> None:
    (finding,) = found("init-loss-off", calls(value=30.0))
    assert finding.numbers["chance"] == pytest.approx(math.log(3))
    (note,) = found("init-loss-off", calls(value=2.0))
    assert note.telling not in FAULTS


def test_a_finding_beside_others_of_the_family_keeps_its_lines() -> None:
    record = spoil(add(healthy(), Holding(1)), Evaluation, correct=None)
    assert not serious(found("loss-metric-mismatch", record))
