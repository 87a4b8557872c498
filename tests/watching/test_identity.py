"""A watched run computes bit for bit what the bare run computes, over the whole zoo."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench.zoo import SETS, ZOO

ROOT = ZOO.parent
# Closures, recurrent state, a scheduler a step, NaN on the way: the loops that are least like the plain one.
SAMPLE = (
    "handmade/healthy/lbfgs_closure.py",
    "handmade/healthy/tbptt_detached_state.py",
    "handmade/healthy/onecycle_per_step.py",
    "handmade/numerics/unsafe-log-div/broken.py",
)

SHELVES = sorted(path for folder in SETS.values() for path in folder.iterdir() if path.is_dir())


def compared(*paths: Path) -> str:
    """In a process of its own, which forks: this one may have threads by now."""
    command = [sys.executable, "-m", "tests.watching.identity", *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_some_of_each_kind() -> None:
    chosen = [ZOO / name for name in SAMPLE]
    assert f"{len(SAMPLE)} scripts, 0 different, 0 not compared" in compared(*chosen)


@pytest.mark.slow
@pytest.mark.parametrize("shelf", SHELVES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_whole_zoo(shelf: Path) -> None:
    assert ", 0 different" in compared(shelf)
