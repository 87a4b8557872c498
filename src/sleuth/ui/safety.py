"""Who may ask: the user of this machine, with the token of the link, from the page itself."""

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_REQUEST = 64 * 1024  # bytes of what a form may send: notes are text
# Scripts and styles come from our own files only; nothing may be loaded from, or sent to, anywhere else.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without it a browser hides where a form was filled in
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}
OPEN_THE_LINK = "Open the link that `sleuth ui` printed: it carries the token this page asks for.\n"


@dataclass(frozen=True)
class Door:
    """What is let in. `hosts` are the names by which the server may be called, without the port."""

    port: int
    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "[::1]"})
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def cookie(self) -> str:
        """Cookies know no ports: two servers on one machine need two names."""
        return f"sleuth_{self.port}"

    def knows(self, host: str) -> bool:
        """Another name that leads here belongs to somebody else's page (DNS rebinding)."""
        name, colon, port = host.rpartition(":")
        if not colon or host.endswith("]"):
            name, port = host, "80"
        return name.lower() in self.hosts and port == str(self.port)

    def fits(self, word: str) -> bool:
        return secrets.compare_digest(word.encode(), self.token.encode())

    def same_origin(self, headers: Headers) -> bool:
        """A browser tells where a form was filled in; what tells nothing is not our page."""
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site") == "same-origin"
        scheme, mark, host = origin.partition("://")
        return bool(mark) and scheme == "http" and self.knows(host) and host == headers.get("host")


def door_of(host: str, port: int) -> Door:
    """On an address other than loopback, that address is a name as well."""
    names = {"127.0.0.1", "localhost", "[::1]"}
    if not _is_any(host):
        names.add(f"[{host}]" if ":" in host else host.lower())
    return Door(port, frozenset(names))


def _is_any(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


class Guarded:
    """The application behind its door."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets here
            return
        sending = _with_headers(send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, sending)
        else:
            await self.app(scope, _bounded(receive), sending)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let in; None for one that is."""
        headers = Headers(scope=scope)
        if not self.door.knows(headers.get("host", "")):
            return PlainTextResponse("This server is not known by that name.\n", 421)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET, HEAD and POST are answered.\n", 405)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        handed = dict(query).get("token")
        if handed is not None and scope["method"] != "POST":
            return self._welcome(scope["path"], query, handed)
        if not self.door.fits(cookie_parser(headers.get("cookie", "")).get(self.door.cookie, "")):
            return PlainTextResponse(OPEN_THE_LINK, 403)
        if scope["method"] == "POST" and not self.door.same_origin(headers):
            return PlainTextResponse("What is written must come from the page itself.\n", 403)
        return None

    def _welcome(self, path: str, query: list[tuple[str, str]], handed: str) -> Response:
        """The token becomes a cookie, and leaves the address (and the history) of the browser."""
        if not self.door.fits(handed):
            return PlainTextResponse(OPEN_THE_LINK, 403)
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        place = "/" + path.lstrip("/\\")
        answer = RedirectResponse(f"{place}?{rest}" if rest else place, 303)
        answer.set_cookie(self.door.cookie, self.door.token, httponly=True, samesite="strict", path="/")
        return answer


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


def _bounded(receive: Receive) -> Receive:
    """A body beyond the bound is cut off as if the browser had left."""
    taken = 0

    async def receiving() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return message if taken <= LARGEST_REQUEST else {"type": "http.disconnect"}

    return receiving
