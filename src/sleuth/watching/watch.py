"""`sleuth watch`: run an unchanged script under observation, and give its exit code, whatever else happens.

This process starts the script and waits for it. All of Sleuth's own part happens in another one beside it
(`sleuth.cli.beside`): it begins the run, passes the output on, keeps the record, judges it and says how to
show that. What goes wrong there costs the record. Either of the two may be killed: the other passes the
output on, and the training goes on.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from sleuth.errors import SleuthError
from sleuth.watching.beside import Beside
from sleuth.watching.channel import Message
from sleuth.watching.process import environment
from sleuth.watching.request import Request
from sleuth.watching.streams import A_WHILE, Onlooker, Pipe, Stream, piped, pump

FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGQUIT")
STANDARD = (0, 1, 2)
START = 60.0  # seconds for the process beside to begin a run, on a machine under load
JUDGING = 600.0  # seconds it may judge; the longest record of the benchmarks takes a few
ON_DEATH_OF_PARENT = 1  # Linux's prctl: the signal a process gets then
Process = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Ended:
    """How the script ended, and what Sleuth has to show of it; nothing where its own part came to grief."""

    code: int
    shown: Message = field(default_factory=dict)
    said: tuple[str, ...] = ()


@dataclass
class Asked:
    """What signals ask for: passed on while the script runs, else to end without waiting for Sleuth."""

    process: Process | None = None
    to_end: int = 0

    def __call__(self, number: int, _: FrameType | None) -> None:
        if self.process is None or self.process.returncode is not None:
            self.to_end = number
        elif number != signal.SIGINT or not os.isatty(0):  # Ctrl-C reaches the script by itself
            with suppress(ProcessLookupError):
                self.process.send_signal(number)


def run(
    request: Request, order: Message, fault: Callable[[Exception], str], stdout: int = 1, tie: bool = False
) -> Ended:
    """Run it to its end. Its exit code is 128 + the signal where one ended it, as shells have it.

    `order`: what the process beside is asked for. `fault`: the sentence for a fault of Sleuth's own here.
    `tie`: end the script when this process is killed.
    """
    closed = tuple(number for number in STANDARD if _was_closed(number))
    with _heard() as asked:
        try:
            return _watched(request, order, asked, closed, stdout, tie)
        except SleuthError:
            raise
        except Exception as error:
            return _alone(request, asked, closed, (fault(error),))


def _watched(
    request: Request, order: Message, asked: Asked, closed: Sequence[int], stdout: int, tie: bool
) -> Ended:
    targets = {n: to for n, to in ((1, stdout), (2, 2)) if n not in closed and to not in closed}
    with _places_held(closed), piped(targets) as pipes:
        beside = Beside.begun(order, pipes)
        begun = _answered(beside, asked)
        if asked.to_end:
            return Ended(128 + asked.to_end)
        if beside is None or "record" not in begun:
            said = begun.get("shown", {}).get("said", [])
            return _alone(request, asked, closed, (*said, "The run is not recorded."))
        env = environment(Path(begun["record"]), request.level, os.environ)
        asked.process = _started(request, pipes, closed, env, tie)
        beside.tell({"pid": asked.process.pid})
        beside = _waited(asked.process, beside, pipes, order | {"run": begun["run"]})
        code = _code(asked.process)
        beside.tell({"code": code})
        told = _told(code, beside, asked)
        beside.close()
        return told


def _alone(request: Request, asked: Asked, closed: Sequence[int], said: tuple[str, ...]) -> Ended:
    """Without a record, or to the end of what was started: the training is what matters."""
    asked.process = asked.process or _started(request, (), closed, os.environ, False)
    asked.process.wait()
    return Ended(_code(asked.process), {}, said)


def _answered(beside: Beside | None, asked: Asked) -> Message:
    until = time.monotonic() + START
    while beside is not None and beside.lives and not asked.to_end and time.monotonic() < until:
        if (message := beside.receive(A_WHILE)) is not None:
            return message
    return {}


def _waited(process: Process, beside: Beside, pipes: Sequence[Pipe], order: Message) -> Beside:
    """Until the script has ended. Where the process beside is gone we pass the output on, and have another
    one close the run."""
    while process.poll() is None and beside.lives:
        beside.listen(A_WHILE)
    if beside.lives:
        return beside
    streams = {pipe.reading: Stream(pipe.target) for pipe in pipes}
    pump(streams, lambda: process.poll() is not None, Onlooker())
    process.wait()
    beside.close()
    return Beside.begun(order, ()) or beside


def _told(code: int, beside: Beside, asked: Asked) -> Ended:
    """What the process beside has to show. Asked to end, we do not wait for it: it closes the run alone."""
    until = float("inf")
    while beside.lives and not beside.done and not asked.to_end and time.monotonic() < until:
        beside.listen(A_WHILE)
        if beside.passed_all_on and until == float("inf"):
            until = time.monotonic() + JUDGING
    if beside.done or asked.to_end:
        return Ended(code, beside.shown, tuple(beside.shown.get("said", ())))
    why = "takes too long" if beside.lives else "ended too early"
    return Ended(code, {}, (f"The process that judges the record {why}; `sleuth judge last` judges it.",))


def _code(process: Process) -> int:
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _started(
    request: Request, pipes: Sequence[Pipe], closed: Sequence[int], env: Mapping[str, str], tie: bool
) -> Process:
    ends = {pipe.number: pipe.writing for pipe in pipes}
    try:
        return subprocess.Popen(
            request.command,
            stdout=ends.get(1),
            stderr=ends.get(2),
            env=env,
            preexec_fn=_in_child(closed, tie),  # no thread of ours can hold a lock here: there is none
        )
    except OSError as error:
        raise SleuthError(f"Cannot start {request.command[0]!r}: {error.strerror}.") from None
    finally:
        for pipe in pipes:
            os.close(pipe.writing)


def _in_child(closed: Sequence[int], tie: bool) -> Callable[[], None] | None:
    bound = _bound_to_us() if tie else None
    if not closed and bound is None:
        return None

    def prepare() -> None:
        for number in closed:
            os.close(number)  # held by us, or by the command line
        if bound is not None:
            bound()

    return prepare


def _bound_to_us() -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    import ctypes

    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    return None if prctl is None else lambda: prctl(ON_DEATH_OF_PARENT, signal.SIGTERM)


def _was_closed(number: int) -> bool:
    """Whether we were started without this stream, of which Python then makes nothing; so is the script."""
    return (sys.__stdin__, sys.__stdout__, sys.__stderr__)[number] is None


@contextmanager
def _places_held(closed: Sequence[int]) -> Iterator[None]:
    """What we open must not get the number of a standard stream: whatever is printed would end up in it."""
    held = [os.open(os.devnull, os.O_RDWR) for _ in closed]  # the lowest free numbers, which are these
    try:
        yield
    finally:
        for number in held:
            os.close(number)


@contextmanager
def _heard() -> Iterator[Asked]:
    """Signals that were ignored when we were started stay so, for the script as well."""
    asked = Asked()
    numbers = [number for name in ("SIGINT", *FORWARDED) if (number := getattr(signal, name, None))]
    heard = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, asked) for number in heard}
    try:
        yield asked
    finally:
        for number, one in before.items():
            signal.signal(number, one)
