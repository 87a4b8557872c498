"""trackio keeps a project in one sqlite file: read directly, and read-only."""

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError, did_you_mean


def folder() -> Path:
    """Where trackio keeps its projects, by its own rules."""
    if "TRACKIO_DIR" in os.environ:
        return Path(os.environ["TRACKIO_DIR"])
    huggingface = os.environ.get("HF_HOME", str(Path.home() / ".cache" / "huggingface"))
    return Path(huggingface) / "trackio"


def fetch(project: str) -> list[dict[str, Any]]:
    """One row a run: its configuration and the last value of each metric."""
    plain = "".join(sign for sign in project if sign.isalnum() or sign in "-_") or "default"
    path = folder() / f"{plain}.db"
    if not path.is_file():
        known = sorted(entry.stem for entry in folder().glob("*.db")) if folder().is_dir() else []
        listed = f" It has: {', '.join(known)}." if known else ""
        raise SleuthError(
            f"trackio has no project {project!r} in {folder()}.{did_you_mean(plain, known)}{listed}"
        )
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as base:
            return _rows(base)
    except sqlite3.Error as error:
        raise SleuthError(f"{path} cannot be read as a trackio project: {error}.") from None


def _rows(base: sqlite3.Connection) -> list[dict[str, Any]]:
    runs: dict[str, dict[str, Any]] = {}
    query = "select run_id, run_name, timestamp, metrics from metrics order by run_id, step, id"
    for run, name, moment, metrics in base.execute(query):
        row = runs.setdefault(run, {"run_id": run, "name": name, "start_time": moment})
        row |= {key: value for key, value in _json(metrics).items() if isinstance(value, (int, float))}
        row["end_time"] = moment
    for run, name, config in base.execute("select run_id, run_name, config from configs"):
        row = runs.setdefault(run, {"run_id": run, "name": name})
        settings = {key: value for key, value in _json(config).items() if not key.startswith("_")}
        group = _json(config).get("_Group")
        row |= {f"config.{key}": value for key, value in settings.items()} | (
            {"group": group} if group else {}
        )
    return list(runs.values())


def _json(text: Any) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (TypeError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
