"""When it ends, however it ends, no process and no folder is left behind."""

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from sleuth.lab import scratch
from sleuth.lab.client import Stage
from sleuth.lab.job import Job

# What a script may leave behind: in a session of its own, from a shell that ends at once, from a fork.
LEAVES = """
import os, subprocess, sys, time
kept = [subprocess.Popen(["sleep", "417"], start_new_session=True).pid]
shell = "setsid sleep 418 > /dev/null 2>&1 & echo $!"
kept.append(int(subprocess.run(shell, shell=True, stdout=subprocess.PIPE, text=True).stdout))
if os.fork() == 0:
    os.setsid()
    with open(sys.argv[1] + ".fork", "w") as out:
        out.write(str(os.getpid()))
    time.sleep(419)
while not os.path.exists(sys.argv[1] + ".fork"):
    time.sleep(0.01)
time.sleep(0.3)
kept.append(int(open(sys.argv[1] + ".fork").read()))
with open(sys.argv[1] + ".part", "w") as out:
    out.write(" ".join(map(str, kept)))
os.rename(sys.argv[1] + ".part", sys.argv[1])
"""
# A suite that was started to outlive its terminal hands on that it ignores a hang-up.
OWNER = """
import signal, sys, threading
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from sleuth.lab.client import Stage
from sleuth.lab.job import Job
with Stage() as stage:
    print(stage.scratch, stage._process.pid, flush=True)
    stage.start(Job("a", sys.argv[1], (sys.argv[2],), time_limit=500.0))
    stage.next_ending()
"""


def wait_for(happened: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if happened():
            return True
        time.sleep(0.05)
    return False


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_what_went_its_own_way_ends_with_its_job(tmp_path: Path) -> None:
    script, told = tmp_path / "script.py", tmp_path / "told"
    script.write_text(LEAVES)
    other = tmp_path / "other.py"
    other.write_text(LEAVES + "time.sleep(500)\n")
    with Stage() as stage:
        stage.start(Job("other", str(other), (str(tmp_path / "others"),), time_limit=400.0))
        assert wait_for(lambda: (tmp_path / "others").exists())
        stage.start(Job("a", str(script), (str(told),), time_limit=400.0))
        ending = stage.next_ending(100)
        assert ending is not None
        assert (ending.id, ending.status) == ("a", "finished")
        left = [int(pid) for pid in told.read_text().split()]
        beside = [int(pid) for pid in (tmp_path / "others").read_text().split()]
        assert all(map(gone, left))
        assert not any(map(gone, beside))  # its job is still running
    assert all(map(gone, beside))


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path, list[int]]]:
    """A process with a stage, a script running on it, and what that has spawned."""
    script, told, temporary = tmp_path / "script.py", tmp_path / "told", tmp_path / "temporary"
    script.write_text(LEAVES + "time.sleep(500)\n")
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(script), str(told)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)},
        start_new_session=True,
    )
    assert process.stdout is not None
    folder, zygote = process.stdout.readline().split()
    assert wait_for(told.exists)
    yield process, Path(folder), [int(zygote), *(int(pid) for pid in told.read_text().split())]
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_polite_end_cleans_up(
    owner: tuple[subprocess.Popen[str], Path, list[int]], number: signal.Signals
) -> None:
    process, folder, spawned = owner
    os.killpg(process.pid, number)  # as a terminal does
    assert process.wait(60) == 128 + number
    assert not folder.exists()
    assert all(map(gone, spawned))


def test_after_a_kill_processes_are_gone_and_the_next_one_sweeps(
    owner: tuple[subprocess.Popen[str], Path, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, folder, spawned = owner
    monkeypatch.setattr(tempfile, "tempdir", str(folder.parent))
    scratch.sweep()
    assert folder.exists()  # its owner lives
    process.kill()
    process.wait()
    assert wait_for(lambda: all(map(gone, spawned)))
    scratch.sweep()
    assert not folder.exists()


def test_only_what_is_known_to_be_left_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("sleuth-left", "sleuth-held", "sleuth-other", "else"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    for name in ("sleuth-left", "sleuth-held", "else"):
        (tmp_path / name / scratch.OWNER).write_text("1\n")
    with open(tmp_path / "sleuth-held" / scratch.OWNER) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        made = scratch.make()
    assert {path.name for path in tmp_path.iterdir()} == {
        "sleuth-held",
        "sleuth-other",
        "else",
        Path(made.path).name,
    }
    made.remove()
    assert not Path(made.path).exists()


def test_handlers_are_those_of_before() -> None:
    def mine(*_: object) -> None: ...

    before, ending = signal.signal(signal.SIGHUP, mine), signal.getsignal(signal.SIGTERM)
    try:
        with Stage():
            assert signal.getsignal(signal.SIGHUP) is mine
            assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, mine)
        assert signal.getsignal(signal.SIGHUP) is mine
        assert signal.getsignal(signal.SIGTERM) is ending  # of a stage around this one, where there is one
    finally:
        signal.signal(signal.SIGHUP, before)
