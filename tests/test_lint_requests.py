"""What may be asked of `sleuth lint` together, what may not, and what a slip in a request costs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sleuth.lint.reports import Trouble

BROKEN = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).mean().backward()
    optimizer.step()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(BROKEN)
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sleuth", "lint", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--yes"], "--yes goes with --fix"),
        (["--fix", "--audit"], "--audit repairs nothing"),
        (["--fix-unsafe", "--audit"], "--fix-unsafe"),
        (["--fix", "--format", "json"], "--fix shows a diff"),
        (["--fix-unsafe", "--yes", "--format", "sarif"], "--format sarif"),
        (["--fix", "--json", "out.json"], "--json"),
        (["--select", ""], "--select names no cause"),
        (["--select", "loss", "--select", " , "], "--select names no cause"),
        (["--audit", "--select", "loss"], "--audit takes no --select"),
        (["--audit", "--ignore", "loss"], "--audit takes no --ignore"),
        (["--audit", "--format", "sarif"], "--format sarif"),
        (["--audit", "--format", "json", "--json", "-"], "both want standard output"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_sentence(
    folder: Path, words: list[str], part: str
) -> None:
    done = run(folder, *words, "train.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert part in done.stderr
    assert [path.name for path in folder.iterdir()] == ["train.py"]
    assert (folder / "train.py").read_text() == BROKEN


def test_text_is_no_machine_format(folder: Path) -> None:
    assert "nn.Softmax" in run(folder, "--fix-unsafe", "--format", "text", "train.py").stdout


def test_ignoring_nothing_is_no_mistake(folder: Path) -> None:
    assert run(folder, "--ignore", "", "train.py").returncode == 1


def test_a_missing_path_does_not_cost_the_others(folder: Path) -> None:
    done = run(folder, "nosuch.py", "train.py", "nor_this.py")
    assert "[double-softmax]" in done.stdout
    assert done.stderr == (
        "sleuth: There is no file or folder 'nosuch.py'.\nsleuth: There is no file or folder 'nor_this.py'.\n"
    )
    assert done.returncode == 2


@pytest.mark.parametrize("words", [["--format", "github"], ["--audit"], ["--fix-unsafe"]])
def test_nor_with_other_requests(folder: Path, words: list[str]) -> None:
    done = run(folder, *words, "train.py", "nosuch.py")
    assert "train.py" in done.stdout
    assert "sleuth: There is no file or folder 'nosuch.py'.\n" in done.stderr
    assert done.returncode == 2


def test_where_all_paths_are_missing_there_is_nothing_to_lint(folder: Path) -> None:
    done = run(folder, "nosuch.py", "nor_this.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sleuth: There is no file or folder 'nosuch.py'.\n"


def test_fix_does_not_promise_safety_where_unsafe_was_asked_for(folder: Path) -> None:
    (folder / "train.py").write_text("import torch\n")
    assert run(folder, "--fix-unsafe", "train.py").stderr == "Nothing that can be repaired; 0 findings.\n"
    assert "safely (--fix-unsafe may know more); 0 findings" in run(folder, "--fix", "train.py").stderr


def test_paths_are_optional_and_help_says_so(folder: Path) -> None:
    assert "sleuth lint [OPTIONS] [PATHS]..." in run(folder, "--help").stdout


def test_a_question_gets_no_full_stop() -> None:
    trouble = Trouble("a.py", 3, "Did you mean print(...)?.")
    assert str(trouble) == "Cannot read a.py:3: Did you mean print(...)?"


def test_an_audit_as_json_is_grouped_by_question(folder: Path) -> None:
    done = run(folder, "--audit", "--format", "json", "train.py")
    assert done.returncode == 0
    groups = {group["question"]: group for group in json.loads(done.stdout)["groups"]}
    losses = groups["losses and reductions"]
    assert losses["why"].endswith("?")
    assert [(place["path"], place["line"]) for place in losses["places"]] == [("train.py", 8)]


@pytest.mark.parametrize(
    "line",
    [
        "F.cross_entropy(scores, y)",
        "nn.CrossEntropyLoss()",
        "F.binary_cross_entropy_with_logits(scores, y)",
        "F.kl_div(p, q)",
        "criterion(scores, y)",
        "errors.sum()",
        "torch.mean(errors)",
    ],
)
def test_an_audit_lists_losses_and_reductions(folder: Path, line: str) -> None:
    (folder / "train.py").write_text(f"{line}\nsum(numbers)\n")
    done = run(folder, "--audit", "train.py")
    assert f"train.py:1  {line}" in done.stdout
    assert "train.py:2" not in done.stdout


@pytest.mark.parametrize("form", ["json", "sarif", "junit"])
def test_a_machine_is_told_where_nothing_could_be_read(folder: Path, form: str) -> None:
    (folder / "train.py").write_text("def (:\n")
    done = run(folder, "--format", form, "train.py")
    assert done.returncode == 2
    assert done.stdout
    assert "train.py:1: invalid syntax" in done.stderr
