"""Several writers, kill -9, full disks, folders that cannot be written: real processes, real limits."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sleuth import archive
from sleuth.archive import index
from tests.archive import made

WRITERS, RUNS_EACH, STEPS = 6, 4, 200

WRITER = """
import sys, time
from pathlib import Path
from sleuth import archive
from tests.archive import made
home, number, start = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
time.sleep(max(0, start - time.time()))
for turn in range({runs}):
    made.finished(home, None, made.steps({steps}, seed=10 * number + turn))
"""

VICTIM = """
import json, sys, time
from pathlib import Path
from sleuth import archive
run = archive.begin(["train.py"], None, home=Path(sys.argv[1]))
print(run.id, flush=True)
with run.record_path.open("a") as file:
    flushed = time.time()
    for n in range(10_000):
        now = time.time()
        file.write(json.dumps({"kind": "step", "n": n, "t": now, "loss": 1.0 / (n + 1)}) + "\\n")
        if now - flushed > 0.5:
            file.flush()
            flushed = now
        time.sleep(0.002)
"""

GUEST = """
import sys
from pathlib import Path
from sleuth import archive
from tests.archive import made
run = archive.begin(["train.py"], None, home=Path(sys.argv[1]))
print(run.recording)
try:
    made.write(run, made.steps(int(sys.argv[2])))
except OSError:
    print("record cut")
run.finish(0, [made.finding()])
print("the script went on")
"""


def status_of(run: archive.Run) -> str:
    return run.status


def python(code: str, *words: str, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-c", code, *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=limited, env=made.PATHS
    )


def test_several_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    home, start = tmp_path / "home", str(time.time() + 2)
    code = WRITER.format(runs=RUNS_EACH, steps=STEPS)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(home), str(number), start],
            stderr=subprocess.PIPE,
            env=made.PATHS,
        )
        for number in range(WRITERS)
    ]
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [(b"", 0)] * WRITERS
    rows = index.rows(home)
    assert len(rows) == len(archive.runs(home)) == WRITERS * RUNS_EACH
    seeds = []
    for run in archive.runs(home):
        (seed,) = run.meta["seeds"]
        seeds.append(seed["value"])
        expected = [event["loss"] for event in made.steps(STEPS, seed=seed["value"]) if "loss" in event]
        assert list(run.series("step/loss").values) == expected
    assert sorted(seeds) == sorted(10 * n + turn for n in range(WRITERS) for turn in range(RUNS_EACH))
    with sqlite3.connect(home / "index.sqlite") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_first_writers_wait_for_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SQLite refuses to change into write-ahead mode at once while another writes, whatever its timeout."""
    home = tmp_path / "home"
    run = archive.begin(["x"], None, home=home)
    made.write(run, made.steps(10))
    other = sqlite3.connect(home / "index.sqlite", isolation_level=None, check_same_thread=False)
    other.executescript("CREATE TABLE busy (x); BEGIN IMMEDIATE; INSERT INTO busy VALUES (1);")
    release = threading.Timer(0.5, other.execute, ["COMMIT"])
    release.start()
    run.finish(0)
    release.join()
    other.close()
    assert capsys.readouterr().err == ""
    assert index.rows(home).keys() == {run.id}


def test_kill_9_loses_at_most_the_last_second(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(home)], stdout=subprocess.PIPE, text=True
    ) as victim:
        assert victim.stdout is not None
        run = archive.find(victim.stdout.readline().strip(), home)
        time.sleep(2)
        assert status_of(run) == "running"
        killed = time.time()
        victim.send_signal(signal.SIGKILL)
        victim.wait()
    assert status_of(run) == "unfinished"
    times = [event["t"] for event in run.events("step")]
    assert killed - times[-1] < 1.0
    assert len(run.series("step/loss")) == len(times) > 100
    (row,) = archive.listed(home)
    assert (row.status, row.steps) == ("unfinished", len(times))
    assert "unfinished" in made.sleuth("runs", "--home", str(home)).stdout
    shown = json.loads(made.sleuth("runs", "show", "last", "--home", str(home), "--json", "-").stdout)
    assert (shown["status"], shown["series"]["step/loss"]["count"]) == ("unfinished", len(times))


def test_a_recycled_process_number_is_not_taken_for_the_run(tmp_path: Path) -> None:
    run = archive.begin(["x"], None, home=tmp_path)
    meta = json.loads((run.folder / "meta.json").read_text())
    assert status_of(run) == "running"
    (run.folder / "meta.json").write_text(json.dumps(meta | {"birth": "1"}))
    assert status_of(run) == "unfinished"


def test_a_run_on_another_machine_goes_on_while_it_speaks(tmp_path: Path) -> None:
    run = archive.begin(["x"], None, home=tmp_path)
    meta = json.loads((run.folder / "meta.json").read_text())
    (run.folder / "meta.json").write_text(json.dumps(meta | {"host": "elsewhere", "pid": 2**22 + 1}))
    assert status_of(run) == "running"
    os.utime(run.record_path, (1, 1))
    assert status_of(run) == "unfinished"


def degraded(done: subprocess.CompletedProcess[str]) -> None:
    """Not recorded, said once, and the script went on."""
    assert done.stdout.splitlines() == ["False", "the script went on"]
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("sleuth: This run is not recorded")
    assert done.returncode == 0


def test_a_home_that_cannot_be_made_degrades(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    degraded(python(GUEST, str(tmp_path / "file" / "home"), "10"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere; the mounted twin below covers it")
def test_a_read_only_folder_degrades(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    degraded(python(GUEST, str(tmp_path / "home"), "10"))


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 256 kB."""
    place = tmp_path / "tiny"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting needs rights that this user lacks; the limit on file size covers it")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_read_only_mount_degrades_and_stays_readable(tiny: Path) -> None:
    run = made.finished(tiny / "home", None, made.steps(50))
    subprocess.run(["mount", "-o", "remount,ro", str(tiny)], check=True)
    degraded(python(GUEST, str(tiny / "home"), "10"))
    assert archive.find("last", tiny / "home") == run
    assert index.rows(tiny / "home").keys() == {run.id}
    assert len(run.series("step/loss")) == 50
    assert made.sleuth("runs", "--home", str(tiny / "home")).returncode == 0


def test_a_full_disk_degrades(tiny: Path) -> None:
    (tiny / "ballast").write_bytes(b"x" * 4096 * 62)
    degraded(python(GUEST, str(tiny / "home"), "10"))
    assert list((tiny / "home" / "runs").iterdir()) == []


def test_a_disk_that_fills_up_on_the_way_keeps_what_was_written(tiny: Path) -> None:
    done = python(GUEST, str(tiny / "home"), "5000")
    assert done.stdout.splitlines() == ["True", "record cut", "the script went on"]
    assert done.stderr.count("\n") == 1
    assert "is incomplete" in done.stderr
    (row,) = archive.listed(tiny / "home")
    assert row.status == "unfinished"
    assert len(row.run.series("step/loss")) > 500


def test_a_limit_on_file_size_degrades(tmp_path: Path) -> None:
    degraded(python(GUEST, str(tmp_path / "home"), "10", limit=1))


def test_an_index_that_cannot_grow_costs_the_index_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = python(GUEST, str(home), "100", limit=16_000)
    assert done.stdout.splitlines()[0] == "True"
    assert done.stdout.splitlines()[-1] == "the script went on"
    assert done.stderr.count("\n") == 1
    assert len(archive.find("last", home).series("step/loss")) == 100
