"""Runs a small script under the recorder, in this process, and gives what it left behind."""

import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from sleuth.record.entries import Record
from sleuth.record.json_lines import read
from sleuth.watching.install import Recorder, install

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"


@dataclass(frozen=True)
class Watched:
    """The record, what the script left in its globals, and its source line by line."""

    record: Record
    names: dict[str, Any]
    lines: tuple[str, ...]

    def line(self, part: str) -> int:
        """The number of the first line that holds this text."""
        return next(number for number, line in enumerate(self.lines, 1) if part in line)


@contextmanager
def recorded(path: Path, level: str = "deep") -> Iterator[Recorder]:
    recorder = install(path, level=level)
    try:
        yield recorder
    finally:
        recorder.close()


def watched(folder: Path, source: str, level: str = "deep") -> Watched:
    script, record = folder / "script.py", folder / "record.jsonl"
    text = HEAD + dedent(source)
    script.write_text(text)
    record.unlink(missing_ok=True)
    with recorded(record, level):
        names = runpy.run_path(str(script), run_name="__main__")
    return Watched(read(record), names, tuple(text.splitlines()))


def bare(folder: Path, source: str) -> dict[str, Any]:
    script = folder / "bare.py"
    script.write_text(HEAD + dedent(source))
    return runpy.run_path(str(script), run_name="__main__")
