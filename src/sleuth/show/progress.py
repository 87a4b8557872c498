"""Live progress on a terminal's error stream; in a pipe nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def telling(silent: bool) -> Iterator[Callable[[str, str], None]]:
    """A function that shows what is being done: (what, words)."""
    if silent or not sys.stderr.isatty():
        yield lambda what, words: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("Sleuth is at work") as status:

        def tell(what: str, words: str) -> None:
            if what in ("answer", "done"):
                console.print(f"[dim]{what:>10}[/]  {words}", highlight=False)
            else:
                status.update(f"{what}: {words}")

        yield tell
