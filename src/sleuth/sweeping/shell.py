"""Runs one command with a log and a time limit, and finds the metric in what it left.

Standard library only and free of other modules of Sleuth: Ray sends it to nodes that have no Sleuth.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

GRACE = 5.0  # seconds between asking a process to end and ending it
PARENT_DEATH_SIGNAL = 1  # prctl's PR_SET_PDEATHSIG
TAIL = 200_000  # characters of a log in which the metric is looked for
NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|nan)\b"


def start(
    command: list[str], folder: Path, marks: Mapping[str, str], log: IO[bytes]
) -> "subprocess.Popen[bytes]":
    """The command as a process group of its own, with its output in the log; it ends when we do."""
    extra = {**marks, "SLEUTH_RESULT": str(folder / "metrics.json"), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env={**os.environ, **extra},
        start_new_session=True,
        preexec_fn=_die_with_parent(),
    )


def _die_with_parent() -> Callable[[], None] | None:
    """A run that outlives whoever watched it would be run again beside itself. Linux can see to that."""
    if sys.platform != "linux":
        return None
    import ctypes

    control, parent = ctypes.CDLL(None).prctl, os.getpid()

    def ask() -> None:
        control(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it died before we could ask
            os._exit(1)

    return ask


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End a whole process group: politely, then not."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except (ProcessLookupError, PermissionError):
            return
        try:
            process.wait(GRACE)
            return
        except subprocess.TimeoutExpired:
            continue


def outcome(folder: Path, code: int, metric: str, pattern: str) -> dict[str, Any]:
    """State, metrics and, if it failed, why."""
    found = metrics(folder, metric, pattern)
    if code != 0:
        why = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return {"state": "failed", "why": why, "code": code, "metrics": {}}
    if metric not in found:
        return {"state": "failed", "why": f"ended well without a {metric}", "code": code, "metrics": found}
    return {"state": "finished", "code": code, "metrics": found}


def metrics(folder: Path, metric: str, pattern: str) -> dict[str, Any]:
    """From $SLEUTH_RESULT when the run wrote it, else the last mention in the log."""
    result = folder / "metrics.json"
    if result.is_file():
        try:
            data = json.loads(result.read_text("utf-8"))
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if isinstance(value, (int, float))}
        if isinstance(data, (int, float)):
            return {metric: data}
    return from_log((folder / "log.txt").read_text("utf-8", "replace")[-TAIL:], metric, pattern)


def from_log(text: str, metric: str, pattern: str) -> dict[str, Any]:
    """`acc = 0.9`, `acc: 0.9`, `"acc": 0.9`, `acc 0.9`; the last one counts. A pattern's first group, if
    given.
    """
    rule = pattern or rf"""(?<![\w/.-]){re.escape(metric)}["']?\s*[:=]?\s*({NUMBER})"""
    hits = re.findall(rule, text, re.IGNORECASE if not pattern else 0)
    if not hits:
        return {}
    last = hits[-1] if isinstance(hits[-1], str) else hits[-1][0]
    try:
        return {metric: float(last)}
    except ValueError:
        return {}


def execute(
    command: list[str], marks: Mapping[str, str], metric: str, pattern: str, seconds: float | None
) -> dict[str, Any]:
    """One run from start to end on whatever machine this is; its log comes back with the result."""
    import tempfile

    began = time.time()
    with tempfile.TemporaryDirectory(prefix="sleuth-run-") as name:
        folder = Path(name)
        with (folder / "log.txt").open("wb") as log:
            try:
                process = start(command, folder, marks, log)
            except OSError as error:
                return {
                    "state": "failed",
                    "why": f"cannot start: {error}",
                    "log": "",
                    "metrics": {},
                    "seconds": 0.0,
                }
            try:
                code = process.wait(seconds)
                result = None
            except subprocess.TimeoutExpired:
                stop(process)
                result = {"state": "failed", "why": f"over the limit of {seconds:g} s", "metrics": {}}
            except BaseException:
                stop(process)
                raise
        result = result or outcome(folder, code, metric, pattern)
        text = (folder / "log.txt").read_text("utf-8", "replace")
    return {
        **result,
        "log": text,
        "seconds": time.time() - began,
        "host": os.uname().nodename,
        "began": began,
    }
