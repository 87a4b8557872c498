"""A watched run computes bit for bit what the bare run computes, over the whole zoo."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.watching.identity import ZOO, scripts

ROOT = ZOO.parent
# Closures, recurrent state, a scheduler a step, NaN on the way: the loops that are least like the plain one.
SAMPLE = (
    "healthy/lbfgs_closure.py",
    "healthy/tbptt_detached_state.py",
    "healthy/onecycle_per_step.py",
    "numerics/unsafe-log-div/broken.py",
)


def compared(*paths: Path) -> str:
    """In a process of its own, which forks: this one may have threads by now."""
    command = [sys.executable, "-m", "tests.watching.identity", *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_some_of_each_kind() -> None:
    chosen = [ZOO / name for name in SAMPLE if (ZOO / name).exists()]
    assert len(chosen) == len(SAMPLE)
    assert f"{len(SAMPLE)} scripts, 0 different, 0 not compared" in compared(*chosen)


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted(path.name for path in ZOO.iterdir() if path.is_dir()))
def test_the_whole_zoo(folder: str) -> None:
    if scripts(ZOO / folder):
        assert ", 0 different" in compared(ZOO / folder)
