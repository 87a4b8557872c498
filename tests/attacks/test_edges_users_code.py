"""Functions of the user's that leave the process, or never end: one sentence, exit code 2."""

import os
import signal
from pathlib import Path

import pytest

from sleuth import cli
from sleuth.cli.users_code import users_code
from sleuth.errors import SleuthError
from tests.attacks.tally import tally

SURFACE = """
import os, sys, time
def exits(a): sys.exit(0)
def exits_silently(a): raise SystemExit
def leaves(a): os._exit(0)
def endless(a):
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            pass
def swallows(a):
    while True:
        try:
            time.sleep(0.01)
        except BaseException as error:
            if swallowed: raise
            swallowed.append(error)
swallowed = []
def fine(a): return (a - 1) ** 2
"""
ENDS = {
    "exits": "sys.exit(0)",
    "exits_silently": "sys.exit",
    "leaves": "os._exit(0)",
    "endless": "no result within 2 s",
    "swallows": "no result within 2 s",
}


@pytest.mark.parametrize("name", ENDS)
def test_a_loss_does_not_decide_how_sleuth_ends(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "losses.py"
    file.write_text(SURFACE)
    code = cli.run(["surface", f"{file}:{name}", "--x", "a=0:2", "--n", "5", "--budget", "2s"])
    said = capsys.readouterr()
    failed = code != 2 or said.err.count("\n") != 1 or ENDS[name] not in said.err
    tally("a loss that exits or never ends", 1, int(failed))
    assert not failed, (code, said)


def test_one_that_ends_is_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "losses.py"
    file.write_text(SURFACE)
    assert cli.run(["surface", f"{file}:fine", "--x", "a=0:2", "--n", "5"]) in (0, 1)
    assert capsys.readouterr().out


@pytest.mark.parametrize("body", ["import sys; sys.exit(0)", "import os; os._exit(0)"])
@pytest.mark.parametrize("verb", [["probe"], ["rl", "probe"], ["rl", "check"]], ids=" ".join)
def test_nor_does_a_function_that_makes_something(
    verb: list[str], body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "maker.py"
    file.write_text(f"def make(*a, **k):\n    {body}\n")
    target = f"{file}:make"
    assert cli.run([*verb, target]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_everything_is_as_it_was_before() -> None:
    leave, handler = os._exit, signal.getsignal(signal.SIGALRM)
    with pytest.raises(SleuthError, match=r"os\._exit\(3\)"), users_code("f", 60):
        os._exit(3)
    assert os._exit is leave
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_child_process_may_leave() -> None:
    with users_code("f"):
        child = os.fork()
        if child == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
