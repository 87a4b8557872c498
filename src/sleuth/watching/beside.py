"""The process beside a watched script, as the one that runs the script sees it."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from sleuth.watching.channel import Channel, Message
from sleuth.watching.process import RECORD
from sleuth.watching.streams import Pipe

# How Python itself is to run is said for the script; ours finds its modules the same way, and no more.
FINDING = ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONPYCACHEPREFIX")
# No module of the working folder, any file name in any locale, and nothing made of warnings.
MAIN = "from sleuth.cli.beside import main; main()"
ENDING = 5.0  # seconds for it to be gone once it has told everything
FLAGS = ("-P", "-X", "utf8", "-W", "ignore")


@dataclass
class Beside:
    """It sends: the run it began, that all output was passed on, and at last what there is to show."""

    process: "subprocess.Popen[bytes]"
    channel: Channel
    passed_all_on: bool = False
    done: bool = False
    shown: Message = field(default_factory=dict)

    @classmethod
    def begun(cls, order: Message, pipes: Sequence[Pipe]) -> Self | None:
        """In a session of its own: signals meant for the script and its group do not end it."""
        ours, theirs = socket.socketpair()
        streams = [(pipe.number, pipe.target, pipe.reading) for pipe in pipes]
        try:
            process = subprocess.Popen(
                [sys.executable, *FLAGS, "-c", MAIN, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno(), *(pipe.reading for pipe in pipes)],
                env=_environment(),
                start_new_session=True,
            )
        except OSError:  # no more processes to be had
            return None
        finally:
            theirs.close()
        beside = cls(process, Channel(ours))
        beside.tell(order | {"streams": streams, "python": _settings()})
        return beside

    @property
    def lives(self) -> bool:
        return not self.channel.over

    def tell(self, message: Message) -> None:
        self.channel.send(message)

    def receive(self, seconds: float) -> Message | None:
        return self.channel.receive(seconds)

    def listen(self, seconds: float) -> None:
        message = self.channel.receive(seconds) or {}
        self.passed_all_on = self.passed_all_on or "passed" in message
        if "shown" in message:
            self.done, self.shown = True, message["shown"]

    def close(self) -> None:
        """Let it go: what it still has to do, it does alone."""
        self.channel.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(ENDING if self.done else 0)


def _settings() -> dict[str, str]:
    """What is kept from it at its start, to be put back: a run's environment is the script's."""
    return {
        name: value
        for name, value in os.environ.items()
        if name == RECORD or (name.startswith("PYTHON") and name not in FINDING)
    }


def _environment() -> dict[str, str]:
    here = str(Path(__file__).resolve().parents[2])
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    kept = {name: value for name, value in os.environ.items() if name not in _settings()}
    return kept | {"PYTHONPATH": os.pathsep.join(paths)}
