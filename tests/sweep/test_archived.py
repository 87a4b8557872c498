"""Runs of a sweep stand in the archive, the archive is a source, and no run outlives its Sleuth."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth import archive
from sleuth.cli import run
from sleuth.sweeping import store
from sleuth.sweeping.analysis import Request, analyze
from sleuth.sweeping.columns import Asked
from sleuth.sweeping.sources import open_source
from sleuth.sweeping.sources.archived import settings_in

TRAIN = """
import sys
lr, seed = float(sys.argv[1]), int(sys.argv[2])
print("seed", seed)
if (lr, seed) == (2, 1):
    sys.exit(3)
print("acc", lr + seed)
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLEUTH_HOME", raising=False)
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def write_plan(folder: Path, script: str = "train.py", seeds: int = 3) -> None:
    command = f"{sys.executable} {script} {{value}} {{seed}}"
    (folder / "p.toml").write_text(
        f"command = '{command}'\nparam = 'lr'\nvalues = [1, 2]\nseeds = {seeds}\nmetric = 'acc'\n"
        "config = { depth = 4 }\n"
    )


def test_each_attempt_is_a_run_of_the_archive(work: Path) -> None:
    write_plan(work)
    assert run(["sweep", "run", "p.toml", "--quiet"]) == 1
    rows = archive.listed()
    assert sorted(row.status for row in rows) == ["failed"] + ["finished"] * 5
    failed = next(row for row in rows if row.status == "failed")
    assert failed.meta["kind"] == "sweep"
    assert failed.meta["exit_code"] == 3
    assert failed.run.stdout_path.read_text() == "seed 1\n"
    told = failed.meta["summary"]["sweep"]
    assert (told["group"], told["seed"], told["values"], told["config"]) == ("p", 1, {"lr": 2}, {"depth": 4})
    done = next(row.run for row in rows if row.meta["summary"]["sweep"]["metrics"] == {"acc": 3.0})
    assert done.series("acc").values == (3.0,)
    assert "train.py" in str(done.meta["code"]["files"])
    (kept,) = (done.folder / "code").rglob("train.py")
    assert kept.read_text() == TRAIN
    assert kept.stat().st_nlink == 6  # one copy for all


def test_the_archive_is_a_source_and_says_the_same_as_the_sweep(work: Path) -> None:
    write_plan(work)
    run(["sweep", "run", "p.toml", "--quiet"])
    asked = Request(Asked("lr", "acc", "seed"))
    own = analyze(open_source("p").table, asked).to_dict()
    kept = analyze(open_source("archive").table, asked).to_dict()
    assert kept["groups"] == own["groups"]
    elsewhere = analyze(open_source(f"archive:{work / '.sleuth'}").table, asked).to_dict()
    assert elsewhere["groups"] == own["groups"]


def test_watched_runs_are_rows_with_the_settings_of_their_command(work: Path) -> None:
    for lr in (0.1, 0.2):
        for seed in range(3):
            words = ["train.py", f"--lr={lr}", "--seed", str(seed), "--amp"]
            watched = archive.begin(words, work / "train.py")
            watched.record_path.write_text(f'{{"kind": "metric", "name": "val/acc", "value": {lr + seed}}}\n')
            watched.finish(0)
    (group,) = analyze(open_source("archive").table, Request(Asked("lr", "acc"))).groups
    assert dict(group.cells) == pytest.approx({(lr, s): lr + s for lr in (0.1, 0.2) for s in range(3)})
    assert str(group.group).endswith("train.py")


def test_the_archive_tells_how_long_a_plan_takes(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_plan(work)
    run(["sweep", "plan", "p.toml"])
    assert "time: not known yet" in capsys.readouterr().out
    run(["sweep", "run", "p.toml", "--quiet"])
    (work / "q.toml").write_text((work / "p.toml").read_text().replace("[1, 2]", "[3, 4]"))
    capsys.readouterr()
    run(["sweep", "plan", "q.toml"])
    assert "from 5 runs of the same script in the archive" in capsys.readouterr().out


def test_an_empty_archive_is_one_sentence(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "analyze", "archive", "--param", "lr", "--metric", "acc"]) == 2
    assert "There are no runs in" in capsys.readouterr().err


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.integers(-9, 9), max_size=4))
def test_settings_are_read_in_every_spelling(settings: dict[str, int]) -> None:
    spellings: list[list[str]] = [
        [word for name, value in settings.items() for word in (f"--{name}", str(value))],
        [f"--{name}={value}" for name, value in settings.items()],
        [f"{name}={value}" for name, value in settings.items()],
    ]
    for words in spellings:
        assert dict(settings_in(["python", "train.py", *words, "--flag"])) == settings | {"flag": True}


def test_a_run_dies_with_the_sleuth_that_was_killed(work: Path) -> None:
    (work / "slow.py").write_text(
        "import os, time\nopen(f'pid-{os.getpid()}', 'w').close()\ntime.sleep(120)\nprint('acc 1')\n"
    )
    write_plan(work, "slow.py", seeds=1)
    command = [sys.executable, "-m", "sleuth", "sweep", "run", "p.toml", "--parallel", "1"]
    with subprocess.Popen(command, cwd=work, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as sleuth:
        pids = _wait_for(lambda: [int(path.name[4:]) for path in work.glob("pid-*")])
        sleuth.send_signal(signal.SIGKILL)
    _wait_for(lambda: all(not _alive(pid) for pid in pids))
    (record,) = store.records(store.sweep_folder("p"))
    assert record.state == "running"  # nobody was left to write its end; the next run does
    assert archive.listed()[0].status == "unfinished"


def _wait_for(seen: Any) -> Any:
    deadline = time.monotonic() + 30
    while not (found := seen()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"
