"""Appends lines to the record a few times a second, and never raises into the script."""

import _thread
import os
import time
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth.record.blocks import sealed
from sleuth.record.json_lines import line_of

OFTEN = 0.25  # seconds a line may wait in memory; a kill loses no more than that
MOST_WAITING = 20_000  # lines kept of a child that may never train

Line = str | tuple[Any, ...]  # as it is, or a function and what it makes the line of


@dataclass(eq=False)
class Writer:
    """A file of JSON lines, opened at the first and left alone after a failure (full disk, read-only)."""

    path: Path
    waiting: deque[Line] = field(default_factory=deque)
    handle: int = -1
    failed: str = ""
    silent: bool = False  # keep everything in memory for now
    ticking: bool = False
    busy: Any = field(default_factory=_thread.allocate_lock)
    process: int = field(default_factory=os.getpid)
    complain: Callable[[str], None] = field(default=lambda sentence: None)

    def put(self, item: Any) -> None:
        self.put_line(line_of(item))

    def put_line(self, line: Line) -> None:
        self.waiting.append(line)
        if not self.ticking:
            self._tick()

    def _tick(self) -> None:
        """Have somebody come by to write, also when the script says nothing more for a while.

        A thread below those that `threading` knows: it is in no list a script may look at, nobody waits for
        it at the end, and a forked child has none.
        """
        self.ticking = True
        with suppress(RuntimeError):  # no more threads to be had
            _thread.start_new_thread(_keep_writing, (weakref.ref(self),))
        self.flush()

    def flush(self) -> None:
        """Hand everything to the system, where a kill of this process cannot reach it."""
        if self.silent:
            while len(self.waiting) > MOST_WAITING:
                self.waiting.popleft()
            return
        if os.getpid() != self.process or not self.busy.acquire(blocking=False):
            return
        try:
            while self.waiting and not self.failed:
                self._write(sealed("".join(_taken(self.waiting)).encode()))
        except OSError as error:
            self.failed = f"not recorded: {error.strerror or error}"
            self.complain(f"the rest of this run is not recorded ({error.strerror or error}); it goes on.")
        finally:
            if self.failed:
                self.waiting.clear()
            self.busy.release()

    def _write(self, content: bytes) -> None:
        if self.handle < 0:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self.handle = os.open(self.path, flags, 0o644)
        left = memoryview(content)
        while left:
            left = left[os.write(self.handle, left) :]

    def close(self) -> None:
        while self.busy.locked() and os.getpid() == self.process:
            time.sleep(0.001)  # a thread that is writing needs no longer
        self.flush()
        if self.handle >= 0 and os.getpid() == self.process:
            with suppress(OSError):
                os.close(self.handle)
        self.handle = -1
        self.failed = self.failed or "closed"


def _taken(waiting: deque[Line]) -> list[str]:
    """What waits by now, in order."""
    taken = (waiting.popleft() for _ in range(len(waiting)))
    return [line if isinstance(line, str) else line[0](*line[1:]) for line in taken]


def _keep_writing(reference: "weakref.ref[Writer]") -> None:
    while True:
        time.sleep(OFTEN)
        writer = reference()
        if writer is None or writer.failed or os.getpid() != writer.process:
            return
        with suppress(Exception):
            writer.flush()
        del writer
