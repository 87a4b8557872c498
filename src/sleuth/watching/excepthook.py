"""Keeps tracebacks as they would be without Sleuth, and remembers what ended the script."""

import sys
from types import TracebackType
from typing import Any

from sleuth.watching.patches import HIDDEN
from sleuth.watching.place import OWN_FOLDER


def keep_clean(recorder: Any) -> None:
    """Take Sleuth's frames out of what the interpreter prints when the script fails."""
    before = sys.excepthook

    def excepthook(kind: Any, error: Any, trace: TracebackType | None) -> None:
        recorder.seen_exception = error
        if error is not None:
            strip(error)
            trace = error.__traceback__
        before(kind, error, trace)

    def exiting(original: Any) -> Any:
        def exit(code: Any = None) -> Any:  # noqa: A001
            recorder.exit_code = code if isinstance(code, int) else int(code is not None)
            original(code)

        return exit

    recorder.patches.replace(sys, "exit", exiting)
    sys.excepthook = excepthook
    recorder.patches.undo.append(lambda: _restore(excepthook, before))


def _restore(ours: Any, before: Any) -> None:
    if sys.excepthook is ours:
        sys.excepthook = before


def strip(error: BaseException) -> None:
    """Cut Sleuth's frames out of a traceback, and of those it came from."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.__traceback__ = without_own(one.__traceback__)
        todo += [one.__cause__, one.__context__]


def without_own(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and _own(trace):
        trace = trace.tb_next
    first = trace
    while trace is not None:
        following = trace.tb_next
        while following is not None and _own(following):
            following = following.tb_next
        trace.tb_next = following
        trace = following
    return first


def _own(trace: TracebackType) -> bool:
    file = trace.tb_frame.f_code.co_filename
    return file == HIDDEN or file.startswith(OWN_FOLDER)
