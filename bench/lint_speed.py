"""Speed of lint beside the floor (parse and walk once), in one run on the same files."""

import ast
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sleuth.facts.source import Project, Source, UnreadableSource, read_source
from sleuth.lint import Selection, lint_source

LINES = 30_000  # enough to measure, little enough for the slowest peer's turn
ROUNDS = 3


@dataclass(frozen=True)
class Speed:
    """Seconds for the same lines, best of several turns, taken in turn."""

    lines: int
    floor: float
    lint: float
    cold_floor: float
    cold_lint: float

    @property
    def against_floor(self) -> float:
        """Share of the floor's lines a second."""
        return self.floor / self.lint


def measure() -> Speed:
    sources = corpus()
    selection = Selection()
    causes = selection.causes()

    def floor() -> None:
        for source in sources:
            for _ in ast.walk(ast.parse(source.text)):
                pass

    def lint() -> None:
        for source in sources:
            fresh = Source(source.path, source.text, ast.parse(source.text))
            lint_source(fresh, selection, causes, Project())

    small = str(Path(__file__).resolve().parent.parent / "zoo/loss/double-softmax/fixed.py")
    walk = f"import ast\nfor _ in ast.walk(ast.parse(open({small!r}).read())): pass"
    cold = _best(
        {
            "floor": lambda: subprocess.run([sys.executable, "-c", walk], check=True),
            "lint": lambda: subprocess.run(
                [sys.executable, "-m", "sleuth", "lint", "-q", small], check=True, stdout=subprocess.DEVNULL
            ),
        }
    )
    warm = _best({"floor": floor, "lint": lint})
    return Speed(sum(len(s.lines) for s in sources), warm["floor"], warm["lint"], cold["floor"], cold["lint"])


def corpus() -> list[Source]:
    """Files of torch itself that train or define modules: installed wherever the benchmark runs."""
    import torch

    folder = Path(torch.__file__).parent
    picked: list[Source] = []
    count = 0
    for path in sorted((folder / "nn").rglob("*.py")) + sorted((folder / "optim").rglob("*.py")):
        try:
            source = read_source(path)
        except UnreadableSource:
            continue
        picked.append(source)
        count += len(source.lines)
        if count > LINES:
            break
    return picked


def _best(actions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The best of several turns each, in turn, so that a busy moment hits all alike."""
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(ROUNDS):
        for name, action in actions.items():
            started = time.process_time()
            action()
            best[name] = min(best[name], time.process_time() - started)
    return best


def peers() -> list[str]:
    return [name for name in ("ruff", "flake8", "pylint", "torchfix") if shutil.which(name)]
