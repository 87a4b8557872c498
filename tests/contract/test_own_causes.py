"""A cause is one file: written into a folder of the user's own, it works in every verb."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sleuth.catalog import TECHNIQUES
from tests.contract.sources import SOURCE

PAGE = (Path(__file__).parents[2] / "docs" / "own-causes.md").read_text("utf-8")
PROBE = """

def probe(bench):
    if bench.first.loss < 1e-3:
        yield Evidence("The loss is tiny before anything was learnt.", "open")
"""
CAUSE = PAGE.partition("```python\n")[2].partition("```")[0] + PROBE  # as users are shown it
SCRIPT = """
import os
import tempfile

import torch

os.chdir(tempfile.mkdtemp())
torch.manual_seed(0)
inputs = torch.randn(256, 4)
targets = inputs @ torch.tensor([[1.0], [-2.0], [3.0], [0.5]])
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(120):
    loss = torch.nn.functional.mse_loss(model(inputs), targets) * 1e-6
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LINE = 14
SLUG = "throttled-loss"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A script that is broken in a way of its own, and a folder with the cause of that."""
    (tmp_path / "debugging" / "training").mkdir(parents=True)
    (tmp_path / "debugging" / "training" / "throttled_loss.py").write_text(CAUSE)
    (tmp_path / "train.py").write_text(SCRIPT)
    return tmp_path


def sleuth(project: Path, *words: str, code: int = 0, causes: str = "debugging") -> str:
    command = [sys.executable, "-m", "sleuth", *words]
    done = subprocess.run(
        command,
        check=False,
        cwd=project,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"SLEUTH_CAUSES": causes},
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def found(project: Path, *words: str, code: int = 1) -> dict[str, dict[str, Any]]:
    """Findings by cause, as JSON has them."""
    out = project / "out.json"
    sleuth(project, *words, "--json", str(out), code=code)
    return {entry["cause"]: entry for entry in json.loads(out.read_text())["findings"]}


def test_it_is_listed_and_explained(project: Path) -> None:
    assert SLUG in sleuth(project, "causes", "--family", "training")
    page = sleuth(project, "explain", SLUG)
    assert "hardly move" in page
    assert "## Sources" not in page


def test_lint_finds_it_and_finds_it_anew_when_it_has_changed(project: Path) -> None:
    assert found(project, "lint", "train.py")[SLUG]["line"] == LINE
    file = project / "debugging" / "training" / "throttled_loss.py"
    file.write_text(CAUSE.replace("throttled here", "choked here"))
    assert "choked here" in found(project, "lint", "train.py")[SLUG]["message"]


def test_watch_sees_it_and_the_record_can_be_judged_again(project: Path) -> None:
    out = project / "out.json"
    sleuth(project, "watch", "--json", str(out), "train.py")
    seen = {entry["cause"]: entry for entry in json.loads(out.read_text())["findings"]}
    assert seen[SLUG]["technique"] == "watch"
    (record,) = project.glob(".sleuth/runs/*/record.jsonl")
    assert SLUG in found(project, "judge", str(record), code=1)


def test_diagnose_confirms_it_by_taking_it_back(project: Path) -> None:
    """In processes of their own, which follow the script to the folder that it works in."""
    first = next(iter(found(project, "diagnose", "train.py", "--budget", "120").values()))
    assert first["cause"] == SLUG
    assert f"undo({SLUG})" in first["confirmed_by"]
    assert first["where"]["line"] == LINE
    assert "probe" in first["technique"]


def test_a_project_cannot_have_its_own_code_run(project: Path) -> None:
    """Who lints somebody else's repository names no folder of it."""
    (project / "pyproject.toml").write_text('[tool.sleuth]\ncauses = ["debugging"]\n')
    assert SLUG not in sleuth(project, "causes", causes="")


def test_a_mistake_in_the_folder_is_one_sentence(project: Path) -> None:
    (project / "debugging" / "trainnig").mkdir()
    assert "is the folder of no family" in sleuth(project, "causes", code=2)
    (project / "debugging" / "trainnig").rmdir()
    file = project / "debugging" / "training" / "throttled_loss.py"
    file.write_text("import no_such_module")
    assert "throttled_loss.py cannot be loaded" in sleuth(project, "explain", SLUG, code=2)
    file.rename(file.with_name("missing_step.py"))
    assert "Two causes are called 'missing-step'" in sleuth(project, "causes", code=2)
    assert "There is no folder" in sleuth(project, "causes", code=2, causes="elsewhere")


def test_the_page_tells_of_every_technique() -> None:
    rows = re.findall(r"^\| `(\w+)\(\w+\)` \| .*\(`sleuth\.([\w.]+)`\) \| (\w+) \|$", PAGE, re.MULTILINE)
    assert {name: word for name, _, word in rows} == TECHNIQUES
    homes = [SOURCE.joinpath(*home.split(".")).with_suffix(".py") for _, home, _ in rows]
    assert [home for home in homes if not home.is_file()] == []
