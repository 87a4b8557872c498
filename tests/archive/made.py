"""Small projects and runs for the tests of the archive."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sleuth import archive
from sleuth.finding import Finding, Where

ROOT = Path(__file__).resolve().parents[2]
PATHS = os.environ | {
    "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"
}  # for processes that use this module elsewhere
SCRIPT = "import helper\n\nlr = 0.1\nprint(helper.name)\n"


def project(folder: Path, git: bool = False) -> Path:
    """A script, a module it imports, a package that module imports, and a file nobody imports."""
    (folder / "parts").mkdir(parents=True)
    (folder / "train.py").write_text(SCRIPT)
    (folder / "helper.py").write_text("from parts import (\n    deep,\n)\nname = deep.name\n")
    (folder / "parts" / "__init__.py").write_text("")
    (folder / "parts" / "deep.py").write_text("name = 'deep'\n")
    (folder / "parts" / "unused.py").write_text("name = 'unused'\n")
    if git:
        commit(folder, "first")
    return folder / "train.py"


def commit(folder: Path, message: str) -> str:
    who = ["-c", "user.name=tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", message]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)
    done = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def write(run: archive.Run, events: Sequence[Mapping[str, Any]]) -> None:
    with run.record_path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(event) + "\n" for event in events)


def steps(count: int, lr: float = 0.1, seed: int = 0) -> list[dict[str, Any]]:
    """A run that learns, its loss a plain function of step and rate."""
    rows: list[dict[str, Any]] = [{"kind": "seed", "what": "torch.manual_seed", "value": seed}]
    for n in range(count):
        loss = 2.3 * math.exp(-lr * n / 10) + 0.01 * math.sin(n + seed)
        rows.append({"kind": "step", "n": n, "t": n * 0.01, "loss": loss, "grad_norm": None, "lr": lr})
    rows.append({"kind": "metric", "name": "val accuracy", "value": 0.9, "n": count - 1, "line": 12})
    return rows


def finding(cause: str = "double-softmax") -> Finding:
    where = Where(path="train.py", line=3)
    return Finding("Softmax twice.", "error", 0.9, where, {"times": 2}, cause=cause, family="loss")


def finished(
    home: Path, script: Path | None, events: Sequence[Mapping[str, Any]], exit_code: int = 0, *words: str
) -> archive.Run:
    run = archive.begin(["python", str(script), *words], script, home=home)
    write(run, events)
    run.finish(exit_code, [finding()] if exit_code == 0 else [], {"verdict": "cause-found"})
    return run


def sleuth(*words: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sleuth", *words]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=os.environ | environment, check=False
    )
