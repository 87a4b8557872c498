"""`install`: begin to record this process, whether torch is there already or comes later."""

import atexit
import os
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from sleuth.doors.patches import Patches
from sleuth.record.entries import End, Run, Trouble
from sleuth.watching import importing, modes, passes, steps, token_writing
from sleuth.watching.excepthook import keep_clean
from sleuth.watching.models import Births
from sleuth.watching.rows import Rows
from sleuth.watching.state import State
from sleuth.watching.voice import Voice, voice
from sleuth.watching.writer import Writer

LEVELS = ("default", "full", "deep")
CAME_TO_ITS_END = ("finished", "exited")


@dataclass
class Recorder:
    """A recording under way. `close` ends it and puts everything back; without it, the exit does."""

    state: State
    patches: Patches
    voice: Voice
    closed: bool = False
    told_run: bool = False
    seen_exception: BaseException | None = None
    exit_code: int = 0
    births: Births = field(default_factory=Births)
    at_exit: Callable[[], None] = field(default=lambda: None)

    @property
    def on_step(self) -> list[Callable[[int], None]]:
        """Called after each optimizer step with its number; what they raise reaches the script."""
        return self.state.on_step

    @property
    def steps(self) -> int:
        return self.state.n

    @property
    def lost(self) -> str:
        """Why the record could not be written to its end."""
        return self.state.writer.lost

    def tell_run(self) -> None:
        if not self.told_run:
            self.told_run = True
            self.state.put(_run(self.state))

    def close(
        self,
        status: str = "finished",
        exception: BaseException | None = None,
        exit_code: int = 0,
        shortened: tuple[str, ...] = (),
    ) -> None:
        if self.closed:
            return
        self.closed = True
        end = partial(_end, self.state, status, exception, exit_code, shortened)
        for part in (
            partial(self._tell_rest, broken_off=status not in CAME_TO_ITS_END),
            lambda: self.state.put(end()),
            self._stop,
            self.state.writer.close,
            self.patches.restore,
            self.state.let_go,
        ):
            self._safely(part)

    def _tell_rest(self, broken_off: bool) -> None:
        if not self.state.writer.silent:
            self.tell_run()
        if self.state.off:
            return
        if not self.state.optimizers:
            steps.by_hand(self.state)
        passes.finish(self.state, broken_off=broken_off)
        modes.tell_loads(self.state)
        token_writing.finish(self.state)

    def _stop(self) -> None:
        self.state.off = True
        atexit.unregister(self.at_exit)

    def _safely(self, part: Callable[[], None]) -> None:
        """What fails at the end costs that part of it: the script is not to learn of it."""
        try:
            part()
        except Exception as error:
            self.voice.say(f"the end of this run is not recorded in full ({_sentence(error)}).")


def install(record: Path, *, level: str = "default", when_training: bool = False) -> Recorder:
    """Record this process into a file of JSON lines, from now on.

    `when_training`: write nothing before the first backward call, as most child processes make none.
    """
    if level not in LEVELS:
        raise ValueError(f"level is one of {', '.join(LEVELS)}, not {level!r}")
    speaking = voice()
    state = State(Writer(Path(record), complain=speaking.say), level, deep=level == "deep")
    state.rows, state.passes, state.tokens = Rows(), passes.Passes(), token_writing.door()
    state.rank, state.world_size = _integer("RANK", 0), _integer("WORLD_SIZE", 1)
    recorder = Recorder(state, Patches(), speaking)
    state.writer.silent = when_training
    state.begin_training = lambda: _begin_training(recorder)
    state.give_up = recorder.patches.failed = lambda error: _give_up(recorder, error)
    state.next_window()
    importing.when_imported(recorder.patches, "torch", lambda torch: attach(recorder))
    keep_clean(recorder)
    weak = weakref.ref(recorder)  # what is registered for forks stays for good
    os.register_at_fork(after_in_child=lambda: _begin_in_child(weak(), Path(record)))
    recorder.at_exit = partial(_at_exit, recorder)
    atexit.register(recorder.at_exit)
    recorder.patches.replace(os, "_exit", partial(_exiting_at_once, recorder))
    return recorder


def attach(recorder: Recorder) -> None:
    """Open every door of torch. What goes wrong here must not reach the script that imports it."""
    try:
        _open_doors(recorder)
    except Exception as error:
        _give_up(recorder, error)
    recorder.state.began = recorder.state.step_ended = time.perf_counter()


def _open_doors(recorder: Recorder) -> None:
    from sleuth.watching import (
        backwards,
        clipping,
        comparisons,
        dropouts,
        files,
        forwards,
        generating,
        loaders,
        loggers,
        losses,
        models,
        modes,
        optimizers,
        printed,
        scaling,
        schedulers,
        seeds,
        vocabularies,
        warned,
        writes,
    )
    from sleuth.watching.place import Places

    state, patches = recorder.state, recorder.patches
    state.places = Places()
    if not state.writer.silent:
        recorder.tell_run()
    _births_so_far(recorder)
    models.attach(state, patches, recorder.births)
    forwards.attach(state, patches, recorder.births)
    backwards.attach(state, patches)
    optimizers.attach(state, patches)
    modes.attach(state, patches, recorder.births)
    losses.attach(state, patches)
    schedulers.attach(state, patches)
    loaders.attach(state, patches)
    clipping.attach(state, patches)
    scaling.attach(state, patches)
    seeds.attach(state, patches)
    dropouts.attach(state, patches, recorder.births)
    comparisons.attach(state, patches)
    files.attach(state, patches)
    importing.when_imported(patches, "numpy", lambda numpy: _attach_numpy(recorder, numpy))
    if state.deep:
        writes.attach(state, patches, recorder.births)
    warned.attach(state, patches)
    printed.attach(state, patches)
    loggers.attach(state, patches)
    vocabularies.attach(state, patches)
    generating.attach(state, patches)


def _begin_training(recorder: Recorder) -> None:
    """At the first backward call: by now the process knows its place among others."""
    import torch

    state = recorder.state
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        state.rank, state.world_size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    state.writer.silent = False
    recorder.tell_run()


def _attach_numpy(recorder: Recorder, numpy: Any) -> None:
    from sleuth.watching import files, seeds

    seeds.attach_numpy(recorder.state, recorder.patches, numpy)
    files.attach_numpy(recorder.state, recorder.patches, numpy)


def _births_so_far(recorder: Recorder) -> None:
    """Models made before the recording began (in a notebook, say) have parents, too."""
    import gc

    import torch

    if "__main__" in sys.modules and len(gc.get_objects()) < 2_000_000:
        for item in gc.get_objects():
            if issubclass(type(item), torch.nn.Module) and "_modules" in vars(item):
                recorder.births.places[item] = (("", 0), 0)


def _run(state: State) -> Run:
    torch = sys.modules.get("torch")
    numpy = sys.modules.get("numpy")
    versions = {"python": sys.version.split()[0]}
    for module in (torch, numpy):
        if module is not None and hasattr(module, "__version__"):
            versions[module.__name__] = str(module.__version__)
    return Run(
        script=sys.argv[0] if sys.argv else "",
        arguments=tuple(sys.argv[1:]),
        versions=versions,
        rank=state.rank,
        world_size=state.world_size,
        accelerator=_accelerator(torch),
        started=time.time(),
    )


def _accelerator(torch: Any) -> bool:
    try:
        return torch is not None and bool(torch.accelerator.is_available())
    except (AttributeError, RuntimeError):
        return bool(torch is not None and torch.cuda.is_available())


def _integer(name: str, default: int) -> int:
    value = os.environ.get(name, "")
    return int(value) if value.isdigit() else default


def _end(
    state: State,
    status: str,
    exception: BaseException | None,
    exit_code: int,
    shortened: tuple[str, ...],
) -> End:
    trace: TracebackType | None = exception.__traceback__ if exception is not None else None
    return End(
        status=status,
        steps=state.n,
        t=state.now(),
        exit_code=exit_code,
        exception=type(exception).__name__ if exception is not None else "",
        message=str(exception)[:2000] if exception is not None else "",
        frames=tuple(state.places.of_traceback(trace)),
        shortened=shortened,
        backwards=state.backwards,
        pattern=state.close_pattern() if state.events else 0,
        own_s=state.own_s,
    )


def _give_up(recorder: Recorder, error: BaseException) -> None:
    """Sleuth failed: say so once, and let the training go on."""
    state = recorder.state
    if state.off or isinstance(error, RecursionError):  # the script is at Python's limit, and not for long
        return
    state.off = True
    state.writer.put(Trouble(_sentence(error)))
    state.writer.flush()
    state.let_go()
    recorder.voice.say(f"stopped watching after an error of its own ({_sentence(error)}).")


def _sentence(error: BaseException) -> str:
    trace = error.__traceback__
    place = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" at {os.path.basename(code.co_filename)}:{trace.tb_lineno} in {code.co_name}"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{place}"


KEPT_IN_A_CHILD = ("places", "begin_training", "give_up", "keep_open", "rank", "world_size")


def _begin_in_child(recorder: Recorder | None, whole: Path) -> None:
    """In a forked child: a record of its own, written once it trains. A worker of a loader never does."""
    if recorder is None or recorder.closed:
        return
    state = recorder.state
    if state.off:
        recorder.closed = True
        return
    own = whole.with_name(f"{whole.stem}.{os.getpid()}.jsonl")
    writer = Writer(own, silent=True, complain=recorder.voice.say)
    fresh = State(writer, state.level, deep=state.deep)
    fresh.rows, fresh.passes, fresh.tokens = Rows(), passes.Passes(), token_writing.door()
    fresh.step_ended = time.perf_counter()
    for entry in fields(State):
        if entry.name not in KEPT_IN_A_CHILD:
            setattr(state, entry.name, getattr(fresh, entry.name))
    state.next_window()
    recorder.told_run, recorder.seen_exception, recorder.exit_code = False, None, 0


def _exiting_at_once(recorder: Recorder, original: Any) -> Any:
    """`os._exit` leaves nobody time to write what is still to be written. Children end this way, too."""

    def _exit(status: int) -> Any:
        with suppress(Exception):
            recorder.close("exited" if status else "finished", None, status)
        original(status)

    return _exit


def _at_exit(recorder: Recorder) -> None:
    error = recorder.seen_exception
    if error is None and recorder.exit_code:
        recorder.close("exited", None, recorder.exit_code)
    elif error is None:
        recorder.close("finished")
    elif isinstance(error, KeyboardInterrupt):
        recorder.close("interrupted", error, 130)
    else:
        recorder.close("raised", error, 1)
