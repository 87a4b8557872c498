"""The command line as a user meets it: real processes, real exit codes."""

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import click
import pytest

from bench import zoo

BROKEN = "zoo/handmade/loss/double-softmax/broken.py"
FIXED = str(zoo.case("loss/double-softmax").fixed)


def sleuth(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sleuth", *words]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)


def on_a_terminal(*words: str, **environment: str) -> str:
    """What a person sees: the same command with a terminal as its output."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "sleuth", *words]
    base = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with subprocess.Popen(command, stdout=follower, stderr=follower, env=base | environment) as process:
        os.close(follower)
        seen = b""
        while select.select([leader], [], [], 30)[0]:
            try:
                part = os.read(leader, 65536)
            except OSError:  # Linux reports the end of a terminal this way
                break
            if not part:
                break
            seen += part
        process.wait(30)
    os.close(leader)
    return seen.decode()


def test_help_names_every_verb_and_the_exit_codes() -> None:
    done = sleuth("--help")
    assert done.returncode == 0
    for word in ("lint", "explain", "causes", "Exit codes"):
        assert word in done.stdout


def test_the_help_page_says_of_each_verb_what_the_verb_says_of_itself() -> None:
    from sleuth.cli import VERBS, group

    with click.Context(group.sleuth) as context:
        for verb, line in VERBS.items():
            command = group.sleuth.get_command(context, verb)
            assert command is not None
            assert (command.help or "").splitlines()[0] == line


def test_nothing_found_is_zero_and_something_found_is_one() -> None:
    assert sleuth("lint", FIXED).returncode == 0
    assert sleuth("lint", BROKEN).returncode == 1


def test_the_verdict_names_line_cause_and_fix() -> None:
    text = sleuth("lint", BROKEN).stdout
    for part in (
        f"{BROKEN}:45",
        "[double-softmax]",
        "nn.Softmax(dim=1)",
        "^^^",
        "fix:",
        "sleuth explain double-softmax",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["explian", "x"], "Did you mean 'explain'?"),
        (["explain", "doubel-softmax"], "Did you mean 'double-softmax'?"),
        (["causes", "--family", "dat"], "Did you mean 'data'?"),
        (["lint", "no_such_file.py"], "There is no file or folder 'no_such_file.py'."),
        (["lint", "--selct", "loss", "src"], "--select"),
        (["lint", "--select", "double-softmx", BROKEN], "Did you mean 'double-softmax'?"),
        (["explain"], "Missing argument"),
        (["lint", "--diff", "no-such-revision", BROKEN], "git does not know what changed"),
        (["explain", "double-softmax", "--json", "no_such_folder/x.json"], "Cannot write"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_request_gets_one_sentence_and_exit_code_two(words: list[str], sentence: str) -> None:
    done = sleuth(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("sleuth: ")
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr


def test_files_that_are_no_python_are_named(tmp_path: Path) -> None:
    (tmp_path / "binary.py").write_bytes(b"\x00\x01\x02")
    (tmp_path / "torn.py").write_text("def f(:\n    pass\n")
    (tmp_path / "old.py").write_text("print 'hello'\n")
    (tmp_path / "not.ipynb").write_text("hello")
    done = sleuth("lint", str(tmp_path))
    assert done.returncode == 2
    for part in ("binary file", "torn.py:1: invalid syntax", "Python 2", "not a Jupyter notebook"):
        assert part in done.stderr


def test_a_torn_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = Path(BROKEN).read_text("utf-8")
    (tmp_path / "torn.py").write_text(text + "\nfor x in (\n")
    done = sleuth("lint", str(tmp_path))
    assert done.returncode == 2
    assert sleuth("lint", str(tmp_path), "--unreadable", "ignore").returncode == 1
    assert "[double-softmax]" in done.stdout
    assert "The rest was read." in done.stderr


def test_one_readable_file_is_not_enough(tmp_path: Path) -> None:
    (tmp_path / "torn.py").write_text("def f(:\n")
    (tmp_path / "fine.py").write_text("import torch\n")
    done = sleuth("lint", str(tmp_path))
    assert done.returncode == 2
    assert done.stdout == "Nothing found in 2 files, 1 unreadable.\n"


def test_a_folder_without_python_is_said(tmp_path: Path) -> None:
    done = sleuth("lint", str(tmp_path))
    assert done.returncode == 2
    assert "no Python files" in done.stderr


def test_json_on_standard_output_is_all_there_is() -> None:
    data = json.loads(sleuth("lint", BROKEN, "--json", "-").stdout)
    assert data["schema"] == "sleuth.lint/1"
    (finding,) = data["findings"]
    assert {"cause", "path", "line", "column", "severity", "message"} <= set(finding)
    assert (finding["cause"], finding["line"], finding["severity"]) == ("double-softmax", 45, "error")
    assert any("Karpathy" in source for source in finding["sources"])
    assert finding["claims"]


def test_json_into_a_file_leaves_the_text(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    done = sleuth("causes", "--json", str(target))
    assert "double-softmax" in done.stdout
    assert json.loads(target.read_text("utf-8"))["schema"] == "sleuth.causes/1"


def test_explain_prints_the_page_with_its_sources() -> None:
    text = sleuth("explain", "double-softmax").stdout
    for part in ("# double-softmax", "## How to fix", "## Sources", "https://", "detected by lint"):
        assert part in text


def test_explain_is_honest_about_what_cannot_be_seen_yet() -> None:
    text = sleuth("explain", "physics-hurts").stdout
    assert "described, not yet detected" in text
    text = sleuth("explain", "seed-lottery").stdout
    assert "detected by probe, experiment" in text


def test_quiet_is_brief() -> None:
    assert sleuth("explain", "double-softmax", "--quiet").stdout.count("\n") == 1
    assert sleuth("lint", BROKEN, "--quiet").stdout.count("\n") == 1
    assert "double-softmax" in sleuth("causes", "--quiet").stdout.split("\n")


@pytest.mark.parametrize("words", [["lint", BROKEN], ["explain", "double-softmax"], ["causes"]])
def test_colour_on_a_terminal_and_none_in_a_pipe(words: list[str]) -> None:
    assert "\x1b[" in on_a_terminal(*words)
    assert "\x1b[" not in on_a_terminal(*words, NO_COLOR="1")
    assert "\x1b[" not in sleuth(*words).stdout


def test_bad_input_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "torn.py").write_text("def (\n")
    command = [sys.executable, "-m", "sleuth", "lint", "torn.py", "--json", "out.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert os.listdir(tmp_path) == ["torn.py"]


def test_a_pipe_named_like_a_script_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "fine.py").write_text("import torch\n")
    assert sleuth("lint", str(tmp_path)).returncode == 0
    assert "neither a file nor a folder" in sleuth("lint", str(tmp_path / "pipe.py")).stderr


def test_a_full_disk_is_no_bug_of_ours() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "sleuth", "causes"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "no space left" in done.stderr


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{sys.executable} -m sleuth causes | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_a_bug_in_sleuth_is_a_traceback_and_exit_code_three(monkeypatch: pytest.MonkeyPatch) -> None:
    from sleuth.cli import group, run

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(group.sleuth, "main", broken)
    assert run(["causes"]) == 3


def test_an_interruption_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from sleuth.cli import group, run

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(group.sleuth, "main", interrupted)
    assert run(["causes"]) == 130
