"""A process that has torch loaded and forks a child for every job, which then costs its own time only.

It reads jobs as lines of JSON from standard input and answers with lines on standard output. When the pipe
closes it ends its children and itself, so nothing is left behind whatever happens to the one who asked.
"""

import contextlib
import json
import os
import select
import signal
import sys
import time
from importlib import import_module
from importlib.util import find_spec

from sleuth.lab.job import OWN_FAULT, Ending, Job
from sleuth.lab.orphans import adopt_orphans, end_children, end_with_parent

GRACE = 1.5  # seconds between asking a child to end and ending it
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # a terminal sends them to a whole group
# The first optimizer of a process loads torch._dynamo, which takes a second: here, or in every child.
LIBRARIES = (
    "numpy",
    "torch",
    "torch.nn.functional",
    "torch.utils.data",
    "torch.optim.lr_scheduler",
    "torch._dynamo",
)


def main(preload: list[str]) -> None:
    answers = os.dup(1)
    os.dup2(2, 1)  # nothing a library prints may end up among the answers
    for name in (*LIBRARIES, *preload):
        with contextlib.suppress(Exception):
            if find_spec(name.partition(".")[0]) is not None:
                import_module(name)
    adopt_orphans()
    _Zygote(answers).serve()


class _Zygote:
    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.children: dict[int, Job] = {}
        self.deadlines: dict[int, float] = {}
        self.began: dict[int, float] = {}
        self.late: set[int] = set()  # ended by their deadline
        self.wake, wake_writer = os.pipe()
        os.set_blocking(wake_writer, False)
        signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in INTERRUPTS:  # the one who asked decides what they mean, and closes the pipe
            signal.signal(number, signal.SIG_IGN)

    def serve(self) -> None:
        self._answer({"ready": True})
        buffer = b""
        while True:
            readable, _, _ = select.select([0, self.wake], [], [], 0.25 if self.children else None)
            if self.wake in readable:
                os.read(self.wake, 512)
            if 0 in readable:
                received = os.read(0, 65536)
                if not received:
                    self._end_all()
                    return
                *lines, buffer = (buffer + received).split(b"\n")
                for line in lines:
                    self._begin(Job.from_json(line.decode()))
            self._enforce_limits()
            self._collect()

    def _begin(self, job: Job) -> None:
        pid = os.fork()
        if pid == 0:
            self._in_child(job)
        self.children[pid] = job
        self.began[pid] = time.monotonic()
        self.deadlines[pid] = time.monotonic() + job.time_limit
        self._answer({"id": job.id, "pid": pid})

    def _in_child(self, job: Job) -> None:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, *INTERRUPTS):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()  # a group of its own: what it spawns can be ended with it
        adopt_orphans()  # what leaves the group stays with this process, and comes to the zygote after it
        end_with_parent()
        os.close(self.wake)
        os.close(self.answers)
        code = OWN_FAULT
        try:
            _redirect(job)
            if job.fresh:
                os.execv(sys.executable, [sys.executable, "-m", "sleuth.lab.perform", job.to_json()])
            from sleuth.lab.perform import perform

            code = perform(job)
        except (
            BaseException
        ):  # the parent must learn of it from the log, and the child must not go on as a zygote
            import traceback

            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _enforce_limits(self) -> None:
        now = time.monotonic()
        for pid, deadline in list(self.deadlines.items()):
            if now > deadline:
                self.late.add(pid)
                _signal_group(pid, signal.SIGKILL if now > deadline + GRACE else signal.SIGTERM)

    def _collect(self) -> None:
        for pid in list(self.children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                continue
            _signal_group(pid, signal.SIGKILL)  # whatever it spawned
            job = self.children.pop(pid)
            end_children(but=self.children)  # and what of it had gone its own way
            seconds = time.monotonic() - self.began.pop(pid)
            del self.deadlines[pid]
            code, late = os.waitstatus_to_exitcode(status), pid in self.late
            self.late.discard(pid)
            self._answer({"id": job.id, "ended": code, "seconds": seconds, "late": late})

    def _end_all(self) -> None:
        for pid in self.children:
            _signal_group(pid, signal.SIGKILL)
        for pid in self.children:
            os.waitpid(pid, 0)
        end_children()

    def _answer(self, message: dict[str, object]) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self.answers, json.dumps(message).encode() + b"\n")


def _redirect(job: Job) -> None:
    """No input, output into files, the script's own folder and environment."""
    for number, path, mode in (
        (0, os.devnull, os.O_RDONLY),
        (1, job.file("stdout"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, job.file("stderr"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        opened = os.open(path, mode, 0o644)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(job.folder)
    os.environ.update(job.environment)
    import io

    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8", line_buffering=True
    )
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), "utf-8", line_buffering=True
    )
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # as long as the process


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


__all__ = ["Ending", "Job", "main"]


if __name__ == "__main__":
    main(sys.argv[1:])
