"""Keeps tracebacks as they would be without Sleuth, and remembers what ended the script."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from types import CodeType, ModuleType, TracebackType
from typing import Any

from sleuth.doors.patches import HIDDEN
from sleuth.watching import importing
from sleuth.watching.place import OWN_FOLDER


def keep_clean(recorder: Any) -> None:
    """Take Sleuth's frames out of what the interpreter prints when the script fails."""
    before = sys.excepthook

    def excepthook(kind: Any, error: Any, trace: TracebackType | None) -> None:
        recorder.seen_exception = error
        if error is not None:
            with suppress(Exception):
                strip(error)
            trace = error.__traceback__
        before(kind, error, trace)

    def exiting(original: Any) -> Any:
        def exit(code: Any = None) -> Any:  # noqa: A001
            recorder.exit_code = code if isinstance(code, int) else int(code is not None)
            original(code)

        return exit

    patches = recorder.patches
    patches.replace(sys, "exit", exiting)
    # Python keeps its own beside them: what a script compares with, and goes back to, is ours as well.
    for name in ("excepthook", "__excepthook__"):
        _hook(patches, sys, name, excepthook)
    stripping = _stripping(sys.unraisablehook)
    for name in ("unraisablehook", "__unraisablehook__"):
        _hook(patches, sys, name, stripping)
    importing.when_imported(patches, "threading", lambda found: _keep_threads_clean(patches, found))
    importing.when_imported(patches, "traceback", lambda found: _keep_walks_clean(patches, found))


def _keep_threads_clean(patches: Any, threading: ModuleType) -> None:
    _hook(patches, threading, "excepthook", _stripping(threading.excepthook))


def _keep_walks_clean(patches: Any, traceback: ModuleType) -> None:
    """What a script, a logger or a worker makes of a traceback goes through one of these."""
    for name in ("walk_tb", "_walk_tb_with_full_positions"):
        patches.replace(traceback, name, _skipping)


def _skipping(original: Any) -> Any:
    def walk(trace: Any) -> Iterator[Any]:
        return (place for place in original(trace) if not _is_own(place[0].f_code))

    return walk


def _stripping(before: Any) -> Any:
    def hook(told: Any) -> None:
        if told.exc_value is not None:
            with suppress(Exception):
                strip(told.exc_value)
        before(told)

    return hook


def _hook(patches: Any, owner: ModuleType, name: str, ours: Any) -> None:
    """Put a hook in place; it is taken out again unless the script has put its own there since."""
    before = getattr(owner, name)
    setattr(owner, name, ours)
    patches.undo.append(lambda: setattr(owner, name, before) if getattr(owner, name) is ours else None)


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
    return _is_own(trace.tb_frame.f_code)


def _is_own(code: CodeType) -> bool:
    return code.co_filename == HIDDEN or code.co_filename.startswith(OWN_FOLDER)
