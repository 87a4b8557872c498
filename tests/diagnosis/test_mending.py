"""Applying a fix: what it says where there is none, which paths a diff names, what the JSON holds."""

import json
from pathlib import Path
from typing import Any

import pytest

from sleuth.cli import run
from sleuth.diagnosis import mending
from sleuth.diagnosis.request import Request
from sleuth.finding import Edit, Finding
from sleuth.report import Report, Verdict

BROKEN = "loss.backward()\nopt.step()\n"


def report(path: str, edits: bool = True, severity: str = "error") -> Report:
    edit = Edit(path, 1, 1, 1, 1, "opt.zero_grad()\n")
    finding = Finding("seen", severity, cause="missing-zero-grad", edits=(edit,) if edits else ())  # type: ignore[arg-type]
    return Report(Verdict("cause-found", "it is"), (finding,))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mending, "_both_runs", lambda request, planned: (None, None))
    (tmp_path / "train.py").write_text(BROKEN)
    return tmp_path


def answering(monkeypatch: pytest.MonkeyPatch, found: Report) -> None:
    monkeypatch.setattr("sleuth.diagnosis.diagnose.answered", lambda request, tell: found)


@pytest.mark.parametrize("given", ["train.py", "{folder}/train.py"])
def test_a_diff_names_the_file_from_here(folder: Path, given: str) -> None:
    tried = mending.mend(report(given.format(folder=folder)), Request(folder / "train.py"), in_place=False)
    assert tried.diff.startswith("--- a/train.py\n+++ b/train.py\n")
    assert (folder / "train.py").read_text() == BROKEN


def test_a_diff_of_a_file_elsewhere_names_it_from_the_root(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    tried = mending.mend(report(str(folder / "train.py")), Request(folder / "train.py"), in_place=False)
    assert tried.diff.splitlines()[0] == f"--- a{folder}/train.py"


def test_the_encoding_of_a_file_is_kept(folder: Path) -> None:
    (folder / "train.py").write_bytes("# -*- coding: latin-1 -*-\nx = 1  # é\n".encode("latin-1"))
    mending.mend(report("train.py"), Request(folder / "train.py"), in_place=False)
    assert "é" in (folder / "train.fixed.py").read_text("latin-1")


@pytest.mark.parametrize("options", [["--in-place"], ["--in-place", "--apply-fix"]])
def test_in_place_changes_the_file_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    answering(monkeypatch, report("train.py"))
    assert run(["diagnose", *options, "--json", "out.json", "train.py"]) == 1
    assert "opt.zero_grad()" in (folder / "train.py").read_text()
    told: dict[str, Any] = json.loads((folder / "out.json").read_text())["fix_applied"]
    assert (told["cause"], told["written"], told["better"]) == ("missing-zero-grad", ["train.py"], None)
    assert told["diff"] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("found", "code", "words"),
    [
        (report("train.py", edits=False), 1, "None of the findings has an edit"),
        (report("train.py", severity="note"), 0, "Nothing was found that could be repaired."),
    ],
)
def test_without_an_edit_the_exit_code_stays_and_says_so(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: Report,
    code: int,
    words: str,
) -> None:
    answering(monkeypatch, found)
    assert run(["diagnose", "--apply-fix", "--json", "-", "train.py"]) == code
    shown = capsys.readouterr()
    assert f"No fix was applied. {words}" in shown.err
    assert words in json.loads(shown.out)["fix_applied"]["reason"]
    assert not (folder / "train.fixed.py").exists()
