"""Sleuth as a process of its own, as an attacker and a CI system meet it."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

PATIENCE = 120  # seconds until a request counts as hung

Case = TypeVar("Case")
Done = subprocess.CompletedProcess[bytes]


def sampled(cases: Iterable[Case], quick: int) -> list[ParameterSet]:
    """The first few for every day, the rest for the slow half of the suite: each is a process or two."""
    marks = (pytest.mark.slow,)
    return [pytest.param(case, marks=marks if place >= quick else ()) for place, case in enumerate(cases)]


def sleuth(*words: str | bytes, cwd: Path | None = None, **environment: str) -> Done:
    """Bytes, as hostile output need not be text. SLEUTH_HOME is where the request is made, unless said."""
    return subprocess.run(
        [sys.executable, "-m", "sleuth", *words],
        cwd=cwd,
        env={key: value for key, value in os.environ.items() if key != "SLEUTH_HOME"} | environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=PATIENCE,
    )


def is_sentence(done: Done, code: int) -> bool:
    """One line on standard error, no traceback, and the exit code that goes with it."""
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    return done.returncode == code and len(lines) == 1 and lines[0].startswith("sleuth: ")
