"""The pages of a diagnosis: on a terminal, and as one file of HTML."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from sleuth.finding import Finding, Where
from sleuth.report import (
    BudgetSpent,
    Hypothesis,
    LossSeen,
    PartSeen,
    Ran,
    Report,
    ScoreSeen,
    Tried,
    Verdict,
)
from sleuth.show import diagnosis_html, diagnosis_text

SOURCE = "import torch\n\nfor epoch in range(9):\n    for rows in loader:\n        pass\n"
MESSAGE = (
    "In 50% of the rows that were looked at every unit of this layer is silent, and a unit that is silent "
    "for all of them gets no gradient."
)
REPORT = Report(
    Verdict("cause-found", f"dead-units at dead.py:5: {MESSAGE}"),
    (
        Finding(
            MESSAGE,
            "error",
            0.93,
            Where("dead.py", 5, module="2"),
            fix="Lower the rate, or start with a leaky unit.",
            cause="dead-units",
            confirmed_by=("undo(dead-units)",),
            sources=("A book",),
        ),
    ),
    observations=(
        Ran(status="stopped", steps=12, shortened=("/tmp/x/dead.py:3", "/tmp/x/dead.py:4#"), seconds=1.25),
        LossSeen(first=2.3, last=2.2, lowest=2.1),
        ScoreSeen("test accuracy", 0.25),
        PartSeen(what="dead", module="2", line=5, path="/tmp/x/dead.py", step=3, asked=("2",)),
        BudgetSpent(spent=True, next="undo(lr-too-high)"),
    ),
    experiments=(
        Tried(
            name="undo(dead-units)",
            answer="yes",
            seen="with dead-units corrected it is clearly better (loss 2.3 → 2.2 before, → 0.1 now; "
            "accuracy 0.25 before, 1 now)",
            seconds=1.0,
            base_curve=(2.3, 2.3, 2.2),
            curve=(2.3, 1.0, 0.1),
        ),
        Tried(
            name="same-batch",
            answer="no",
            seen="memorises one batch",
            seconds=1.0,
            base_curve=(2.3, 2.2),
            curve=(2.3, None),
        ),
        Tried(name="float64", answer="none", seen="not available", seconds=0.0, base_curve=(), curve=()),
    ),
    hypotheses=(
        Hypothesis(
            hypothesis="nothing-wrong",
            credence=0.0002,
            refuted_by="any check that fails",
            closed=True,
            closed_by=("undo(dead-units)",),
        ),
        Hypothesis(
            hypothesis="dead-units",
            credence=0.93,
            refuted_by="a unit that is silent in one batch and speaks in another one, at each of the "
            "places that were looked at",
            closed=False,
            closed_by=(),
        ),
        Hypothesis(
            hypothesis="not-in-catalog",
            credence=0.06,
            refuted_by="a confirmed cause",
            closed=False,
            closed_by=(),
        ),
    ),
    timing={"total": 57.0, "budget": 60.0},
)
HEALTHY = replace(REPORT, verdict=Verdict("nothing-found", "It learns."), findings=())

GOLDEN = """\
Cause found  dead.py

✗ dead-units  almost certain (93%)
  dead.py:5, module 2
  In 50% of the rows that were looked at every unit of this layer is
  silent, and a unit that is silent for all of them gets no gradient.
  confirmed by undo(dead-units)
  fix  Lower the rate, or start with a leaky unit.
  sleuth explain dead-units

Watched 12 steps in 1.2 s; cut short: `for epoch` (dead.py:3) and `for
rows` (dead.py:4).
All values are first zero in module 2 (dead.py:5), at step 3.
  yes  undo(dead-units): with dead-units corrected it is clearly better
       (loss 2.3 → 2.2 before, → 0.1 now; accuracy 0.25 before, 1 now)
       as it is  ███
       changed   █▄▁
  no   same-batch: memorises one batch
  –    float64: not available
The budget ran out before `undo(lr-too-high)`: try --budget 2m.

Hypotheses
  93.0%  dead-units
         refuted by a unit that is silent in one batch and speaks in …
   6.0%  not-in-catalog
         refuted by a confirmed cause
  <0.1%  nothing-wrong, ruled out by undo(dead-units)"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dead.py").write_text(SOURCE)
    return "dead.py"


def test_the_terminal_page(script: str) -> None:
    assert diagnosis_text.page(REPORT, script, width=72) == GOLDEN


@pytest.mark.parametrize("width", [40, 61, 100, 300])
def test_lines_keep_to_the_width(script: str, width: int) -> None:
    lines = diagnosis_text.page(REPORT, script, width=width).splitlines()
    assert max(map(len, lines)) <= max(min(width, 100), len("       as it is  ") + 40)


def test_a_page_in_colour_says_the_same(script: str) -> None:
    import click

    painted = diagnosis_text.page(REPORT, script, colour=True, width=72)
    assert painted != GOLDEN
    assert click.unstyle(painted) == GOLDEN


def test_a_yes_is_green_only_where_it_confirmed_a_cause(script: str) -> None:
    assert "\x1b[32myes" in diagnosis_text.page(REPORT, script, colour=True)
    plain = diagnosis_text.page(HEALTHY, script, colour=True)
    assert "\x1b[32myes" not in plain
    assert "Not a fault: the model learns as it is." in plain


def test_a_hypothesis_is_ruled_out_only_by_something(script: str) -> None:
    entry = Hypothesis(hypothesis="x", credence=0.001, refuted_by="y", closed=True)
    page = diagnosis_text.page(replace(REPORT, hypotheses=(entry,)), script)
    assert "ruled out" not in page


def test_a_loop_whose_file_is_gone_is_named_by_its_line(tmp_path: Path) -> None:
    page = diagnosis_text.page(REPORT, str(tmp_path / "elsewhere" / "main.py"))
    assert "cut short: the loop at dead.py:3 and the loop at dead.py:4." in " ".join(page.split())


def words_of(page: str) -> str:
    """What a reader sees."""
    text = re.sub(r"<(style|title)>.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def test_the_page_says_each_thing_once(script: str) -> None:
    page = diagnosis_html.document(REPORT, script)
    shown = words_of(page)
    assert shown.count(MESSAGE) == shown.count("The budget ran out") == 1
    assert "<h1>Cause found</h1>" in page
    assert "<title>Cause found: dead.py</title>" in page
    assert "dead.py:5, module 2" in shown
    assert shown.index("dead-units") < shown.index("not-in-catalog") < shown.index("nothing-wrong")
    assert "prefers-color-scheme: dark" in page
    assert "http" not in page


@pytest.mark.parametrize(
    "sentence",
    [
        "Is it clearly better with dead-units corrected? Yes. Confirms dead-units.",
        "Does it fail to memorise one batch? No.",
        "Is it clearly better in double precision? No answer.",
        "The budget ran out before `undo(lr-too-high)`: try --budget 2m.",
        "ruled out by undo(dead-units)",
        "cut short: `for epoch` (dead.py:3) and `for rows` (dead.py:4). It was stopped there.",
        "2.3 at first, 2.2 at the end; 2.1 at its lowest.",
        "All values are first zero in module 2 (dead.py:5), at step 3.",
    ],
)
def test_the_page_speaks_in_sentences(script: str, sentence: str) -> None:
    assert sentence in words_of(diagnosis_html.document(REPORT, script))


def test_no_sign_calls_an_answer_good_or_bad(script: str) -> None:
    assert not set("✔✘") & set(diagnosis_html.document(REPORT, script))


def test_the_numbers_of_the_axes_stand_outside_the_curves(script: str) -> None:
    page = diagnosis_html.document(REPORT, script)
    points = [
        tuple(map(float, p.split(",")))
        for found in re.findall(r"points='(.*?)'", page)
        for p in found.split()
    ]
    labels = re.findall(r"<text x='([\d.]+)' y='([\d.]+)'", page)
    assert labels
    left, floor = min(x for x, _ in points), max(y for _, y in points)
    assert all(float(x) < left or float(y) > floor for x, y in labels)


def test_the_last_step_is_that_of_the_run_where_a_curve_was_thinned(script: str) -> None:
    run = Ran(status="finished", steps=1000, shortened=(), seconds=1.0)
    curve = tuple(1.0 / (n + 1) for n in range(200))
    experiment = replace(REPORT.experiments[0], base_curve=curve, curve=curve)
    page = diagnosis_html.document(replace(REPORT, observations=(run,), experiments=(experiment,)), script)
    assert ">1000</text>" in page


def test_a_yes_where_nothing_was_found_is_explained(script: str) -> None:
    shown = words_of(diagnosis_html.document(HEALTHY, script))
    assert "Not a fault: the model learns as it is." in shown
    assert "Confirms" not in shown
