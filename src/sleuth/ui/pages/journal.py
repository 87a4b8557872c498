"""The work log, day by day, in four logs; written here or by hand, it is the same file."""

import re
from collections.abc import Sequence
from datetime import date, datetime

from starlette.requests import Request
from starlette.responses import Response

from sleuth.archive import journal as files
from sleuth.archive.journal import Note
from sleuth.errors import SleuthError
from sleuth.ui.homes import Homes
from sleuth.ui.journal_logs import LOGS, logs, written
from sleuth.ui.lines import Line
from sleuth.ui.pages.answering import answer, back, form, homes

LONGEST = 10_000  # letters of a note
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def journal(request: Request) -> Response:
    known = homes(request)
    found = _notes(known)
    lines = known.lines()
    days = sorted({note.day for note in found} | {_day(line) for line in lines if line.started}, reverse=True)
    wanted = request.query_params.get("day", "")
    day = wanted if _DAY.fullmatch(wanted) else f"{date.today():%Y-%m-%d}"
    place = next((at for at, one in enumerate(days) if one <= day), len(days))
    before = next((one for one in days if one < day), None)
    after = next((one for one in reversed(days) if one > day), None)
    of_day = [line for line in lines if _day(line) == day]
    asked = {note.run: note for note in found if note.run and note.text.startswith("#question")}
    return answer(
        request,
        "journal.html",
        day=day,
        days=days[max(0, place - 7) : place + 14],
        before=before,
        after=after,
        logs=logs([note for note in found if note.day == day]),
        heads=LOGS,
        runs=of_day,
        live=[line for line in lines if line.live],
        asked=asked,
        today=f"{date.today():%Y-%m-%d}",
        homes=known.paths,
        recent=lines[:30],
    )


async def write_note(request: Request) -> Response:
    sent = await form(request)
    told = {name: str(sent.get(name) or "").strip() for name in ("log", "topic", "text", "run", "home")}
    known = homes(request)
    log = told["log"] if told["log"] in LOGS else "thinking"
    run = known.find(told["run"]) if told["run"] else None
    place = run[1].home if run else int(told["home"]) if told["home"].isdecimal() else 0
    try:
        if len(told["text"]) > LONGEST:
            raise SleuthError(f"A note has at most {LONGEST} letters.")
        if not told["text"]:
            raise SleuthError("A note needs some words.")
        home = known.paths[min(place, len(known.paths) - 1)]
        files.add(
            home, written(log, told["topic"][:40], told["text"]), datetime.now(), run[1].id if run else ""
        )
    except SleuthError as error:
        return answer(request, "message.html", 400, title="Not written", told=str(error))
    return back(request, "/journal")


def _notes(known: Homes) -> Sequence[Note]:
    found: list[Note] = []
    for home in known.paths:
        try:
            found += files.notes(home)
        except SleuthError:  # a journal that cannot be read hides no other
            continue
    return found


def _day(line: Line) -> str:
    try:
        return f"{datetime.fromtimestamp(line.started):%Y-%m-%d}"
    except (OverflowError, ValueError, OSError):
        return ""
