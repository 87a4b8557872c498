"""The list of runs: filtered as one types, sorted, with what differs between neighbours."""

import math
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sleuth.archive.marks import Marks, made, mark, marks
from sleuth.errors import SleuthError
from sleuth.show.charts import Level
from sleuth.ui import filtering, series
from sleuth.ui.homes import Homes
from sleuth.ui.lines import Line
from sleuth.ui.pages.answering import address, answer, back, form, homes, shelf_and_line, whole
from sleuth.ui.shelf import Shelf

A_PAGE = 100
SPARK = 48  # places of a curve in a line
LOSS = "step/loss"
MOST_WORDS = 6  # settings that a line shows
NARROW = 3  # settings shown of a run that has no neighbours

SORTS = ("started", "value", "duration", "steps", "script", "status")


@dataclass(frozen=True)
class Shown:
    """A line with what it is shown with."""

    line: Line
    asked: tuple[str, ...]
    value: float | None
    curve: Level | None
    seconds: float


@dataclass(frozen=True)
class Listed:
    """One page of the list."""

    shown: tuple[Shown, ...]
    fitting: int
    total: int
    live: int
    page: int
    problem: str

    @property
    def more(self) -> bool:
        return self.page * A_PAGE + len(self.shown) < self.fitting


@dataclass(frozen=True)
class Wish:
    """What the address asks for."""

    text: str
    sort: str
    falling: bool
    metric: str
    page: int

    def address(self, **changes: str | int | None) -> str:
        """The same list, but for these."""
        told: dict[str, str | int | None] = {
            "q": self.text,
            "sort": "" if self.sort == "started" else self.sort,
            "up": "" if self.falling else "1",
            "metric": "" if self.metric == LOSS else self.metric,
        }
        return address("/", **(told | changes))

    def sorting(self, key: str) -> str:
        """The list by that column; a second click turns it round."""
        turned = self.falling if self.sort == key else key not in FALLING
        return self.address(sort=key, up="1" if turned else "")


FALLING = frozenset({"started", "duration", "steps"})  # what one wants to see the most of first


def runs(request: Request) -> Response:
    wish = _wish(request)
    known = homes(request)
    listed = listing(known, wish, time.time())
    part = request.query_params.get("part")
    content: dict[str, Any] = {"wish": wish, "list": listed, "now": time.time()}
    if part:
        return answer(request, "runs_rows.html", **content)
    return answer(
        request, "runs.html", **content, homes=known.paths, metrics=_metrics(known), version=known.version
    )


def _wish(request: Request) -> Wish:
    query = request.query_params
    sort = query.get("sort", "started")
    sort = sort if sort in SORTS else "started"
    return Wish(
        query.get("q", "")[:500],
        sort,
        not query.get("up"),
        query.get("metric", LOSS)[:200],
        whole(query.get("page")),
    )


def listing(known: Homes, wish: Wish, now: float) -> Listed:
    lines = known.lines()
    asked = filtering.asked(wish.text, known.column, datetime.fromtimestamp(now))
    fitting = [line for line in lines if asked.fits(line)] if asked.tests else lines
    values = known.column(wish.metric)
    ordered = _sorted(fitting, wish, values, now)
    chosen = ordered[wish.page * A_PAGE : (wish.page + 1) * A_PAGE]
    differing = differences(chosen)
    shown = tuple(_shown(known, line, differing, wish.metric, values, now) for line in chosen)
    live = sum(line.live for line in lines)
    return Listed(shown, len(fitting), len(lines), live, wish.page, asked.problem)


def _sorted(
    lines: Sequence[Line], wish: Wish, values: Mapping[str, tuple[float, float, float]], now: float
) -> Sequence[Line]:
    """Runs without a value stand at the end, whichever way the others go."""
    if wish.sort == "started":
        return lines if wish.falling else lines[::-1]
    keys = {line.id: _key(line, wish.sort, values, now) for line in lines}
    known = [line for line in lines if keys[line.id] is not None]
    known.sort(key=lambda line: keys[line.id], reverse=wish.falling)  # type: ignore[arg-type, return-value]
    return [*known, *(line for line in lines if keys[line.id] is None)]


def _key(
    line: Line, sort: str, values: Mapping[str, tuple[float, float, float]], now: float
) -> float | str | None:
    if sort == "value":
        value = values.get(line.id, (math.nan,))[0]
        return None if math.isnan(value) else value
    if sort == "duration":
        return line.seconds(now)
    if sort == "steps":
        return line.steps
    return line.name if sort == "script" else line.status


def differences(lines: Iterable[Line]) -> Mapping[str, frozenset[str]]:
    """Script → the settings that are not the same in all of its runs."""
    by_script: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_script[line.script].append(line)
    return {script: frozenset(_differing(members)) for script, members in by_script.items()}


def _differing(lines: Sequence[Line]) -> Iterable[str]:
    if len(lines) == 1:
        return list(lines[0].settings)[:NARROW]
    names = dict.fromkeys(name for line in lines for name in line.settings)
    return [name for name in names if len({line.settings.get(name, _ABSENT) for line in lines}) > 1]


_ABSENT = object()


def words(line: Line, differing: Iterable[str]) -> tuple[str, ...]:
    """`--lr 0.1`, for the settings that differ."""
    names = [name for name in line.settings if name in differing]
    told = [name if line.settings[name] is True else f"{name} {line.settings[name]}" for name in names]
    return (*told[:MOST_WORDS], *(["…"] if len(told) > MOST_WORDS else []))


def _shown(
    known: Homes,
    line: Line,
    differing: Mapping[str, frozenset[str]],
    metric: str,
    values: Mapping[str, tuple[float, float, float]],
    now: float,
) -> Shown:
    shelf = known.shelf_of(line)
    curve = None
    if line.live or line.id in values or line.status == "unfinished":
        curve = _curve(shelf, line, metric)
    value = values[line.id][0] if line.id in values else curve.mean[-1] if curve and len(curve.mean) else None
    return Shown(line, words(line, differing[line.script]), value, curve, line.seconds(now))


def _curve(shelf: Shelf, line: Line, metric: str) -> Level | None:
    if line.live:
        return series.level(shelf, line, metric, SPARK)
    return shelf.spark(line, metric, lambda: series.level(shelf, line, metric, SPARK))


def _metrics(known: Homes) -> list[str]:
    """Names of series to choose from: the loss, then what scripts told, the commonest first."""
    found = dict.fromkeys(name for shelf in known.shelves for name in shelf.names())
    return list(dict.fromkeys([LOSS, *found]))


async def write_marks(request: Request) -> Response:
    """Star, tags and note of a run, as its form sends them."""
    shelf, line = shelf_and_line(request)
    sent = await form(request)
    before = marks(line.run.folder)
    wanted = Marks(
        (sent.get("star") == "1") if "star" in sent else before.star,
        made(False, [sent["tags"]], "").tags if "tags" in sent else before.tags,
        sent["note"].strip() if "note" in sent else before.note,
    )
    try:
        mark(line.run.folder, wanted)
    except SleuthError as error:
        return answer(request, "message.html", 400, title="Not written", told=str(error))
    shelf.again()
    return back(request, f"/run/{line.id}")
