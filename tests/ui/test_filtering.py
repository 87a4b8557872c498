"""What can be typed above the list."""

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.archive.marks import Marks
from sleuth.archive.run import Run
from sleuth.ui.filtering import asked
from sleuth.ui.lines import Line, line
from sleuth.ui.pages.runs import differences, words

NOW = datetime(2026, 5, 4, 12, 0)
VALUES = {"step/loss": {"a": (0.5, 0.1, 2.0), "b": (3.0, 3.0, 3.0)}}


def made(name: str, *command: str, **meta: object) -> Line:
    told = {
        "command": ["python", "train.py", *command],
        "script": "/p/train.py",
        "started": NOW.timestamp() - 7200,
        **meta,
    }
    return line(
        Run(name, Path("/x")), 0, "finished", told, 100, Marks(tags=("baseline",), note="best one"), "1"
    )


RUNS = (
    made("a", "--lr", "0.1", "--optimizer", "adam", ended=NOW.timestamp() - 7000),
    made("b", "--lr", "0.001", findings=[{"cause": "dead-relu", "severity": "error"}]),
    made("c", script="/p/other.py", started=NOW.timestamp() - 3 * 86400),
)


def fitting(text: str) -> str:
    wanted = asked(text, lambda name: VALUES.get(name, {}), NOW)
    assert not wanted.problem, wanted.problem
    return "".join(one.id for one in RUNS if wanted.fits(one))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "abc"),
        ("train.py lr", "ab"),
        ("LR", "ab"),
        ("lr>0.01", "a"),
        ("lr<=0.001", "b"),
        ("lr=0.1", "a"),
        ("lr!=0.1", "b"),
        ("optimizer=adam", "a"),
        ("optimizer!=adam", "bc"),
        ("loss<1", "a"),
        ("loss>=3", "b"),
        ("status:fin", "abc"),
        ("-status:finished", ""),
        ("cause:dead", "b"),
        ("cause:any", "b"),
        ("cause:none", "ac"),
        ("script:other", "c"),
        ("since:1d", "ab"),
        ("until:yesterday", "c"),
        ("tag:base", "abc"),
        ("-tag:base", ""),
        ("note:best", "abc"),
        ("is:starred", ""),
        ("is:noted lr>0.01", "a"),
        ("id:b", "b"),
        ("steps>=100", "abc"),
        ("seconds>100", "a"),
        ("'best one'", "abc"),
        ('"best', "abc"),
        ("cause:", "abc"),
        ("-dead-relu", "ac"),
    ],
)
def test_words_narrow_the_list(text: str, found: str) -> None:
    assert fitting(text) == found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("status:gone", "no status"),
        ("since:never", "as a time"),
        ("lr>big", "no number"),
        ("is:red", "is: knows"),
    ],
)
def test_what_is_not_understood_is_told_and_hides_nothing(text: str, told: str) -> None:
    wanted = asked(text, lambda name: {}, NOW)
    assert told in wanted.problem
    assert all(wanted.fits(one) for one in RUNS)


@given(st.text(max_size=40))
def test_nothing_that_is_typed_breaks_the_list(text: str) -> None:
    wanted = asked(text, lambda name: {}, NOW)
    assert {wanted.fits(one) for one in RUNS} <= {True, False}


def test_what_was_asked_of_sleuth_is_no_setting_of_the_script() -> None:
    command = ["sleuth", "watch", "--level", "full", "train.py", "--lr", "0.1"]
    told = {"command": command, "script": "/p/train.py"}
    made_of = line(Run("a", Path("/x")), 0, "finished", told, 1, Marks(), "1")
    assert made_of.settings == {"lr": 0.1}


def test_only_what_differs_from_its_neighbours_is_shown() -> None:
    runs = [made("a", "--lr", "0.1", "--depth", "3"), made("b", "--lr", "0.2", "--depth", "3", "--half")]
    differing = differences(runs)
    assert [words(one, differing[one.script]) for one in runs] == [("lr 0.1",), ("lr 0.2", "half")]
