"""Asks the stage to run jobs, some at a time, and hands back how each came out."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sleuth.lab import scratch
from sleuth.lab.job import OWN_FAULT, Ending, Job
from sleuth.own_causes import told_to_others

START_LIMIT = 120.0  # seconds for the libraries to load, on a machine under load


class Stage:
    """A process with torch loaded, kept while experiments are made. Use it in a `with` statement."""

    def __init__(self, preload: Sequence[str] = (), python: str = sys.executable) -> None:
        self._command = [python, "-m", "sleuth.lab.zygote", *preload]
        self.seconds_to_start = 0.0
        self._pending: dict[str, Job] = {}
        self._buffer = b""

    def __enter__(self) -> Self:
        self._handlers = _signals_end_it()
        self._scratch = scratch.make()
        self.scratch = self._scratch.path
        # The libraries' own threads would spin while they wait for each other; a passive wait leaves the core
        # to the experiment beside.
        environment = {"OMP_WAIT_POLICY": "PASSIVE"} | dict(os.environ) | told_to_others()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self._began, self._ready = time.monotonic(), False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in self._handlers:
            signal.signal(number, signal.SIG_IGN)  # it is ending
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._scratch.remove()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def start(self, job: Job) -> Job:
        """Begin a job; its end is told by `next_ending`."""
        job = replace(job, scratch=self.scratch)
        self._pending[job.id] = job
        assert self._process.stdin is not None
        self._process.stdin.write(job.to_json().encode() + b"\n")
        self._process.stdin.flush()
        return job

    @property
    def running(self) -> int:
        return len(self._pending)

    def next_ending(self, timeout: float | None = None) -> Ending | None:
        """Wait for the next job to end; None when nothing ended in time."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self._pending:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            message = self._message(left)
            if message is None:
                return None
            if "ended" in message:
                return self._ending(message)
        return None

    def run(
        self, jobs: Iterable[Job], at_once: int = 2, tell: Callable[[Ending], None] = lambda _: None
    ) -> list[Ending]:
        """Run all of them, so many at a time."""
        waiting, done = list(jobs), []
        while waiting or self._pending:
            while waiting and self.running < at_once:
                self.start(waiting.pop(0))
            ending = self.next_ending()
            if ending is not None:
                tell(ending)
                done.append(ending)
        return done

    def _message(self, timeout: float | None) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            readable, _, _ = select.select([self._process.stdout], [], [], timeout)
            if not readable:
                return None
            received = os.read(self._process.stdout.fileno(), 65536)
            if not received:
                raise RuntimeError(f"the stage has ended: {self._last_words()}")
            self._buffer += received
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        if message.get("ready"):
            self.seconds_to_start = time.monotonic() - self._began
        return message

    def _last_words(self) -> str:
        assert self._process.stderr is not None
        return self._process.stderr.read().decode(errors="replace").strip().splitlines()[-1:].__str__()

    def _ending(self, message: dict[str, Any]) -> Ending:
        job = self._pending.pop(message["id"])
        told = Path(job.file("ending"))
        ending = Ending.from_json(told.read_text("utf-8")) if told.is_file() else _untold(job, message)
        if ending.out_of_time and not message["late"]:  # it was not we who asked it to end
            ending = replace(ending, status="died", message="SIGTERM", out_of_time=False)
        return replace(ending, seconds=message["seconds"])


def _signals_end_it() -> dict[int, Any]:
    """Asked to end, leave by way of the `with`, so that everything is cleaned up; the handlers until now.

    Only where nobody else has decided what these signals mean."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    ours = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is signal.SIG_DFL]
    return {number: signal.signal(number, _leave) for number in ours}


def _leave(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def _untold(job: Job, message: dict[str, Any]) -> Ending:
    """How a job ended that could not say so: by its deadline, or by a signal of its own."""
    code, late = message["ended"], message["late"]
    words = _tail(job.file("stderr"))
    if code < 0:
        by = _signal_name(-code)
    elif code == OWN_FAULT:
        by = f"a fault of Sleuth's own ({(words.strip().splitlines() or ['unknown'])[-1]})"
    else:
        by = f"itself, with exit code {code}"
    return Ending(
        job.id,
        "killed" if late else "died",
        code,
        steps=_steps(job),
        message="" if late else by,
        detail=words,
        out_of_time=late,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of the real-time signals
        return f"signal {number}"


def _steps(job: Job) -> int:
    """Those it had taken when it ended."""
    try:
        return int.from_bytes(Path(job.file("steps")).read_bytes(), "little")
    except OSError:
        return 0


def _tail(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", errors="replace")[-2000:]
    except OSError:
        return ""
