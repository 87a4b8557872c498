"""Reads the wire format of protocol buffers: enough for event files, and nothing to install.

The readers of TensorBoard cost seconds to load and seven times as long to read (measured), and wandb no
longer ships one for its own files.
"""

import struct
from collections.abc import Iterator

Field = int | bytes


class Torn(ValueError):
    """The data ends in the middle of a message."""


def fields(data: bytes) -> Iterator[tuple[int, Field]]:
    """Number and content of each field: integers as such, everything else as bytes (8 or 4 of them, if
    fixed).
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            number, at = _varint(data, at)
            yield tag >> 3, number
            continue
        if kind == 2:
            size, at = _varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise Torn(f"wire type {kind}")
        if at + size > len(data):
            raise Torn("a field is longer than its message")
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Torn("a number without an end")
        byte = data[at]
        result |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return result, at
        shift += 7


def signed(number: Field) -> int:
    """A 64-bit integer as it was before it became a varint."""
    assert isinstance(number, int)
    return number - 2**64 if number >= 2**63 else number


def double(data: Field) -> float:
    assert isinstance(data, bytes)
    value: float = struct.unpack("<d", data)[0]
    return value


def single(data: Field) -> float:
    assert isinstance(data, bytes)
    value: float = struct.unpack("<f", data)[0]
    return value


def text(data: Field) -> str:
    assert isinstance(data, bytes)
    return data.decode("utf-8", "replace")


def inner(data: Field) -> bytes:
    assert isinstance(data, bytes)
    return data
