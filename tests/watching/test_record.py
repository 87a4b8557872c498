"""The record: what is written can be read again, and what cannot be read is skipped."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.record.entries import (
    KINDS,
    Activation,
    Batch,
    Layer,
    Layers,
    Metric,
    Model,
    Optimizer,
    Parameter,
    Pattern,
    Record,
    Step,
    Values,
)
from sleuth.record.json_lines import line_of, parse, read

FLOATS = st.floats(width=16, allow_nan=False)


@given(loss=FLOATS, grad=st.none() | FLOATS, n=st.integers(0, 10**9), line=st.integers(0, 10**6))
def test_step_survives_the_round_trip(loss: float, grad: float | None, n: int, line: int) -> None:
    step = Step(n, loss=loss, grad_norm=grad, line=line)
    (back,) = parse([line_of(step)])
    assert (back.n, back.line) == (n, line)
    assert back.loss == pytest.approx(loss, rel=1e-8)
    assert back.grad_norm == (None if grad is None else pytest.approx(grad, rel=1e-8))


def test_nan_survives() -> None:
    (step,) = parse([line_of(Step(1, loss=math.nan))])
    assert math.isnan(step.loss)


@given(st.sampled_from(["nan", "inf", "-inf"]) | st.text(max_size=8))
def test_a_name_stays_a_name_whatever_it_says(name: str) -> None:
    metric = Metric(name, 1.0, 0, 0.5, 3, name)
    model = Model(1, name, layers=(Layer(name, name, 3),))
    assert list(parse([line_of(metric), line_of(model)])) == [metric, model]


def test_nested_parts_come_back_as_their_types() -> None:
    items = [
        Model(1, "Net", layers=(Layer("fc", "Linear", 3),), parameters=(Parameter("w", (2, 3)),)),
        Pattern(4, (("zero_grad", 1, 10), ("step", 1, 12))),
        Batch(0, values=(Values("0", (8, 3), "float32", counts={"1": 5}),)),
        Layers(2, gradients={"w": None, "b": 1.5}, activations={"relu": Activation(zero=0.5)}),
    ]
    assert list(parse(line_of(item) for item in items)) == items


@pytest.mark.parametrize("kind", list(KINDS.values()), ids=list(KINDS))
def test_every_kind_can_be_written_with_its_required_fields_only(kind: type) -> None:
    required = {"id": 1, "type": "T", "n": 1, "what": "x", "name": "x", "value": 1.0, "function": "f"}
    required |= {"line": 3, "text": "t", "path": "p", "optimizer": 2, "model": 1, "vocabulary": 1}
    from dataclasses import MISSING, fields

    needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    item = kind(**{name: required[name] for name in needed})
    assert list(parse([line_of(item)])) == [item]


def test_a_cut_last_line_an_unknown_kind_and_an_unknown_key_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text(line_of(Step(0)) + '{"kind":"comet"}\n{"kind":"step","n":1,"hue":3}\n{"kind":"st')
    assert read(path) == Record((Step(0), Step(1)))


def test_what_is_climbed_falls() -> None:
    climber = Optimizer(2, "SGD", settings={"maximize": True})
    steps = (
        Step(0, optimizer=2, loss=-3.0, called_factor=-1.0),
        Step(1, optimizer=1, loss=2.0),
        Step(2, optimizer=2),
    )
    seen = Record((Optimizer(1, "SGD"), climber, *steps)).steps
    assert [step.loss for step in seen] == [3.0, 2.0, None]
    assert [step.called_factor for step in seen] == [1.0, steps[1].called_factor, steps[2].called_factor]
