"""The architecture family: a spoiled record and its healthy twin for each cause."""

from dataclasses import replace
from typing import Any

import pytest

from sleuth.record.entries import (
    Activation,
    Dropout,
    Evaluation,
    Layer,
    Layers,
    Load,
    LossCall,
    Model,
    Parameter,
    Record,
    Step,
)
from tests.watching.detectors import records
from tests.watching.detectors.records import Twins, add, cases, ended, found, healthy, serious, spoil, wobble

ALONE = "Expected more than 1 value per channel when training, got input size torch.Size([1, 64])"


def steps(**changes: Any) -> Record:
    return spoil(healthy(), Step, **changes)


def parameters(record: Record, change: dict[str, dict[str, Any]]) -> Record:
    def changed(model: Model) -> Any:
        return tuple(replace(p, **change.get(p.name, {})) for p in model.parameters)

    return spoil(record, Model, parameters=changed)


def activation(record: Record, name: str, kind: str = "", **changes: Any) -> Record:
    def changed(seen: Layers) -> dict[str, Activation]:
        given = {key: value(seen) if callable(value) else value for key, value in changes.items()}
        return {**seen.activations, name: replace(seen.activations[name], **given)}

    record = spoil(record, Layers, activations=changed)
    if not kind:
        return record
    record = spoil(record, Layers, types=lambda s: {**s.types, name: kind})
    return spoil(
        record,
        Model,
        layers=lambda m: tuple(replace(x, type=kind if x.name == name else x.type) for x in m.layers),
    )


def gradients(sizes: dict[str, float | None], record: Record | None = None, **changes: Any) -> Record:
    record = record or healthy()
    return spoil(record, Layers, gradients=lambda s: {**s.gradients, **sizes}, **changes)


def stuck(record: Record) -> Record:
    return spoil(record, Step, loss=lambda s: 1.1 + 0.001 * wobble(s.n))


def normed(record: Record) -> Record:
    return spoil(record, Model, layers=lambda m: (*m.layers, Layer("bn", "BatchNorm1d", 8, "train.py")))


EQUAL = {"equal_rows": True, "std": 0.0, "norm": 0.0}
TWO_PASSES = add(healthy(), records.evaluation(120, loss=0.9, correct=0.3))
LOST: dict[str, float | None] = {"fc1.weight": None, "fc1.bias": None}
HEAD_ONLY = {"out": Activation(std=0.4)}


def with_spreads() -> Record:
    """Random weights: each matrix of means has one of spreads beside it, which all start alike."""

    def doubled(model: Model) -> tuple[Parameter, ...]:
        spreads = [
            replace(p, name=f"{p.name.rpartition('.')[0]}.rho", std=0.0, equal_rows=True)
            for p in model.parameters
            if len(p.shape) > 1
        ]
        return (*model.parameters, *spreads)

    return spoil(healthy(), Model, parameters=doubled)


def tables(opens: int = 10**9, called: bool = True) -> Record:
    """Tables of users and items that start at zero, beside layers that learn."""
    names = ("users", "items")
    zero = tuple(Parameter(f"{name}.weight", (40, 8), norm=0.0, std=0.0, equal_rows=True) for name in names)
    record = spoil(
        healthy(),
        Model,
        parameters=lambda m: (*zero, *m.parameters),
        layers=lambda m: (*(Layer(name, "Embedding", 6, "train.py") for name in names), *m.layers),
    )
    return spoil(
        record,
        Layers,
        gradients=lambda s: {**s.gradients, "users.weight": float(s.n > opens), "items.weight": 0.0},
        weights=lambda s: {**s.weights, "users.weight": 0.0, "items.weight": 0.0},
        activations=lambda s: {**s.activations, **({n: Activation(std=0.0) for n in names if called})},
    )


def logits(low: float, high: float, **changes: Any) -> Record:
    """A two-class loss that falls, on logits within these bounds."""
    given: dict[str, Any] = {
        "function": "binary_cross_entropy_with_logits",
        "input_shape": (32,),
        "target_shape": (32,),
        "input_min": low,
        "input_max": high,
        "target_min": 0.0,
        "target_max": 1.0,
        "target_variance": 0.25,
        "value": 0.45,
    }
    return spoil(healthy(), LossCall, **(given | changes))


TWINS: Twins = {
    "structural-ceiling": (
        [logits(0.0, 6.0), logits(-6.0, -0.1)],
        [
            healthy(),
            logits(-3.0, 6.0),
            logits(0.0, 6.0, target_variance=0.05),  # nearly all of one class
            logits(0.02, 0.03, value=0.693),  # nothing is learnt at all
            logits(0.0, 6.0, value=0.69),
        ],
    ),
    "bad-init-scale": (
        [
            activation(parameters(healthy(), {"fc1.weight": {"std": 3.0}}), "fc1", std=60.0),
            activation(parameters(healthy(), {"fc2.weight": {"std": 1e-4}}), "fc2", std=1e-5),
        ],
        [
            healthy(),
            parameters(healthy(), {"fc1.weight": {"std": 3.0}}),  # a norm behind it repairs it
            activation(healthy(), "fc1", std=60.0),
            parameters(healthy(), {"out.weight": {"std": 1e-4}}),
            add(
                activation(parameters(healthy(), {"fc1.weight": {"std": 3.0}}), "fc1", std=60.0),
                Load(matched=3),
            ),
        ],
    ),
    "dead-relu": (
        [
            activation(healthy(), "act", dead_units=1.0),
            activation(healthy(), "act", dead_units=lambda s: 0.05 if s.n < 4 else 0.95),
        ],
        [
            healthy(),
            activation(healthy(), "act", dead_units=lambda s: 0.95 if s.n == 8 else 0.1),
            activation(healthy(), "act", dead_units=0.6),
            activation(steps(rows=1), "act", dead_units=1.0),
            activation(healthy(), "act", "GELU", dead_units=1.0),
        ],
    ),
    "dropout-ignores-mode": (
        [
            add(healthy(), Dropout(7, "train.py", 0.5, True, False, "block")),
            TWO_PASSES,
        ],
        [
            healthy(),
            add(healthy(), Dropout(7, "train.py", 0.5, True, True)),
            add(healthy(), Dropout(7, "train.py", 0.0, True, False)),
            add(  # samples on demand: at rest in other calls
                healthy(),
                Dropout(7, "train.py", 0.5, False, False, "block"),
                Dropout(7, "train.py", 0.5, True, False, "block"),
            ),
            add(healthy(), records.evaluation(120)),
            spoil(TWO_PASSES, Evaluation, training=True),
        ],
    ),
    "exploding-gradients": (
        [
            steps(grad_norm=lambda s: 1.1**s.n),
            steps(
                grad_norm=lambda s: 500.0 if s.n % 40 == 5 else 1.0,
                loss=lambda s: 4.0 if s.n % 40 == 6 else 1.0,
            ),
            steps(loss=lambda s: (16.0, 5e32)[s.n] if s.n < 2 else float("nan")),  # bursts at once
        ],
        [
            healthy(),
            steps(loss=lambda s: 16.0 * 1e3**s.n if s.n < 12 else float("nan")),  # by steps: the rate
            steps(grad_norm=lambda s: 1.0 + 0.2 * s.n),
            steps(grad_norm=lambda s: 500.0 if s.n == 0 else 1.0),
            steps(grad_norm=lambda s: 1e4 if s.n % 2 else 1.0),
        ],
    ),
    "norm-batch-of-one": (
        [normed(steps(rows=1)), normed(steps(rows=2)), ended(healthy(), ALONE)],
        [healthy(), normed(healthy()), steps(rows=1), normed(steps(rows=4))],
    ),
    "saturated-activations": (
        [
            stuck(activation(healthy(), "act", "Tanh", saturated=0.97)),
            stuck(activation(healthy(), "act", "Sigmoid", saturated=lambda s: 0.5 if s.n < 3 else 0.95)),
        ],
        [
            healthy(),
            activation(healthy(), "act", "Tanh", saturated=0.97),  # learns all the same
            stuck(activation(healthy(), "act", "Tanh", saturated=0.3)),
            stuck(activation(healthy(), "out", "Sigmoid", saturated=0.97)),
        ],
    ),
    "unused-parameters": (
        [
            gradients({**LOST, "fc2.weight": None}, activations=HEAD_ONLY),
            gradients(
                {"fc2.weight": None},
                parameters(healthy(), {"fc2.weight": {"shape": (900, 900)}}),
                activations=HEAD_ONLY,
            ),
        ],
        [
            healthy(),
            gradients(LOST, activations=HEAD_ONLY),  # a small part
            gradients(LOST),  # called: the graph is cut
        ],
    ),
    "vanishing-gradients": (
        [
            stuck(gradients({"fc1.weight": 1e-7})),
            stuck(
                gradients(
                    {"fc1.weight": 1e-7}, updates={"fc1.weight": 1e-9, "fc2.weight": 1e-3, "out.weight": 0.01}
                )
            ),
        ],
        [
            healthy(),
            stuck(gradients({"fc1.weight": 1e-3})),
            gradients({"fc1.weight": 1e-7}),  # learns all the same
            stuck(gradients({"fc1.weight": 0.0})),
        ],
    ),
    "zero-init": (
        [
            parameters(healthy(), {"fc1.weight": EQUAL, "fc2.weight": EQUAL}),
            parameters(healthy(), {"fc2.weight": {"equal_rows": True, "norm": 2.0}, "out.weight": EQUAL}),
            tables(),
            # The best weights come back at the end.
            add(parameters(healthy(), {"fc1.weight": EQUAL, "fc2.weight": EQUAL}), Load(n=99, matched=3)),
        ],
        [
            healthy(),
            tables(opens=30),  # one of them is drawn from zero after a while
            tables(called=False),  # adapters that are switched off
            parameters(healthy(), {"out.weight": EQUAL}),  # a quiet head
            parameters(healthy(), {"fc1.weight": EQUAL, "out.weight": EQUAL}),  # not next to each other
            with_spreads(),
            add(parameters(healthy(), {"fc1.weight": EQUAL, "fc2.weight": EQUAL}), Load(matched=3)),
            spoil(  # the end of a residual branch: what lies before it gets its gradient past the zeros
                parameters(healthy(), {"fc2.weight": EQUAL, "out.weight": EQUAL}),
                Layers,
                weights=lambda s: {**s.weights, "fc2.weight": 0.0 if s.n < 5 else 0.1},
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


def test_the_module_and_its_line_are_named() -> None:
    for slug, module, line in (
        ("dead-relu", "act", 7),
        ("bad-init-scale", "fc1", 6),
        ("zero-init", "fc1", 6),
    ):
        where = serious(found(slug, TWINS[slug][0][0]))[0].where
        assert where is not None
        assert (where.module, where.line) == (module, line)


def test_two_passes_that_differ_are_told_with_both_numbers() -> None:
    (finding,) = found("dropout-ignores-mode", TWO_PASSES)
    assert finding.severity == "warning"
    assert "0.9" in finding.message
    assert not found(
        "dropout-ignores-mode", spoil(TWO_PASSES, Evaluation, loss_function=lambda e: str(e.loss))
    )
    another = spoil(TWO_PASSES, Evaluation, weights=lambda e: str(e.loss))  # the best checkpoint came back
    assert not found("dropout-ignores-mode", another)


def test_a_run_without_loss_functions_of_torch_is_examined_too() -> None:
    record = spoil(healthy(), LossCall, requires_grad=False)
    assert not serious(found("unused-parameters", record))
