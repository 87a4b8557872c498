"""One run: verdict, curves, what was found and where, the code as it was, and all there is to know of it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from sleuth.archive.journal import notes
from sleuth.errors import SleuthError
from sleuth.finding import Finding
from sleuth.show.charts import Size
from sleuth.show.diagnosis_words import TITLES
from sleuth.ui import facts, inside, panels, series
from sleuth.ui.changes import Changes
from sleuth.ui.changes import changes as changes_between
from sleuth.ui.lines import Line
from sleuth.ui.pages.answering import answer, fragment, homes, shelf_and_line, span, whole
from sleuth.ui.shelf import Shelf
from sleuth.ui.showing import drawn

AROUND = 3  # lines shown before and after a guilty one
LARGE = Size(1120, 360)
MOST_MORE = 400  # names of series that are folded away
LATEST = 50_000  # events that triage reads: it asks how a run went, not for every step


@dataclass(frozen=True)
class Shown:
    """A finding with the code it points at."""

    finding: Finding
    excerpt: tuple[tuple[int, str, bool], ...]
    place: str
    file: str


def run(request: Request) -> Response:
    shelf, line = shelf_and_line(request)
    meta = line.run.meta
    found = facts.findings(meta)
    sources = facts.sources(line.run.folder, found, line.script)
    neighbours = _neighbours(homes(request).lines(), line)
    return answer(
        request,
        "run.html",
        **_head(shelf, line, meta, found),
        findings=[_shown(finding, sources) for finding in found if finding.severity != "note"],
        notes=[_shown(finding, sources) for finding in found if finding.severity == "note"],
        charts=panels.charts(shelf, line, span(request)),
        span=span(request),
        before=neighbours[0],
        after=neighbours[1],
        sources=[source.name for source in sources],
        journal=[note for note in _notes(shelf) if note.run == line.id],
        environment=facts.table(meta, "environment"),
        packages=facts.table(meta, "packages"),
        seeds=facts.seeds(meta),
        meta=_facts(meta),
        files=facts.files(line.run.folder),
    )


def live(request: Request) -> Response:
    """The head of the page as it is now, for a page that is open."""
    shelf, line = shelf_and_line(request)
    meta = line.run.meta
    return answer(request, "run_head.html", **_head(shelf, line, meta, facts.findings(meta)))


def curves(request: Request) -> Response:
    """The charts, of all steps or of some; one of them alone where it is asked for, as wide as the page."""
    shelf, line = shelf_and_line(request)
    only = request.query_params.get("only", "")
    made = panels.charts(shelf, line, span(request), 1050 if only else panels.PLACES, only)
    return fragment(
        request,
        "run_curves.html",
        "curves",
        line=line,
        charts=made,
        span=span(request),
        only=only,
        size=LARGE,
    )


def more(request: Request) -> Response:
    """Every other number of the record."""
    shelf, line = shelf_and_line(request)
    names = panels.charts(shelf, line, span(request)).more[:MOST_MORE]
    charts = [panels.one(shelf, line, name, span(request)) for name in names]
    return fragment(request, "run_more.html", "all numbers", line=line, charts=charts)


def layers(request: Request) -> Response:
    shelf, line = shelf_and_line(request)
    made = inside.inside(shelf, line)
    evaluated = [panels.panels((), made.curves)[0], inside.at_once(shelf, line)]
    return fragment(
        request,
        "run_layers.html",
        "layer by layer",
        line=line,
        drawings=[drawn(str)(one) for one in made.drawings],
        made=evaluated,
    )


def code(request: Request) -> Response:
    _, line = shelf_and_line(request)
    sources = facts.sources(line.run.folder, facts.findings(line.run.meta), line.script)
    wanted = request.query_params.get("file", "")
    chosen = next((source for source in sources if source.name == wanted), sources[0] if sources else None)
    return answer(request, "run_code.html", line=line, sources=sources, chosen=chosen)


def changes(request: Request) -> Response:
    """The code against that of the run before, of the same script."""
    _, line = shelf_and_line(request)
    before, _ = _neighbours(homes(request).lines(), line)
    seen = changes_between(before, line) if before else Changes((), "")
    return fragment(
        request,
        "run_changes.html",
        "what changed",
        line=line,
        before=before,
        rows=seen.rows,
        unseen=seen.unseen,
        command=_command_change(before, line),
    )


def output(request: Request) -> Response:
    _, line = shelf_and_line(request)
    stream = "stderr" if request.query_params.get("stream") == "stderr" else "stdout"
    wanted = request.query_params.get("find", "")[:200]
    shown = facts.output(line.run.folder, stream, wanted, whole(request.query_params.get("first")))
    return fragment(
        request, "run_output.html", "what it printed", line=line, shown=shown, stream=stream, find=wanted
    )


def triage(request: Request) -> Response:
    """The questions of triage, as far as the record of this one run answers them."""
    _, line = shelf_and_line(request)
    try:
        asked: Sequence[Any] = _triage(line)
        problem = ""
    except SleuthError as error:
        asked, problem = (), str(error)
    except Exception as error:  # a record from elsewhere may hold what no detector expects
        asked, problem = (), f"The record cannot be read that way ({type(error).__name__})."
    return fragment(
        request, "run_triage.html", "the questions of triage", line=line, asked=asked, problem=problem
    )


def file(request: Request) -> Response:
    """A file of the run's folder, as a download: never as a page of this server."""
    _, line = shelf_and_line(request)
    path = facts.opened(line.run.folder, request.path_params["name"])
    if path is None:
        raise HTTPException(404, "There is no such file in this run's folder.")
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


def _head(shelf: Shelf, line: Line, meta: Mapping[str, Any], found: Sequence[Finding]) -> dict[str, Any]:
    status, summary = facts.verdict(meta)
    return {
        "line": line,
        "steps": _steps(shelf, line),
        "title": _title(line, status),
        "summary": summary or _so_far(shelf, line),
        "tone": _tone(line, status, found),
        "now": time.time(),
    }


def _steps(shelf: Shelf, line: Line) -> int | None:
    return shelf.tail(line).steps if line.live else line.steps


def _title(line: Line, status: str) -> str:
    if line.live:
        return "Still training"
    if status in TITLES:
        return TITLES[status]
    ends = {
        "failed": "The script failed",
        "interrupted": "The run was interrupted",
        "unfinished": "The run broke off",
    }
    return ends.get(line.status, "The run ended")


def _tone(line: Line, status: str, found: Sequence[Finding]) -> str:
    """Which colour the verdict has: good, bad, open."""
    if line.live:
        return "running"
    if status in ("cause-found", "crashed") or any(finding.severity == "error" for finding in found):
        return "bad"
    return "good" if status == "nothing-found" else "open"


def _so_far(shelf: Shelf, line: Line) -> str:
    """What can be said without a verdict: how far it came, and where the loss went."""
    loss = series.level(shelf, line, "step/loss", 200)
    count = _steps(shelf, line)
    steps = f"{count} steps" if count else "no step so far" if line.live else "no step was taken"
    if loss is None or not loss.mean:
        return f"{steps.capitalize()}."
    lost = f"; {loss.missing} losses are not finite" if loss.missing else ""
    return f"{steps.capitalize()}; the loss went from {loss.mean[0]:.4g} to {loss.mean[-1]:.4g}{lost}."


def _shown(finding: Finding, sources: Sequence[facts.Source]) -> Shown:
    where = finding.where
    place = str(where) if where is not None else ""
    for source in sources:
        for number, named in source.guilty.items():
            if any(one is finding for one in named):
                return Shown(finding, _excerpt(source, number), f"{source.name}:{number}", source.name)
    return Shown(finding, (), place, "")


def _excerpt(source: facts.Source, number: int) -> tuple[tuple[int, str, bool], ...]:
    first, last = max(1, number - AROUND), min(len(source.lines), number + AROUND)
    return tuple((at, source.lines[at - 1], at == number) for at in range(first, last + 1))


def _neighbours(lines: Sequence[Line], line: Line) -> tuple[Line | None, Line | None]:
    """The runs of the same script before and after; lines stand newest first."""
    alike = [one for one in lines if one.script == line.script]
    place = next((at for at, one in enumerate(alike) if one.id == line.id), None)
    if place is None:
        return None, None
    before = alike[place + 1] if place + 1 < len(alike) else None
    return before, alike[place - 1] if place else None


def _command_change(before: Line | None, line: Line) -> list[tuple[str, str]]:
    if before is None or before.words == line.words:
        return []
    return [("removed", f"- {' '.join(before.words)}"), ("added", f"+ {' '.join(line.words)}")]


def _facts(meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    held = facts.mapping(meta.get("code"))
    commit = str(held.get("commit") or "no git")[:12]
    told = {
        "command": " ".join(map(str, meta.get("command") or ()))
        if isinstance(meta.get("command"), list)
        else "",
        "folder": meta.get("cwd"),
        "exit code": meta.get("exit_code"),
        "commit": commit,
        "python": f"{meta.get('python')} on {meta.get('platform')}" if meta.get("python") else "",
        "machine": f"{meta.get('host')}, {meta.get('cpus')} processors" if meta.get("host") else "",
        "sleuth": meta.get("sleuth"),
    }
    return [(name, str(value)) for name, value in told.items() if value not in (None, "")]


def _notes(shelf: Shelf) -> Sequence[Any]:
    try:
        return notes(shelf.home)
    except SleuthError:
        return ()


def _triage(line: Line) -> Sequence[Any]:
    from itertools import islice

    from sleuth.diagnosis.case import Case
    from sleuth.diagnosis.request import Request as Asked
    from sleuth.diagnosis.triage import questions
    from sleuth.diagnosis.trials import Trials
    from sleuth.record.blocks import Reading
    from sleuth.record.json_lines import entered

    events = list(islice(line.run.events(), LATEST + 1))
    if len(events) > LATEST:
        raise SleuthError(
            f"The record has more than {LATEST} events: `sleuth judge {line.id}` reads it whole."
        )
    if not events:
        raise SleuthError("The run kept no record.")
    case = Case(Asked(Path(line.script)))
    case.trials = Trials(entered(events, Reading()), line.status == "finished")
    case.evidence = []
    return [question for question in questions(case) if question.reply != "unknown" or question.seen]
