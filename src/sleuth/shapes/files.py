"""From bytes to plain data: JSON and TOML, within bounds of size and depth."""

import os
import re
import stat
from pathlib import Path
from typing import Any

from sleuth.shapes.damage import Damage, Misfit

LARGEST = 64 * 1024 * 1024  # bytes; the largest file of facts seen has 300 kB
DEEPEST = 64  # levels; Sleuth itself writes at most ten
# Half of a pair of letters, which UTF-8 has no bytes for: only an escape brings it into a file.
_HALF = re.compile(r"[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def content(path: Path, most: int = LARGEST) -> bytes | Damage:
    """All of a plain file: a pipe would wait for ever, and a device never end."""
    name = path.name
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return Damage(name, "is no plain file")
            data = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        return Damage(name, f"cannot be read ({getattr(error, 'strerror', None) or error})")
    return data if len(data) <= most else Damage(name, f"is larger than {most >> 20} MB")


def from_json(data: bytes | str, path: str = "") -> Any | Damage:
    """Plain data, not deeper than `DEEPEST`, of text that any output can take."""
    import json

    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value = json.loads(text)
        if text.count("[") + text.count("{") > DEEPEST or _ESCAPED_HALF.search(text):
            return _whole_letters(value, DEEPEST)
    except Misfit as misfit:
        return misfit.damage(path)
    except UnicodeDecodeError:
        return Damage(path, "is not UTF-8")
    except RecursionError:
        return Damage(path, "is nested too deeply")
    except ValueError as error:
        return Damage(path, f"is no JSON ({_reason(error)})")
    return value


def from_toml(data: bytes, path: str = "") -> dict[str, Any] | Damage:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        return Damage(path, "is not UTF-8")
    except RecursionError:
        return Damage(path, "is nested too deeply")
    except ValueError as error:
        return Damage(path, f"is no TOML ({_reason(error)})")


def read_json(path: Path, most: int = LARGEST) -> Any | Damage:
    data = content(path, most)
    return data if isinstance(data, Damage) else from_json(data, path.name)


def _whole_letters(value: Any, deeper: int) -> Any:
    """With each lone half written as its escape: two that differ stay two."""
    if isinstance(value, str):
        return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", value)
    if not isinstance(value, (list, dict)):
        return value
    if not deeper:
        raise Misfit("is nested too deeply")
    if isinstance(value, list):
        return [_whole_letters(part, deeper - 1) for part in value]
    return {_whole_letters(key, 1): _whole_letters(part, deeper - 1) for key, part in value.items()}


def _reason(error: ValueError) -> str:
    """Python's own words, short: its limit on digits comes with advice for programmers."""
    return str(error).split("; use ")[0].rstrip(".")
