"""A fault of Sleuth's own: one sentence that asks for a report, and the file to send with it."""

import os
import sys
from collections.abc import Sequence

from sleuth._version import __version__

PREFIX, SUFFIX = "sleuth-fault-", ".txt"


def reported(error: BaseException, words: Sequence[str]) -> str:
    """Keep what a report needs in the temporary folder, and give the one sentence to say.

    The file holds the traceback, the versions and the command, and nothing else of the user's. Never raises:
    where no file can be written, the sentence itself says where it happened.
    """
    what = f"This is a fault of Sleuth's own ({type(error).__name__} at {_place(error)}), not of your code"
    try:
        return f"{what}; please report it with the file {_kept(error, words)}."
    except OSError:
        return f"{what}; please report this line: no file for it could be written."


def _kept(error: BaseException, words: Sequence[str]) -> str:
    import tempfile

    handle, path = tempfile.mkstemp(SUFFIX, PREFIX)  # of a new name, and for this user's eyes only
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(_text(error, words))
    return path


def _text(error: BaseException, words: Sequence[str]) -> str:
    import shlex
    import traceback

    python = ".".join(map(str, sys.version_info[:3]))
    return "\n".join(
        (
            f"Sleuth {__version__}, Python {python}, {sys.platform}",
            f"command: {shlex.join(['sleuth', *words])}",
            "",
            "".join(traceback.format_exception(error)),
        )
    )


def _place(error: BaseException) -> str:
    """The last line of Sleuth's own on the way to it, as `archive/listing.py:40`.

    The words of an error stay out of the sentence: they may hold anything, a file's content among them.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    place = "an unknown place"
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(package + os.sep):
            place = f"{os.path.relpath(file, package)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
