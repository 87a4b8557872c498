"""Live progress on a terminal's error stream; in a pipe nothing."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sleuth.show.diagnosis_words import question
from sleuth.terminal import visible

FRAMES = 4  # a second
_ENDED = {
    "finished": "ran to its end",
    "stopped": "long enough",
    "raised": "raised an exception",
    "exited": "left with an exit code",
    "killed": "the time was up",
    "died": "ended by a signal",
    "wrote": "writes files, so it is run again in a copy",
}


@dataclass
class Progress:
    """What is under way and since when. Gets what an investigation tells, gives lines for a terminal."""

    began: float
    budget: float | None = None
    running: dict[str, float] = field(default_factory=dict)

    def told(self, what: str, words: str, now: float) -> str | None:
        """Take in what is told; what has ended is a line that stays."""
        match what:
            case "done":
                if words.startswith("base:"):
                    self.running.pop("watch", None)
                return f"{'seen':>7}  {_ended(words)}"
            case "answer":
                self.running.pop(question(words.partition(": ")[0]), None)
                return f"{'answer':>7}  {words}"
            case "experiment":
                self.running[words] = now
            case "watch":
                self.running = {"watch": now}
            case _:
                self.running = {words: now}
        return None

    def lines(self, now: float) -> list[str]:
        """One line for each thing that runs, and what is left of the budget."""
        shown = [
            f"{now - since:>5.0f} s  {_DOING.get(words, words)}" for words, since in self.running.items()
        ]
        if self.budget is not None:
            left = max(0.0, self.budget - (now - self.began))
            shown.append(f"{left:>5.0f} s of {self.budget:.0f} s left")
        return shown


_DOING = {"watch": "running a short stretch under observation, examining the first step"}


def _ended(words: str) -> str:
    """`base: finished after 12 steps`, `probe: finished after 0 steps`: as a reader would say it."""
    name, _, rest = words.partition(": ")
    status, _, steps = rest.partition(" after ")
    told = _ENDED.get(status, status)
    if name == "probe":
        fine = status in ("finished", "stopped")
        return "first step examined" if fine else f"first step could not be examined ({told})"
    return f"{steps} watched: {told}" if name == "base" else words


@contextmanager
def telling(silent: bool, budget: float | None = None) -> Iterator[Callable[[str, str], None]]:
    """A function that shows what is being done: (what, words)."""
    if silent or not sys.stderr.isatty():
        yield lambda what, words: None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    progress = Progress(time.monotonic(), budget)

    def shown() -> Text:
        lines = progress.lines(time.monotonic())
        return Text(visible("\n".join(lines)), style="dim", no_wrap=True, overflow="ellipsis")

    with Live(
        console=console, get_renderable=shown, refresh_per_second=FRAMES, transient=True,
        redirect_stdout=False, redirect_stderr=False,
    ):  # fmt: skip

        def tell(what: str, words: str) -> None:
            line = progress.told(what, words, time.monotonic())
            if line is not None:
                console.print(Text(visible(line), no_wrap=True, overflow="ellipsis"))

        yield tell
