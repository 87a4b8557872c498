"""MLflow over its REST interface: the server is asked, the five-second import of its client is not needed."""

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError

PATIENCE = 30.0  # seconds
PAGE = 1000  # runs an answer


def split(address: str) -> tuple[str, str]:
    """`http://host:5000/my experiment` → server and experiment."""
    server, slash, name = address.rpartition("/")
    if not slash or "://" not in server or not name:
        raise SleuthError(f"{address!r} names no experiment: write mlflow:http://HOST:PORT/EXPERIMENT.")
    return server.rstrip("/"), urllib.parse.unquote(name)


def fetch(address: str, since: float) -> list[dict[str, Any]]:
    """All runs of an experiment that ended since a moment or are not over."""
    server, name = split(address)
    experiment = _experiment(server, name)
    if since <= 0:
        return list(_search(server, experiment, ""))
    ended = list(_search(server, experiment, f"attributes.end_time >= {int(since * 1000)}"))
    running = list(_search(server, experiment, "attributes.status = 'RUNNING'"))
    return ended + running


def logs(address: str, rows: Sequence[Any], folder: Path) -> int:
    """Text artifacts of each run, written to FOLDER/run_id/; how many."""
    from sleuth.files import write_whole

    server, _ = split(address)
    count = 0
    for row in rows:
        for path in _texts(server, str(row["run_id"])):
            target = folder / str(row["run_id"]) / path
            if ".." in Path(path).parts:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            query = urllib.parse.urlencode({"path": path, "run_uuid": row["run_id"]})
            write_whole(target, _get(f"{server}/get-artifact?{query}"))
            count += 1
    return count


def _experiment(server: str, name: str) -> str:
    query = urllib.parse.urlencode({"experiment_name": name})
    try:
        answer = json.loads(_get(f"{server}/api/2.0/mlflow/experiments/get-by-name?{query}"))
        return str(answer["experiment"]["experiment_id"])
    except _Missing:
        if name.isdigit():
            return name
    known = ", ".join(_names(server)[:10])
    raise SleuthError(f"MLflow at {server} has no experiment {name!r}. It has: {known}.")


def _names(server: str) -> list[str]:
    answer = _post(f"{server}/api/2.0/mlflow/experiments/search", {"max_results": 100})
    return [str(entry["name"]) for entry in answer.get("experiments", [])]


def _search(server: str, experiment: str, condition: str) -> Iterator[dict[str, Any]]:
    token = ""
    while True:
        asked = {
            "experiment_ids": [experiment],
            "filter": condition,
            "max_results": PAGE,
            "page_token": token,
        }
        answer = _post(
            f"{server}/api/2.0/mlflow/runs/search", {key: value for key, value in asked.items() if value}
        )
        yield from map(_row, answer.get("runs", []))
        token = answer.get("next_page_token", "")
        if not token:
            return


def _row(run: dict[str, Any]) -> dict[str, Any]:
    info, data = run["info"], run.get("data", {})
    tags = {entry["key"]: entry["value"] for entry in data.get("tags", [])}
    params = {f"params.{entry['key']}": entry["value"] for entry in data.get("params", [])}
    return {
        "run_id": info["run_id"],
        "name": info.get("run_name"),
        "state": info.get("status"),
        "start_time": _seconds(info.get("start_time")),
        "end_time": _seconds(info.get("end_time")),
        **params,
        **{f"metrics.{entry['key']}": entry["value"] for entry in data.get("metrics", [])},
        **{f"tags.{key}": value for key, value in tags.items() if not key.startswith("mlflow.")},
    }


def _seconds(milliseconds: Any) -> float | None:
    return None if milliseconds is None else int(milliseconds) / 1000


def _texts(server: str, run: str, below: str = "") -> Iterator[str]:
    query = urllib.parse.urlencode({"run_id": run, "path": below} if below else {"run_id": run})
    answer = json.loads(_get(f"{server}/api/2.0/mlflow/artifacts/list?{query}"))
    for entry in answer.get("files", []):
        if entry.get("is_dir"):
            yield from _texts(server, run, entry["path"])
        elif str(entry["path"]).endswith((".log", ".txt", ".out", ".err")):
            yield str(entry["path"])


class _Missing(Exception):
    """The server answers, and does not have it."""


def _post(url: str, data: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(url, json.dumps(data).encode(), {"Content-Type": "application/json"})
    answer: dict[str, Any] = json.loads(_open(request))
    return answer


def _get(url: str) -> bytes:
    return _open(urllib.request.Request(url))


def _open(request: urllib.request.Request) -> bytes:
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            body: bytes = answer.read()
            return body
    except urllib.error.HTTPError as error:
        if error.code == 404:
            raise _Missing from None
        raise SleuthError(f"MLflow answered {error.code} ({error.reason}) to {_short(request)}.") from None
    except (urllib.error.URLError, TimeoutError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise SleuthError(
            f"MLflow does not answer at {_short(request)} ({reason}): is the server running?"
        ) from None


def _short(request: urllib.request.Request) -> str:
    return request.full_url.partition("/api/")[0]
