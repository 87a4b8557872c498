"""Escape sequences, overrides of direction and CI commands in names, messages and source lines."""

import ast
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth import terminal
from sleuth.finding import Where
from tests.attacks.processes import sampled, sleuth
from tests.attacks.tally import tally

HOSTILE = "\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202eevil\u2066"
FORGED = "x\n::error file=a.py::forged\n##[error]forged\n##vso[task.x]\n"
RAW = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
COMMAND = re.compile(rb"^\s*::|##\[|##vso\[", re.M)
BROKEN = (
    "import torch.nn as nn\nnet = nn.Sequential(nn.Linear(3, 3), nn.Softmax(1))  # {}\n"
    "loss = nn.CrossEntropyLoss()(net(x), y)\n"
)
NAME = "a\x1b]0;owned\x07\x1b[2J\r\u202e\n::error ::forged\n##[error]b.py"


def quiet(output: bytes) -> bool:
    return RAW.search(output) is None and COMMAND.search(output) is None


def test_the_watchman_of_these_tests_can_cry() -> None:
    assert not quiet(b"\x1b[2J")
    assert not quiet("\u202e".encode())
    assert not quiet(b"fine\n ::error ::x")
    assert quiet("fine · text\n".encode())


@settings(deadline=None)
@given(st.text())
def test_nothing_that_acts_is_left(text: str) -> None:
    assert quiet(terminal.harmless(text).encode())
    assert "\n" not in terminal.one_line(text)


@settings(deadline=None)
@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]).filter(lambda sign: sign not in ":#")))
def test_text_is_left_as_it_is(text: str) -> None:
    assert terminal.harmless(text) == text


def project(folder: Path) -> None:
    (folder / NAME).write_text(BROKEN.format(HOSTILE), "utf-8")
    (folder / f"torn{NAME}").write_text("def (:\n", "utf-8")


REQUESTS = {
    "lint": (["lint", "."], ""),
    "lint --quiet": (["lint", "-q", "."], ""),
    "lint --audit": (["lint", "--audit", "."], ""),
    "lint --fix": (["lint", "--fix", "."], ""),
    "lint --json": (["lint", ".", "--json", "-"], ""),
    "lint --format sarif": (["lint", ".", "--format", "sarif"], ""),
    "lint --format junit": (["lint", ".", "--format", "junit"], ""),
    "a file that is not there": (["lint", HOSTILE + FORGED], ""),
    "an unknown verb": ([HOSTILE + FORGED], ""),
    "an unknown option": (["lint", "--" + HOSTILE + FORGED], ""),
    "an unknown cause": (["explain", HOSTILE + FORGED], ""),
    "journal": (["journal", "add", HOSTILE + FORGED], ""),
    "case": (["case", "open", HOSTILE + FORGED], ""),
    "runs": (["runs", "show", HOSTILE + FORGED], ""),
    "evidence": (
        ["evidence", "check", "map.argdown"],
        f"[a{HOSTILE}]: b{HOSTILE}\n  + <{HOSTILE}>\n::error::x\n",
    ),
}


@pytest.mark.parametrize("name", sampled(REQUESTS, 9))
def test_what_a_verb_prints_does_not_act(name: str, tmp_path: Path) -> None:
    words, argdown = REQUESTS[name]
    project(tmp_path)
    (tmp_path / "map.argdown").write_text(argdown, "utf-8")
    done = sleuth(*words, cwd=tmp_path)
    failed = not quiet(done.stdout + b"\n" + done.stderr) or done.returncode not in (0, 1, 2)
    tally("escape sequences and CI commands in names, messages, source", 1, int(failed))
    assert not failed, done
    assert done.stdout + done.stderr


def test_a_terminal_is_sent_colours_and_nothing_else_that_acts(tmp_path: Path) -> None:
    project(tmp_path)
    leader, follower = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with subprocess.Popen(
        [sys.executable, "-m", "sleuth", "lint", "."],
        cwd=tmp_path, stdout=follower, stderr=follower, env=environment,
    ) as process:  # fmt: skip
        os.close(follower)
        seen = b""
        try:
            while part := os.read(leader, 65536):
                seen += part
        except OSError:  # Linux reports the end of a terminal this way
            pass
        process.wait(60)
    os.close(leader)
    assert b"\x1b[1m" in seen
    assert b"\\x1b[2J" in seen
    assert quiet(re.sub(rb"\x1b\[[0-9;]*m", b"", seen).replace(b"\r\n", b"\n"))


def test_junit_stays_well_formed(tmp_path: Path) -> None:
    project(tmp_path)
    done = sleuth("lint", ".", "--format", "junit", cwd=tmp_path)
    names = [case.get("name", "") for case in ElementTree.fromstring(done.stdout).iter("testcase")]
    assert len(names) == 3
    assert all("\\x1b" in name for name in names)


def test_githubs_own_format_speaks_and_forges_nothing(tmp_path: Path) -> None:
    project(tmp_path)
    lines = sleuth("lint", ".", "--format", "github", cwd=tmp_path).stdout.splitlines()
    assert len(lines) == 3
    assert all(line.startswith((b"::error file=", b"::warning file=")) for line in lines)


def test_a_place_is_one_line() -> None:
    assert str(Where("a\nb\x1b.py", 3)) == "a\\nb\\x1b.py:3"


def test_nobody_prints_past_the_one_place() -> None:
    """Every other way to a terminal would need its own care: `say` is the one."""
    package = Path(terminal.__file__).parent
    found = []
    for file in package.rglob("*.py"):
        if file == Path(terminal.__file__) or "causes" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("click.echo", "click.secho"):
                found.append(f"{file}:{node.lineno}")
        if file.parts[len(package.parts)] in ("cli", "show", "archive", "sweeping", "evidence") and (
            any(
                isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
                for node in ast.walk(ast.parse(file.read_text("utf-8")))
            )
        ):
            found.append(str(file))
    assert found == []
