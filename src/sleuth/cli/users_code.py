"""Code of the user's, run in this process: it can neither end Sleuth nor go on for ever."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from sleuth.errors import SleuthError

AGAIN = 1.0  # seconds until code that swallowed the call of time hears it again


# Both pass by the `except Exception` of the code that they end.
class _Left(BaseException):
    """By which call it left."""


class _OutOfTime(BaseException):
    """The time is up."""


@contextmanager
def users_code(name: str, seconds: float | None = None) -> Iterator[None]:
    """What it names runs inside; to leave the process, or to need more time, is one sentence."""
    try:
        with _no_way_out(), _called_to_time(seconds):
            yield
    except SystemExit as left:
        raise SleuthError(_too_early(name, f"sys.exit({left.code!r})")) from None
    except _Left as left:
        raise SleuthError(_too_early(name, str(left))) from None
    except _OutOfTime:
        raise SleuthError(
            f"{name} had no result within {seconds:g} s. If it ends at all, give it longer with --budget."
        ) from None


def _too_early(name: str, call: str) -> str:
    return f"{name} called {call} before there was a result; take the call out of what is run here."


@contextmanager
def _no_way_out() -> Iterator[None]:
    """`os._exit` is an error here; in a child process it stays what it is."""
    ours, leave = os.getpid(), os._exit

    def refused(status: int) -> NoReturn:
        if os.getpid() != ours:
            leave(status)
        raise _Left(f"os._exit({status})")

    os._exit = refused
    try:
        yield
    finally:
        os._exit = leave


@contextmanager
def _called_to_time(seconds: float | None) -> Iterator[None]:
    """Only where signals reach: in the main thread, on systems that have the timer."""
    reached = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if seconds is None or not reached:
        yield
        return

    def over(number: int, frame: FrameType | None) -> NoReturn:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
