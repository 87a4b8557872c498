"""The process beside a watched script: begins the run, passes output on, judges, and says what to show.

When the one that started it is killed it goes on: the script ends in its own time, and its run is closed.
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sleuth.archive.run import birth
from sleuth.cli.fault import reported
from sleuth.errors import SleuthError
from sleuth.watching.channel import Channel, Message
from sleuth.watching.streams import A_WHILE, Onlooker, Stream, pump

if TYPE_CHECKING:
    from sleuth.archive.run import Run
    from sleuth.record.entries import Record
    from sleuth.report import Report

STREAMS = {1: "Standard output", 2: "Standard error"}


@dataclass
class Work:
    """One run to keep. What goes wrong in a part of it is said in a sentence, and the next part begins."""

    channel: Channel
    order: Message
    said: list[str] = field(default_factory=list)
    told: Message = field(default_factory=dict)  # by the one that runs the script: its pid, then its code
    birth: str | None = None  # of the script's process: its number may be given again
    shown: Message = field(default_factory=dict)

    @contextmanager
    def contained(self) -> Iterator[None]:
        try:
            yield
        except SleuthError as error:
            self.said.append(str(error))
        except Exception as error:
            self.said.append(reported(error, self.order["words"]))

    def has_ended(self) -> bool:
        """Whether the script has: we are told, or see it ourselves where nobody is left to tell."""
        message = self.channel.receive(0) or {}
        self.told |= message
        if "pid" in message:
            self.birth = birth(message["pid"])
        if "code" in self.told:
            return True
        return self.channel.over and not ("pid" in self.told and _lives(self.told["pid"], self.birth))


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends when its script has ended
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    order = channel.receive()
    if order is None:
        return
    os.environ.update(order["python"])
    work = Work(channel, order)
    with work.contained():
        work.order = natural(order)
        _keep(work)
    channel.send({"shown": work.shown | {"said": work.said}})
    os._exit(0)  # nothing is left to do


def natural(told: Any) -> Any:
    """Names as they are in UTF-8, which the one who told us may not speak."""
    if isinstance(told, str):
        return os.fsdecode(os.fsencode(told))
    if isinstance(told, list):
        return [natural(part) for part in told]
    return {key: natural(part) for key, part in told.items()} if isinstance(told, dict) else told


def _keep(work: Work) -> None:
    from sleuth.watching.kept import files_of

    run = _run(work)
    with files_of(run) as files:
        work.channel.send({"record": str(files.record_path), "run": str(run.folder)})
        with work.contained():
            _pass_on(work, files.record_path, (files.stdout_path, files.stderr_path))
        left = {reading: Stream(target) for _, target, reading in work.order["streams"]}
        pump(left, work.has_ended, Onlooker())  # nothing, but where the above came to grief
        work.channel.send({"passed": True})
        while not work.has_ended():
            time.sleep(A_WHILE)
        _close(work, run, files.record_path)


def _run(work: Work) -> "Run":
    """A new one, or the one that somebody else began and did not live to close."""
    from sleuth import archive

    order = work.order
    if "run" in order:
        return archive.find(order["run"])
    return archive.begin(order["command"], Path(order["file"]) if order["file"] else None, "watch")


def _pass_on(work: Work, record: Path, keeping: tuple[Path, Path]) -> None:
    from sleuth.watching.live import Live

    pipes = work.order["streams"]
    live = Live(record, drawing=os.isatty(2) and [1, 2] not in [pipe[:2] for pipe in pipes])
    with ExitStack() as files:
        streams = {
            reading: Stream(target, files.enter_context(keeping[number - 1].open("ab")))
            for number, target, reading in pipes
        }
        pump(streams, work.has_ended, _onlooker(live))
    with suppress(OSError):
        live.finish()
    failed = {
        stream.target: stream.failed for stream in streams.values() if stream.failed not in ("", "closed")
    }
    work.said += [f"{STREAMS[target]} could not be written ({why})." for target, why in failed.items()]


def _onlooker(live: Any) -> Onlooker:
    """The vital signs between the script's lines. They may fail as they like: the output is passed on."""

    def after(content: bytes) -> None:
        live.at_line_start = content.endswith((b"\n", b"\r"))

    def safely(act: Any) -> Any:
        def acted() -> None:
            with suppress(Exception):
                act()

        return acted

    return Onlooker(safely(live.clear), after, safely(live.look))


def _close(work: Work, run: "Run", path: Path) -> None:
    """The record judged, the run closed, and what was asked for written."""
    from sleuth.record.entries import Record
    from sleuth.watching.judging import judge, load

    record, report = Record(), None
    with work.contained():
        record = load(path)
        report = judge(record)
    with work.contained():
        if (code := _code(work, record)) is not None:
            findings = () if report is None else report.findings
            run.finish(code, findings, {} if report is None else {"verdict": report.verdict.to_dict()})
    with work.contained():
        if patterns := work.order["patterns"]:
            run.keep(patterns)
    if report is not None:
        _write(work, run, report, record)
        with work.contained():
            work.shown = _shown(work, run, report)


def _shown(work: Work, run: "Run", report: "Report") -> Message:
    from sleuth.show import watch_text

    where = str(run.folder) if run.recording else ""
    text = watch_text.brief(report) if work.order["quiet"] else "\n" + watch_text.page(report, where)
    found = report.verdict.status == "cause-found"
    return {"text": text, "payload": report.to_dict(), "found": found}


def _code(work: Work, record: "Record") -> int | None:
    """As we are told; where nobody is left to tell, as the script itself said at its end."""
    if "code" in work.told:
        return int(work.told["code"])
    return None if record.end is None else record.end.exit_code


def _write(work: Work, run: "Run", report: "Report", record: "Record") -> None:
    from sleuth.cli.output import write_json
    from sleuth.files import write_whole
    from sleuth.show.watch_page import PAGE, document

    order = work.order
    if run.recording:
        with work.contained(), suppress(SleuthError):  # a full disk was told of already
            write_whole(run.folder / PAGE, document(report, record))
    if order["page"] is not None:
        with work.contained():
            write_whole(Path(order["page"]), document(report, record))
    if order["json_path"] not in (None, "-"):
        with work.contained():
            write_json(report.to_dict(), order["json_path"])


def _lives(pid: int, born: str | None) -> bool:
    if born is not None:
        return birth(pid) == born and _state(pid) != "Z"
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _state(pid: int) -> str:
    """One that has ended, and whom nobody asks how, stays a zombie."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    return "Z"
