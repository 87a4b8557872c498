"""`sleuth watch`: run an unchanged script under observation, pass everything through, keep the record."""

import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from sleuth.errors import SleuthError
from sleuth.watching.live import Live
from sleuth.watching.process import environment

FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGQUIT")
A_WHILE = 0.2  # seconds between two looks at the record
ON_DEATH_OF_PARENT = 1  # Linux's prctl: the signal a process gets then


@dataclass(frozen=True)
class Request:
    """What to run: a script or a module, with its own arguments."""

    script: str | None
    arguments: tuple[str, ...] = ()
    module: str | None = None
    level: str = "default"

    @property
    def words(self) -> list[str]:
        """What the user typed after `sleuth watch`."""
        level = ["--level", self.level] if self.level != "default" else []
        return [
            *level,
            *(["-m", self.module] if self.module is not None else [str(self.script)]),
            *self.arguments,
        ]

    @property
    def file(self) -> Path | None:
        """The source that is run: the script, the module's file, or what a launcher is handed."""
        module = (self.module or "").replace(".", "/")
        named = [self.script or "", f"{module}.py", f"{module}/__main__.py"]
        handed = [word for word in self.arguments if word.endswith(".py")]
        return next((path for word in (*named, *handed) if (path := Path(word)).is_file()), None)

    @property
    def command(self) -> list[str]:
        """The command line of the child process; what is no file may be a launcher such as torchrun."""
        if self.module is not None:
            return [sys.executable, "-m", self.module, *self.arguments]
        script = str(self.script)
        if not Path(script).exists() and (found := shutil.which(script)) is not None:
            return [found, *self.arguments]
        return [sys.executable, script, *self.arguments]


@dataclass
class Streams:
    """Where the child's output goes: on to ours, byte for byte, and into the archive."""

    sources: dict[int, tuple[int, IO[bytes]]] = field(default_factory=dict)  # read here → write there, keep


def checked(request: Request) -> Request:
    """The request, or a clear sentence about what is wrong with it."""
    if request.module is not None:
        if not _is_there(request.module):
            raise SleuthError(f"There is no module {request.module!r} to run from here.")
        return request
    if request.script is None:
        raise SleuthError("Which script? Write `sleuth watch train.py [ARGS]`.")
    path = Path(request.script)
    if path.is_dir():
        if (path / "__main__.py").is_file():
            return request
        raise SleuthError(f"{request.script!r} is a folder; name the script in it that trains.")
    if not path.exists():
        if shutil.which(request.script) is not None:
            return request
        raise SleuthError(f"There is no file {request.script!r}.")
    if path.suffix == ".ipynb":
        raise SleuthError(f"{request.script!r} is a notebook; use `sleuth.watch()` in it.")
    try:
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise SleuthError(f"Cannot read {request.script!r}: {error.strerror}.") from None
    except (SyntaxError, ValueError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
        raise SleuthError(f"{request.script!r} is not Python{line}.") from None
    return request


def _is_there(module: str) -> bool:
    """Whether its package can be found; what lies deeper is left to Python, as a look would import it."""
    from importlib.machinery import PathFinder
    from importlib.util import find_spec

    top = module.partition(".")[0]
    here = PathFinder.find_spec(top, [os.getcwd()])
    return here is not None or (bool(top) and find_spec(top) is not None)


def run(request: Request, kept: Any, stdout: int = 1, environ: Mapping[str, str] | None = None) -> int:
    """Run it to its end. Gives its exit code; 128 + the signal where one ended it, as shells have it."""
    base = os.environ if environ is None else environ
    live = Live(kept.record_path, drawing=os.isatty(2) and stdout != 2)
    with (
        open(kept.stdout_path, "ab") as out,
        open(kept.stderr_path, "ab") as err,
        _piped([(stdout, out), (2, err)]) as (ends, streams),
    ):
        process = subprocess.Popen(
            request.command,
            stdout=ends[0],
            stderr=ends[1],
            env=environment(kept.record_path, request.level, base),
            preexec_fn=_bound_to_us(),  # no thread of ours can hold a lock here: there is none
        )
        for end in ends:
            os.close(end)
        with _signals(process):
            _pump(process, streams, live)
            code = process.wait()
    live.finish()
    return code if code >= 0 else 128 - code


def _bound_to_us() -> Callable[[], None] | None:
    """A killed Sleuth can pass nothing on: on Linux the script then ends too, as it would have alone."""
    if sys.platform != "linux":
        return None
    import ctypes

    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    return None if prctl is None else lambda: prctl(ON_DEATH_OF_PARENT, signal.SIGTERM)


@contextmanager
def _piped(targets: Sequence[tuple[int, IO[bytes]]]) -> Iterator[tuple[list[int], Streams]]:
    """A pipe for each stream; a terminal gets a terminal, so that the script behaves as it would alone."""
    ends, streams = [], Streams()
    for target, kept in targets:
        reading, writing = _terminal_like(target) if os.isatty(target) else os.pipe()
        ends.append(writing)
        streams.sources[reading] = (target, kept)
    try:
        yield ends, streams
    finally:
        for reading in streams.sources:
            with suppress(OSError):
                os.close(reading)


def _terminal_like(target: int) -> tuple[int, int]:
    import fcntl
    import termios

    leader, follower = os.openpty()
    settings = termios.tcgetattr(target)
    settings[1] &= ~termios.OPOST  # the real terminal translates line ends; doing it twice would show
    termios.tcsetattr(follower, termios.TCSANOW, settings)
    with suppress(OSError):
        size = fcntl.ioctl(target, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(follower, termios.TIOCSWINSZ, size)
    return leader, follower


def _pump(process: "subprocess.Popen[bytes]", streams: Streams, live: Live) -> None:
    """Copy until every stream has ended, or the script has and only its orphans hold them open."""
    with selectors.DefaultSelector() as selector:
        for reading in streams.sources:
            selector.register(reading, selectors.EVENT_READ)
        ended_at = None
        while selector.get_map():
            ready = selector.select(A_WHILE)
            for key, _ in ready:
                if not _copied(key.fd, streams, live):
                    selector.unregister(key.fd)
            live.look()
            if process.poll() is not None:
                ended_at = ended_at or time.monotonic()
                if not ready and time.monotonic() - ended_at > A_WHILE:
                    return


def _copied(reading: int, streams: Streams, live: Live) -> bool:
    target, kept = streams.sources[reading]
    try:
        content = os.read(reading, 1 << 16)
    except OSError:  # Linux reports the end of a terminal this way
        content = b""
    if not content:
        return False
    live.clear()
    live.at_line_start = content.endswith((b"\n", b"\r"))
    with suppress(OSError):
        kept.write(content)
        kept.flush()
    with suppress(BrokenPipeError):
        left = memoryview(content)
        while left:
            left = left[os.write(target, left) :]
    return True


@contextmanager
def _signals(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Ctrl-C reaches the script by itself, as it shares our terminal; other signals are passed on."""

    def forward(number: int, _: Any) -> None:
        with suppress(ProcessLookupError):
            process.send_signal(number)

    def interrupt(number: int, _: Any) -> None:
        if not os.isatty(0):  # sent to us alone
            forward(number, None)

    before: dict[int, Any] = {}
    try:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
        for name in FORWARDED:
            if (number := getattr(signal, name, None)) is not None:
                before[number] = signal.signal(number, forward)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
