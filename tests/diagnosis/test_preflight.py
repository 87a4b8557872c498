"""Before the run: shares that tell causes apart, a command to type for each, and cases by hand."""

from pathlib import Path

import pytest

from sleuth.cli import run
from sleuth.diagnosis.preflight import expected_failures
from sleuth.show.cases import preflight_page

SOFTMAX = """
import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    loss = loss_fn(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my train.py").write_text(SOFTMAX)
    return tmp_path / "my train.py"


def test_each_cause_has_a_chance_and_a_command(script: Path) -> None:
    found = expected_failures(script, "my train.py")
    first, *rest = found
    assert (first.cause, first.check) == (
        "double-softmax",
        "sleuth lint 'my train.py' --select double-softmax",
    )
    assert first.why == "lint points at my train.py:4"
    assert sum(entry.chance for entry in found) == pytest.approx(1.0, abs=0.1)  # but for rl and physics
    assert all(entry.check.startswith("sleuth ") and "\n" not in entry.check for entry in found)
    assert not any(entry.check.startswith("sleuth lint") for entry in rest)  # it has looked, and is silent
    page = preflight_page("my train.py", found[:8])
    assert "(0%)" not in page
    assert "0.0%" not in page


@pytest.mark.parametrize(
    ("slug", "command"),
    [
        ("lr-collapsed", "sleuth diagnose --no-experiments 'my train.py'"),
        ("lr-too-high", "sleuth diagnose --no-experiments 'my train.py'"),
    ],
)
def test_the_command_is_the_cheapest_that_can_see_the_cause(script: Path, slug: str, command: str) -> None:
    checks = {entry.cause: entry.check for entry in expected_failures(script, "my train.py")}
    assert checks[slug] == command


def test_every_command_exists(script: Path) -> None:
    import click

    from sleuth.cli.group import sleuth

    for words in {entry.check.split("'")[0] for entry in expected_failures(script, "my train.py")}:
        verb = sleuth.get_command(click.Context(sleuth), words.split()[1])
        assert verb is not None
        options = {name for part in verb.params for name in part.opts}
        assert {word for word in words.split() if word.startswith("--")} <= options


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("undo(zzz)", "There is no hypothesis named 'zzz' in this case."),
        ("undo(double-softmx)", "Did you mean 'double-softmax'?"),
        ("undo()", "There is no hypothesis named ''"),
        ("zzz", "There is no test named 'zzz'"),
    ],
)
def test_an_unknown_cause_cannot_be_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], test: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["case", "open", "x", "--catalog"]) == 0
    before = (tmp_path / ".sleuth" / "cases" / "x.jsonl").read_text()
    assert run(["case", "observe", test, "yes"]) == 2
    assert words in capsys.readouterr().err
    assert (tmp_path / ".sleuth" / "cases" / "x.jsonl").read_text() == before


def test_a_known_cause_can_be_undone_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run(["case", "open", "x", "--catalog"])
    assert run(["case", "observe", "undo(double-softmax)", "yes"]) == 0
    assert "undo(double-softmax): yes" in capsys.readouterr().out
