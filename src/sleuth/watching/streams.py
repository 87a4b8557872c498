"""The script's output on its way: into a pipe, on to where it belongs byte for byte, and into the archive."""

import os
import selectors
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO

A_WHILE = 0.2  # seconds between two looks at the record


@dataclass(frozen=True)
class Pipe:
    """One stream of the script, by its number: it writes here; we read there, and pass it on."""

    number: int
    target: int
    reading: int
    writing: int


@dataclass
class Stream:
    """Where what is read goes. A target that cannot be written is given up; the script goes on."""

    target: int
    kept: IO[bytes] | None = None
    failed: str = ""

    def take(self, content: bytes) -> None:
        if self.kept is not None:
            with suppress(OSError):
                self.kept.write(content)
                self.kept.flush()
        left = memoryview(b"" if self.failed else content)
        try:
            while left:
                left = left[os.write(self.target, left) :]
        except BrokenPipeError:  # whoever read it has seen enough
            self.failed = "closed"
        except OSError as error:
            self.failed = error.strerror or str(error)


@dataclass
class Onlooker:
    """Who is told of the output as it passes."""

    before: Callable[[], None] = field(default=lambda: None)
    after: Callable[[bytes], None] = field(default=lambda content: None)
    now_and_then: Callable[[], None] = field(default=lambda: None)


@contextmanager
def piped(targets: Mapping[int, int]) -> Iterator[list[Pipe]]:
    """A pipe for each stream; a terminal gets a terminal, so that the script behaves as it would alone."""
    pipes: list[Pipe] = []
    try:
        for number, target in targets.items():
            reading, writing = _terminal_like(target) if os.isatty(target) else os.pipe()
            pipes.append(Pipe(number, target, reading, writing))
        yield pipes
    finally:
        for pipe in pipes:
            with suppress(OSError):
                os.close(pipe.reading)


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


def pump(streams: dict[int, Stream], has_ended: Callable[[], bool], onlooker: Onlooker) -> None:
    """Copy until every stream has ended, or the script has and only its orphans hold them open."""
    with selectors.DefaultSelector() as selector:
        for reading in streams:
            selector.register(reading, selectors.EVENT_READ)
        ended_at = None
        while selector.get_map():
            ready = selector.select(A_WHILE)
            for key, _ in ready:
                if not _copied(key.fd, streams[key.fd], onlooker):
                    selector.unregister(key.fd)
            onlooker.now_and_then()
            if has_ended():
                ended_at = ended_at or time.monotonic()
                if not ready and time.monotonic() - ended_at > A_WHILE:
                    return


def _copied(reading: int, stream: Stream, onlooker: Onlooker) -> bool:
    try:
        content = os.read(reading, 1 << 16)
    except OSError:  # Linux reports the end of a terminal this way
        content = b""
    if not content:
        return False
    onlooker.before()
    stream.take(content)
    onlooker.after(content)
    return True
