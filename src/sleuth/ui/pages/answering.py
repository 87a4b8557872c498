"""What the pages share: whom they ask, where things are found, and how a page is sent."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sleuth.ui.homes import Homes
from sleuth.ui.lines import Line
from sleuth.ui.shelf import Shelf
from sleuth.ui.showing import page

ROOMS: Sequence[tuple[str, str]] = (
    ("Runs", "/"),
    ("Cases", "/cases"),
    ("Journal", "/journal"),
    ("Sweeps", "/sweeps"),
    ("Reports", "/reports"),
    ("Causes", "/causes"),
)


def homes(request: Request) -> Homes:
    known: Homes = request.app.state.homes
    return known


def shelf_and_line(request: Request) -> tuple[Shelf, Line]:
    """The run that the address names, or the page that says there is none."""
    wanted = request.path_params["run"]
    found = homes(request).find(wanted)
    if found is None:
        raise HTTPException(404, f"There is no run {wanted[:80]!r} in the archives shown here.")
    return found


def answer(request: Request, template: str, status: int = 200, /, **content: Any) -> Response:
    state = request.app.state
    shared = {"rooms": ROOMS, "here": request.url.path, "static": state.static, "exported": state.exported}
    return HTMLResponse(page(template, **shared, **content), status)


def fragment(request: Request, template: str, title: str, **content: Any) -> Response:
    """A part of a page: bare for the script that puts it in place, framed for whoever follows the link."""
    if "x-part" in request.headers:
        return answer(request, template, **content)
    return answer(request, "framed.html", part_of=template, title=title, **content)


async def form(request: Request) -> Mapping[str, str]:
    """What a form of ours sends: names and words."""
    text = (await request.body()).decode("utf-8", "replace")
    return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=100))


def back(request: Request, otherwise: str) -> Response:
    """After something was written: to the page it was written on."""
    place = str(request.query_params.get("back") or otherwise)
    safe = place.startswith("/") and not place.startswith(("//", "/\\"))
    return RedirectResponse(place if safe else otherwise, 303)


def whole(text: str | None, otherwise: int = 0, most: int = 10**9) -> int:
    """A number out of an address."""
    try:
        return max(0, min(most, int(text or otherwise)))
    except ValueError:
        return otherwise


def span(request: Request) -> tuple[float | None, float | None]:
    """The steps that are shown; both or none."""
    try:
        first, last = (float(request.query_params[name]) for name in ("from", "to"))
    except (KeyError, ValueError):
        return None, None
    return (first, last) if first < last and abs(first) < 2**62 and abs(last) < 2**62 else (None, None)


def address(path: str, **query: str | int | None) -> str:
    told = {name: value for name, value in query.items() if value not in (None, "", 0)}
    return f"{path}?{urlencode(told)}" if told else path
