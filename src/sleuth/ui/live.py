"""What goes on, told to open pages: a number that changes when there is something new to fetch."""

import asyncio
import time
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from sleuth.ui.homes import Homes
from sleuth.ui.pages.answering import homes

PACE = 1.0  # seconds between two looks
BREATH = 15.0  # seconds after which a line is sent although nothing happened, so that a lost page is noticed
LONGEST = 600.0  # seconds of one connection; the browser opens the next by itself


def events(request: Request) -> Response:
    """Pages fetch what has changed by themselves: so a slow one misses nothing and holds up nobody."""
    wanted = request.query_params.get("run", "")
    stream = _stream(request, homes(request), wanted)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def _stream(request: Request, known: Homes, wanted: str) -> AsyncIterator[str]:
    begun = spoken = time.monotonic()
    last = await asyncio.to_thread(state, known, wanted)
    yield f"retry: 2000\nevent: hello\ndata: {last}\n\n"
    ending = request.app.state.ending
    while time.monotonic() - begun < LONGEST and not ending() and not await request.is_disconnected():
        await asyncio.sleep(PACE)
        now = await asyncio.to_thread(state, known, wanted)
        if now != last:
            last, spoken = now, time.monotonic()
            yield f"event: changed\ndata: {now}\n\n"
        elif time.monotonic() - spoken > BREATH:
            spoken = time.monotonic()
            yield ": still here\n\n"


def state(known: Homes, wanted: str = "") -> str:
    """Of one run: how far its record reaches; of all: which there are, and how far live ones have come."""
    if wanted:
        found = known.find(wanted)
        if found is None:
            return "gone"
        shelf, line = found
        place = shelf.tail(line).place if line.live else 0
        return f"{line.status}-{line.stamp}-{place}"
    lines = known.lines()
    places = sum(known.shelf_of(line).tail(line).place for line in lines if line.live)
    return f"{known.version}-{len(lines)}-{places}"
