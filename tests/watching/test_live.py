"""The status line and the warnings of a run that goes on."""

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sleuth
from sleuth.watching import live as module
from sleuth.watching.live import Live, certain
from tests.watching.test_guest import script


def line(kind: str, **about: Any) -> str:
    return json.dumps({"kind": kind, **about}, separators=(",", ":")) + "\n"


def look(live: Live) -> None:
    live.looked_at = -10.0
    live.look()


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        (
            {"kind": "nonfinite", "n": 7, "operation": "log", "module": "head", "path": "a/b.py", "line": 3},
            "step 7: the first non-finite value made by log in module head at b.py:3.",
        ),
        (
            {"kind": "holding", "optimizer": 1, "missing": ["w", "b"]},
            "2 trainable parameters are in no optimizer",
        ),
        (
            {"kind": "holding", "optimizer": 1, "foreign": 2, "missing": ["w"]},
            "holds no parameter of the model",
        ),
        ({"kind": "holding", "optimizer": 1, "foreign": 2}, ""),
        ({"kind": "step", "n": 0, "backwards": 0, "line": 4}, "before any backward call"),
        ({"kind": "step", "n": 1, "backwards": 1, "line": 4, "grad_norm_at_step": 0}, "No gradient reaches"),
        ({"kind": "step", "n": 1, "backwards": 1, "grad_norm_at_step": 0, "loss": "nan"}, ""),
        ({"kind": "step", "n": 3, "backwards": 1, "line": 4, "training": False}, "trained in eval mode"),
        ({"kind": "step", "n": 3, "backwards": 1, "line": 4, "training": True}, ""),
        ({"kind": "step", "n": 30, "backwards": 1, "grad_norm_at_step": 0}, ""),
    ],
)
def test_what_is_certain_is_said(item: dict[str, Any], sentence: str) -> None:
    assert sentence in certain(item, modal=True)
    assert bool(sentence) == bool(certain(item, modal=True))


@pytest.mark.parametrize(("of_models", "told"), [({"2": 6}, False), ({"1": 4}, True)])
def test_a_model_whose_training_is_over_needs_no_optimizer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], of_models: dict[str, int], told: bool
) -> None:
    record = tmp_path / "record.jsonl"
    later = {"optimizer": 2, "of_models": of_models, "missing": ["w"], "missing_model": 1}
    record.write_text(line("holding", optimizer=1, of_models={"1": 6}) + line("holding", **later))
    look(Live(record, drawing=False))
    assert ("in no optimizer" in capsys.readouterr().err) == told


def test_a_warning_comes_once_and_waits_for_the_end_of_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "record.jsonl"
    live = Live(record, drawing=False, at_line_start=False)
    record.write_text(line("holding", optimizer=1, missing=["w"]) * 2)
    look(live)
    assert capsys.readouterr().err == ""
    live.at_line_start = True
    look(live)
    look(live)
    assert capsys.readouterr().err == "sleuth: 1 trainable parameters are in no optimizer (w, ...).\n"


def test_a_run_without_training_is_told_what_was_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NEVER", -1.0)
    record = tmp_path / "record.jsonl"
    record.write_text(line("run") + line("model", id=1) + line("loader", id=1) * 2)
    live = Live(record, drawing=False)
    look(live)
    told = capsys.readouterr().err
    assert "no backward call seen" in told
    assert "seen so far: 1 models called, 2 data loaders" in told
    with record.open("a") as file:
        file.write(line("optimizer", id=1))
    look(live)
    assert capsys.readouterr().err == ""


def test_the_line_shows_the_last_step_and_the_last_norm(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    steps = [line("step", n=n, loss=0.5, backwards=1, lr=0.1) for n in range(500)]
    steps[200] = line("step", n=200, loss=0.5, backwards=1, grad_norm=2.0)
    record.write_text("".join(steps) + '{"kind":"step","n":5')
    live = Live(record, drawing=False)
    look(live)
    assert live.line() == "sleuth: step 500 · loss 0.5 · gradient 2 · lr 0.1"


def test_a_terminal_gets_a_line_and_the_output_stays_whole(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        "import time\nfor _ in range(15):\n    train(1); time.sleep(0.1)\n"
        "print('done', sys.stdout.isatty())\n",
    )
    leader, follower = pty.openpty()
    env = os.environ | {"SLEUTH_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "sleuth", "watch", path.name]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=follower, stderr=follower) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                part = os.read(leader, 1 << 16)
            except OSError:
                break
            if not part:
                break
            shown += part
        assert process.wait(60) == 0
    os.close(leader)
    assert b"\x1b[2msleuth: step " in shown
    assert b"done True\r\n" in shown
    (kept,) = (tmp_path / "home" / "runs").iterdir()
    assert "<svg" in (kept / "report.html").read_text()


@pytest.mark.parametrize("warn", [True, False])
def test_what_is_certain_is_said_while_a_program_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], warn: bool
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net[0].parameters(), lr=0.1)
    seen = sleuth.watch(warn=warn)
    until = time.monotonic() + 30
    said = ""
    while not said and time.monotonic() < until:
        optimizer.zero_grad()
        net(torch.randn(8, 2)).pow(2).mean().backward()
        optimizer.step()
        said += capsys.readouterr().err
        if not warn and time.monotonic() > until - 28.5:
            break
    seen.stop()
    assert ("2 trainable parameters are in no optimizer" in said) is warn
