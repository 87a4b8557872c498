"""The door of warnings: noted when shown, and shown as they would have been."""

import warnings
from typing import Any

from sleuth.record.entries import Warned
from sleuth.watching.state import State

MOST = 200
LONGEST = 2000


def attach(state: State, patches: Any) -> None:
    def watched(original: Any) -> Any:
        def _showwarnmsg(message: Any) -> Any:
            try:
                _seen(state, message)
            except Exception as error:
                state.give_up(error)
            return original(message)

        return _showwarnmsg

    # Python's own single exit for warnings: what the user puts in place of `showwarning` still runs.
    patches.replace(warnings, "_showwarnmsg", watched)


def _seen(state: State, message: Any) -> None:
    if state.off or not state.seldom("warned", MOST):
        return
    path, line = state.places.here()
    state.put(
        Warned(
            text=str(message.message)[:LONGEST],
            category=message.category.__name__,
            line=line or message.lineno,
            path=path or message.filename,
            n=state.n,
        )
    )
