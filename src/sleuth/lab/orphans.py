"""Keeps hold of processes whose parent has ended, also of those in a session of their own (Linux only)."""

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Container
from pathlib import Path

PDEATHSIG, CHILD_SUBREAPER = 1, 36  # of linux/prctl.h
PATIENCE = 2.0  # seconds for killed processes to be gone: one that waits for a disk may take longer
ROUNDS = 20  # each ends one generation of them


def adopt_orphans() -> None:
    """What a child leaves behind becomes a child of this process. Not inherited by forks, kept by exec."""
    _prctl(CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """Be killed when the parent ends, however that comes about."""
    _prctl(PDEATHSIG, signal.SIGKILL)


def end_children(but: Container[int] = ()) -> None:
    """End every child of this process but these, and what is handed over when they end."""
    for _ in range(ROUNDS):
        left = [pid for pid in children() if pid not in but]
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + PATIENCE
        for pid in left:
            while not _reaped(pid) and time.monotonic() < until:
                time.sleep(0.005)


def children() -> list[int]:
    """The children of this process, those that have ended and were not waited for among them."""
    own, found = str(os.getpid()), []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            if (entry / "stat").read_text().rpartition(")")[2].split()[1] == own:
                found.append(int(entry.name))
    return found


def _reaped(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another system has no such call
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
