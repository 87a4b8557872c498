"""Numbers a framework logs, put into the record beside those a script prints."""

from collections.abc import Mapping
from typing import Any


def note(watching: Any, values: Mapping[str, Any], source: str) -> None:
    """Each plain number under its name; a recording that has ended takes none."""
    from sleuth.watching.printed import put

    state = watching.recorder.state
    if state.off:
        return
    for name, value in values.items():
        try:
            number = float(value)
        except (TypeError, ValueError, RuntimeError):
            continue
        put(state, str(name), number, 0, source)
