"""Archives for the tests of the pages, and a server that shows them."""

import http.client
import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from sleuth import archive
from sleuth.archive import index
from sleuth.archive.facts import END, START
from sleuth.archive.packing import pack_steps, pack_values
from sleuth.archive.record import Digest, digest
from sleuth.archive.run import Run
from sleuth.finding import Finding, Where
from sleuth.ui.safety import Door
from sleuth.ui.serving import listening, server
from tests.archive.made import steps, write

SCRIPT = "import torch\n\nlr = 0.1\nloss = model(x)\nloss.backward()\n"


def script(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "train.py"
    path.write_text(SCRIPT)
    return path


def finding(line: int = 3, **more: object) -> Finding:
    numbers = {"step": 5}
    return Finding(
        "The rate is far too high.", "error", 0.9, Where("train.py", line), numbers, cause="lr-too-high"
    )


def run(home: Path, *words: str, lr: float = 0.1, seed: int = 0, count: int = 30, bad: bool = False) -> Run:
    """A finished run of a small script."""
    path = script(home.parent / "project")
    made = archive.begin(["python", str(path), *words], path, home=home)
    write(made, steps(count, lr, seed))
    verdict = {
        "status": "cause-found" if bad else "nothing-found",
        "summary": "It learns." if not bad else "Too fast.",
    }
    made.stdout_path.write_text("epoch 0\nepoch 1 loss 0.5\n")
    made.finish(0, [finding()] if bad else [], {"verdict": verdict})
    return made


def many(home: Path, count: int) -> None:
    """So many runs: folders, facts and the index as it would stand, without the cost of so many starts."""
    found = digest(steps(5, 0.1, 0))
    blobs = {name: (pack_steps(one.steps), pack_values(one.values)) for name, one in found.series.items()}
    (home / "runs").mkdir(parents=True)
    nobody = home / "runs" / "none"
    _told(nobody, {})
    index.write(Run("none", nobody), {}, Digest({}, (), 0))
    index.remove(home, ["none"])
    shutil.rmtree(nobody)
    with closing(sqlite3.connect(home / "index.sqlite")) as db, db:
        for number in range(count):
            meta = _facts(number)
            folder = home / "runs" / str(meta["id"])
            _told(folder, meta)
            known = (folder.name, meta["started"], json.dumps(meta), 5, index.stamp(folder))
            db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", known)
            for name, packed in blobs.items():
                last = number / count if name == "step/loss" else 0.5
                db.execute("INSERT INTO series VALUES (?, ?, ?, ?)", (folder.name, name, *packed))
                row = (folder.name, name, 5, 4, last, last, 2.3, repr(last))
                db.execute("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)


def _told(folder: Path, meta: Mapping[str, object]) -> None:
    folder.mkdir()
    (folder / START).write_text(json.dumps(meta))
    (folder / END).write_text(json.dumps(meta))


def _facts(number: int) -> dict[str, object]:
    return {
        "id": f"20260101-{number // 3600:02}{number // 60 % 60:02}{number % 60:02}-{number:04}",
        "started": 1.7e9 + number,
        "ended": 1.7e9 + number + 60,
        "exit_code": int(number % 7 == 0),
        "script": "/project/train.py",
        "command": ["python", "train.py", "--lr", str(10 ** -(number % 5)), "--seed", str(number % 10)],
        "steps": 5,
        "findings": [],
    }


@dataclass
class Client:
    """Requests as a browser with the cookie makes them; anything about them may be changed."""

    door: Door

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: str | None = None,
        cookie: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, str, Mapping[str, str]]:
        link = http.client.HTTPConnection("127.0.0.1", self.door.port, timeout=60)
        told = {"Cookie": f"{self.door.cookie}={self.door.token}"} if cookie else {}
        link.request(method, path, body, {**told, **(headers or {})})
        answer = link.getresponse()
        text = answer.read().decode("utf-8", "replace")
        found = {name.lower(): value for name, value in answer.getheaders()}
        link.close()
        return answer.status, text, found

    def page(self, path: str) -> str:
        status, text, _ = self.ask(path)
        assert status == 200, (path, status, text[:500])
        return text

    def post(self, path: str, **form: str) -> tuple[int, str, Mapping[str, str]]:
        headers = {
            "Origin": f"http://127.0.0.1:{self.door.port}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        return self.ask(path, "POST", urlencode(form), headers=headers)


@contextmanager
def served(*homes: Path) -> Iterator[Client]:
    """A server in a thread of its own, as `sleuth ui` runs it."""
    socket = listening("127.0.0.1", 0)
    door, made = server(homes, "127.0.0.1", socket)
    thread = threading.Thread(target=made.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    try:
        yield Client(door)
    finally:
        made.should_exit = True
        thread.join(20)
        socket.close()
