"""A healthy run: nothing but notes, and every cause was looked for."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth import catalog
from sleuth.judge.explain import roots_before_symptoms
from sleuth.record import entries as kinds
from sleuth.record.entries import Batch, End, Evaluation, Layers, LossCall, Metric, Record, Step
from sleuth.record.questions import NotRecorded
from sleuth.report import Report
from sleuth.symptoms import causes_of, symptoms
from sleuth.watching.judging import judge
from tests.watching.detectors.records import add, drop, falling, found, healthy, spoil, step


@pytest.mark.parametrize("steps", [1, 4, 10, 50, 120, 300])
def test_a_healthy_run_of_any_length_gets_no_alarm(steps: int) -> None:
    report = judge(healthy(steps))
    loud = [(f.cause, f.message) for f in report.findings if f.severity != "note"]
    assert not loud


def test_a_healthy_run_has_few_notes() -> None:
    assert len(judge(healthy()).findings) <= 2


def test_nearly_every_cause_could_be_examined_in_a_full_record() -> None:
    missing = {entry.cause for entry in judge(healthy()).causes_examined if not entry.done}
    # These need lines that a plain run does not have: those of agents, of models that are fed tokens.
    assert missing <= {
        "logit-threshold",
        "structural-ceiling",
        "weights-not-loaded",
        "boundary-starved",
        "metric-accumulation-bug",
    } | {slug for slug, cause in catalog.causes().items() if cause.family in ("rl", "language")}


def test_every_general_cause_that_watch_can_see_has_a_detector() -> None:
    described = {
        slug
        for slug, cause in catalog.causes().items()
        if "watch" in cause.described and cause.family != "rl"
    }
    built = {slug for slug in described if "watch" in catalog.find(slug).detectors}
    assert built == described
    assert len(built) >= 75


def test_an_empty_record_is_inconclusive_and_says_what_is_missing() -> None:
    report = judge(Record())
    assert report.verdict.status == "inconclusive"
    assert not report.findings
    assert any("no" in entry.reason for entry in report.causes_examined if not entry.done)


def test_a_crash_without_a_known_cause_is_told() -> None:
    end = End("raised", exception="KeyError", message="'labels'")
    assert judge(add(drop(healthy(), End), end)).verdict.status == "crashed"


def test_the_report_is_json_and_can_be_read_again() -> None:
    report = judge(spoil(healthy(), Step, loss=lambda s: float("nan") if s.n > 50 else s.loss))
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert Report.from_dict(json.loads(text)).verdict == report.verdict


def test_every_symptom_points_at_causes() -> None:
    assert all(len(causes_of(symptom.name)) >= 5 for symptom in symptoms(healthy()))


def test_a_symptom_beside_its_root_becomes_a_note() -> None:
    (one,) = found("missing-zero-grad", spoil(healthy(), Step, left_over=2.0))
    symptom = replace(one, cause="exploding-gradients")
    ranked = roots_before_symptoms([one, symptom])
    assert [e.telling for e in ranked] == ["proven", "aside"]
    assert "missing-zero-grad" in ranked[1].message
    assert [e.telling for e in roots_before_symptoms([symptom])] == ["proven"]


def test_symptoms_of_a_healthy_run_are_all_absent() -> None:
    assert {s.present for s in symptoms(healthy()) if s.name != "seeds apart"} == {"no"}
    assert {s.present for s in symptoms(Record())} == {"unknown"}


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("stuck from the start", spoil(healthy(), Step, loss=lambda s: 1.1 + 0.02 * falling(s.n, 0, 0))),
        (
            "falls, then explodes",
            spoil(healthy(), Step, loss=lambda s: s.loss if s.n < 80 else 1.3 ** (s.n - 78)),
        ),
        ("oscillates", spoil(healthy(), Step, loss=lambda s: 1.0 + 0.9 * (-1) ** s.n)),
        ("not finite", spoil(healthy(), Step, loss=lambda s: float("nan") if s.n == 70 else s.loss)),
        ("good in training, bad in validation", spoil(healthy(), Evaluation, loss=1.5)),
        ("constant output", spoil(healthy(), Evaluation, constant_output=True)),
        ("steps take longer and longer", spoil(healthy(), Step, total_s=lambda s: 0.01 + 0.001 * s.n)),
        ("metric apart from loss", spoil(healthy(), Evaluation, correct=0.33)),
    ],
)
def test_symptoms_are_seen(name: str, record: Record) -> None:
    answers = {s.name: s.present for s in symptoms(record)}
    assert answers[name] == "yes"


def test_seeds_that_end_far_apart_are_seen() -> None:
    bad = spoil(healthy(), Step, loss=lambda s: 1.1)
    answers = {s.name: s.present for s in symptoms(healthy(), [healthy(), bad])}
    assert answers["seeds apart"] == "yes"
    answers = {s.name: s.present for s in symptoms(healthy(), [healthy(), healthy()])}
    assert answers["seeds apart"] == "no"


NUMBER = st.none() | st.floats(-1e3, 1e3) | st.sampled_from([0.0, float("nan"), float("inf"), 1e-12, 1e30])


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_record_however_odd_breaks_a_detector(data: st.DataObject) -> None:
    """Lines left out, numbers missing, zero, huge, not finite: an answer, or the reason why there is none."""
    record = healthy(data.draw(st.sampled_from([3, 12, 60])))
    gone = data.draw(st.sets(st.sampled_from(list(kinds.KINDS.values())), max_size=4))
    record = drop(record, *gone)
    numbers = "loss called_loss grad_norm grad_norm_at_step left_over lr weight_norm update_norm clip".split()
    odd = {name: data.draw(NUMBER) for name in data.draw(st.sets(st.sampled_from(numbers), max_size=4))}
    record = spoil(record, Step, **odd)
    record = spoil(record, LossCall, value=data.draw(NUMBER), input_max=data.draw(NUMBER), classes=None)
    record = spoil(record, Evaluation, loss=data.draw(NUMBER), correct=data.draw(NUMBER), fingerprint="")
    record = spoil(record, Batch, values=() if data.draw(st.booleans()) else (lambda b: b.values))
    record = spoil(record, Layers, gradients={}, activations={}) if data.draw(st.booleans()) else record
    record = spoil(record, Metric, value=data.draw(st.floats(allow_nan=True)))
    catalog.examine("watch", record, NotRecorded)
    symptoms(record)


def test_the_healthy_run_is_the_same_each_time() -> None:
    assert healthy() == healthy()
    assert step(3) == step(3)
