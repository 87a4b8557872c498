"""Several runs side by side: what differs between them, where they part, and what may be said of it."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sleuth.archive import code
from sleuth.archive.differences import Parting
from sleuth.errors import SleuthError
from sleuth.show.charts import Chart, Level
from sleuth.show.runs import best
from sleuth.sweeping.columns import SEEDS
from sleuth.ui import facts, levels, series
from sleuth.ui.homes import Homes
from sleuth.ui.lines import Line
from sleuth.ui.panels import PLACES, counts_on
from sleuth.ui.parting import parting
from sleuth.ui.series import Span

FEWEST, MOST = 2, 50
LOSS = "step/loss"
FIRST = (LOSS, "step/grad_norm", "step/lr")
MOST_CHARTS = 12
FEW_SEEDS = 3  # runs of one setting; fewer say nothing of chance (see `sweep plan`)
MOST_CODE = 4_000_000  # bytes that are read to tell versions of the code apart


@dataclass(frozen=True)
class Group:
    """Runs that differ in their seed alone."""

    label: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Row:
    """One thing that differs, run by run."""

    kind: str
    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A run beside the first one."""

    line: Line
    found: Parting


@dataclass(frozen=True)
class Comparison:
    lines: tuple[Line, ...]
    groups: tuple[Group, ...]
    rows: tuple[Row, ...]
    parts: tuple[Part, ...]
    charts: tuple[Chart, ...]
    sentences: tuple[str, ...]
    metrics: tuple[str, ...]


def comparison(known: Homes, lines: Sequence[Line], metric: str, span: Span) -> Comparison:
    chosen = tuple(lines)
    rows = tuple(_rows(chosen))
    groups = tuple(_groups(chosen))
    shared = _shared(known, chosen)
    parts = tuple(_parts(known, chosen, metric))
    charts = tuple(_chart(known, name, groups, span) for name in shared[:MOST_CHARTS])
    said = tuple(_sentences(known, groups, rows, parts, metric))
    return Comparison(chosen, groups, rows, parts, charts, said, tuple(shared))


def _shared(known: Homes, lines: Sequence[Line]) -> list[str]:
    """Series that at least two of the runs have: the loss, what the scripts told, then the rest."""
    counts: dict[str, int] = defaultdict(int)
    counting: set[str] = set()
    for line in lines:
        for name, extent in series.extents(known.shelf_of(line), line).items():
            counts[name] += 1
            counting |= {name} if counts_on(name, extent) else set()
    common = [name for name, count in counts.items() if count > 1 and name not in counting]
    own = [name for name in common if not name.startswith("step/")]
    return [
        *(name for name in FIRST[:1] if name in common),
        *own,
        *(name for name in FIRST[1:] if name in common),
    ]


def _rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Only what is not the same in all of them."""
    metas = [line.run.meta for line in lines]
    yield from _differing("setting", [{k: str(v) for k, v in line.settings.items()} for line in lines])
    words = [" ".join(word for word in line.words if not word.startswith("-")) for line in lines]
    if len(set(words)) > 1 and not any(line.settings for line in lines):
        yield Row("setting", "command", tuple(words))
    yield from _differing("script", [{"script": line.script} for line in lines])
    seeds = [facts.seeds(meta) for meta in metas]
    own = [", ".join(seed for seed in told if any(seed not in other for other in seeds)) for told in seeds]
    yield from _differing("seed", [{"seeds that were set": told or "–"} for told in own])
    yield from _differing("code", [{"code": version} for version in _versions(lines)])
    for kind in ("environment", "packages"):
        yield from _differing(kind, [dict(facts.table(meta, kind)) for meta in metas])
    machine = ("python", "platform", "host", "cpus", "exit_code")
    yield from _differing("machine", [{key: str(meta.get(key, "–")) for key in machine} for meta in metas])
    yield from _differing(
        "outcome", [{"causes found": ", ".join(line.causes) or "–", "status": line.status} for line in lines]
    )


def _differing(kind: str, tables: Sequence[Mapping[str, str]]) -> Iterator[Row]:
    for name in dict.fromkeys(name for table in tables for name in table):
        values = tuple(table.get(name, "–") for table in tables)
        if len(set(values)) > 1:
            yield Row(kind, name, values)


def _versions(lines: Sequence[Line]) -> list[str]:
    """A letter for each distinct version of the code that was kept."""
    letters: dict[str, str] = {}
    found = []
    for line in lines:
        mark = _digest(line)
        letters.setdefault(mark, f"version {len(letters) + 1}")
        found.append(letters[mark])
    return found


def _digest(line: Line) -> str:
    engine = hashlib.sha256(str(facts.mapping(line.run.meta.get("code")).get("commit")).encode())
    left = MOST_CODE
    with suppress(OSError, ValueError):
        for name, path in code.kept(line.run.folder).items():
            if facts.opened(line.run.folder, f"{code.CODE}/{name}") is not None and left > 0:
                text = path.read_bytes()[:left]
                left -= len(text)
                engine.update(name.encode("utf-8", "replace") + b"\0" + text)
    return engine.hexdigest()


def _groups(lines: Sequence[Line]) -> Iterator[Group]:
    """By everything asked but the seed, and by the version of the code."""
    versions = _versions(lines)
    members: dict[tuple[Any, ...], list[Line]] = defaultdict(list)
    for line, version in zip(lines, versions, strict=True):
        asked = tuple(
            sorted((name, str(value)) for name, value in line.settings.items() if name not in SEEDS)
        )
        members[(line.script, version, asked)].append(line)
    varying = _varying(lines)
    several = len(set(versions)) > 1
    labels = [_label(key, varying, several) for key in members]
    for label, found in zip(labels, members.values(), strict=True):
        clear = label and labels.count(label) == 1
        yield Group(label if clear else f"{label} {found[0].id.rpartition('-')[2]}".strip(), tuple(found))


def _varying(lines: Sequence[Line]) -> list[str]:
    names = dict.fromkeys(name for line in lines for name in line.settings if name not in SEEDS)
    return [name for name in names if len({str(line.settings.get(name)) for line in lines}) > 1]


def _label(key: tuple[Any, ...], varying: Sequence[str], several: bool) -> str:
    asked = dict(key[2])
    words = [f"{name} {asked.get(name, '–')}" for name in varying[:3]]
    return ", ".join([*words, *([key[1]] if several and len(words) < 2 else [])])


def _parts(known: Homes, lines: Sequence[Line], metric: str) -> Iterator[Part]:
    first = series.whole(known.shelf_of(lines[0]), lines[0], metric)
    for line in lines[1:]:
        other = series.whole(known.shelf_of(line), line, metric)
        if first is not None and other is not None:
            yield Part(line, parting(metric, first, other))


def _chart(known: Homes, name: str, groups: Sequence[Group], span: Span) -> Chart:
    """Single runs as they are; of several seeds the mean, and from the lowest to the highest of them."""
    drawn = {
        group.label: told for group in groups if (told := _of_group(known, name, group, span)) is not None
    }
    colours = {group.label: place for place, group in enumerate(groups)}
    ends = None if span[0] is None or span[1] is None else (span[0], span[1])
    note = "mean and range over seeds" if any(len(group.lines) > 1 for group in groups) else ""
    return Chart(name.removeprefix("step/"), drawn, span=ends, colours=colours, note=note, key=name)


def _of_group(known: Homes, name: str, group: Group, span: Span) -> Level | None:
    if len(group.lines) == 1:
        line = group.lines[0]
        return series.level(known.shelf_of(line), line, name, PLACES, span)
    curves = [series.whole(known.shelf_of(line), line, name) for line in group.lines]
    kept = [levels.part(curve, *span) for curve in curves if curve is not None]
    return levels.blend(kept, PLACES) if kept else None


def _sentences(
    known: Homes, groups: Sequence[Group], rows: Sequence[Row], parts: Sequence[Part], metric: str
) -> Iterator[str]:
    settings = [row for row in rows if row.kind == "setting" and row.name not in SEEDS]
    others = [row.name for row in rows if row.kind in ("code", "script", "packages", "environment")]
    yield _differ(settings, others)
    ends = {group.label: _ends(known, group, metric) for group in groups}
    told = [f"{label or 'all'} ends at {_mean(values):.4g}" for label, values in ends.items() if values]
    if told:
        short = metric.removeprefix("step/")
        what = "Last" if all(len(values) < 2 for values in ends.values()) else "Mean of the last"
        yield f"{what} {short}: {'; '.join(told[:8])}."
    if len(parts) == 1:
        yield _parted(parts[0].found)
    yield from _accused(groups)
    yield from _judged(groups, ends, settings, metric)


def _accused(groups: Sequence[Group]) -> Iterator[str]:
    """What was found in some of the runs and not in all of them."""
    found = {group.label: {cause for line in group.lines for cause in line.causes} for group in groups}
    shared = set.intersection(*found.values()) if found else set()
    for group in groups:
        for line in group.lines[:1]:
            if set(line.causes) - shared and line.verdict:
                yield f"In {group.label or line.id}: {line.verdict}"


def _differ(settings: Sequence[Row], others: Sequence[str]) -> str:
    named = [f"{row.name} ({' against '.join(dict.fromkeys(row.values))})" for row in settings[:4]]
    if not named and not others:
        return "They were asked for the same, with the same code."
    head = f"They differ in {', '.join(named)}" if named else "They were asked for the same"
    tail = (
        f"{', and' if named else ', but differ'} in {', '.join(dict.fromkeys(others[:6]))}" if others else ""
    )
    return f"{head}{tail}."


def _parted(found: Parting) -> str:
    name = found.name.removeprefix("step/")
    if found.step is None:
        return f"Their {name} is the same at all {found.shared} steps that both have."
    apart = "never by 1 %" if found.apart is None else f"by 1 % from step {found.apart}"
    return f"Their {name} parts at step {found.step}, {apart}."


def _ends(known: Homes, group: Group, metric: str) -> list[float]:
    """Last values, those that are finite."""
    found = []
    for line in group.lines:
        extent = series.extents(known.shelf_of(line), line).get(metric)
        if extent is not None and math.isfinite(extent.last):
            found.append(extent.last)
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _judged(
    groups: Sequence[Group], ends: Mapping[str, Sequence[float]], settings: Sequence[Row], metric: str
) -> Iterator[str]:
    """What a difference of last values is worth: the statistics of sweeps, where there are enough seeds."""
    if len(groups) < 2:
        if len(groups[0].lines) > 1:
            yield f"All {len(groups[0].lines)} differ in their seed alone: what lies between them is chance."
        return
    if min(len(group.lines) for group in groups) < FEW_SEEDS:
        yield (
            f"With fewer than {FEW_SEEDS} seeds a setting this difference may be chance: `sleuth sweep plan` "
            "tells how many runs would show it."
        )
        return
    if len(settings) != 1:
        yield "More than one setting differs: no difference can be laid on one of them."
        return
    with suppress(SleuthError, ValueError):
        yield _analysed(groups, settings[0].name, metric, ends)


def _analysed(groups: Sequence[Group], param: str, metric: str, ends: Mapping[str, Sequence[float]]) -> str:
    from sleuth.show.sweep import paragraph
    from sleuth.sweeping.analysis import Request, analyze
    from sleuth.sweeping.columns import Asked
    from sleuth.sweeping.table import from_rows

    name = metric.removeprefix("step/")
    rows = [
        {param: line.settings.get(param), "seed": _seed(line, place), name: value, "state": "finished"}
        for group in groups
        for place, (line, value) in enumerate(zip(group.lines, ends[group.label], strict=True))
    ]
    lower = best(name, (0.0, 1.0)) == 0.0
    asked = Asked(param, name, "seed", None, (), ())
    return paragraph(analyze(from_rows(rows, "the runs compared"), Request(asked, lower)))


def _seed(line: Line, place: int) -> str | float | bool:
    """As it was asked for; runs that were given none are paired in the order in which they began."""
    return next((line.settings[name] for name in SEEDS if name in line.settings), place)
