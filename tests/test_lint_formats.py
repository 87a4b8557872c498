"""The formats other tools read: what they say of notebooks, of unreadable files, of where to read on."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from sleuth.finding import Evidence, Where
from sleuth.lint import LintResult
from sleuth.lint.reports import Trouble
from sleuth.show.lint_formats import render

IN_A_CELL = Evidence(
    "It is wrong.", "proven", Where("a.ipynb", 4, 1, cell=2), fix="Mend it.", cause="double-softmax"
)
IN_A_FILE = Evidence("It is odd.", where=Where("a.py", 4, 1), cause="missing-step")
TORN = Trouble("torn.py", 3, "'(' was never closed.", partly=True)
LOST = Trouble("lost.py", None, "it is a binary file, not Python source.")


@pytest.fixture
def result() -> LintResult:
    return LintResult((IN_A_CELL, IN_A_FILE), (TORN, LOST), files=4)


def sarif(result: LintResult) -> dict[str, Any]:
    (run,) = json.loads(render(result, "sarif"))["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_names_the_cell(result: LintResult) -> None:
    in_cell, in_file = sarif(result)["results"]
    assert in_cell["locations"][0]["logicalLocations"] == [{"name": "cell 2", "kind": "cell"}]
    assert in_cell["message"]["text"] == "Cell 2, line 4: It is wrong. Mend it."
    assert "logicalLocations" not in in_file["locations"][0]
    assert in_file["message"]["text"] == "It is odd."


def test_sarif_notifies_of_what_could_not_be_read(result: LintResult) -> None:
    (invocation,) = sarif(result)["invocations"]
    assert invocation["executionSuccessful"] is False
    torn, lost = invocation["toolExecutionNotifications"]
    assert (torn["level"], lost["level"]) == ("warning", "error")
    assert torn["message"]["text"] == str(TORN)
    (place,) = torn["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "torn.py"
    assert place["physicalLocation"]["region"] == {"startLine": 3}
    assert "region" not in lost["locations"][0]["physicalLocation"]


def test_sarif_of_what_could_be_read_in_part_is_a_success() -> None:
    (invocation,) = sarif(LintResult(troubles=(TORN,), files=1))["invocations"]
    assert invocation["executionSuccessful"] is True


def test_github_names_the_cell_and_where_to_read_on(result: LintResult) -> None:
    in_cell, in_file, *_ = render(result, "github").splitlines()
    assert in_cell.endswith("::Cell 2, line 4: It is wrong. Mend it. More: sleuth explain double-softmax")
    assert in_file.endswith("::It is odd. More: sleuth explain missing-step")


def test_github_annotates_what_could_not_be_read(result: LintResult) -> None:
    *_, torn, lost = render(result, "github").splitlines()
    assert torn == f"::warning file=torn.py,line=3,title=sleuth unreadable::{TORN}"
    assert lost == f"::error file=lost.py,title=sleuth unreadable::{LOST}"


def test_junit_lets_nothing_pass_that_could_not_be_read(result: LintResult) -> None:
    suite = ElementTree.fromstring(render(result, "junit"))[0]
    counts = {name: suite.attrib[name] for name in ("tests", "failures", "errors")}
    assert counts == {"tests": "4", "failures": "2", "errors": "2"}
    assert [case[0].tag for case in suite] == ["failure", "failure", "error", "error"]
    assert suite[0][0].text == (
        "a.ipynb:cell 2:4: It is wrong. Mend it.\nmore: sleuth explain double-softmax"
    )
    assert (suite[2].attrib["name"], suite[2][0].attrib["message"]) == ("torn.py:3", str(TORN))


def test_json_says_where_to_read_on(result: LintResult) -> None:
    first = json.loads(render(result, "json"))["findings"][0]
    assert first["more"] == "sleuth explain double-softmax"
