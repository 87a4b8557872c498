"""What a hostile or unlucky script does to a diagnosis: the right blame, and no more time than was given."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sleuth.diagnosis import investigate
from sleuth.diagnosis.request import Request
from sleuth.lab import workplace
from sleuth.lab.client import Stage
from sleuth.lab.job import Ending, Job
from sleuth.record.json_lines import read
from tests.attacks.guesting import GUESTS
from tests.attacks.tally import tally

TRAIN = """
import sys, torch
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(12):
    {}
    optimizer.zero_grad()
    net(torch.ones(8, 3)).square().mean().backward()
    optimizer.step()
"""


def ending_of(folder: Path, line: str = "pass", before: str = "", guarded: tuple[str, ...] = ()) -> Ending:
    script = folder / "train.py"
    script.write_text(before + TRAIN.format(line))
    with Stage() as stage:
        stage.start(Job("a", str(script), folder=str(folder), guarded=guarded, time_limit=120.0))
        ending = stage.next_ending()
    assert ending is not None
    return ending


def test_temporary_files_inside_the_project_are_no_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first thing `tempfile` does is to try its folder by writing there."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    own = "import tempfile\ntempfile.tempdir = None\nprint(tempfile.mkstemp())\n"
    ending = ending_of(tmp_path, before=own, guarded=(str(tmp_path),))
    tally("temporary files inside the project", 1, int(ending.status != "finished"))
    assert ending.status == "finished", ending


def test_the_rest_of_the_project_stays_guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    ending = ending_of(tmp_path, before="open('out.txt', 'w')\n", guarded=(str(tmp_path),))
    assert ending.status == "wrote"


def test_a_script_that_limits_files_is_not_said_to_have_taken_no_step(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    ending = ending_of(tmp_path, before=limit)
    tally("a limit on the size of files", 1, int(not ending.unrecorded))
    assert (ending.status, ending.steps, ending.unrecorded) == ("finished", 12, "File too large")


TAKEN_AWAY = (
    "import builtins; del builtins.len, builtins.open, builtins.print",
    "import builtins; builtins.isinstance = builtins.getattr = None",
)


@pytest.mark.parametrize("line", TAKEN_AWAY, ids=["deleted", "replaced"])
def test_python_s_own_functions_taken_away_are_the_script_s_doing(tmp_path: Path, line: str) -> None:
    ending = ending_of(tmp_path, line)
    tally("Python's own functions taken away", 1, int("Sleuth" in ending.message))
    assert ending.status in ("raised", "finished"), ending
    assert "Sleuth" not in ending.message


def test_on_the_stage_closed_descriptors_are_not_written_to(tmp_path: Path) -> None:
    script = GUESTS / "descriptors.py"
    with Stage() as stage:
        stage.start(Job("a", str(script), folder=str(tmp_path), time_limit=120.0))
        stage.next_ending()
        steps = len(read(Path(stage.scratch) / "a.jsonl").steps)
    files = [(tmp_path / f"own_{number}.txt").read_text() for number in range(4)]
    own = "".join(f"{turn}\n" for turn in range(30))
    tally("descriptors closed and used again, on the stage", 1, int(files != [own] * 4))
    assert (files, steps) == ([own] * 4, 1203)


def test_a_crowded_folder_is_not_copied_in_doubt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workplace, "MOST_FILES", 20)
    script = tmp_path / "train.py"
    script.write_text(TRAIN.format("pass") + "torch.save(net, sys.argv[1])\n")

    def place() -> workplace.Workplace:
        with Stage() as stage:
            return investigate._workplace(Request(script), [script], stage, "base")

    assert place().origins
    for number in range(30):
        (tmp_path / f"{number}.txt").touch()
    assert not place().origins


@pytest.mark.slow
def test_fifty_thousand_files_beside_the_script(tmp_path: Path) -> None:
    for number in range(50_000):
        (tmp_path / f"{number}.txt").touch()
    (tmp_path / "train.py").write_text(TRAIN.format("pass") + "torch.save(net.state_dict(), 'out.pt')\n")
    words = [sys.executable, "-m", "sleuth", "diagnose", "--quiet", "--budget", "20s", "train.py"]
    env = os.environ | {"SLEUTH_HOME": str(tmp_path / "home")}
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 4), done.stderr
