"""A real MLflow server takes the runs, and gives every value back."""

import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sleuth import archive, cli
from sleuth.archive.to_mlflow import _key, send
from tests.archive import made

if TYPE_CHECKING:  # it takes seconds to load: not while tests are being collected
    from mlflow import MlflowClient
    from mlflow.entities import Run as MlflowRun

PATIENCE = 120.0  # seconds; the server makes its tables first, on a busy machine in half a minute


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("mlflow")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--backend-store-uri", "sqlite:///store.db", "--artifacts-destination", "artefacts"]
    words += ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    habits = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", *words],
            cwd=folder,
            stdout=log,
            stderr=log,
            env=os.environ | habits,
            start_new_session=True,
        )
    try:
        _wait(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=1).read()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise AssertionError("the MLflow server did not start")


def sent(client: "MlflowClient") -> "list[MlflowRun]":
    experiment = client.get_experiment_by_name("sleuth")
    assert experiment is not None
    return list(client.search_runs([experiment.experiment_id], order_by=["attributes.start_time ASC"]))


@pytest.mark.slow
def test_a_real_server_takes_runs_once_and_gives_them_back(server: str, tmp_path: Path) -> None:
    script = made.project(tmp_path / "project", git=True)
    home = tmp_path / "home"
    events = made.steps(1500)
    events[3]["loss"] = math.nan
    one = made.finished(home, script, events)
    other = made.finished(home, script, made.steps(5), 1)
    words = ["runs", "export", one.id, other.id, "--home", str(home), "--to", f"mlflow:{server}"]
    from mlflow import MlflowClient

    assert json.loads(made.sleuth(*words, "--json", "-").stdout)["sent"] == 2
    assert send([one, other], server, "sleuth") == (0, 2)
    client = MlflowClient(tracking_uri=server)
    kept, failed = sent(client)
    assert (kept.info.status, failed.info.status) == ("FINISHED", "FAILED")
    assert kept.data.tags["sleuth.causes"] == "double-softmax"
    assert kept.data.tags["mlflow.source.git.commit"] == one.meta["code"]["commit"]
    assert kept.data.params["seed.torch.manual_seed"] == "0"
    for name, series in one.all_series().items():
        history = sorted(client.get_metric_history(kept.info.run_id, name), key=lambda metric: metric.step)
        assert [metric.step for metric in history] == list(series.steps)
        assert [repr(metric.value) for metric in history] == [repr(value) for value in series.values]
    names = {item.path for item in client.list_artifacts(kept.info.run_id)}
    assert {"code", "meta.json", "end.json"} <= names


def test_a_server_that_is_away_is_said_in_one_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    archive.begin(["x"], None).finish(0)
    before = _settings()
    assert cli.run(["runs", "export", "last", "--to", "mlflow:http://127.0.0.1:9"]) == 2
    told = capfd.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "MLflow at http://127.0.0.1:9 did not take the runs: no server answers" in told.err
    assert _settings() == before


def _settings() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key.startswith("MLFLOW")}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("step/loss", "step/loss"),
        ("val acc", "val acc"),
        ("a:b%é", "a_b__"),
        ("/x//../y/", "x/y"),
        ("..", "_"),
    ],
)
def test_names_are_made_fit_for_mlflow(name: str, key: str) -> None:
    assert _key(name) == key
