"""The lines of a record, written in blocks that carry their checksum, and read back as far as they are whole.

A recorder writes many lines at a time and behind them a seal: how many bytes they are, and their crc32. Lines
of a block that is not as it was written are left out and counted, for a flipped digit is another number.
Records of before have no seals and are read line by line.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Any

from sleuth.shapes import Damage, from_json, shaped

SEAL = b'{"kind":"block"'
STEP = (b'{"kind":"step"', b'{"kind": "step"')  # as the recorder writes it, and as json.dumps does
LONGEST = 1 << 24  # bytes of a line, a thousand times the longest seen
# Bytes that wait for their seal; a recorder writes four times a second, some hundred kB. More than that
# without one is an old record.
MOST_WAITING = 1 << 25


@dataclass(frozen=True, slots=True)
class Seal:
    """What stands behind a block."""

    bytes: int
    crc: int


@dataclass
class Reading:
    """What was met on the way through a record; it counts up while lines are drawn from it."""

    blocks: int = 0
    damaged: int = 0  # blocks
    steps: int = 0  # in them, as far as can be told
    odd: int = 0  # whole lines that hold no event
    stopped: str = ""  # why the rest could not be read

    @property
    def damage(self) -> tuple[str, ...]:
        """What is wrong with the record, in sentences."""
        told = []
        if self.damaged:
            blocks = f"{self.damaged} of {self.blocks} blocks are damaged"
            told.append(
                f"The record is not as it was written: {blocks}; {_count(self.steps, 'step')} left out."
            )
        if self.odd:
            told.append(f"{_count(self.odd, 'line')} of the record cannot be read: left out.")
        if self.stopped:
            told.append(f"The record breaks off: the rest cannot be read ({self.stopped}).")
        return tuple(told)


def sealed(lines: bytes) -> bytes:
    """A block with its seal, to be written at one go."""
    return b'%b%b,"bytes":%d,"crc":%d}\n' % (lines, SEAL, len(lines), zlib.crc32(lines))


def events(path: Path, reading: Reading) -> Iterator[dict[str, Any]]:
    """Every event of a record, plain or packed. A line cut off at the end is passed over."""
    for line in whole_lines(_drawn(path, reading), reading):
        event = from_json(line)
        if isinstance(event, dict) and isinstance(event.get("kind"), str):
            yield event
        elif line.endswith(b"\n") and line.strip():
            reading.odd += 1


def whole_lines(lines: Iterable[bytes], reading: Reading) -> Iterator[bytes]:
    """Those whose block is as it was written; all of them where there are no seals."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        if line.startswith(SEAL) and isinstance(seal := shaped(Seal, from_json(line)), Seal):
            yield from _checked(waiting, seal, reading)
            waiting, size = [], 0
            continue
        waiting.append(line)
        size += len(line)
        if size > MOST_WAITING:
            yield from _unsealed(waiting, reading)
            waiting, size = [], 0
    yield from _unsealed(waiting, reading)


def _checked(waiting: list[bytes], seal: Seal, reading: Reading) -> Iterator[bytes]:
    """The last bytes before a seal are its block; what stands before them has lost its own."""
    whole = b"".join(waiting)
    block = whole[max(0, len(whole) - seal.bytes) :]
    reading.blocks += 1
    if len(block) != seal.bytes or zlib.crc32(block) != seal.crc:
        _leave_out(waiting, reading)
    elif len(block) == len(whole):
        yield from waiting
    else:
        reading.blocks += 1
        _leave_out(whole[: len(whole) - len(block)].splitlines(), reading)
        yield from block.splitlines(keepends=True)


def _unsealed(waiting: list[bytes], reading: Reading) -> Iterator[bytes]:
    """The end of a record that was cut off is used if each of its lines is whole: then the cut is all."""
    torn = waiting[-1:] and not waiting[-1].endswith(b"\n")
    whole = waiting[:-1] if torn else waiting
    if reading.blocks and any(isinstance(from_json(line), Damage) for line in whole):
        reading.blocks += 1
        _leave_out(waiting, reading)
    else:
        yield from waiting


def _leave_out(lines: list[bytes], reading: Reading) -> None:
    reading.damaged += 1
    reading.steps += sum(line.startswith(STEP) for line in lines)


def _drawn(path: Path, reading: Reading) -> Iterator[bytes]:
    """Line by line, until the file can be read no further."""
    try:
        with _opened(path) as file:
            yield from iter(partial(file.readline, LONGEST), b"")
    except EOFError:
        reading.stopped = "it was cut short"
    except (OSError, zlib.error) as error:
        reading.stopped = getattr(error, "strerror", None) or str(error)


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"
