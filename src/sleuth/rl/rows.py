"""One row a run, as `sleuth sweep` reads them: settings, seed, final return."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from sleuth.rl.logs import SETTINGS, Run, finite

METRIC = "final_return"
LATE = 0.9  # the share of a run after which a return counts as final
# lr=0.1 or lr_0.1 or seed3, anywhere in a path.
SETTING = re.compile(r"^([A-Za-z][A-Za-z_]*?)[=_-]?([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)$|^(\w+)=([\w.+-]+)$")
# env__script__seed__time: the folders of cleanrl.
CLEANRL = re.compile(r"^(?P<env>.+?)__(?P<script>.+)__(?P<seed>\d+)__\d{9,}$")

# PPO_3, run_12: the third of its kind.
NUMBERED = re.compile(r"^([A-Z][A-Z0-9]*|run|exp|experiment|version|trial)[_-]?\d+$")


def final_return(run: Run) -> float | None:
    series = run.series.get("return")
    values = finite(series.part(LATE, 1)) if series is not None and series.values else []
    return fmean(values) if values else None


def rows(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """A run without a return keeps its row: in a sweep it counts as failed, not as missing."""
    return [_row(run) for run in runs]


def groups(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs that differ in their seed alone. What is different in *every* run is a name, not a setting."""
    names = {name for run in runs for name in run.settings}
    shared = [
        name
        for name in sorted(names)
        if "seed" not in name.lower() and len({repr(run.settings.get(name)) for run in runs}) < len(runs)
    ]
    found: dict[tuple[str, ...], list[Run]] = {}
    for run in runs:
        found.setdefault(tuple(repr(run.settings.get(name)) for name in shared), []).append(run)
    return list(found.values())


def _row(run: Run) -> dict[str, Any]:
    steps = max((series.steps[-1] for series in run.series.values() if series.steps), default=0.0)
    return {"name": run.name, "num_steps_done": steps, METRIC: final_return(run), **run.settings}


def settings_of(place: Path, root: Path) -> dict[str, Any]:
    """What the path says, overruled by a file of settings beside the log."""
    parts = place.relative_to(root).parts if place != root else (place.name,)
    found = dict(_settings_in_path(parts))
    for name in SETTINGS:
        found |= _settings_in_file(place / name)
    return found


def _settings_in_path(parts: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Settings in names; what is no setting tells apart what was compared (ppo/seed_0, a2c/seed_0)."""
    others = []
    for part in parts:
        match = CLEANRL.match(part)
        if match is not None:
            yield from ((key, _as_scalar(value)) for key, value in match.groupdict().items())
            continue
        if numbered := NUMBERED.match(part):
            others.append(numbered[1])
            continue
        pieces = [SETTING.match(piece) for piece in re.split(r"[,; ]|__", part)]
        if all(pieces):
            for piece in filter(None, pieces):
                key, value = (piece[1], piece[2]) if piece[1] else (piece[3], piece[4])
                yield key.rstrip("_"), _as_scalar(value)
        else:
            others.append(part)
    if others:
        yield "folder", "/".join(others)


def _settings_in_file(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    except (ValueError, OSError):
        return {}
    return dict(_flat_settings(data)) if isinstance(data, Mapping) else {}


def _flat_settings(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Numbers, words and truth values; what libraries write of their objects is no setting."""
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat_settings(value, f"{prefix}{key}.")
        elif isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
            yield f"{prefix}{key}", value


def _as_scalar(word: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
