"""What the pages cost: long lists, long curves, many live runs; beside TensorBoard on the same 200 runs."""

import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

MANY = 10_000  # runs in a list
LONG, WIDE = 1_000_000, 40  # steps and series of one run
LIVE = 50
SHARED, STEPS, SCALARS = 200, 1000, 5  # runs that both servers show
ROUNDS = 9
PATIENCE = 180.0  # seconds for a server to answer, or a browser to draw


@dataclass(frozen=True)
class Served:
    """A server of its own process, asked as a browser asks."""

    port: int
    cookie: str
    process: "subprocess.Popen[str]"
    link: str

    def ask(self, path: str) -> float:
        """Seconds until the whole answer is there."""
        begun = time.perf_counter()
        self.text(path)
        return time.perf_counter() - begun

    def text(self, path: str) -> str:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        link.request("GET", path, headers={"Cookie": self.cookie, "x-part": "1"})
        answer = link.getresponse()
        text = answer.read().decode("utf-8")
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}")
        return text

    def told(self, path: str, rounds: int = ROUNDS) -> str:
        """Usual time on the clock, and on the processor: on a busy machine only the second says much."""
        before = self.processor
        usual = median(self.ask(path) for _ in range(rounds))
        spent = (self.processor - before) / rounds
        return f"{usual * 1000:.0f} ms, {spent * 1000:.0f} ms of processor time"

    @property
    def memory(self) -> float:
        """Megabytes held by the process and those it started."""
        return sum(map(_resident, (self.process.pid, *_children(self.process.pid)))) / 1e6

    @property
    def processor(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rows() -> Iterator[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as place:
        for name, part in (("many", many), ("long", long), ("live", live), ("beside", beside)):
            for what, value in part(Path(place) / name):
                yield "ui", what, value


def many(place: Path) -> Iterator[tuple[str, str]]:
    from tests.ui.made import many as made

    home = place / ".sleuth"
    made(home, MANY)
    begun = time.perf_counter()
    with served(home) as server:
        yield f"{MANY} runs: start to link", f"{time.perf_counter() - begun:.1f} s"
        yield f"{MANY} runs: first list", server.told("/", 1)
        yield f"{MANY} runs: list", server.told("/")
        for text in ("train", "lr%3E0.01", "loss%3C1+seed%3D3", "status%3Afailed"):
            yield f"{MANY} runs: filter {text}", server.told(f"/?part=1&q={text}")
        yield f"{MANY} runs: sorted by loss", server.told("/?part=1&sort=value&up=1")
        yield f"{MANY} runs: memory", f"{server.memory:.0f} MB"


def long(place: Path) -> Iterator[tuple[str, str]]:
    home = place / ".sleuth"
    run_id = long_run(home)
    with served(home) as server:
        page = f"/run/{run_id}"
        yield "1 000 000 steps × 40 series: opened first", server.told(page, 1)
        yield "1 000 000 steps × 40 series: opened again", server.told(page)
        yield "1 000 000 steps × 40 series: zoomed", server.told(f"{page}/curves?from=400000&to=410000", 1)
        yield "1 000 000 steps × 40 series: all 40 first", server.told(f"{page}/more", 1)
        yield "1 000 000 steps × 40 series: memory", f"{server.memory:.0f} MB"


def live(place: Path) -> Iterator[tuple[str, str]]:
    """Each run takes ten steps a second; one page listens to the list, as a browser does."""
    home = place / ".sleuth"
    begun = [_begun(home, number) for number in range(LIVE)]
    with served(home) as server, _listening(server):
        before, start = server.processor, time.perf_counter()
        for beat in range(20):
            for path in begun:
                with path.open("a") as file:
                    file.writelines(_line(beat * 10 + n) for n in range(10))
            server.ask("/?part=1")
            time.sleep(max(0.0, start + beat + 1 - time.perf_counter()))
        spent = (server.processor - before) / (time.perf_counter() - start)
        shown = server.text("/?part=1")
        if f"{LIVE} live" not in shown:
            raise RuntimeError("not all of them were seen to be live")
        yield f"{LIVE} live runs: share of one processor", f"{spent:.0%}"
        yield f"{LIVE} live runs: memory", f"{server.memory:.0f} MB"


def beside(place: Path) -> Iterator[tuple[str, str]]:
    """The same 200 runs for both, one after the other, in the same browser."""
    home, logs = place / ".sleuth", place / "logs"
    ids = [_twin(home, logs, number) for number in range(SHARED)]
    chosen = "&".join(f"run={run_id}" for run_id in ids[:10])
    with _browser() as browser:
        with served(home) as server:
            first = _drawn(browser, server.link, "svg.spark path.line", 1)
            ours = {
                "first curve": first,
                "one run's curves": _drawn(
                    browser, f"{_base(server)}/run/{ids[0]}", "figure.chart path.line", 3
                ),
                "compare ten": _drawn(
                    browser, f"{_base(server)}/compare?{chosen}", "figure.chart path.line", 10
                ),
                "memory": server.memory,
            }
        with tensorboard(logs) as server:
            theirs = {"first curve": _drawn(browser, server.link, TENSORBOARD_LINE, 1)}
            some = "|".join(f"run{number:03}" for number in range(10))
            query = f"{server.link}/?runFilter=^({some})$#timeseries"
            theirs["compare ten"] = _drawn(browser, query, TENSORBOARD_LINE, 10)
            theirs["memory"] = server.memory
    for name, value in ours.items():
        told = f"{value:.0f} MB" if name == "memory" else f"{value:.2f} s"
        if name in theirs:
            peer = theirs[name]
            told += f", TensorBoard {peer:.0f} MB" if name == "memory" else f", TensorBoard {peer:.2f} s"
            told += f" ({value / peer:.2f}×)"
        yield f"{SHARED} runs: {name}", told


# Its charts draw one path a run, within an element for each card.
TENSORBOARD_LINE = "line-chart path, line-chart canvas"


@contextmanager
def served(home: Path) -> Iterator[Served]:
    command = [sys.executable, "-m", "sleuth", "ui", "--home", str(home), "--no-open"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        port = int(link.partition("/?")[0].rpartition(":")[2])
        yield Served(port, f"sleuth_{port}={link.rpartition('=')[2]}", process, link)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def tensorboard(logs: Path) -> Iterator[Served]:
    port = 6123
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logs), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
    server = Served(port, "", process, f"http://127.0.0.1:{port}")
    try:
        _until(lambda: _answers(server, "/data/runs"))
        yield server
    finally:
        process.terminate()
        process.wait()


def _answers(server: Served, path: str) -> bool:
    """All runs are read: TensorBoard loads them in the background, and its clock starts when it is ready."""
    with suppress(OSError, RuntimeError):
        link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        link.request("GET", path)
        return len(json.loads(link.getresponse().read())) >= SHARED
    return False


def _until(what: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > end:
            raise TimeoutError("it did not come")
        time.sleep(0.02)


@contextmanager
def _browser() -> Iterator[Any]:
    from selenium import webdriver

    from tests.ui.test_browser import BROWSER, DRIVER, FLAGS

    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        made = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
        try:
            yield made
        finally:
            made.quit()


def _drawn(browser: Any, link: str, wanted: str, count: int) -> float:
    """Seconds from asking for the page until so many lines are drawn."""
    browser.get("about:blank")
    begun = time.perf_counter()
    browser.get(link)
    script = "return document.querySelectorAll(arguments[0]).length"
    _until(lambda: browser.execute_script(script, wanted) >= count)
    return time.perf_counter() - begun


def _base(server: Served) -> str:
    return f"http://127.0.0.1:{server.port}"


def long_run(home: Path) -> str:
    """A run as the archive would have it, written without writing the billion bytes of its record."""
    import numpy as np

    from sleuth.archive.facts import START
    from sleuth.archive.index import write
    from sleuth.archive.packing import Series
    from sleuth.archive.record import Digest
    from sleuth.archive.run import Run

    noise = np.random.default_rng(0)
    folder = home / "runs" / "20260101-000000-long"
    folder.mkdir(parents=True)
    told = {
        "started": 1.7e9,
        "ended": 1.7e9 + 1e5,
        "exit_code": 0,
        "script": "/p/train.py",
        "command": ["python", "train.py"],
    }
    meta = {**told, "steps": LONG, "findings": [], "id": folder.name}
    (folder / START).write_text(json.dumps(meta))
    steps = tuple(range(LONG))
    names = ["step/loss", "step/grad_norm", "step/lr", "step/total_s", "step/rss"]
    names += [f"step/part{number}" for number in range(WIDE - len(names))]
    made = {}
    for name in names:
        values = (2 / (1 + np.arange(LONG) / 5e4) + noise.normal(0, 0.05, LONG)).astype(np.float32).tolist()
        made[name] = Series(name, steps, tuple(values))
    write(Run(folder.name, folder), meta, Digest(made, (), LONG))
    return folder.name


def _begun(home: Path, number: int) -> Path:
    """A run that goes on: as far as its facts say, it is this very process."""
    from sleuth import archive

    os.environ["SLEUTH_HOME"] = str(home)
    run = archive.begin(["python", "train.py", "--seed", str(number)], None, home=home)
    return run.record_path


def _line(n: int) -> str:
    values = {f"part{place}": random.random() for place in range(10)}
    return json.dumps({"kind": "step", "n": n, "loss": 2 / (1 + n), **values}) + "\n"


@contextmanager
def _listening(server: Served) -> Iterator[None]:
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    link.request("GET", "/events", headers={"Cookie": server.cookie})
    link.getresponse()
    try:
        yield
    finally:
        link.close()


def _twin(home: Path, logs: Path, number: int) -> str:
    """One run, in both archives: the same values at the same steps."""
    from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[import-untyped]
    from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]
    from tensorboard.summary.writer.event_file_writer import EventFileWriter  # type: ignore[import-untyped]

    from sleuth import archive

    chance = random.Random(number)
    run = archive.begin(["python", "train.py", "--width", str(number)], None, home=home)
    writer = EventFileWriter(str(logs / f"run{number:03}"))
    with run.record_path.open("a") as file:
        for n in range(STEPS):
            values = {f"value{place}": chance.random() / (1 + n / 100) for place in range(SCALARS - 1)}
            values["loss"] = 2 / (1 + n / 50) + chance.gauss(0, 0.05)
            told = [{"kind": "step", "n": n, "loss": values["loss"]}]
            told += [
                {"kind": "metric", "name": name, "n": n, "value": value} for name, value in values.items()
            ]
            file.writelines(json.dumps(line) + "\n" for line in told)
            shown = [Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
            writer.add_event(Event(step=n, wall_time=1.7e9 + n, summary=Summary(value=shown)))
    writer.close()
    run.finish(0)
    return run.id


def _resident(pid: int) -> int:
    with suppress(OSError):
        fields: Mapping[str, str] = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
        )
        return int(fields["VmRSS"].split()[0]) * 1024
    return 0


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return [*found, *(inner for child in found for inner in _children(child))]


if __name__ == "__main__":
    chosen = sys.argv[1:]
    base = Path(tempfile.mkdtemp())
    for part in (many, long, live, beside):
        if not chosen or part.__name__ in chosen:
            for what, value in part(base / part.__name__):
                print(f"{what:<50} {value}", flush=True)
    shutil.rmtree(base)
