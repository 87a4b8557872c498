"""Computes a script's metric once more with other parameters: a copy of the process, kept from before.

A script's metric is no function that can be called. But a process can be copied: a twin is made right after
an optimizer step and waits; when it is asked, a copy of the twin sets the parameters, goes on with the script
to its next backward, tells the metric found there and ends.
"""

import contextlib
import os
import pickle
import select
import signal
import threading
import time
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from torch import Tensor

PATIENCE = 10.0  # seconds for one answer


class Silent(Exception):
    """The twin gave no answer."""


def hindrance() -> str:
    """Why this process cannot be copied; empty when it can."""
    import multiprocessing

    import torch

    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return "the script uses a graphics card, whose state no copy of the process can share"
    if multiprocessing.active_children():
        return "the script has worker processes, which a copy of it would disturb"
    if any(_needed(thread) for thread in threading.enumerate()):
        return "the script has threads of its own, which a copy of it would lack"
    return ""


def _needed(thread: threading.Thread) -> bool:
    """Whether a script may wait for a thread. The one that redraws progress bars it can do without."""
    return thread is not threading.main_thread() and not type(thread).__module__.startswith("tqdm")


class Twin:
    """A waiting copy of this process. In the copy of the copy that computes, `answering` is true."""

    def __init__(self, parameters: Mapping[str, "Tensor"]) -> None:
        self.parameters = dict(parameters)
        self.answering = False
        self._questions, self._ask = os.pipe()
        self._hear, self._answers = os.pipe()
        self._pid = _fork()
        if self._pid == 0:
            self._wait_for_questions()

    def metric(self, values: Mapping[str, "Tensor"]) -> "Tensor":
        """The metric with these parameters, one after the other in the order given at the beginning."""
        _send(self._ask, [values[name].detach().cpu() for name in self.parameters])
        told: Tensor = _receive(self._hear, time.monotonic() + PATIENCE)
        return told

    def tell(self, metric: "Tensor") -> NoReturn:
        """In the copy that computes: hand the metric over and end."""
        _send(self._answers, metric.detach().cpu())
        os._exit(0)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        for pipe in (self._questions, self._ask, self._hear, self._answers):
            os.close(pipe)

    def _wait_for_questions(self) -> None:
        """The twin's life. It returns in copies of the twin only, with their parameters set."""
        import torch

        os.close(self._ask)
        torch.set_num_threads(1)  # the threads that OpenMP had are not in a copy
        while True:
            try:
                values = _receive(self._questions)
            except Silent:
                os._exit(0)
            copy = _fork()
            if copy == 0:
                signal.alarm(int(PATIENCE) + 1)  # ends it, whatever the script does
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                for tensor, value in zip(self.parameters.values(), values, strict=True):
                    tensor.data.copy_(value)
                self.answering = True
                return
            os.waitpid(copy, 0)


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer Pythons warn of threads, which were looked for
        return os.fork()


def _send(pipe: int, value: Any) -> None:
    data = pickle.dumps(value)
    message = len(data).to_bytes(8, "big") + data
    while message:
        message = message[os.write(pipe, message) :]


def _receive(pipe: int, deadline: float | None = None) -> Any:
    size = int.from_bytes(_read_exactly(pipe, 8, deadline), "big")
    return pickle.loads(_read_exactly(pipe, size, deadline))  # only ever what this process has sent itself


def _read_exactly(pipe: int, count: int, deadline: float | None) -> bytes:
    data = b""
    while len(data) < count:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([pipe], [], [], left)[0]:
            raise Silent
        received = os.read(pipe, min(count - len(data), 1 << 20))
        if not received:
            raise Silent
        data += received
    return data
