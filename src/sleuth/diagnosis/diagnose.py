"""`diagnose`: a request in, a report out."""

from sleuth.diagnosis.case import Tell, investigate
from sleuth.diagnosis.keeping import keep_case, keep_run
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.verdict import report
from sleuth.finding import Report
from sleuth.needs import need


def diagnose(request: Request, tell: Tell = lambda what, words: None) -> Report:
    """Read, watch, probe and experiment on a script; name the cause."""
    need("torch", "torch", "`sleuth diagnose`")
    case = investigate(request, tell, keep_run if request.keep else None)
    found = report(case)
    if request.keep:
        keep_case(case, request, found)
    return found
