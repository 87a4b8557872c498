"""Runs for an MLflow server: one MLflow run each, with its curves, facts, findings and files."""

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sleuth.archive.packing import Series
from sleuth.archive.run import Run, Status
from sleuth.errors import SleuthError
from sleuth.needs import need

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Metric

HABITS = {
    # A server that is away should be told of within seconds, not after minutes.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    # Standard output belongs to Sleuth's own answer.
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    # Nobody asked us to report usage to a third party.
    "MLFLOW_DISABLE_TELEMETRY": "true",
}
TAG = "sleuth.run"
BATCH = 1000  # metrics in one request, the most that MLflow's REST interface takes
LONGEST = 5000  # characters of a tag, MLflow's own limit
STATES: Mapping[Status, str] = {
    "running": "RUNNING",
    "finished": "FINISHED",
    "failed": "FAILED",
    "interrupted": "KILLED",
    "unfinished": "KILLED",
    "damaged": "FAILED",
}


def send(runs: Sequence[Run], uri: str, experiment: str) -> tuple[int, int]:
    """How many runs were sent, and how many the server had already."""
    if not uri:
        raise SleuthError("Say where MLflow is: --to mlflow:http://127.0.0.1:5000, for example.")
    need("mlflow", "mlflow", "Sending runs to MLflow")
    with _quiet():
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException

        try:
            client = MlflowClient(tracking_uri=uri)
            place = _experiment(client, experiment)
            new = [run for run in runs if not _there(client, place, run)]
            for run in new:
                _send(client, place, run)
        except (MlflowException, OSError) as error:
            raise SleuthError(f"MLflow at {uri} did not take the runs: {_reason(error)}") from None
    return len(new), len(runs) - len(new)


def metrics(run: Run) -> Iterator["Metric"]:
    """Every value, at the time of its step where the record tells it."""
    from mlflow.entities import Metric

    started = int(run.meta.get("started", 0) * 1000)
    curves = run.all_series()
    clock = curves.get("step/t", Series("step/t", (), ()))
    times = {
        step: started + int(t * 1000) for step, t in zip(clock.steps, clock.values, strict=True) if t == t
    }
    for name, series in curves.items():
        for step, value in zip(series.steps, series.values, strict=True):
            yield Metric(_key(name), value, times.get(step, started), step)


def _experiment(client: "MlflowClient", name: str) -> str:
    known = client.get_experiment_by_name(name)
    return str(known.experiment_id if known else client.create_experiment(name))


def _there(client: "MlflowClient", experiment: str, run: Run) -> bool:
    return bool(client.search_runs([experiment], f"tags.`{TAG}` = '{run.id}'", max_results=1))


def _send(client: "MlflowClient", experiment: str, run: Run) -> None:
    """The tag that tells a finished transfer is set last: one cut short is sent again."""
    from mlflow.entities import Param, RunTag

    meta = run.meta
    made = client.create_run(experiment, start_time=int(meta.get("started", 0) * 1000), run_name=run.id)
    target = made.info.run_id
    params = [Param(key, str(value)[:LONGEST]) for key, value in _params(meta).items()]
    tags = [RunTag(key, str(value)[:LONGEST]) for key, value in _tags(run).items()]
    client.log_batch(target, params=params, tags=tags)
    waiting = list(metrics(run))
    for start in range(0, len(waiting), BATCH):
        client.log_batch(target, metrics=waiting[start : start + BATCH])
    client.log_artifacts(target, str(run.folder))
    client.set_terminated(target, STATES[run.status], int(meta.get("ended", meta.get("started", 0)) * 1000))
    client.set_tag(target, TAG, run.id)


def _params(meta: Mapping[str, Any]) -> dict[str, Any]:
    seeds = {f"seed.{_key(seed['what'])}": seed["value"] for seed in meta.get("seeds", ())}
    facts = {key: meta.get(key) for key in ("script", "cwd", "python", "platform", "exit_code")}
    told = {"command": " ".join(meta.get("command", ()))} | facts | seeds
    return {key: value for key, value in told.items() if value is not None}


def _tags(run: Run) -> dict[str, Any]:
    commit = (run.meta.get("code") or {}).get("commit")
    causes = ", ".join(dict.fromkeys(finding.cause for finding in run.findings))
    told = {
        "sleuth.kind": run.meta.get("kind"),
        "sleuth.status": run.status,
        "sleuth.causes": causes,
        "sleuth.findings": json.dumps([finding.message for finding in run.findings]),
        "mlflow.source.name": run.meta.get("script"),
        "mlflow.source.git.commit": commit,
    }
    return {key: value for key, value in told.items() if value}


def _key(name: str) -> str:
    """MLflow takes letters, digits and `_-./ ` in a name, and reads it as a path: no step may be empty."""
    safe = re.sub(r"[^\w\-./ ]", "_", name, flags=re.ASCII)
    return "/".join(part for part in safe.split("/") if part not in ("", ".", "..")) or "_"


@contextmanager
def _quiet() -> Iterator[None]:
    """MLflow's client with our habits, and only while we use it."""
    before = {name: os.environ.get(name) for name in HABITS}
    logger = logging.getLogger("urllib3.connectionpool")
    level = logger.level
    os.environ.update({name: value for name, value in HABITS.items() if before[name] is None})
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        for name in [name for name, value in before.items() if value is None]:
            os.environ.pop(name, None)


def _reason(error: Exception) -> str:
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if "Max retries exceeded" in text:
        return "no server answers there. `mlflow server` starts one."
    return text[:200]
