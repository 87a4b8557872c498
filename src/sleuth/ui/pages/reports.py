"""Reports kept beside the runs (agents, surfaces, batteries): whatever a verb wrote with `--json`."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sleuth.ui import facts
from sleuth.ui.pages.answering import answer, homes
from sleuth.ui.reporting import blocks

FOLDER = "reports"
LARGEST = 20_000_000  # bytes of a report that is rendered
HEAD = 4096  # bytes in which a report says what it is
_SCHEMA = re.compile(r'"schema"\s*:\s*"sleuth\.([a-z-]+)[/"]')


@dataclass(frozen=True)
class Known:
    """A report as the list shows it."""

    home: int
    name: str
    kind: str
    size: int
    modified: float


def reports(request: Request) -> Response:
    found = [known for home, path in homes(request).numbered() for known in _listed(home, path)]
    kinds = sorted({known.kind for known in found})
    grouped = [
        (kind, sorted((one for one in found if one.kind == kind), key=lambda one: -one.modified))
        for kind in kinds
    ]
    return answer(request, "reports.html", grouped=grouped, homes=homes(request).paths)


def report(request: Request) -> Response:
    home, name = request.path_params["home"], request.path_params["report"]
    paths = homes(request).paths
    path = facts.opened(paths[home] / FOLDER, name) if home < len(paths) else None
    if path is None or path.suffix != ".json":
        raise HTTPException(404, f"There is no report {name[:80]!r}.")
    return answer(request, "report.html", name=name, kind=_kind(path), blocks=blocks(_read(path)))


def _read(path: Path) -> Mapping[str, Any]:
    if path.stat().st_size > LARGEST:
        raise HTTPException(413, f"{path.name} is larger than {LARGEST // 1_000_000} MB.")
    try:
        told = json.loads(facts.text_of(path, LARGEST))
    except (ValueError, RecursionError):
        raise HTTPException(422, f"{path.name} is not JSON.") from None
    return told if isinstance(told, dict) else {"entries": told}


def _listed(home: int, path: Path) -> Iterator[Known]:
    folder = path / FOLDER
    if not folder.is_dir() or folder.is_symlink():
        return
    for file in facts.files(folder):
        if file.name.endswith(".json") and (place := facts.opened(folder, file.name)) is not None:
            yield Known(home, file.name, _kind(place), file.size, file.modified)


def _kind(path: Path) -> str:
    """What the report says it is."""
    found = _SCHEMA.search(facts.text_of(path, HEAD))
    return found[1].replace("-", " ") if found else "other"
