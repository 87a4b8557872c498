"""Many watched runs in one archive, and kills at moments nobody chose."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sleuth import archive
from sleuth.record.json_lines import read
from sleuth.watching.process import environment
from tests.attacks.tally import tally

RUNS, STEPS = 16, 120
KILLS = 20
ALLOWED = 1.0  # seconds of a record that a kill may cost
SCRIPT = """
import sys, time, torch
torch.set_num_threads(1)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
print("ready", flush=True)
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    net(torch.ones(8, 3)).square().mean().backward()
    optimizer.step()
    time.sleep(0.01)
    print(step, time.time(), flush=True)
"""


@pytest.mark.slow
def test_sixteen_runs_at_once_in_one_archive(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    words = [sys.executable, "-m", "sleuth", "watch", "--quiet", "train.py", str(STEPS)]
    env = os.environ | {"SLEUTH_HOME": str(tmp_path / "home")}
    started = [
        subprocess.Popen(words, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(RUNS)
    ]
    outputs = [process.communicate(timeout=570)[0] for process in started]
    assert [process.returncode for process in started] == [0] * RUNS
    assert all(out.count(b"\n") == STEPS + 1 for out in outputs)
    kept = archive.runs(tmp_path / "home")
    whole = [run for run in kept if (run.status, run.meta.get("steps")) == ("finished", STEPS)]
    tally("runs at once in one archive", RUNS, RUNS - len(whole))
    assert len(whole) == RUNS


def lost(folder: Path, seed: int) -> float:
    """Seconds of steps that were printed before the kill and are not in the record."""
    record = folder / f"{seed}.jsonl"
    (folder / "train.py").write_text(SCRIPT)
    env = environment(record, "default", os.environ)
    with subprocess.Popen(
        [sys.executable, "train.py", "100000"], cwd=folder, env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(random.Random(seed).uniform(0.5, 3.0))
        process.send_signal(signal.SIGKILL)
        printed = [line.split() for line in process.stdout.read().splitlines()]
    assert process.returncode == -signal.SIGKILL
    moments = {int(words[0]): float(words[1]) for words in printed if len(words) == 2}
    kept = max((step.n for step in read(record).steps), default=-1)
    missing = [moment for step, moment in moments.items() if step > kept]
    return max(missing) - min(missing) if missing else 0.0


def test_a_kill_loses_less_than_a_second(tmp_path: Path) -> None:
    assert lost(tmp_path, 0) < ALLOWED


@pytest.mark.slow
def test_kills_at_moments_nobody_chose(tmp_path: Path) -> None:
    costs = [lost(tmp_path, seed) for seed in range(KILLS)]
    tally("kill -9 of the script", KILLS, sum(cost >= ALLOWED for cost in costs))
    print(json.dumps({"most_lost_s": max(costs)}))
    assert max(costs) < ALLOWED, costs
