"""The eleven questions: what is not known is not a no, and a crash comes first."""

from pathlib import Path

import pytest

from sleuth.diagnosis.case import Case
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.triage import Question, Reply, _none, questions
from sleuth.lab.job import Ending
from sleuth.show.cases import triage_page

CRASH = Ending(
    "base",
    "raised",
    exception="RuntimeError",
    message="mat1 and mat2 shapes cannot be multiplied (4x5 and 3x2)",
    frames=(("train.py", 3, "<module>"),),
)


@pytest.mark.parametrize(
    ("replies", "reply", "seen"),
    [
        (("no", "no", "no"), "yes", ""),
        (("no", "yes", "unknown"), "no", ""),
        (("no", "no", "unknown"), "unknown", "cannot say: 1 question could not be answered"),
        (("unknown", "no", "unknown"), "unknown", "cannot say: 2 questions could not be answered"),
    ],
)
def test_none_of_these_says_yes_only_after_nothing_but_no(
    replies: tuple[Reply, ...], reply: Reply, seen: str
) -> None:
    last = _none([Question("q", "?", answer) for answer in replies])
    assert (last.reply, last.seen) == (reply, seen)


def test_a_case_without_a_record_has_no_answer_to_the_last_question() -> None:
    asked = questions(Case(Request(Path("train.py"))))
    assert (len(asked), asked[-1].reply) == (11, "unknown")


def test_after_a_crash_one_sentence_stands_for_what_is_not_known() -> None:
    asked = questions(Case(Request(Path("train.py")), base=CRASH))
    page = triage_page(asked)
    assert "?" not in page.replace("Does it raise an exception?", "")
    assert "RuntimeError at train.py:3: mat1 and mat2 shapes" in page
    assert "Shapes do not fit together" in page
    assert page.splitlines()[-1].startswith("It must run first: the other ")
    assert triage_page(asked, brief=True).splitlines() == ["  1. YES  Does it raise an exception?"]


def test_questions_that_a_crash_left_answered_are_shown() -> None:
    asked = [
        Question("traceback", "Does it raise an exception?", "yes", "KeyError: 'y'"),
        Question("stuck", "Is the loss stuck from the start?", "no", "loss 2 at the start, 1 at the end"),
        Question("slow", "Do steps take longer and longer?", "unknown"),
        Question("none", "None of these?", "no"),
    ]
    page = triage_page(asked)
    assert "loss 2 at the start" in page
    assert "longer" not in page
    assert "None of these" not in page
