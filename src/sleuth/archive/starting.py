"""The start of a run: its folder, and all that must be known before the script changes anything."""

import json
import os
import secrets
import shutil
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sleuth._version import __version__
from sleuth.archive import code, surroundings
from sleuth.archive.facts import START
from sleuth.archive.home import RUNS, home_folder, make_home
from sleuth.archive.run import Run, birth
from sleuth.archive.saying import say
from sleuth.errors import SleuthError
from sleuth.files import write_whole

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without the letters that look like digits


def begin(command: Sequence[str], script: Path | None, kind: str = "watch", home: Path | None = None) -> Run:
    """Open a run. Where nothing can be written the run is not recorded: it says so once, and goes on."""
    chosen = home_folder(home)
    run = Run(new_id(time.time()), chosen / RUNS / "none", recording=False)
    try:
        make_home(chosen)
        run = _new_run(chosen)
        _describe(run, command, script.absolute() if script else None, kind)
    except (OSError, SleuthError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        say(
            f"This run is not recorded: {chosen} cannot be written ({str(reason).rstrip('.')}). "
            f"The script runs as usual; free some room, or name another folder in $SLEUTH_HOME."
        )
        if run.recording:
            shutil.rmtree(run.folder, ignore_errors=True)
        return Run(run.id, run.folder, recording=False)
    return run


def new_id(now: float) -> str:
    """Sortable by time (UTC), with a few letters against two runs in one second."""
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%d-%H%M%S")
    return f"{stamp}-{''.join(secrets.choice(ALPHABET) for _ in range(4))}"


def _new_run(home: Path) -> Run:
    while True:
        run_id = new_id(time.time())
        folder = home / RUNS / run_id
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return Run(run_id, folder)


def _describe(run: Run, command: Sequence[str], script: Path | None, kind: str) -> None:
    cwd = Path.cwd()
    meta: dict[str, Any] = {
        "schema": "sleuth.run/1",
        "id": run.id,
        "kind": kind,
        "sleuth": __version__,
        "started": time.time(),
        "command": [str(word) for word in command],
        "cwd": str(cwd),
        "script": str(script) if script else None,
        "pid": os.getpid(),
        "birth": birth(os.getpid()),
        **surroundings.machine(),
        "code": code.snapshot(run.folder, script, cwd),
        "environment": surroundings.settings(),
        "packages": surroundings.packages(),
    }
    write_whole(run.folder / START, json.dumps(meta, indent=1) + "\n")
    for path in (run.record_path, run.stdout_path, run.stderr_path):
        path.touch()
