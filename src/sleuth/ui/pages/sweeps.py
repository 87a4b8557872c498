"""Sweeps that Sleuth ran: which values are reliably better, with intervals, pictures and warnings."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sleuth.errors import SleuthError
from sleuth.needs import need
from sleuth.show.sweep_page import body
from sleuth.sweeping.analysis import Request as Wanted
from sleuth.sweeping.analysis import analyze
from sleuth.sweeping.columns import Asked
from sleuth.sweeping.sources import own_sweep
from sleuth.ui import facts
from sleuth.ui.pages.answering import answer, homes
from sleuth.ui.showing import drawn

PLAN, RUNS = "plan.json", "runs"


@dataclass(frozen=True)
class Known:
    """A sweep as the list shows it."""

    home: int
    name: str
    param: str
    metric: str
    attempts: int
    modified: float


def sweeps(request: Request) -> Response:
    found = [known for home, path in homes(request).numbered() for known in _listed(home, path)]
    found.sort(key=lambda known: -known.modified)
    return answer(request, "sweeps.html", sweeps=found)


def sweep(request: Request) -> Response:
    home, name = request.path_params["home"], request.path_params["sweep"]
    paths = homes(request).paths
    known = {one.name for one in _listed(home, paths[home])} if home < len(paths) else set()
    if name not in known:
        raise HTTPException(404, f"There is no sweep {name[:80]!r}.")
    folder = paths[home] / "sweeps" / name
    try:
        need("numpy", "sweep", "An analysis of sweeps")
        told: Markup = drawn(_analysed)(folder, (folder / RUNS).stat().st_mtime_ns)
    except (SleuthError, OSError) as error:
        return answer(request, "message.html", title=f"Sweep {name}", told=str(error))
    except Exception as error:  # results from elsewhere may have any shape
        text = f"Its results cannot be analysed ({type(error).__name__}: {error})."
        return answer(request, "message.html", title=f"Sweep {name}", told=text)
    return answer(request, "sweep.html", name=name, told=told)


def _listed(home: int, path: Path) -> Iterator[Known]:
    folder = path / "sweeps"
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        plan = facts.opened(place, PLAN)
        if plan is not None and not place.is_symlink():
            told = _plan(plan)
            runs = place / RUNS
            attempts = sum(1 for _ in runs.iterdir()) if runs.is_dir() and not runs.is_symlink() else 0
            yield Known(
                home,
                place.name,
                str(told.get("param", "")),
                str(told.get("metric", "")),
                attempts,
                plan.stat().st_mtime,
            )


def _plan(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(facts.text_of(path))
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


@lru_cache(maxsize=16)
def _analysed(folder: Path, stamp: int) -> str:
    """Made anew when a run was added."""
    opened = own_sweep(folder)
    asked = Asked(opened.param, opened.metric, opened.seed, None, (), ())
    return body(analyze(opened.table, Wanted(asked, opened.lower_is_better)))
