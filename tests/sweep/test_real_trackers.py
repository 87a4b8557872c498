"""Trackers for real: runs written by their own packages, to a real server where there is one."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sleuth.sweeping.analysis import Request, analyze
from sleuth.sweeping.columns import Asked
from sleuth.sweeping.sources import open_source
from tests.archive.test_mlflow import server  # noqa: F401 - a fixture: a real MLflow server

CELLS = [(lr, seed) for lr in (0.1, 0.2) for seed in range(3)]
pytestmark = pytest.mark.slow

WANDB = """
import sys, wandb
for cell in sys.argv[1:]:
    lr, seed = cell.split(":")
    run = wandb.init(project="p", group="g", config={"lr": float(lr), "seed": int(seed), "net": {"width": 8}})
    for step in range(3):
        wandb.log({"acc": float(lr) + int(seed) + step - 2})
    print("epoch over")
    run.finish(exit_code=1 if cell == "0.2:2" else 0)
"""
TRACKIO = """
import sys, trackio
for cell in sys.argv[1:]:
    lr, seed = cell.split(":")
    trackio.init(project="demo", name=cell, group="g", config={"lr": float(lr), "seed": int(seed)})
    for step in range(3):
        trackio.log({"acc": float(lr) + int(seed) + step - 2})
    trackio.finish()
"""


def expected() -> dict[Any, float]:
    return {(lr, seed): lr + seed for lr, seed in CELLS}


def group_of(source: str, **more: Any) -> Any:
    (group,) = analyze(open_source(source, **more).table, Request(Asked("lr", "acc"))).groups
    return group


def written_by(code: str, folder: Path, **environment: str) -> None:
    words = [f"{lr}:{seed}" for lr, seed in CELLS]
    subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=os.environ | environment,
        check=True,
        capture_output=True,
        timeout=300,
    )


def test_a_real_mlflow_server(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    from mlflow import MlflowClient

    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path / "home"))
    client = MlflowClient(tracking_uri=server)
    experiment = client.create_experiment("my sweep")

    def log(lr: float, seed: int, status: str = "FINISHED", acc: float | None = None) -> None:
        run = client.create_run(experiment, tags={"group": "g"})
        for key, value in {"lr": lr, "seed": seed, "depth": 4}.items():
            client.log_param(run.info.run_id, key, value)
        for step in range(3):
            client.log_metric(
                run.info.run_id, "acc", (lr + seed if acc is None else acc) + step - 2, step=step
            )
        client.log_text(run.info.run_id, f"lr {lr}\n", "train.log")
        client.set_terminated(run.info.run_id, status)

    for lr, seed in CELLS:
        log(lr, seed)
    log(0.2, 3, "FAILED")
    source = f"mlflow:{server}/my%20sweep"
    group = group_of(source)
    assert dict(group.cells) == pytest.approx(expected())
    assert group.failed == ((0.2, 3),)
    assert group.group == "g"
    time.sleep(0.01)
    log(0.2, 3, acc=9.0)  # the crashed run, repeated
    again = open_source(source)
    assert "8 in all" in again.said[0]
    fresh = group_of(source)
    assert fresh.cells[0.2, 3] == pytest.approx(9.0)
    assert fresh.failed == ((0.2, 3),)  # the crash stays listed
    fetched = open_source(source, logs=tmp_path / "logs")
    assert "8 log files" in fetched.said[1]
    assert sorted({path.read_text() for path in (tmp_path / "logs").rglob("train.log")}) == [
        "lr 0.1\n",
        "lr 0.2\n",
    ]


def test_offline_runs_of_the_real_wandb(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    quiet = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_DIR": str(tmp_path)}
    written_by(WANDB, tmp_path, **quiet)
    opened = open_source(str(tmp_path / "wandb"), logs=tmp_path / "logs")
    (group,) = analyze(opened.table, Request(Asked("lr", "acc"))).groups
    cells = expected()
    del cells[0.2, 2]
    assert dict(group.cells) == pytest.approx(cells)
    assert group.failed == ((0.2, 2),)
    assert group.group == "g"
    assert "6 log files" in opened.said[0]
    assert "epoch over" in next((tmp_path / "logs").rglob("output.log")).read_text()


def test_wandbs_servers_out_of_reach_are_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    # Nothing listens on this port, and the key is made up.
    away = {"WANDB_BASE_URL": "http://127.0.0.1:9", "WANDB_API_KEY": "0" * 40, "SLEUTH_HOME": str(tmp_path)}
    words = ["sweep", "analyze", "wandb:someone/project", "--param", "lr", "--metric", "acc"]
    done = subprocess.run(
        [sys.executable, "-m", "sleuth", *words],
        env=os.environ | away,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 2, done.stderr
    assert "wandb does not give the runs of someone/project" in done.stderr.strip().splitlines()[-1]


def test_a_project_of_the_real_trackio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trackio")
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    written_by(TRACKIO, tmp_path, TRACKIO_DIR=str(tmp_path), HF_HUB_OFFLINE="1")
    group = group_of("trackio:demo")
    assert dict(group.cells) == pytest.approx(expected())
    assert group.group == "g"
