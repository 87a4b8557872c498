"""A run from its start to its end, and what is read back."""

import json
import math
import os
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from sleuth import SleuthError, archive
from sleuth.archive import index, surroundings
from tests.archive import made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_a_run_comes_back_as_it_was(tmp_path: Path, home: Path) -> None:
    script = made.project(tmp_path / "project")
    events = made.steps(50)
    events[5]["loss"] = math.nan
    run = made.finished(home, script, events, 0, "--lr", "0.1")
    again = archive.find(run.id, home)
    meta = again.meta
    assert meta["command"] == ["python", str(script), "--lr", "0.1"]
    assert (meta["cwd"], meta["exit_code"], meta["steps"]) == (os.getcwd(), 0, 50)
    assert (again.status, again.findings) == ("finished", (made.finding(),))
    assert meta["seeds"] == [{"what": "torch.manual_seed", "value": 0}]
    loss = again.series("step/loss")
    assert loss.steps == tuple(range(50))
    assert [repr(value) for value in loss.values] == [repr(event["loss"]) for event in events[1:51]]
    assert len(list(again.events())) == len(events)
    assert [event["n"] for event in again.events("metric")] == [49]


def test_series_from_the_index_equal_those_from_the_record(tmp_path: Path, home: Path) -> None:
    run = made.finished(home, None, made.steps(300))
    indexed = run.all_series()
    assert index.stored_series(run) == indexed
    (home / "index.sqlite").unlink()
    assert index.stored_series(run) is None
    assert run.all_series() == indexed


def test_a_lost_or_broken_index_is_made_again(home: Path) -> None:
    run = made.finished(home, None, made.steps(30))
    (home / "index.sqlite").write_bytes(b"this is no database" * 100)
    for rest in home.glob("index.sqlite-*"):
        rest.unlink()
    assert [row.steps for row in archive.listed(home)] == [30]
    (home / "index.sqlite").unlink()
    assert [row.steps for row in archive.listed(home)] == [30]
    assert index.rows(home).keys() == {run.id}


def test_a_damaged_index_does_not_stop_the_next_run(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made.finished(home, None, made.steps(30))
    for path in home.glob("index.sqlite*"):
        path.write_bytes(b"this is no database" * 100)
    made.finished(home, None, made.steps(40))
    assert [row.steps for row in archive.listed(home)] == [30, 40]
    assert len(index.rows(home)) == 2
    assert capsys.readouterr().err == ""


def test_metrics_are_indexed_with_last_and_extremes(home: Path) -> None:
    run = archive.begin(["x"], None, home=home)
    values = [3.0, 1.0, math.inf, 2.0, math.nan]
    made.write(run, [{"kind": "metric", "name": "m", "value": value, "n": 0} for value in values])
    run.finish(0)
    last, lowest, highest = index.metrics(home)[run.id]["m"]
    assert (math.isnan(last), lowest, highest) == (True, 1.0, 3.0)


def test_finishing_again_replaces_the_judgement(home: Path) -> None:
    run = made.finished(home, None, made.steps(10))
    ended = run.meta["ended"]
    run.finish(0, [made.finding("loss-broadcast")], {})
    (row,) = archive.listed(home)
    assert (row.causes, run.meta["ended"]) == (("loss-broadcast",), ended)


@pytest.mark.parametrize(
    ("code", "status"), [(0, "finished"), (1, "failed"), (130, "interrupted"), (-9, "failed")]
)
def test_the_exit_code_tells_the_status(home: Path, code: int, status: str) -> None:
    run = archive.begin(["x"], None, home=home)
    assert run.status == "running"
    run.finish(code)
    assert run.status == status


def test_a_folder_moved_elsewhere_is_still_a_run(tmp_path: Path, home: Path) -> None:
    run = made.finished(home, None, made.steps(20))
    moved = run.folder.rename(tmp_path / "moved")
    again = archive.find(moved)
    assert len(again.series("step/loss")) == 20
    assert archive.runs(home) == ()


def test_runs_are_found_by_start_end_and_last(home: Path) -> None:
    first, second = (made.finished(home, None, made.steps(3)) for _ in range(2))
    assert archive.find(first.id[:-1], home) == first or first.id[:-1] == second.id[:-1]
    assert archive.find(first.id.rpartition("-")[2], home) == first
    assert archive.find("last", home) == second
    with pytest.raises(SleuthError, match="There is no run 'nothing'"):
        archive.find("nothing", home)
    with pytest.raises(SleuthError, match="any of 2 runs"):
        archive.find("20", home)
    with pytest.raises(SleuthError, match="no runs in"):
        archive.find("last", home / "elsewhere")


def test_lists_are_filtered(tmp_path: Path, home: Path) -> None:
    script = made.project(tmp_path / "project")
    good = made.finished(home, script, made.steps(3))
    bad = made.finished(home, None, made.steps(3), 1)
    assert archive.runs(home) == (good, bad)
    assert archive.runs(home, script="project/train") == (good,)
    assert archive.runs(home, status="failed") == (bad,)
    assert archive.runs(home, cause="double-softmax") == (good,)
    assert archive.runs(home, cause="softmax") == ()
    assert archive.runs(home, since=good.meta["started"]) == (good, bad)
    assert archive.runs(home, since=bad.meta["started"] + 1) == ()


def test_packages_are_those_of_importlib_metadata() -> None:
    def plain(name: str) -> str:
        return name.replace("_", "-").replace(".", "-").lower()

    slow = {plain(one.name): one.version for one in reversed(list(distributions()))}
    quick = {plain(name): version for name, version in surroundings.packages().items()}
    assert quick == slow


def test_settings_leave_secrets_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    monkeypatch.setenv("HF_HOME", "/somewhere")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    monkeypatch.setenv("DATABASE_URL", "secret")
    told = surroundings.settings()
    assert {"HF_HOME", "TOKENIZERS_PARALLELISM"} <= told.keys()
    assert not {"HF_TOKEN", "DATABASE_URL"} & told.keys()


def test_artefacts_written_since_the_start_are_kept_where_asked(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.pt").write_text("old")
    os.utime(tmp_path / "old.pt", (1, 1))
    run = archive.begin(["x"], None, home=home)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "new.pt").write_text("new")
    assert run.keep(["**/*.pt"]) == (run.folder / "artefacts" / "out" / "new.pt",)


def test_the_home_is_the_environments_or_beside_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLEUTH_HOME", raising=False)
    assert archive.home_folder() == tmp_path / ".sleuth"
    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path / "x"))
    assert archive.begin(["x"], None).folder.parent == tmp_path / "x" / "runs"


def test_the_archive_loads_neither_torch_nor_numpy() -> None:
    code = (
        "import sys; from sleuth import archive; from sleuth.archive import differences, export, journal; "
        "from sleuth.show import runs, journal; "
        "print(*(m for m in ('torch', 'numpy', 'pyarrow', 'mlflow') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_meta_is_plain_json(home: Path) -> None:
    run = archive.begin(["a b", "ü\udcff"], None, home=home)
    assert json.loads((run.folder / "meta.json").read_text())["command"] == ["a b", "ü\udcff"]
