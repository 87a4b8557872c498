"""The same pages as plain files, to put anywhere: each page that another leads to, parts in their place."""

import asyncio
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from starlette.types import ASGIApp, Message, Scope

from sleuth.errors import SleuthError
from sleuth.files import write_whole
from sleuth.ui.app import STATIC, app
from sleuth.ui.homes import homes

_LINK = re.compile(r'\b(href|src|action|formaction|data-href)="(/[^"]*)"')
_LATER = re.compile(
    r'<(div|details)([^>]*?) data-load(?:-open)?="(/[^"]*)"([^>]*)>(<summary>.*?</summary>)?.*?</\1>', re.S
)
# Pages that answer a question of the moment, and files that are no pages, stay behind.
_LEFT = re.compile(
    r"/(?:compare|events|journal/note|preflight)\b|/run/[^/]+/(?!code$)|/static/|/case/[^/]+/[^/]+/observe"
)
_STEPS = {"/": {"page"}, "/map": {"claim"}, "/journal": {"day"}, "/causes": set[str]()}
PARTS = 3  # how deep parts may stand in parts


@dataclass(frozen=True)
class Export:
    """The application, and the names its pages have as files."""

    application: ASGIApp
    names: dict[str, str] = field(default_factory=dict)

    def name(self, address: str) -> str:
        """Flat, so that every link is a name."""
        if address not in self.names:
            stem = re.sub(r"[^A-Za-z0-9._-]+", "-", unquote(address)).strip("-.") or "index"
            taken = set(self.names.values())
            choices = (f"{stem[:120]}{'' if count == 1 else f'-{count}'}.html" for count in range(1, 10**6))
            self.names[address] = next(choice for choice in choices if choice.lower() not in taken).lower()
        return self.names[address]


def export(folders: Sequence[Path], target: Path) -> int:
    """Write all pages; how many there are."""
    made = app(homes(folders), static=".")
    made.state.exported = True
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SleuthError(f"Cannot write into {target}: {error.strerror}.") from None
    for name, path in STATIC.items():
        write_whole(target / name, path.read_bytes())
    return asyncio.run(_walk(Export(made), target))


async def _walk(told: Export, target: Path) -> int:
    """From the list of runs on, along the links; each page once."""
    waiting, seen = deque(["/"]), {"/"}
    while waiting:
        address = waiting.popleft()
        text = await _ask(told.application, address)
        text = await _with_parts(told.application, text, PARTS)
        for found in _led(text):
            if found not in seen:
                seen.add(found)
                waiting.append(found)
        write_whole(target / told.name(address), _LINK.sub(lambda link: _placed(told, link), text))
    return len(told.names)


def _led(text: str) -> Iterable[str]:
    return dict.fromkeys(
        address for kind, raw in _LINK.findall(text) if kind == "href" and (address := _page(unescape(raw)))
    )


def _page(address: str) -> str | None:
    """The page that a link leads to, without its place in it; None for what is not written."""
    parts = urlsplit(address)
    if _LEFT.match(parts.path):
        return None
    query = dict(parse_qsl(parts.query))
    if parts.path in _STEPS and not query.keys() <= _STEPS[parts.path]:
        return None
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _placed(told: Export, link: "re.Match[str]") -> str:
    """A link to a file beside this one; one that leads nowhere is no link any more."""
    address = unescape(link[2])
    page = _page(address)
    if link[1] not in ("href", "data-href") or page is None:
        return ""
    mark = urlsplit(address).fragment
    return f'{link[1]}="{escape(told.name(page) + (f"#{mark}" if mark else ""))}"'


async def _with_parts(application: ASGIApp, text: str, depth: int) -> str:
    """What the script of a page would fetch later stands in it from the beginning."""
    parts: Mapping[str, str] = {
        raw: await _ask(application, unescape(raw), {"x-part": "1"}) if depth else ""
        for raw in dict.fromkeys(found[2] for found in _LATER.findall(text))
    }
    filled = _LATER.sub(
        lambda found: f"<{found[1]}{found[2]}{found[4]}>{found[5] or ''}{parts[found[3]]}</{found[1]}>", text
    )
    return await _with_parts(application, filled, depth - 1) if parts and depth else filled


async def _ask(application: ASGIApp, address: str, headers: Mapping[str, str] | None = None) -> str:
    """One request, within this process. A page that fails says so itself, and the others are written."""
    parts = urlsplit(address)
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in (headers or {}).items()],
        "server": ("localhost", 80),
        "client": ("localhost", 0),
        "root_path": "",
    }
    body = bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        body.extend(message.get("body", b""))

    with suppress(Exception):
        await application(scope, receive, send)
    return body.decode("utf-8")
