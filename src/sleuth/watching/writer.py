"""Appends lines to the record, a few times a second, and never raises into the script."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth.facts.step import line_of

OFTEN = 0.25  # seconds a line may wait in memory; a kill loses no more than that


@dataclass
class Writer:
    """A file of JSON lines, opened at the first and left alone after a failure (full disk, read-only)."""

    path: Path
    waiting: list[str] = field(default_factory=list)
    written_at: float = 0.0
    handle: int = -1
    failed: str = ""
    silent: bool = False  # keep everything in memory for now
    process: int = field(default_factory=os.getpid)

    def put(self, item: Any) -> None:
        self.put_line(line_of(item))

    def put_line(self, line: str) -> None:
        self.waiting.append(line)
        if time.perf_counter() - self.written_at > OFTEN:
            self.flush()

    def flush(self) -> None:
        """Hand everything to the system, where a kill of this process cannot reach it."""
        if self.silent:
            return
        lines, self.waiting = self.waiting, []
        self.written_at = time.perf_counter()
        if self.failed or not lines or os.getpid() != self.process:
            return
        try:
            if self.handle < 0:
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
                self.handle = os.open(self.path, flags, 0o644)
            content = memoryview("".join(lines).encode())
            while content:
                content = content[os.write(self.handle, content) :]
        except OSError as error:
            self.failed = f"not recorded: {error.strerror or error}"

    def close(self) -> None:
        self.flush()
        if self.handle >= 0 and os.getpid() == self.process:
            with suppress(OSError):
                os.close(self.handle)
        self.handle = -1
        self.failed = self.failed or "closed"
