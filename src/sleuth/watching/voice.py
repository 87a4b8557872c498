"""Sleuth's few words to the user from inside the script's own process."""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

from sleuth.terminal import harmless


@dataclass(frozen=True)
class Voice:
    """The error stream of the start. What a script puts in its place is read by the script itself, and a
    descriptor that was closed may by now be that of a file of its own."""

    stream: TextIO | None
    file: os.stat_result | None  # what the stream's descriptor led to

    def say(self, sentence: str) -> None:
        if self.stream is None or os.environ.get("SLEUTH_QUIET"):
            return
        with suppress(Exception):
            if self.file is None or os.path.samestat(os.fstat(self.stream.fileno()), self.file):
                self.stream.write(f"sleuth: {harmless(sentence)}\n")
                self.stream.flush()


def voice() -> Voice:
    """To be taken before the script runs."""
    stream: TextIO | None = sys.stderr
    try:
        return Voice(stream, None if stream is None else os.fstat(stream.fileno()))
    except (OSError, ValueError, AttributeError):  # a notebook's stream stands for no descriptor
        return Voice(stream, None)
