"""The exit code is the script's, whatever happens to Sleuth's own part, and the training goes on."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.tally import tally

CODE = 7
SCRIPT = f"""
import sys, torch
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    net(torch.ones(8, 3)).square().mean().backward()
    optimizer.step()
print("trained to the end")
sys.exit({CODE})
"""
WATCH = [sys.executable, "-m", "sleuth", "watch", "--quiet"]
# Found by every process of a watched run before anything of Sleuth is used.
SABOTAGE = """
import importlib, os, sys
place, _, how = os.environ.get("SABOTAGE", "").partition("=")
if place:
    def fail(*args, **kwargs):
        if how == "killed":
            os.kill(os.getpid(), 9)
        raise {"fault": KeyError, "no memory": MemoryError, "disk": OSError}[how]("on purpose")
    module, _, name = place.partition(":")
    owner = importlib.import_module(module)
    *path, last = name.split(".")
    for part in path:
        owner = getattr(owner, part)
    setattr(owner, last, fail)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "saboteur").mkdir()
    (tmp_path / "saboteur" / "sitecustomize.py").write_text(SABOTAGE)
    return tmp_path


def watch(
    folder: Path, *words: str | bytes, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "SLEUTH_HOME": str(folder / "home"), "TMPDIR": str(folder), **(environment or {})}
    return subprocess.run(
        [*WATCH, *words], cwd=folder, env=env, text=True, capture_output=True, timeout=240, check=False
    )


# Phase → what is made to fail in it, in whichever process comes by.
PHASES = {
    "reading the command line": "sleuth.source.script_files:local_sources",
    "starting the process beside": "sleuth.watching.beside:Beside.begun",
    "its first word": "sleuth.cli.beside:natural",
    "beginning the run": "sleuth.archive.starting:_describe",
    "a folder for the run": "sleuth.archive.starting:make_home",
    "files of the run": "sleuth.watching.kept:files_of",
    "hooks, being installed": "sleuth.watching.install:install",
    "hooks, on import": "sleuth.watching.install:_open_doors",
    "hooks, at a call": "sleuth.watching.forwards:_root_ended",
    "hooks, at a step": "sleuth.watching.steps:ended",
    "writing a line": "sleuth.record.json_lines:line_of",
    "writing to the file": "sleuth.watching.writer:Writer._append",
    "the end of the record": "sleuth.watching.install:_end",
    "putting things back": "sleuth.doors.patches:Patches.restore",
    "passing output on": "sleuth.cli.beside:_pass_on",
    "the vital signs": "sleuth.watching.live:Live.look",
    "reading the record": "sleuth.watching.judging:load",
    "judging": "sleuth.watching.judging:judge",
    "closing the run": "sleuth.archive.closing:close",
    "the page": "sleuth.show.watch_page:document",
    "the text": "sleuth.show.watch_text:brief",
    "printing": "sleuth.terminal:say",
}
SAMPLE = ("beginning the run", "hooks, at a step", "judging")


def attacked(folder: Path, phase: str, how: str) -> None:
    sabotage = {"PYTHONPATH": str(folder / "saboteur"), "SABOTAGE": f"{PHASES[phase]}={how}"}
    # An option after the script has its text read: it may spell that option itself.
    done = watch(folder, "train.py", "--level", "full", environment=sabotage)
    fine = (done.returncode, done.stdout) == (CODE, "trained to the end\n")
    tally(f"{how} in Sleuth's own part", 1, int(not fine))
    assert fine, done
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("phase", SAMPLE)
def test_a_fault_of_sleuth_costs_the_record_only(folder: Path, phase: str) -> None:
    attacked(folder, phase, "fault")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fault", "no memory", "disk"])
@pytest.mark.parametrize("phase", PHASES)
def test_whatever_fails_in_whichever_phase(folder: Path, phase: str, how: str) -> None:
    attacked(folder, phase, how)


def test_a_fault_asks_for_a_report_and_names_the_file(folder: Path) -> None:
    sabotage = {"PYTHONPATH": str(folder / "saboteur"), "SABOTAGE": f"{PHASES['closing the run']}=fault"}
    done = watch(folder, "train.py", environment=sabotage)
    (file,) = folder.glob("sleuth-fault-*")
    assert str(file) in done.stderr
    assert "please report it" in done.stderr
    assert "KeyError" in file.read_text()


BESIDE = ("its first word", "beginning the run", "passing output on", "judging", "closing the run")


@pytest.mark.slow
@pytest.mark.parametrize("phase", BESIDE)
def test_the_process_beside_may_be_killed_in_any_phase(folder: Path, phase: str) -> None:
    attacked(folder, phase, "killed")


NAMES = [b"caf\xe9.py", b"a \n b.py", "🙂.py".encode(), b"-x'\";.py"]


@pytest.mark.parametrize("name", NAMES[:1], ids=["latin"])
def test_a_name_that_is_not_unicode(folder: Path, name: bytes) -> None:
    named(folder, name, {})


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES, ids=["latin", "line end", "emoji", "quotes"])
@pytest.mark.parametrize("place", ["file", "folder"])
@pytest.mark.parametrize("locale", ["as it is", "C"])
def test_odd_names_in_odd_locales(folder: Path, name: bytes, place: str, locale: str) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"} if locale == "C" else {}
    named(folder, name if place == "file" else name + b"/train.py", plain)


def named(folder: Path, name: bytes, environment: dict[str, str]) -> None:
    path = os.path.join(os.fsencode(folder), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.rename(folder / "train.py", path)
    done = watch(folder, b"--", os.path.join(b".", name), environment=environment)
    tally("a script with an odd name", 1, int(done.returncode != CODE))
    assert (done.returncode, done.stdout) == (CODE, "trained to the end\n"), done
    assert "report" not in done.stderr
    judged = [sys.executable, "-m", "sleuth", "judge", "last"]
    env = {**os.environ, "SLEUTH_HOME": str(folder / "home"), **environment}
    again = subprocess.run(judged, cwd=folder, env=env, capture_output=True, check=False)
    assert again.returncode in (0, 1), again.stderr


REDIRECTED = {
    "closed": ">&-",
    "closed both": ">&- 2>&-",
    "full": ">/dev/full",
    "full both": ">/dev/full 2>&1",
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("where", [*REDIRECTED][:1])
def test_standard_output_may_be_unusable(folder: Path, where: str) -> None:
    redirected(folder, REDIRECTED[where])


@pytest.mark.slow
@pytest.mark.parametrize("where", REDIRECTED.values(), ids=[*REDIRECTED])
@pytest.mark.parametrize("options", ["", "--json -"], ids=["text", "json"])
def test_whatever_standard_output_is(folder: Path, where: str, options: str) -> None:
    redirected(folder, where, options)


def redirected(folder: Path, where: str, options: str = "") -> None:
    code = folder / "code"
    command = f'"$@" {options} train.py {where}; echo $? > "{code}"'
    env = {**os.environ, "SLEUTH_HOME": str(folder / "home")}
    subprocess.run(["sh", "-c", command, "sh", *WATCH], cwd=folder, env=env, timeout=240, check=False)
    tally("standard output that cannot be written", 1, int(code.read_text() != f"{CODE}\n"))
    assert code.read_text() == f"{CODE}\n"


@pytest.mark.slow
def test_a_reader_that_leaves_ends_nothing(folder: Path) -> None:
    (folder / "train.py").write_text(
        SCRIPT.replace("    optimizer.step()", "    optimizer.step(); print('step', flush=True)")
    )
    code = folder / "code"
    command = f'{{ "$@" train.py 2>/dev/null; echo $? > "{code}"; }} | head -1'
    env = {**os.environ, "SLEUTH_HOME": str(folder / "home")}
    subprocess.run(["sh", "-c", command, "sh", *WATCH], cwd=folder, env=env, timeout=240, check=False)
    tally("a reader that leaves", 1, int(code.read_text() != f"{CODE}\n"))
    assert code.read_text() == f"{CODE}\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, as small as a run's first files."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=192k", "none", str(mounted)]
    if sys.platform != "linux" or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield mounted
    subprocess.run(["umount", "-l", str(mounted)], check=False)


def test_a_disk_that_fills_up_costs_the_record_only(folder: Path, small_disk: Path) -> None:
    (folder / "train.py").write_text(SCRIPT.replace("range(5)", "range(3000)"))
    done = watch(folder, "train.py", environment={"SLEUTH_HOME": str(small_disk)})
    fine = (done.returncode, done.stdout) == (CODE, "trained to the end\n")
    tally("the disk under the archive fills up", 1, int(not fine))
    assert fine, done
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("words", [("--keep", "/nothing/*"), ("--json", "no/such/folder/x.json")])
def test_what_cannot_be_kept_or_written_is_said(folder: Path, words: tuple[str, str]) -> None:
    done = watch(folder, *words, "train.py")
    assert (done.returncode, done.stdout) == (CODE, "trained to the end\n")
    assert "Traceback" not in done.stderr


def test_this_saboteur_can_be_seen(folder: Path) -> None:
    """A sentence says of each fault: else the attacks above might miss their aim."""
    sabotage = {"PYTHONPATH": str(folder / "saboteur"), "SABOTAGE": f"{PHASES['hooks, at a call']}=fault"}
    assert "stopped watching" in watch(folder, "train.py", environment=sabotage).stderr
