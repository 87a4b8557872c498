"""Trackers: their own files written by their own packages where those are installed, and their cache."""

import json
import struct
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

from sleuth.errors import SleuthError
from sleuth.sweeping.analysis import Request, analyze
from sleuth.sweeping.columns import Asked
from sleuth.sweeping.sources import cache, open_source
from sleuth.sweeping.sources.wire import Torn, fields

CELLS = [(lr, seed) for lr in (0.1, 0.2) for seed in range(4)]


def results(source: str, **more: Any) -> dict[Any, float]:
    """Value and seed → result, as the analysis sees it."""
    opened = open_source(source, **more)
    (group,) = analyze(opened.table, Request(Asked("lr", "acc"))).groups
    return dict(group.cells)


def expected() -> dict[Any, float]:
    return {(lr, seed): lr + seed for lr, seed in CELLS}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


# --- files ---


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def item(key: str, value: Any) -> bytes:
    return field(1, field(1, key.encode()) + field(16, json.dumps(value).encode()))


def wandb_file(path: Path, lr: float, seed: int, exit_code: int = 0) -> None:
    """The format as wandb writes it: a header, then records in blocks of 32 KiB."""
    run = field(
        17, field(1, f"{lr}-{seed}".encode()) + field(4, item("lr", lr) + item("seed", seed)) + field(6, b"g")
    )
    long = field(2, item("text", "x" * 40_000))  # spans a block
    history = [field(2, item("acc", lr + seed + step - 2)) for step in range(3)]
    records = [run, long, *history, field(18, field(1, exit_code))]
    data = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
    for record in records:
        first = True
        while record or first:
            left = 32_768 - len(data) % 32_768
            if left < 7:
                data += b"\0" * left
                continue
            part, record = record[: left - 7], record[left - 7 :]
            kind = 1 if first and not record else 2 if first else 4 if not record else 3
            data += struct.pack("<IHB", 0, len(part), kind) + part
            first = False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_offline_wandb_files(tmp_path: Path) -> None:
    for lr, seed in CELLS:
        wandb_file(tmp_path / f"run-{lr}-{seed}" / "run.wandb", lr, seed)
    assert results(str(tmp_path)) == pytest.approx(expected())


def test_a_torn_wandb_file_is_read_to_the_tear(tmp_path: Path) -> None:
    for lr, seed in CELLS:
        wandb_file(tmp_path / f"run-{lr}-{seed}" / "run.wandb", lr, seed)
    torn = tmp_path / "run-0.1-0" / "run.wandb"
    torn.write_bytes(torn.read_bytes()[:-9])
    opened = open_source(str(tmp_path))
    assert any("middle of a record" in note for note in opened.table.notes)
    (group,) = analyze(opened.table, Request(Asked("lr", "acc"))).groups
    assert group.failed == ((0.1, 0),)  # no exit record: it crashed


def event(step: int, tag: str, number: float) -> bytes:
    value = field(1, tag.encode()) + varint(2 << 3 | 5) + struct.pack("<f", number)
    body = varint(1 << 3 | 1) + struct.pack("<d", 1.0 + step) + field(2, step) + field(5, field(1, value))
    return struct.pack("<Q", len(body)) + b"\0" * 4 + body + b"\0" * 4


@pytest.mark.parametrize("where", ["name", "file"])
def test_tensorboard_folders(tmp_path: Path, where: str) -> None:
    for at, (lr, seed) in enumerate(CELLS):
        folder = tmp_path / (f"lr={lr},seed={seed}" if where == "name" else f"run{at}x")
        folder.mkdir()
        if where == "file":
            (folder / "config.json").write_text(json.dumps({"lr": lr, "seed": seed}))
        data = b"".join(event(step, "val/acc", lr + seed + step - 2) for step in range(3))
        (folder / "events.out.tfevents.1").write_bytes(data + b"torn")
    assert results(str(tmp_path)) == pytest.approx(expected(), rel=1e-6)


def test_tensorboard_written_by_its_own_package(tmp_path: Path) -> None:
    writer = pytest.importorskip("tensorboardX").SummaryWriter
    for lr, seed in CELLS:
        with writer(str(tmp_path / f"lr={lr},seed={seed}")) as one:
            one.add_scalar("acc", lr + seed, 1)
    assert results(str(tmp_path)) == pytest.approx(expected(), rel=1e-6)


@pytest.mark.parametrize("alone", [False, True])
def test_hparams_below_a_run_belong_to_it(tmp_path: Path, alone: bool) -> None:
    """As torch's `add_hparams` and `add_scalars` write them: in folders below the run's own."""
    writer = pytest.importorskip("tensorboardX").SummaryWriter
    for at, (lr, seed) in enumerate(CELLS[:1] if alone else CELLS):
        with writer(str(tmp_path if alone else tmp_path / f"run_{at}")) as one:
            one.add_scalar("acc", lr + seed, 1)
            one.add_scalars("loss", {"train": 0.25}, 1)
            one.add_hparams({"lr": lr, "seed": seed}, {"best": lr + seed + 1}, name="told")
    table = open_source(str(tmp_path)).table
    assert table.rows == (1 if alone else len(CELLS))
    assert {"acc", "loss", "best", "config.lr", "seed"} <= set(table.columns)
    assert "config.run" not in table.columns
    if not alone:
        assert results(str(tmp_path)) == pytest.approx(expected(), rel=1e-6)


@pytest.mark.parametrize("hparams", [None, ".", "below"])
def test_runs_below_a_root_with_events_of_its_own_stay_apart(tmp_path: Path, hparams: str | None) -> None:
    """A summary of the whole sweep beside its runs is neither part of them nor swallows them."""
    writer = pytest.importorskip("tensorboardX").SummaryWriter
    with writer(str(tmp_path)) as root:
        root.add_scalar("best", 2.5, 1)
    for lr, seed in CELLS:
        with writer(str(tmp_path / f"lr={lr},seed={seed}"), filename_suffix=".run") as one:
            one.add_scalar("acc", lr + seed, 1)
            if hparams is not None:
                one.add_hparams({"lr": lr, "seed": seed}, {"end": lr + seed}, name=hparams)
    table = open_source(str(tmp_path)).table
    assert table.rows == len(CELLS) + 1
    assert results(str(tmp_path)) == pytest.approx(expected(), rel=1e-6)


def test_trackio_reads_the_projects_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3

    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    base = sqlite3.connect(tmp_path / "demo.db")
    base.execute("create table metrics (id integer primary key, run_id, timestamp, run_name, step, metrics)")
    base.execute("create table configs (id integer primary key, run_id, run_name, config, created_at)")
    for lr, seed in CELLS:
        run = f"{lr}-{seed}"
        for step in range(3):
            row = (run, f"2024-01-01T00:00:0{step}", run, step, json.dumps({"acc": lr + seed + step - 2}))
            base.execute(
                "insert into metrics (run_id, timestamp, run_name, step, metrics) values (?, ?, ?, ?, ?)", row
            )
        config = json.dumps({"lr": lr, "seed": seed, "_Group": "g"})
        base.execute("insert into configs (run_id, run_name, config) values (?, ?, ?)", (run, run, config))
    base.commit()
    base.close()
    assert results("trackio:demo") == pytest.approx(expected())
    with pytest.raises(SleuthError, match="It has: demo"):
        open_source("trackio:demi")


def test_a_folder_without_runs_is_said(tmp_path: Path) -> None:
    with pytest.raises(SleuthError, match="holds no runs"):
        open_source(str(tmp_path))


@pytest.mark.parametrize("data", [b"\xff" * 12, b"\x0a\x7fabc", b"\x0b"])
def test_nonsense_on_the_wire_is_torn(data: bytes) -> None:
    with pytest.raises(Torn):
        list(fields(data))


# --- MLflow and the cache ---


class _Server(BaseHTTPRequestHandler):
    runs: list[dict[str, Any]] = []  # noqa: RUF012 - the server's whole memory
    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        where = urlparse(self.path)
        name = parse_qs(where.query).get("experiment_name", [""])[0]
        if "get-by-name" in where.path and name == "exp":
            self._send(200, {"experiment": {"experiment_id": "7"}})
        elif "artifacts/list" in where.path:
            self._send(200, {"files": [{"path": "train.log", "is_dir": False}, {"path": "model.pt"}]})
        elif "get-artifact" in where.path:
            self._send(200, {"log": "hello"})
        else:
            self._send(404, {})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "experiments/search" in self.path:
            self._send(200, {"experiments": [{"name": "exp"}]})
            return
        condition = asked.get("filter", "")
        self.asked.append(condition)
        runs = self.runs
        if condition.startswith("attributes.end_time"):
            since = int(condition.rpartition(" ")[2])
            runs = [run for run in runs if run["info"]["end_time"] >= since]
        elif condition:
            runs = []
        start = int(asked.get("page_token", 0))
        more = {"next_page_token": str(start + 5)} if start + 5 < len(runs) else {}
        self._send(200, {"runs": runs[start : start + 5], **more})

    def _send(self, code: int, data: dict[str, Any]) -> None:
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_: Any) -> None:
        pass


def mlflow_run(lr: float, seed: int, end: float) -> dict[str, Any]:
    return {
        "info": {
            "run_id": f"{lr}-{seed}",
            "status": "FINISHED",
            "start_time": 0,
            "end_time": int(end * 1000),
        },
        "data": {
            "params": [{"key": "lr", "value": str(lr)}, {"key": "seed", "value": str(seed)}],
            "metrics": [{"key": "acc", "value": lr + seed}],
            "tags": [{"key": "mlflow.user", "value": "me"}],
        },
    }


@pytest.fixture
def server(home: Path) -> Iterator[str]:
    now = time.time()
    _Server.asked.clear()
    _Server.runs[:] = [mlflow_run(lr, seed, now - (9 - seed) * 86_400) for lr, seed in CELLS]
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"mlflow:http://127.0.0.1:{running.server_port}/exp"
        running.shutdown()


def test_mlflow_is_fetched_once_and_then_from_a_day_before_the_newest(server: str, tmp_path: Path) -> None:
    assert results(server) == pytest.approx(expected())
    _Server.runs.append(mlflow_run(0.1, 9, time.time()))
    found = results(server)
    assert found == pytest.approx(expected() | {(0.1, 9): 9.1})
    condition = next(text for text in _Server.asked if text.startswith("attributes.end_time"))
    newest = time.time() - 6 * 86_400
    assert int(condition.rpartition(" ")[2]) / 1000 == pytest.approx(newest - 86_400, abs=60)
    said = open_source(server, refresh=False).said
    assert "from a cache that is" in said[0]
    opened = open_source(server, logs=tmp_path / "logs")
    assert "9 log files" in opened.said[1]
    assert json.loads((tmp_path / "logs" / "0.1-0" / "train.log").read_text()) == {"log": "hello"}


def test_a_dead_server_is_said_and_a_stale_cache_announced(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_source(server)
    from sleuth.sweeping.sources import mlflow

    def dead(*_: Any) -> Any:
        raise SleuthError("MLflow does not answer.")

    monkeypatch.setattr(mlflow, "fetch", dead)
    assert "may be stale" in open_source(server).said[0]
    with pytest.raises(SleuthError, match="does not answer"):
        open_source("mlflow:http://127.0.0.1:9/other")


def test_wrong_addresses_are_said(server: str) -> None:
    with pytest.raises(SleuthError, match=r"has no experiment 'nope'\. It has: exp"):
        open_source(server.replace("/exp", "/nope"))
    with pytest.raises(SleuthError, match="names no experiment"):
        open_source("mlflow:localhost")
    with pytest.raises(SleuthError, match="no cache of"):
        open_source("mlflow:http://h/x", refresh=False)
    with pytest.raises(SleuthError, match="needs an address"):
        open_source("wandb:")


def test_a_cache_of_another_project_is_refused(server: str) -> None:
    open_source(server)
    note = cache.place(server).with_suffix(".json")
    note.write_text(json.dumps(json.loads(note.read_text()) | {"source": "mlflow:http://elsewhere/x"}))
    with pytest.raises(SleuthError, match="belongs to"):
        open_source(server)


def test_the_newest_fetch_of_a_run_wins() -> None:
    rows = cache.merged([{"run_id": "a", "acc": 1}, {"run_id": "b"}], [{"run_id": "a", "acc": 2}])
    assert [row.get("acc") for row in rows] == [2, None]
