"""Appends lines to the record a few times a second, and never raises into the script."""

import _thread
import errno
import os
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

# Bound here and now: what a script puts in their place later is for its own calls.
from os import close, fstat, stat, write
from os import open as open_
from pathlib import Path
from time import sleep
from typing import Any

from sleuth.record.blocks import sealed
from sleuth.record.json_lines import line_of

OFTEN = 0.25  # seconds a line may wait in memory; a kill loses no more than that
MOST_WAITING = 20_000  # lines kept of a child that may never train, or while no file can be opened
NONE_FREE = (errno.EMFILE, errno.ENFILE)  # the script holds every descriptor for now
TRIES = 3  # to open the record while another thread closes whatever is open
FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC

Line = str | tuple[Any, ...]  # as it is, or a function and what it makes the line of


@dataclass(eq=False)
class Writer:
    """A file of JSON lines, left alone after a failure (full disk, read-only).

    It is open only while it is written. A descriptor that is kept may be closed by the script, and its number
    be given to one of the script's own files.
    """

    path: Path
    waiting: deque[Line] = field(default_factory=deque)
    begun_block: bytes = b""  # what is still to be written of a sealed block
    begun: bool = False  # the file is there; once it is removed it is not made again
    failed: str = ""
    lost: str = ""  # what the system said when lines could not be written
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
            self._write_all()
        except OSError as error:
            self.failed = self.lost = error.strerror or str(error)
            self.complain(f"the rest of this run is not recorded ({self.lost}); it goes on.")
        finally:
            if self.failed:
                self.waiting.clear()
            self.busy.release()

    def _write_all(self) -> None:
        while (self.waiting or self.begun_block) and not self.failed:
            self.begun_block = self.begun_block or sealed("".join(_taken(self.waiting)).encode())
            try:
                while self.begun_block:
                    self.begun_block = self.begun_block[self._append(self.begun_block) :]
            except OSError as error:
                if error.errno not in NONE_FREE or len(self.waiting) > MOST_WAITING:
                    raise
                return

    def _append(self, content: bytes) -> int:
        """How much of it was written."""
        for _ in range(TRIES):
            handle = open_(self.path, FLAGS | (0 if self.begun else os.O_CREAT), 0o644)
            self.begun = True
            try:
                if self._is_ours(handle):
                    return write(handle, content)
            finally:
                if self._is_ours(handle):
                    close(handle)
        raise OSError(errno.EBADF, "its file was closed by the script")

    def _is_ours(self, handle: int) -> bool:
        """Whether the number still means the record: another thread may have closed it and opened its own."""
        try:
            return os.path.samestat(fstat(handle), stat(self.path))
        except OSError:
            return False

    def close(self) -> None:
        while self.busy.locked() and os.getpid() == self.process:
            sleep(0.001)  # a thread that is writing needs no longer
        self.flush()
        self.failed = self.failed or "closed"


def _taken(waiting: deque[Line]) -> list[str]:
    """What waits by now, in order."""
    taken = (waiting.popleft() for _ in range(len(waiting)))
    return [line if isinstance(line, str) else line[0](*line[1:]) for line in taken]


def _keep_writing(reference: "weakref.ref[Writer]") -> None:
    while True:
        sleep(OFTEN)
        writer = reference()
        if writer is None or writer.failed or os.getpid() != writer.process:
            return
        with suppress(Exception):
            writer.flush()
        del writer
