"""`sleuth.diagnose`: a script in, a report out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sleuth.diagnosis.case import Case
from sleuth.diagnosis.investigate import Tell, investigate
from sleuth.diagnosis.keeping import finish_run, keep_run, open_book
from sleuth.diagnosis.reporting import report
from sleuth.diagnosis.request import Request
from sleuth.errors import SleuthError
from sleuth.needs import need
from sleuth.report import Report


def diagnose(script: str | Path, arguments: Sequence[str] = (), **options: Any) -> Report:
    """Read, watch, probe and experiment on a script; name the cause.

    Options are those of the command: `steps`, `budget` (seconds), `prior`, `allow_writes`, `experiments`,
    `keep`.
    """
    path = Path(script)
    if not path.is_file():
        raise SleuthError(f"There is no file {str(script)!r}.")
    return answered(Request(path.resolve(), tuple(arguments), **options))


def answered(request: Request, tell: Tell = lambda what, words: None) -> Report:
    """The report on a request."""
    need("torch", "torch", "`sleuth diagnose`")
    if not request.keep:
        return _reported(investigate(request, tell))
    book = open_book(request)
    case = investigate(request, tell, keep_run, book.observed)
    found = _reported(case)
    finish_run(case, found)
    book.closed(found.verdict)
    return found


def _reported(case: Case) -> Report:
    case.timing["budget"] = case.request.budget
    return report(case)
