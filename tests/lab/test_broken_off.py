"""A run that is broken off between a forward and its backward: that call was training, not evaluation."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

from sleuth.lab.client import Stage
from sleuth.lab.job import Ending, Job
from sleuth.record.entries import Evaluation, Record
from sleuth.record.json_lines import read

START = """
import time, torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(64, 4)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
def halt(now):
    if now:
        END
"""
ENDS = {"out of time": "time.sleep(600)", "raised": "raise RuntimeError('out of memory')"}
STEPS = """
for n in range(9):
    scores = model(x)
    halt(n == AT)
    opt.zero_grad(); nn.functional.cross_entropy(scores, y).backward(); opt.step()
"""
VIEWS = """
for n in range(9):
    a, b = [model(part) for part in (x[:32], x[32:])]
    halt(n == AT)
    opt.zero_grad(); (a - b).pow(2).mean().backward(); opt.step()
"""
CLOSURE = """
for n in range(9):
    def closure():
        opt.zero_grad()
        scores = model(x)
        halt(n == AT)
        loss = nn.functional.cross_entropy(scores, y)
        loss.backward()
        return loss
    opt.step(closure)
"""
EVALUATED = """
for n in range(6):
    opt.zero_grad(); nn.functional.cross_entropy(model(x), y).backward(); opt.step()
for part in (x[:32], x[32:]):
    model(part)
halt(True)
"""
WITHOUT_GRADIENTS = EVALUATED.replace("    model(part)", "    with torch.no_grad():\n        model(part)")

Run = Callable[[str], tuple[Ending, Record]]


@pytest.fixture
def run(stage: Stage, tmp_path: Path) -> Run:
    def run(source: str) -> tuple[Ending, Record]:
        script = tmp_path / "script.py"
        script.write_text(textwrap.dedent(source))
        (ending,) = stage.run([Job(tmp_path.name, str(script), folder=str(tmp_path), time_limit=8.0)])
        return ending, read(Path(stage.scratch) / f"{tmp_path.name}.jsonl")

    return run


@pytest.mark.parametrize(
    ("body", "at", "end"),
    [
        (STEPS, 5, "out of time"),
        (STEPS, 0, "out of time"),
        (STEPS, 5, "raised"),
        (VIEWS, 5, "raised"),
        (CLOSURE, 5, "raised"),
    ],
)
def test_a_step_that_was_broken_off_is_no_evaluation(run: Run, body: str, at: int, end: str) -> None:
    ending, record = run(START.replace("END", ENDS[end]) + body.replace("AT", str(at)))
    assert ending.status == ("stopped" if end == "out of time" else "raised"), ending
    assert len(record.steps) == at
    assert record.of(Evaluation) == ()


@pytest.mark.parametrize("body", [EVALUATED, WITHOUT_GRADIENTS])
@pytest.mark.parametrize("end", ["raised", "none"])
def test_an_evaluation_that_was_broken_off_is_one(run: Run, body: str, end: str) -> None:
    _, record = run(START.replace("END", ENDS.get(end, "pass")) + body)
    assert [(seen.calls, seen.rows, seen.training) for seen in record.of(Evaluation)] == [(2, 64, True)]
