"""`sleuth rl watch`: a folder of logs, or a script that writes some."""

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.finding import Finding
from sleuth.judge.asking import findings_of
from sleuth.rl.course import LoggedAgent
from sleuth.rl.last_words import last_words
from sleuth.rl.logs import Run, read_runs
from sleuth.rl.rows import final_return, groups, rows
from sleuth.rl.seeds import Seeds, seeds

LOGS = ("events.out.tfevents*", "*.csv", "*.jsonl", "progress.txt", "result.json", "progress.json")


@dataclass(frozen=True)
class Watched:
    """The runs, their verdicts, and what several seeds show together."""

    runs: tuple[Run, ...]
    findings: tuple[Finding, ...]
    seeds: Seeds | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "sleuth.rl/1",
            "runs": rows(self.runs),  # `sleuth sweep analyze` reads a file with these as it is
            "read": {
                run.name: {word: series.key for word, series in run.series.items()} for run in self.runs
            },
            "seeds": self.seeds.to_dict() if self.seeds is not None else None,
            "findings": [entry.to_dict() for entry in self.findings],
        }


def watch(
    target: str, arguments: Sequence[str] = (), actions: int | None = None, threshold: float | None = None
) -> Watched:
    path = Path(target)
    return judged(
        _from_script(path, arguments) if path.suffix == ".py" else read_runs(path), actions, threshold
    )


def verdicts(run: Run, actions: int | None = None) -> list[Finding]:
    """All that is wrong with one run, surest first."""
    return list(findings_of("watch_agent", LoggedAgent(run, actions)))


def judged(runs: Sequence[Run], actions: int | None = None, threshold: float | None = None) -> Watched:
    """Runs with the same settings are seeds of one thing; what differs in more is for `sleuth sweep`."""
    found = [entry for run in runs for entry in verdicts(run, actions)]
    together: list[Seeds] = []
    for group in groups(runs):
        finals = [final for run in group if (final := final_return(run)) is not None]
        if len(finals) > 1:
            together.append(seeds(finals, threshold))
            found += findings_of("watch_seeds", together[-1])
    alone = together[0] if len(together) == 1 else None
    return Watched(tuple(runs), tuple(sorted(found, key=lambda entry: -entry.credence)), alone)


def _from_script(path: Path, arguments: Sequence[str]) -> list[Run]:
    """Run it as the user would, and read the logs that are new afterwards."""
    if not path.is_file():
        raise SleuthError(f"There is no file {str(path)!r}.")
    began = time.time() - 1.0
    done = subprocess.run(
        [sys.executable, str(path), *arguments], check=False, capture_output=True, text=True
    )
    if done.returncode:
        told = last_words(done.stderr) or f"exit code {done.returncode}"
        raise SleuthError(f"{path} did not run to its end: {told}")
    fresh = {
        file.parent
        for pattern in LOGS
        for file in Path().rglob(pattern)
        if file.stat().st_mtime >= began and ".venv" not in file.parts
    }
    runs = [run for folder in sorted(fresh) for run in read_runs(folder)]
    if not runs:
        raise SleuthError(f"{path} wrote no log below the current folder (TensorBoard, CSV or JSON).")
    return runs
