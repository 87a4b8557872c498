"""The pages of a diagnosis: on a terminal, and as one file of HTML."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sleuth.finding import Finding, Report, Verdict, Where
from sleuth.show import diagnosis_text

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
        {
            "name": "run",
            "status": "stopped",
            "steps": 12,
            "shortened": ["/tmp/x/dead.py:3", "/tmp/x/dead.py:4#"],
            "seconds": 1.25,
        },
        {"name": "loss", "first": 2.3, "last": 2.2, "lowest": 2.1},
        {"name": "test accuracy", "value": 0.25},
        {
            "name": "bisect",
            "what": "dead",
            "module": "2",
            "line": 5,
            "path": "/tmp/x/dead.py",
            "step": 3,
            "asked": ["2"],
        },
        {"name": "budget", "spent": True, "next": "undo(lr-too-high)"},
    ),
    experiments=(
        {
            "name": "undo(dead-units)",
            "answer": "yes",
            "seen": "with dead-units undone it is clearly better (loss 2.3 "
            "→ 2.2 before, → 0.1 now; share right 0.25 before, 1 now)",
            "seconds": 1.0,
            "base_curve": [2.3, 2.3, 2.2],
            "curve": [2.3, 1.0, 0.1],
        },
        {
            "name": "same-batch",
            "answer": "no",
            "seen": "memorises one batch",
            "seconds": 1.0,
            "base_curve": [2.3, 2.2],
            "curve": [2.3, None],
        },
        {
            "name": "float64",
            "answer": "none",
            "seen": "not available",
            "seconds": 0.0,
            "base_curve": [],
            "curve": [],
        },
    ),
    hypotheses=(
        {
            "hypothesis": "nothing-wrong",
            "credence": 0.0002,
            "refuted_by": "any check that fails",
            "closed": True,
            "closed_by": ["undo(dead-units)"],
        },
        {
            "hypothesis": "dead-units",
            "credence": 0.93,
            "refuted_by": "a unit that is silent in one batch and speaks in "
            "another one, at each of the places that were looked at",
            "closed": False,
            "closed_by": [],
        },
        {
            "hypothesis": "not-in-catalog",
            "credence": 0.06,
            "refuted_by": "a confirmed cause",
            "closed": False,
            "closed_by": [],
        },
    ),
    timing={"total": 57.0},
)
HEALTHY = replace(REPORT, verdict=Verdict("nothing-found", "It learns."), findings=())

GOLDEN = """\
Cause found  dead.py

dead-units  almost certain (93%)
  dead.py:5, module 2
  In 50% of the rows that were looked at every unit of this layer is
  silent, and a unit that is silent for all of them gets no gradient.
  confirmed by undo(dead-units)
  fix  Lower the rate, or start with a leaky unit.
  sleuth explain dead-units

Watched 12 steps in 1.2 s; cut short: `for epoch` (dead.py:3) and `for
rows` (dead.py:4).
All values are first zero in module 2 (dead.py:5), at step 3.
  yes  undo(dead-units): with dead-units undone it is clearly better
       (loss 2.3 → 2.2 before, → 0.1 now; share right 0.25 before, 1
       now)
       as it is  ███
       changed   █▄▁
  no   same-batch: memorises one batch
  –    float64: not available
The budget ran out; next would be `undo(lr-too-high)`: try --budget 2m.

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
    assert "Not a fault: it learns as it is." in plain


def test_a_hypothesis_is_ruled_out_only_by_something(script: str) -> None:
    entry: dict[str, Any] = {"hypothesis": "x", "credence": 0.001, "refuted_by": "y", "closed": True}
    page = diagnosis_text.page(replace(REPORT, hypotheses=(entry,)), script)
    assert "ruled out" not in page


def test_a_loop_whose_file_is_gone_is_named_by_its_line(tmp_path: Path) -> None:
    page = diagnosis_text.page(REPORT, str(tmp_path / "elsewhere" / "main.py"))
    assert "cut short: the loop at dead.py:3 and the loop at dead.py:4." in page
