"""Finding, Where and Report: frozen, and the same after a trip through JSON."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.finding import SEVERITIES, Edit, Finding, Where
from sleuth.report import (
    STATUSES,
    Asked,
    BudgetSpent,
    Examined,
    Hypothesis,
    LossSeen,
    Measured,
    PartSeen,
    Ran,
    Remark,
    Report,
    ScoreSeen,
    Tried,
    Verdict,
)

text = st.text(max_size=20)
maybe_number = st.none() | st.integers(1, 10_000)
places = st.builds(
    Where,
    path=st.none() | text,
    line=maybe_number,
    column=maybe_number,
    end_line=maybe_number,
    end_column=maybe_number,
    module=st.none() | text,
    cell=maybe_number,
)
numbers = st.dictionaries(text, st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text)
findings = st.builds(
    Finding,
    message=text,
    severity=st.sampled_from(SEVERITIES),
    credence=st.floats(0, 1),
    where=st.none() | places,
    numbers=numbers,
    fix=text,
    cause=text,
    family=text,
    technique=text,
    confirmed_by=st.lists(text).map(tuple),
    sources=st.lists(text).map(tuple),
    edits=st.lists(
        st.builds(
            Edit,
            path=text,
            line=st.integers(1, 99),
            column=st.integers(1, 99),
            end_line=st.integers(1, 99),
            end_column=st.integers(1, 99),
            text=text,
            safe=st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
)
amounts = st.floats(-1e9, 1e9)
words = st.lists(text, max_size=2).map(tuple)
observations = (
    st.builds(Ran, text, st.integers(0, 99), words, amounts)
    | st.builds(LossSeen, st.none() | amounts, amounts, amounts)
    | st.builds(PartSeen, text, text, st.integers(0, 99), text, st.integers(0, 99), words)
    | st.builds(BudgetSpent, text)
    | st.builds(Remark, text)
    | st.builds(ScoreSeen, text | st.sampled_from(["run", "loss"]), st.none() | amounts)
    | st.builds(Measured, st.just("first"), st.dictionaries(text, text | st.integers()))
    | st.builds(Measured, st.just("terms"), not_examined=st.just("out of time"))
    | st.builds(Asked, text, st.just({"moves": True}), text)
)
curves = st.lists(st.none() | amounts, max_size=3).map(tuple)
tried = st.builds(Tried, text, st.sampled_from(["yes", "no", "none"]), text, amounts, curves, curves)
hypotheses = st.builds(Hypothesis, text, amounts, text, st.booleans(), words)
examined = st.builds(Examined, text, text, st.booleans(), text, amounts, text) | st.builds(Asked, text)


def several(entries: Any) -> Any:
    return st.lists(entries, max_size=3).map(tuple)


reports = st.builds(
    Report,
    verdict=st.builds(Verdict, status=st.sampled_from(STATUSES), summary=text),
    findings=st.lists(findings, max_size=4).map(tuple),
    observations=several(observations),
    experiments=several(tried),
    hypotheses=several(hypotheses),
    examined=several(examined),
    timing=st.dictionaries(text, st.floats(0, 1e6)),
)


@given(findings)
def test_a_finding_survives_json(finding: Finding) -> None:
    assert Finding.from_dict(json.loads(json.dumps(finding.to_dict()))) == finding


@given(reports)
def test_a_report_survives_json(report: Report) -> None:
    assert Report.from_dict(json.loads(json.dumps(report.to_dict()))) == report


@given(reports)
def test_findings_stand_by_falling_credence(report: Report) -> None:
    credences = [finding.credence for finding in report.findings]
    assert credences == sorted(credences, reverse=True)


def test_all_three_are_frozen() -> None:
    for item in (Where("a.py"), Finding("x"), Report(Verdict("nothing-found", ""))):
        first = dataclasses.fields(item)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(item, first, "other")


def test_a_report_of_a_newer_version_is_still_read() -> None:
    data = Report(Verdict("nothing-found", "fine")).to_dict() | {"novelty": 1}
    assert Report.from_dict(data).verdict.summary == "fine"


def test_a_report_of_another_schema_is_refused() -> None:
    with pytest.raises(ValueError, match=r"sleuth\.report/1"):
        Report.from_dict({"schema": "something/9", "verdict": {"status": "crashed", "summary": ""}})


@pytest.mark.parametrize("credence", [-0.1, 1.01, float("nan")])
def test_credence_is_a_probability(credence: float) -> None:
    with pytest.raises(ValueError, match="credence"):
        Finding("x", credence=credence)


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match="severity"):
        Finding("x", severity="fatal")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="status"):
        Verdict("fine", "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        (Where("a.py", 3), "a.py:3"),
        (Where("a.py"), "a.py"),
        (Where(module="net.0"), "net.0"),
        (Where("a.py", 3, module="net.0"), "a.py:3 in net.0"),
    ],
)
def test_a_place_reads_well(where: Where, shown: str) -> None:
    assert str(where) == shown
