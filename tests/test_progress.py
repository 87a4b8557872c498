"""Live progress: what is under way, since when, and what is left of the budget."""

import sys

import pytest

from sleuth.show.progress import Progress, telling


def test_each_running_experiment_has_its_line_and_loses_it_with_its_answer() -> None:
    progress = Progress(100.0, budget=60.0)
    progress.told("lint", "reading the source", 100.0)
    progress.told("watch", "running a short stretch under observation", 101.0)
    assert len(progress.lines(103.0)) == 2
    assert (
        progress.told("done", "base: finished after 196 steps", 110.0)
        == "   seen  196 steps watched: ran to its end"
    )
    progress.told("experiment", "Does it fail to memorise one batch?", 110.0)
    progress.told("experiment", "Is it clearly better with double-softmax corrected?", 112.0)
    assert progress.lines(115.4) == [
        "    5 s  Does it fail to memorise one batch?",
        "    3 s  Is it clearly better with double-softmax corrected?",
        "   45 s of 60 s left",
    ]
    said = progress.told("answer", "undo(double-softmax): with it corrected it is clearly better", 120.0)
    assert said == " answer  undo(double-softmax): with it corrected it is clearly better"
    assert progress.lines(200.0) == ["   90 s  Does it fail to memorise one batch?", "    0 s of 60 s left"]


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("probe: finished after 0 steps", "first step examined"),
        ("probe: stopped after 0 steps", "first step examined"),
        ("probe: killed after 0 steps", "first step could not be examined (the time was up)"),
        ("base: wrote after 3 steps", "3 steps watched: writes files, so it is run again in a copy"),
    ],
)
def test_an_ending_reads_like_one(told: str, shown: str) -> None:
    assert Progress(0.0).told("done", told, 1.0) == f"   seen  {shown}"


def test_in_a_pipe_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with telling(False, 60.0) as tell:
        tell("answer", "x: y")
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with telling(False, 60.0) as tell:
        tell("experiment", "Is it [bold] luck?")
        tell("answer", "other-seed: [alike]")
    assert "other-seed: [alike]" in capsys.readouterr().err
