"""`sleuth.watch`: the recorder from inside a program or a notebook."""

from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any, Self

from sleuth.errors import SleuthError
from sleuth.finding import Finding
from sleuth.needs import need
from sleuth.record.entries import Record
from sleuth.report import Report


class Watch:
    """A recording under way: a context manager, or stopped by hand. Shows its report in a notebook."""

    def __init__(self, level: str, warn: bool = True) -> None:
        import sys

        from sleuth import archive
        from sleuth.watching.install import install
        from sleuth.watching.kept import files_of
        from sleuth.watching.live import Live

        self.run = archive.begin([*sys.orig_argv], None, "watch")
        self.files = ExitStack()
        self.record = self.files.enter_context(files_of(self.run)).record_path
        self.recorder = install(self.record, level=level)
        self.live = Live(self.record, drawing=False) if warn else None
        self.recorder.on_step.append(self._look)
        self.report: Report | None = None
        self.seen = Record()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(error)

    def _look(self, _: int) -> None:
        """Say what is certain the moment it is; whatever goes wrong with that is no matter of the script."""
        with suppress(Exception):
            if self.live is not None:
                self.live.look()

    def stop(self, error: BaseException | None = None) -> Report:
        """End the recording, put torch back as it was, and judge what was seen."""
        if self.report is None:
            from sleuth.watching.judging import judge, load

            self.recorder.close("raised" if error is not None else "finished", error, int(error is not None))
            if self.live is not None:
                self.live.finish()
            self.seen = load(self.record)
            self.report = judge(self.seen)
            self.run.finish(
                int(error is not None), self.report.findings, {"verdict": self.report.verdict.to_dict()}
            )
            self._write_page(self.report)
            self.files.close()
        return self.report

    def _write_page(self, report: Report) -> None:
        from sleuth.files import write_whole
        from sleuth.show.watch_page import PAGE, document

        if self.run.recording:
            with suppress(SleuthError):  # a full disk was told of already
                write_whole(self.run.folder / PAGE, document(report, self.seen))

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.stop().findings

    def __str__(self) -> str:
        from sleuth.show.watch_text import page

        return page(self.stop(), str(self.run.folder) if self.run.recording else "")

    def _repr_html_(self) -> str:
        from sleuth.show.watch_page import fragment

        report = self.stop()
        return fragment(report, self.seen)


def watch(model: Any = None, optimizer: Any = None, *, level: str = "default", warn: bool = True) -> Watch:
    """Record the training that follows: `with sleuth.watch(model, optimizer): ...`.

    In a notebook, `seen = sleuth.watch()` in one cell and `seen.stop()` in another.

    Models and optimizers are found by themselves; those given here are known from the start. What is certain
    (the first NaN, no gradient, parameters in no optimizer) is said on standard error at once, unless `warn`
    is False.
    """
    need("torch", "torch", "`sleuth.watch`")
    if level not in ("default", "full", "deep"):
        raise SleuthError(f"level is 'default', 'full' or 'deep', not {level!r}.")
    watching = Watch(level, warn)
    from sleuth.watching import models, optimizers

    state = watching.recorder.state
    if model is not None:
        with suppress(TypeError):
            models.known(state, watching.recorder.births, model)
    if optimizer is not None:
        optimizers.known(state, optimizer)
    return watching
