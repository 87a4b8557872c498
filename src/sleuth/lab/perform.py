"""What a child of the stage does with a job: change the world, record, run, and tell how it ended."""

import atexit
import builtins
import mmap
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from sleuth.lab import frameworks
from sleuth.lab.control import Control, Limit
from sleuth.lab.guard import WroteHere, forbid_writing
from sleuth.lab.job import OWN_FAULT, Ending, Job
from sleuth.lab.run import is_users, run_script

OVERSHOOT = 1.25  # a loop we hold ends at its next turn; one inside a library runs on until it is broken off


Look = Callable[[Job], list[Mapping[str, Any]]]


class Enough(BaseException):
    """Seen what was wanted. Not an Exception, so that a script's `except Exception` lets it through."""


class OutOfTime(Enough):
    """The time limit came first."""


def perform(job: Job) -> int:
    """Run one job to its end in this process; its exit code."""
    signal.signal(signal.SIGTERM, _out_of_time)
    forbid_writing(job.guarded, job.scratch)
    began = time.monotonic()
    ending = _asked(job) if job.look else _recorded(job)
    _tell(job, ending, time.monotonic() - began)
    return ending.exit_code & 0xFF


def _recorded(job: Job) -> Ending:
    from sleuth.lab.worlds.enter import entered

    control = Control(Limit(job.steps, job.seconds))
    with ExitStack() as stack:
        sys.argv = [job.script, *job.arguments]  # what the record calls the script
        recorder = _recorder(job, control)
        world = stack.enter_context(entered(job.world, job.undo, control))
        about = partial(_about, control=control, took_hold=world.took_hold)
        _tell_of_sudden_exits(job, about)
        raised: list[BaseException] = []
        ending = _outcome(
            job, lambda: run_script(Path(job.script), job.arguments, control, job.module), raised
        )
        shortened = tuple(_in_words(key, turns) for key, turns in control.cut.items())
        recorder.close(ending.status, raised[0] if raised else None, ending.exit_code, shortened)
    if not ending.out_of_time:
        _finish_like_python()
    return _with(about(ending), unrecorded=recorder.lost)


def _about(ending: Ending, control: Control, took_hold: Mapping[str, int]) -> Ending:
    limit = control.limit.steps
    return _with(ending, steps=control.steps, limit=limit, cut=dict(control.cut), took_hold=dict(took_hold))


def _tell_of_sudden_exits(job: Job, about: Callable[[Ending], Ending]) -> None:
    """`os._exit` passes everything by. The recorder, which is told of it too, puts the original back."""
    own, original, began = os.getpid(), os._exit, time.monotonic()

    def _exit(status: int) -> Any:
        if os.getpid() == own:  # forked workers end this way, too
            told = Ending(job.id, "exited" if status else "finished", status, message=str(status or ""))
            with suppress(Exception):
                _tell(job, about(told), time.monotonic() - began)
        original(status)

    os._exit = _exit


def _recorder(job: Job, control: Control) -> Any:
    from sleuth.watching.install import install

    Path(job.record).unlink(missing_ok=True)  # of an earlier attempt; a recorder appends
    recorder = install(Path(job.record), level="deep")
    count = _counter(job)

    def stepped(*_: Any) -> None:
        control.stepped()
        count[:] = control.steps.to_bytes(len(count), "little")
        if job.only is not None and control.steps >= job.only:
            raise Enough
        limit = control.limit.steps
        if limit is not None and control.steps - control.phase_began > limit * OVERSHOOT + 2:
            raise Enough

    recorder.on_step.append(stepped)
    frameworks.attach(control, recorder.patches)
    return recorder


def _counter(job: Job) -> mmap.mmap:
    """Eight bytes that outlive this process, however it ends."""
    path = Path(job.file("steps"))
    path.write_bytes(bytes(8))
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 8)


def _in_words(key: str, turns: int) -> str:
    path, _, line = key.rstrip("#").rpartition(":")
    return f"the loop at {os.path.basename(path)}:{line} after {turns} iterations"


def _asked(job: Job) -> Ending:
    """A look at the script's own objects while they are there."""
    look: Look = import_module(f"sleuth.{job.look}").look
    reports: list[Mapping[str, Any]] = []
    ending = _outcome(job, lambda: reports.extend(look(job)))
    return _with(ending, report={"reports": reports})


def _outcome(job: Job, run: Callable[[], None], kept: list[BaseException] | None = None) -> Ending:
    whole = vars(builtins).copy(), sys.modules.copy()
    try:
        try:
            run()
        finally:
            _mend(*whole)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is left to do is short, and wanted
    except BaseException as raised:
        # A script may clean up after what we raised, and fail at it, or end in its own way.
        ours = next((part for part in _chain(raised) if isinstance(part, (Enough, WroteHere))), None)
        if isinstance(ours, WroteHere):
            return Ending(job.id, "wrote", 1, message=str(ours))
        if ours is not None:
            return Ending(job.id, "stopped", out_of_time=isinstance(ours, OutOfTime))
        if isinstance(raised, SystemExit):
            return _exited(job, raised)
        if kept is not None:
            kept.append(raised)
        return _raised(job, raised)
    return Ending(job.id, "finished")


def _mend(
    functions: Mapping[str, Any],
    modules: Mapping[str, ModuleType],
    can_be_called: Callable[[Any], bool] = callable,
) -> None:
    """A script may have taken Python's own functions away, and still ended: telling how needs them."""
    now, loaded = builtins.__dict__, sys.modules
    for name, function in functions.items():
        if can_be_called(function) and not can_be_called(now.get(name)):
            now[name] = function
    for name, module in modules.items():
        if loaded.get(name) is None:
            loaded[name] = module


def _chain(raised: BaseException | None) -> Iterator[BaseException]:
    """An exception and those it was raised upon."""
    seen: set[int] = set()
    while raised is not None and id(raised) not in seen:
        seen.add(id(raised))
        yield raised
        raised = raised.__cause__ or raised.__context__


def _exited(job: Job, ended: SystemExit) -> Ending:
    if ended.code is None or ended.code == 0:
        return Ending(job.id, "finished")
    code = ended.code if isinstance(ended.code, int) else 1
    if not isinstance(ended.code, int):
        print(ended.code, file=sys.stderr)
    return Ending(job.id, "exited", code, exception="SystemExit", message=str(ended.code))


def _raised(job: Job, raised: BaseException) -> Ending:
    traceback.print_exception(raised)
    frames = [
        (frame.filename, frame.lineno or 0, frame.name)
        for frame in traceback.extract_tb(raised.__traceback__)
        if is_users(frame.filename)
    ]
    if isinstance(raised, SyntaxError) and raised.filename and raised.lineno:
        frames.append((raised.filename, raised.lineno, "<module>"))
    return Ending(
        job.id,
        "raised",
        1,
        exception=type(raised).__name__,
        message=" ".join(str(raised).split())[:2000],
        frames=tuple(frames),
    )


def _with(ending: Ending, **changes: Any) -> Ending:
    from dataclasses import replace

    return replace(ending, **changes)


def _tell(job: Job, ending: Ending, seconds: float) -> None:
    with suppress(ImportError, ValueError, OSError):
        from resource import RLIMIT_FSIZE, getrlimit, setrlimit

        most = getrlimit(RLIMIT_FSIZE)[1]
        setrlimit(RLIMIT_FSIZE, (most, most))  # the script has ended: its limit was for its own files
    written = Path(job.file("ending.part"))
    written.write_text(_with(ending, seconds=seconds).to_json(), "utf-8")
    written.rename(job.file("ending"))


def _out_of_time(*_: Any) -> None:
    raise OutOfTime


def _finish_like_python() -> None:
    """Threads are waited for and exit functions called, as at the end of a process of its own."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(timeout=10)
    atexit._run_exitfuncs()


__all__ = ["Enough", "perform"]


if __name__ == "__main__":
    code = OWN_FAULT
    try:
        code = perform(Job.from_json(sys.argv[1]))
    except BaseException:
        traceback.print_exc()
    sys.exit(code)
