"""The edge of the process: every way a request can go is an exit code and at most one sentence."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sleuth import cli
from sleuth.cli import VERBS, fault, group
from sleuth.errors import SleuthError
from tests.attacks.processes import PATIENCE, is_sentence, sampled, sleuth
from tests.attacks.tally import tally

SECRET = "the words of the user's file"


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(group.sleuth, "main", broken)
    monkeypatch.setattr("sleuth.cli.quick.lint", broken)


@pytest.mark.parametrize("verb", VERBS)
def test_a_fault_of_ours_is_one_sentence_and_a_file(
    verb: str, temp: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, RuntimeError(SECRET))
    code = cli.run([verb, "train.py"])
    said = capsys.readouterr()
    (report,) = temp.iterdir()
    failed = code != 3 or said.err.count("\n") != 1 or str(report) not in said.err or said.out != ""
    tally("a fault of Sleuth's own, each verb", 1, int(failed))
    assert not failed
    assert "please report" in said.err
    assert SECRET not in said.err
    text = report.read_text("utf-8")
    assert f"command: sleuth {verb} train.py" in text
    assert "RuntimeError" in text
    assert report.stat().st_mode & 0o077 == 0


def test_where_no_file_can_be_written_the_sentence_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    sentence = fault.reported(KeyError("x"), ["lint"])
    assert "KeyError" in sentence
    assert "report this line" in sentence


@pytest.mark.parametrize(
    ("error", "code", "part"),
    [
        (SleuthError("No\nsuch thing."), 2, "sleuth: No such thing.\n"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (SystemExit(7), 2, "sys.exit(7)"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 141, ""),
        (OSError(errno.ENAMETOOLONG, "File name too long", "a" * 9), 2, "'aaaaaaaaa': file name too long"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "Cannot write the result: no space left"),
        (OSError(errno.EMFILE, "Too many open files"), 2, "The system gave out"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_other_ends(
    error: BaseException,
    code: int,
    part: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    failing(monkeypatch, error)
    assert cli.run(["causes"]) == code
    said = capsys.readouterr().err
    assert part in said
    assert said.count("\n") == (1 if part else 0)


def test_an_error_of_the_system_without_a_cause_of_its_is_ours(
    temp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, OSError(errno.EINVAL, "Invalid argument"))
    assert cli.run(["causes"]) == 3


def ended(shell: str) -> tuple[int, str]:
    """Exit code (of the first in a pipe) and standard error of a line of shell; `sleuth` is ours."""
    line = f'sleuth() {{ "{sys.executable}" -m sleuth "$@"; }}; set -o pipefail; {shell}'
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, timeout=PATIENCE, env=os.environ
    )
    return done.returncode, done.stderr


STREAMS = {
    "closed output": ("sleuth causes >&-", 0, 0),
    "closed output and error": ("sleuth lint none.py >&- 2>&-", 2, 0),
    "closed input": ("sleuth lint - <&-", 0, 0),
    "full output": ("sleuth causes > /dev/full", 2, 1),
    "full output, lint": ("sleuth lint zoo/handmade/loss/double-softmax/broken.py > /dev/full", 2, 1),
    "full error": ("sleuth lint none.py 2> /dev/full", 2, 0),
    "a reader that leaves": ("sleuth causes --json - | true", 141, 0),
    "a reader that leaves, help": ("sleuth lint --help | true", 141, 0),
    "a reader of errors that leaves": ("sleuth lint none.py 2>&1 >/dev/null | true", 2, 0),
    "an ASCII world": (
        "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 sleuth causes > /dev/null", 0, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
def test_streams_that_are_closed_full_or_left(name: str) -> None:
    shell, code, lines = STREAMS[name]
    seen, said = ended(shell)
    failed = (seen, said.count("\n")) != (code, lines)
    tally("closed, full and broken streams", 1, int(failed))
    assert not failed, (seen, said)


LONG: list[list[str | bytes]] = [
    ["lint", "a" * 5000],
    ["lint", "a/" * 5000],
    ["diagnose", "a" * 5000],
    ["triage", "a" * 5000],
    ["probe", f"{'a' * 5000}:f"],
    ["watch", "a" * 5000],
    ["judge", "a" * 5000],
    ["surface", f"{'a' * 5000}.py:f", "--x", "a=0:1"],
    ["sweep", "analyze", "a" * 5000],
    ["rl", "probe", "a" * 5000],
    ["stuck", "a" * 5000, "--metric", "x"],
    ["explain", "a" * 5000],
    ["evidence", "check", "a" * 5000],
    ["runs", "show", "a" * 5000],
    ["runs", "--home", "a" * 5000],
    ["journal", "--home", "a" * 5000],
    ["case", "preflight", "a" * 5000],
    ["case", "status", "--case", "a" * 5000],
    ["lint", "src/sleuth/cli/fault.py", "--json", "a" * 5000],
    ["lint", b"caf\xe9-not-there.py"],
]


@pytest.mark.parametrize(
    "words", sampled(LONG, 5), ids=lambda words: " ".join(str(word)[:12] for word in words)
)
def test_names_of_5000_characters(words: list[str | bytes]) -> None:
    done = sleuth(*words)
    failed = not is_sentence(done, 2)
    tally("names of 5,000 characters", 1, int(failed))
    assert not failed, done


def test_a_file_name_that_is_not_utf_8_is_linted(tmp_path: Path) -> None:
    name = b"caf\xe9.py"
    (tmp_path / os.fsdecode(name)).write_text("def (:\n")
    done = sleuth("lint", name, cwd=tmp_path)
    failed = not is_sentence(done, 2) or b"caf\\udce9.py:1" not in done.stderr
    tally("odd names", 1, int(failed))
    assert not failed, done
    assert sleuth("lint", name, "--json", "-", cwd=tmp_path).stdout.isascii()
