"""Past one machine: submitit's local executor, and a real two-node Ray cluster of which one node is
killed.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TRAIN = """
import sys, time
value, seed, sleep = sys.argv[1:]
time.sleep(float(sleep))
print("acc", float(value) + int(seed))
with open(__file__ + ".ends", "a") as file:
    file.write(f"lr={value},seed={seed}\\n")
"""
# Waits until a cluster has two nodes.
JOINED = """
import sys, time, ray
ray.init(address=sys.argv[1], log_to_driver=False)
while sum(node["Alive"] for node in ray.nodes()) < 2:
    time.sleep(0.2)
"""


def plan(folder: Path, seeds: int, sleep: float) -> None:
    (folder / "train.py").write_text(TRAIN)
    line = f"{sys.executable} {folder}/train.py {{value}} {{seed}} {sleep}"
    (folder / "p.toml").write_text(
        f"question = 'q'\ncommand = '{line}'\nparam = 'lr'\nvalues = [1, 2]\nseeds = {seeds}\nmetric = "
        "'acc'\n"
    )


def states(folder: Path) -> list[str]:
    found = (folder / ".sleuth/sweeps/p/runs").glob("*/result.json")
    return [json.loads(path.read_text())["state"] for path in found]


def test_slurm_needs_slurm_and_works_through_submitit(tmp_path: Path) -> None:
    pytest.importorskip("submitit")
    plan(tmp_path, seeds=2, sleep=0)
    command = [sys.executable, "-m", "sleuth", "sweep", "run", "p.toml", "--on", "slurm"]
    run = {"cwd": tmp_path, "capture_output": True, "text": True, "check": False}
    none = subprocess.run(command, **run)  # type: ignore[call-overload]
    assert none.returncode == 2
    assert "no Slurm here" in none.stderr
    done = subprocess.run(command, env=os.environ | {"SLEUTH_SLURM": "local"}, **run)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    assert states(tmp_path) == ["finished"] * 4
    result = next((tmp_path / ".sleuth/sweeps/p/runs").glob("lr=2,seed=1.1/result.json"))
    assert json.loads(result.read_text())["metrics"] == {"acc": 3.0}


def ray(*words: str) -> "subprocess.Popen[bytes]":
    program = str(Path(sys.executable).with_name("ray"))
    return subprocess.Popen(
        [program, "start", *words, "--block"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.fixture
def cluster(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, int]]:
    """The address of two nodes with one core each, and the process id of the second node."""
    pytest.importorskip("ray")
    import shutil
    import socket
    import tempfile

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # its sockets need a short path
    common = ["--num-cpus=1", "--disable-usage-stats"]
    head = ray("--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={folder}", *common)
    second = None
    try:
        _wait_for(port)
        second = ray(f"--address=127.0.0.1:{port}", *common)
        subprocess.run(
            [sys.executable, "-c", JOINED, f"127.0.0.1:{port}"], check=True, timeout=180, capture_output=True
        )
        yield f"127.0.0.1:{port}", second.pid
    finally:
        for process in (second, head):
            if process is not None:
                process.send_signal(signal.SIGTERM)
                process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(port: int) -> None:
    import socket

    deadline = time.time() + 180
    while time.time() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise TimeoutError("the Ray head does not answer")


def _raylet_of(parent: int) -> int:
    """The raylet that a `ray start --block` has started."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat, line = (entry / "stat").read_text(), (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[1]) == parent and b"raylet/raylet" in line:
            return int(entry.name)
    raise LookupError("no raylet")


@pytest.mark.slow
def test_a_killed_ray_node_loses_nothing_unnoticed(cluster: tuple[str, int], tmp_path: Path) -> None:
    address, second = cluster
    plan(tmp_path, seeds=5, sleep=3)
    command = [sys.executable, "-m", "sleuth", "sweep", "run", "p.toml", "--on", "ray", "--json", "out.json"]
    environment = os.environ | {"RAY_ADDRESS": address}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as process:
        deadline = time.time() + 180
        while len(states(tmp_path)) < 3 and time.time() < deadline and process.poll() is None:
            time.sleep(0.2)
        os.kill(_raylet_of(second), signal.SIGKILL)
        _, noise = process.communicate(timeout=300)
    assert process.returncode in (0, 1), noise.decode()[-2000:]
    ended = states(tmp_path)
    assert len(ended) == 10, ended  # every run has one record: none is missing, none was run twice
    assert set(ended) <= {"finished", "lost"}
    lost = ended.count("lost")
    summary = json.loads((tmp_path / "out.json").read_text())["sweeps"][0]
    assert len(summary["failed"]) == lost
    assert all("Died" in one["why"] or "Crashed" in one["why"] for one in summary["failed"])
    again = subprocess.run(
        [*command, "--retry-failed"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert again.returncode == 0, again.stderr.decode()[-2000:]
    assert states(tmp_path).count("finished") == 10
    # A lost run did not go on by itself on the node that was given up: each came to its end once.
    ends = (tmp_path / "train.py.ends").read_text().split()
    assert len(ends) == len(set(ends)) == 10


def test_no_cluster_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    plan(tmp_path, seeds=1, sleep=0)
    command = [sys.executable, "-m", "sleuth", "sweep", "run", "p.toml", "--on", "ray"]
    environment = {key: value for key, value in os.environ.items() if key != "RAY_ADDRESS"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "There is no Ray cluster to join" in done.stderr.splitlines()[-1]
