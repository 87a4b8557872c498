"""Reading and writing files the way users expect: clear errors, nothing half-written."""

import os
from contextlib import suppress
from pathlib import Path

from sleuth.errors import SleuthError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it holds all of the content or keeps what it held before, whatever interrupts."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _mode(path))
    except OSError as error:
        raise SleuthError(f"Cannot write {path}: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
        os.chmod(scratch, _mode(path))
        os.replace(scratch, path)
    except OSError as error:
        raise SleuthError(f"Cannot write {path}: {error.strerror}.") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(scratch)


def _mode(path: Path) -> int:
    """The file's own permissions, or those a new file would get ."""
    with suppress(OSError):
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
