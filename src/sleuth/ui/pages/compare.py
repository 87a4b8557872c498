"""Runs beside one another."""

from starlette.requests import Request
from starlette.responses import Response

from sleuth.ui.changes import changes
from sleuth.ui.comparing import FEWEST, LOSS, MOST, comparison
from sleuth.ui.pages.answering import answer, homes, span


def compare(request: Request) -> Response:
    known = homes(request)
    wanted = list(dict.fromkeys(request.query_params.getlist("run")))[:MOST]
    found = [hit[1] for name in wanted if (hit := known.find(name)) is not None]
    if len(found) < FEWEST:
        told = "Choose two or more runs in the list (the boxes at the left, or x), then Compare (or c)."
        return answer(request, "message.html", 400, title="Compare what?", told=told)
    lines = sorted(found, key=lambda line: (line.started, line.id))
    metric = request.query_params.get("metric", LOSS)[:200]
    made = comparison(known, lines, metric, span(request))
    seen = changes(lines[0], lines[-1])
    query = [("run", line.id) for line in lines]
    template = "compare_charts.html" if "x-part" in request.headers else "compare.html"
    return answer(
        request,
        template,
        found=made,
        metric=metric,
        span=span(request),
        query=query,
        code=seen.rows,
        unseen=seen.unseen,
    )
