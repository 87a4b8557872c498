"""The application: which address is answered by which page."""

import mimetypes
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sleuth._version import __version__
from sleuth.ui.homes import Homes
from sleuth.ui.live import events
from sleuth.ui.pages import cases, causes, compare, journal, reports, run, runs, sweeps
from sleuth.ui.pages.answering import answer

SHOW = Path(__file__).parent.parent / "show"
OWN = Path(__file__).parent / "static"
STATIC: Mapping[str, Path] = {
    "sleuth.css": SHOW / "sleuth.css",
    "sleuth.js": OWN / "sleuth.js",
    "icon.svg": OWN / "icon.svg",
}

ROUTES = (
    Route("/", runs.runs),
    Route("/events", events),
    Route("/compare", compare.compare),
    Route("/run/{run}", run.run),
    Route("/run/{run}/marks", runs.write_marks, methods=["POST"]),
    Route("/run/{run}/head", run.live),
    Route("/run/{run}/curves", run.curves),
    Route("/run/{run}/more", run.more),
    Route("/run/{run}/layers", run.layers),
    Route("/run/{run}/code", run.code),
    Route("/run/{run}/changes", run.changes),
    Route("/run/{run}/output", run.output),
    Route("/run/{run}/triage", run.triage),
    Route("/run/{run}/file/{name:path}", run.file),
    Route("/cases", cases.cases),
    Route("/case/{home:int}/{case}", cases.case),
    Route("/case/{home:int}/{case}/observe", cases.observe, methods=["POST"]),
    Route("/preflight", cases.preflight),
    Route("/journal", journal.journal),
    Route("/journal/note", journal.write_note, methods=["POST"]),
    Route("/sweeps", sweeps.sweeps),
    Route("/sweep/{home:int}/{sweep}", sweeps.sweep),
    Route("/reports", reports.reports),
    Route("/report/{home:int}/{report:path}", reports.report),
    Route("/causes", causes.causes),
    Route("/cause/{cause}", causes.cause),
    Route("/map", causes.evidence_map),
)


def app(homes: Homes, static: str = "/static") -> Starlette:
    """`static`: where the style sheet and the script are; an export has them beside its pages."""
    handlers = {HTTPException: _told, ClientDisconnect: _too_large, Exception: _failed}
    made = Starlette(routes=[*ROUTES, Route("/static/{name}", _static)], exception_handlers=handlers)
    made.state.homes, made.state.static, made.state.exported = homes, static, False
    made.state.ending = lambda: False
    return made


def _told(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    told = error.detail if isinstance(error, HTTPException) else str(error)
    return answer(
        request, "message.html", status, title="Not found" if status == 404 else "Not possible", told=told
    )


def _too_large(request: Request, error: Exception) -> Response:
    return PlainTextResponse("That is more than a note may hold.\n", 413)


def _failed(request: Request, error: Exception) -> Response:
    """A bug of ours costs one page, never the server; the console has the traceback."""
    told = "This page could not be made: a bug in Sleuth. The console in which it runs says more."
    return answer(request, "message.html", 500, title="A bug in Sleuth", told=told)


def _static(request: Request) -> Response:
    path = STATIC.get(request.path_params["name"])
    if path is None:
        raise HTTPException(404, "There is no such file.")
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Response(
        _content(path), media_type=kind, headers={"cache-control": "no-cache", "etag": f'"{__version__}"'}
    )


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()
