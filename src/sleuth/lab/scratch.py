"""The folder a stage works in: gone when its owner ends, and at the next start where the owner was killed."""

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

PREFIX = "sleuth-"
OWNER = "owner"  # a file that its owner holds locked; the system lets go of it when the owner dies


@dataclass(frozen=True)
class Scratch:
    path: str
    lock: int

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)


def make() -> Scratch:
    import fcntl  # not on every system

    sweep()
    path = tempfile.mkdtemp(prefix=PREFIX)
    new = Path(path) / f"{OWNER}.part"  # nobody looks at it before it is locked
    lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):  # a file system without locks: the folder is not swept, either
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(lock, f"{os.getpid()}\n".encode())
        new.rename(new.with_name(OWNER))
    return Scratch(path, lock)


def sweep() -> None:
    """Remove what owners left that no longer live."""
    import fcntl

    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / OWNER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
