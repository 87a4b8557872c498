"""Light verbs stay light: a fresh interpreter shows what they import."""

import subprocess
import sys

import pytest

from bench import zoo

CASE = zoo.case("loss/double-softmax")
HEAVY = ("torch", "numpy", "scipy", "pandas", "sklearn", "matplotlib")
SNIPPET = """
import sys
{body}
loaded = sorted(name for name in {heavy!r} if name in sys.modules)
sys.stderr.write("LOADED " + " ".join(loaded))
"""
REQUESTS = {
    "help": ["--help"],
    "verb help": ["lint", "--help"],
    "explain": ["explain", "double-softmax"],
    "explain a rule": ["explain", "overfit-first"],
    "explain a flaw": ["explain", "dead-zone"],
    "evidence": ["evidence", "check"],
    "json": ["lint", str(CASE.broken), "--json", "-"],
    "causes": ["causes"],
    "help of the pages": ["ui", "--help"],
    "lint": ["lint", str(CASE.broken)],
}


def heavy_modules_after(body: str) -> list[str]:
    code = SNIPPET.format(body=body, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stderr.rpartition("LOADED")[2].split()


def test_importing_sleuth_is_light() -> None:
    assert heavy_modules_after("import sleuth") == []


@pytest.mark.parametrize("request_words", REQUESTS.values(), ids=REQUESTS)
def test_light_verbs_load_nothing_heavy(request_words: list[str]) -> None:
    assert heavy_modules_after(f"from sleuth.cli import run; run({request_words!r})") == []


def test_this_test_can_fail() -> None:
    assert heavy_modules_after("import sleuth, numpy") == ["numpy"]


@pytest.mark.parametrize("words", [[str(CASE.broken)], ["-q", str(CASE.fixed)]], ids=["broken", "fixed"])
def test_an_everyday_lint_does_not_load_the_command_line_library(words: list[str]) -> None:
    request = f"from sleuth.cli import run; run(['lint', '--no-cache', *{words!r}])"
    code = f"{request}\nimport sys; sys.exit('click' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
