"""Whoever of Sleuth's processes is killed, the training goes on, and so does its record."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sleuth import archive
from tests.attacks.tally import tally

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

# Trains until it is told to stop, and prints at every step: a broken pipe would end it.
SCRIPT = """
import os, sys, time, torch
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
step = 0
while not os.path.exists("stop"):
    optimizer.zero_grad()
    net(torch.ones(8, 3)).square().mean().backward()
    optimizer.step()
    print("step", step, flush=True)
    open("pid", "w").write(str(os.getpid()))
    step += 1
    time.sleep(0.02)
open("ended", "w").write(str(step))
sys.exit(int(sys.argv[1]))
"""
CODE = 5


@dataclass(frozen=True)
class Scene:
    folder: Path
    watch: "subprocess.Popen[bytes]"
    guest: int
    beside: int

    def stop(self) -> None:
        (self.folder / "stop").touch()

    @property
    def steps(self) -> int:
        return int((self.folder / "ended").read_text())

    @property
    def status(self) -> str:
        return self.run.status

    @property
    def run(self) -> archive.Run:
        return archive.find("last", self.folder / "home")


def happens(what: Callable[[], object], seconds: float = 90.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.05)
    return False


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if words[1] == str(pid):
            found.append(int(entry.parent.name))
    return found


def begun(folder: Path, *words: str, script: str = SCRIPT) -> Scene:
    (folder / "train.py").write_text(script)
    command = [sys.executable, "-m", "sleuth", "watch", "--quiet", *words, "train.py", str(CODE)]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"SLEUTH_HOME": str(folder / "home")},
        stdin=subprocess.DEVNULL,
        stdout=(folder / "out").open("wb"),
        stderr=(folder / "err").open("wb"),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    pid = folder / "pid"
    assert happens(lambda: pid.exists() and pid.read_text()), (folder / "err").read_text()
    guest = int(pid.read_text())
    (beside,) = (child for child in children(process.pid) if child != guest)
    return Scene(folder, process, guest, beside)


@pytest.fixture
def scene(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    made = begun(tmp_path, *getattr(request, "param", ()))
    yield made
    made.stop()
    made.watch.kill()
    made.watch.wait()
    assert happens(lambda: not lives(made.guest) and not lives(made.beside))


def test_a_killed_sleuth_lets_the_training_go_on(scene: Scene) -> None:
    scene.watch.kill()
    scene.watch.wait()
    before = (scene.folder / "out").stat().st_size
    went_on = happens(lambda: (scene.folder / "out").stat().st_size > before + 200)
    tally("kill -9 of sleuth watch", 1, int(not went_on))
    assert went_on
    assert scene.status == "running"
    scene.stop()
    assert happens(lambda: "ended" in scene.run.meta)
    assert scene.status == "failed"  # by its own exit code
    assert (scene.run.meta["exit_code"], scene.run.meta["steps"]) == (CODE, scene.steps)
    assert (scene.folder / "out").read_text().count("\n") == scene.steps
    assert (scene.run.folder / "stdout.txt").read_bytes() == (scene.folder / "out").read_bytes()


def test_without_the_process_beside_the_output_goes_on_and_the_run_is_closed(scene: Scene) -> None:
    os.kill(scene.beside, signal.SIGKILL)
    before = (scene.folder / "out").stat().st_size
    went_on = happens(lambda: (scene.folder / "out").stat().st_size > before + 200)
    tally("kill -9 of the process that keeps the record", 1, int(not went_on))
    assert went_on
    scene.stop()
    assert scene.watch.wait(90) == CODE
    assert (scene.folder / "out").read_text().count("\n") == scene.steps
    assert (scene.run.meta["exit_code"], scene.run.meta["steps"]) == (CODE, scene.steps)


@pytest.mark.parametrize("scene", [("--tie",)], indirect=True)
def test_tied_the_training_ends_with_sleuth(scene: Scene) -> None:
    scene.watch.kill()
    assert happens(lambda: not lives(scene.guest))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_what_is_sent_on_purpose_reaches_the_script(scene: Scene, number: signal.Signals) -> None:
    scene.watch.send_signal(number)
    assert scene.watch.wait(90) == 128 + number
    assert happens(lambda: not lives(scene.guest))


@pytest.mark.slow
def test_both_may_be_killed_once_the_script_is_silent(tmp_path: Path) -> None:
    """Nobody is left to pass the output on: a script that prints no more trains to its end all the same."""
    silent = begun(tmp_path, script=SCRIPT.replace('print("step", step, flush=True)', "pass"))
    for pid in (silent.beside, silent.watch.pid):
        os.kill(pid, signal.SIGKILL)
    silent.watch.wait()
    silent.stop()
    assert happens((tmp_path / "ended").exists)
