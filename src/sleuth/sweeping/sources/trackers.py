"""The trackers by their prefix: mlflow:URL/EXPERIMENT, wandb:ENTITY/PROJECT, trackio:PROJECT."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.needs import need
from sleuth.sweeping.sources import Opened
from sleuth.sweeping.sources.cache import Row, cached
from sleuth.sweeping.table import from_rows


def from_tracker(kind: str, address: str, refresh: bool | None, logs: Path | None) -> Opened:
    if not address:
        raise SleuthError(f"{kind}: needs an address, such as {EXAMPLES[kind]}.")
    source = f"{kind}:{address}"
    if kind == "trackio":
        from sleuth.sweeping.sources import trackio

        # A local file is its own cache.
        return _opened(trackio.fetch(address), source, ())
    kept = cached(source, lambda since: _fetch(kind, address, since), refresh)
    said = kept.said
    if logs is not None:
        said = (*said, f"{_logs(kind, address, kept.rows, logs)} log files are in {logs}.")
    return _opened(kept.rows, source, said)


EXAMPLES = {
    "mlflow": "mlflow:http://localhost:5000/EXPERIMENT",
    "wandb": "wandb:ENTITY/PROJECT",
    "trackio": "trackio:PROJECT",
}


def _opened(rows: Sequence[Row], source: str, said: tuple[str, ...]) -> Opened:
    if not rows:
        raise SleuthError(f"{source} has no runs.")
    return Opened(from_rows(rows, source), said=said)


def _fetch(kind: str, address: str, since: float) -> Sequence[Row]:
    if kind == "mlflow":
        from sleuth.sweeping.sources import mlflow

        return mlflow.fetch(address, since)
    return _wandb_runs(address, since)


def _logs(kind: str, address: str, rows: Sequence[Row], folder: Path) -> int:
    if kind == "mlflow":
        from sleuth.sweeping.sources import mlflow

        return mlflow.logs(address, rows, folder)
    api: Any = _wandb().Api()
    for row in rows:
        place = folder / str(row["run_id"])
        place.mkdir(parents=True, exist_ok=True)
        api.run(f"{address}/{row['run_id']}").file("output.log").download(
            root=str(place), replace=True, exist_ok=True
        )
    return len(rows)


def _wandb() -> Any:
    need("wandb", "trackers", "Reading runs from wandb's servers")
    return import_module("wandb")


def _wandb_runs(address: str, since: float) -> list[dict[str, Any]]:
    """Through wandb's own client: its query language is not public."""
    from datetime import UTC, datetime

    wandb = _wandb()
    filters = {"updatedAt": {"$gte": datetime.fromtimestamp(since, UTC).isoformat()}} if since > 0 else None
    try:
        return [_wandb_row(run) for run in wandb.Api(timeout=30).runs(address, filters=filters)]
    except SleuthError:
        raise
    except Exception as error:  # the client raises whatever its transport does
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SleuthError(
            f"wandb does not give the runs of {address} ({first}): are you logged in?"
        ) from None


def _wandb_row(run: Any) -> dict[str, Any]:
    from datetime import datetime

    def moment(text: Any) -> float | None:
        return datetime.fromisoformat(str(text).replace("Z", "+00:00")).timestamp() if text else None

    summary = {key: value for key, value in dict(run.summary).items() if isinstance(value, (int, float, str))}
    return {
        "run_id": run.id,
        "name": run.name,
        "group": run.group,
        "state": run.state,
        "start_time": moment(run.created_at),
        "end_time": moment(getattr(run, "heartbeat_at", None)),
        **{f"config.{key}": value for key, value in dict(run.config).items() if not key.startswith("_")},
        **{f"summary.{key}": value for key, value in summary.items() if not key.startswith("_")},
    }
