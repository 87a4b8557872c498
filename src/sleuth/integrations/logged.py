"""Numbers a framework logs, put into the record beside those a script prints."""

from collections.abc import Mapping
from typing import Any


def note(watching: Any, values: Mapping[str, Any], source: str) -> None:
    """Each plain number under its name, unless it was seen on its way to a logger."""
    from sleuth.watching.loggers import plain, told
    from sleuth.watching.printed import put

    state = watching.recorder.state
    for name, value in values.items():
        number = plain(value)
        if number is not None and not state.off and not told(state, str(name), number):
            put(state, str(name), number, 0, source)
