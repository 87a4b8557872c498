"""Reading and writing files the way users expect: clear errors, nothing half-written."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from sleuth.errors import SleuthError


def read_regular(path: Path, most: int, follow: bool = True) -> bytes:
    """A regular file of at most so many bytes. A pipe would be waited for, a device might never end."""
    links = 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, os.O_RDONLY | links | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        # What reports no size (in /proc) or grows meanwhile is measured by what comes.
        content = file.read(most + 1) if status.st_size <= most else b""
        if (size := max(status.st_size, len(content))) > most:
            raise OSError(errno.EFBIG, f"it is {size:,} bytes long; files so large are generated")
    return content


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
