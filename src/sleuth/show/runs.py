"""Runs for people and programs: the list, one run, two runs side by side."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from sleuth.archive import Row, Run, Series
from sleuth.archive.differences import Difference, Pair, Parting, seeds
from sleuth.archive.run import Status
from sleuth.finding import Finding, Where

COLOURS: Mapping[Status, str] = {
    "running": "cyan",
    "finished": "green",
    "failed": "red",
    "interrupted": "yellow",
    "unfinished": "yellow",
    "damaged": "red",
}
# Words in a metric's name that mean: more is better. Of all others, less is taken to be.
MORE_IS_BETTER = (
    "acc",
    "auc",
    "f1",
    "score",
    "precision",
    "recall",
    "bleu",
    "r2",
    "iou",
    "reward",
    "return",
    "dice",
)
Extremes = tuple[float, float, float]  # last, lowest, highest


def listing(rows: Sequence[Row], metrics: Mapping[str, Mapping[str, Extremes]], here: Path) -> str:
    if not rows:
        return "No run fits. `sleuth watch SCRIPT` makes one; `sleuth runs --help` tells how to choose."
    head = ("run", "began", "status", "script", "steps", "last", "causes")
    lines = [head, *(_line(row, metrics.get(row.run.id, {}), here) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head) - 1)]
    drawn = []
    for line, row in zip(lines, [None, *rows], strict=True):
        cells = [cell.ljust(width) for cell, width in zip(line, [*widths, 0], strict=True)]
        if row is not None:
            cells[2] = click.style(cells[2], fg=COLOURS[row.status])
        text = "  ".join(cells).rstrip()
        drawn.append(text if row is not None else click.style(text, dim=True))
    return "\n".join(drawn)


def listing_json(rows: Sequence[Row], metrics: Mapping[str, Mapping[str, Extremes]]) -> dict[str, Any]:
    return {"schema": "sleuth.runs/1", "runs": [_row_json(row, metrics.get(row.run.id, {})) for row in rows]}


def page(run: Run, curves: Mapping[str, Series]) -> str:
    """All there is to know of a run at a glance."""
    meta, status, damage = run.meta, run.status, run.damage
    title = f"{click.style(run.id, bold=True)}  {click.style(status, fg=COLOURS[status])}"
    facts = [f"  {label:<12}{value}" for label, value in _facts(run, meta) if value]
    blocks = ["\n".join([title, *facts])]
    if damage:
        blocks.append("\n".join([_head("Damaged"), *(f"  {sentence}" for sentence in damage)]))
    if run.findings:
        blocks.append("\n".join([_head("Findings"), *map(_finding, run.findings)]))
    if curves:
        blocks.append("\n".join([_head("Series"), *_table([_curve(one) for one in curves.values()])]))
    blocks.append(f"{_head('Files')}\n  {run.folder}: {', '.join(_files(run.folder))}")
    return "\n\n".join(blocks)


def page_json(run: Run, curves: Mapping[str, Series]) -> dict[str, Any]:
    summary = {
        name: {
            "count": len(one),
            "first_step": one.steps[0],
            "last_step": one.steps[-1],
            "first": _json(one.values[0]),
            "last": _json(one.values[-1]),
            "best": _json(best(name, _finite(one.values))),
        }
        for name, one in curves.items()
    }
    known = {"schema": "sleuth.run/1", "status": run.status, "folder": str(run.folder), "seeds": seeds(run)}
    return {**_json(run.meta), **known, "series": summary, "damage": list(run.damage)}


def curve(series: Series) -> str:
    return "\n".join(f"{step}\t{value!r}" for step, value in zip(series.steps, series.values, strict=True))


def curve_json(run: Run, series: Series) -> dict[str, Any]:
    points = {"steps": list(series.steps), "values": _json(series.values)}
    return {"schema": "sleuth.series/1", "run": run.id, "name": series.name, **points}


def comparison(found: Difference) -> str:
    """What differs, what was the same left out; the curves come last, as the answer."""
    blocks = [
        f"{click.style('a', fg='red')}  {found.left.id}\n{click.style('b', fg='green')}  {found.right.id}"
    ]
    if found.command:
        blocks.append(
            "\n".join([_head("Command"), *_sides([" ".join(side or []) for side in found.command])])
        )
    settings = {**found.facts, **({"seeds": tuple(map(", ".join, found.seeds))} if found.seeds else {})}
    for title, pairs in (("Run", settings), ("Environment", found.environment), ("Packages", found.packages)):
        if pairs:
            blocks.append("\n".join([_head(title), *_pairs(pairs)]))
    blocks.append(_code(found))
    blocks.append("\n".join([_head("Curves"), *_curves(found)]))
    return "\n\n".join(blocks)


def comparison_json(found: Difference) -> dict[str, Any]:
    first = found.first
    return {
        "schema": "sleuth.runs-diff/1",
        "runs": [found.left.id, found.right.id],
        "same": found.same,
        "command": _json(found.command),
        "facts": _json(found.facts),
        "seeds": _json(found.seeds),
        "environment": _json(found.environment),
        "packages": _json(found.packages),
        "commits": _json(found.commits),
        "code": found.code,
        "first_difference": _parting(first) if first else None,
        "curves": [_parting(one) for one in found.partings],
        "only_in": [list(found.only_left), list(found.only_right)],
    }


def best(name: str, values: Sequence[float]) -> float:
    """Of the finite values; NaN where there is none."""
    if not values:
        return math.nan
    return max(values) if any(word in name.lower() for word in MORE_IS_BETTER) else min(values)


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.5g}"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def headline(metrics: Mapping[str, Extremes], most: int = 2) -> str:
    """The loss and what the script itself reports, last value each."""
    names = [name for name in metrics if name == "step/loss" or not name.startswith("step/")]
    names.sort(key=lambda name: (name != "step/loss", name))
    return ", ".join(f"{name.removeprefix('step/')} {number(metrics[name][0])}" for name in names[:most])


def _line(row: Row, metrics: Mapping[str, Extremes], here: Path) -> tuple[str, ...]:
    steps = "" if row.steps is None else str(row.steps)
    told = ", ".join(row.damage or filter(None, row.causes))
    return (
        row.run.id,
        clock(row.started),
        row.status,
        near(row.script, here),
        steps,
        headline(metrics),
        told,
    )


def near(path: str, here: Path) -> str:
    """A path as seen from a folder, where it lies beneath it."""
    return Path(path).relative_to(here).as_posix() if Path(path).is_relative_to(here) else path


def _row_json(row: Row, metrics: Mapping[str, Extremes]) -> dict[str, Any]:
    keys = ("kind", "started", "ended", "exit_code", "script", "command", "cwd")
    values = {
        name: {"last": _json(last), "lowest": _json(low), "highest": _json(high)}
        for name, (last, low, high) in metrics.items()
    }
    return {
        "id": row.run.id,
        "status": row.status,
        **{key: row.meta.get(key) for key in keys},
        "steps": row.steps,
        "causes": list(row.causes),
        "metrics": values,
        "folder": str(row.run.folder),
        "damage": list(row.damage),
    }


def _facts(run: Run, meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    code = meta.get("code") or {}
    commit = (code.get("commit") or "")[:12]
    changed = len(code.get("files", ()))
    ended = meta.get("ended")
    took = f", {duration(ended - meta['started'])}" if ended and "started" in meta else ""
    return [
        ("command", " ".join(meta.get("command", ()))),
        ("in", str(meta.get("cwd", ""))),
        ("began", clock(meta["started"]) + took if "started" in meta else ""),
        ("exit code", str(meta.get("exit_code", ""))),
        ("code", f"{commit or 'no git'}, {changed} file{'s' * (changed != 1)} copied"),
        ("left out", ", ".join(code.get("left_out", ())[:5])),
        ("python", _machine(meta)),
        ("seeds", ", ".join(seeds(run))),
        ("summary", ", ".join(_told(key, value) for key, value in (meta.get("summary") or {}).items())),
    ]


def _machine(meta: Mapping[str, Any]) -> str:
    told = f"{meta.get('python')} on {meta.get('platform')}, {meta.get('cpus')} processors"
    return told if "python" in meta else ""


def _told(key: str, value: Any) -> str:
    if key == "verdict" and isinstance(value, Mapping):
        return str(value.get("summary", ""))
    return f"{key} {value}"


def _finding(item: Finding) -> str:
    where = item.where or Where()
    place = ":".join(str(part) for part in (where.path, where.line) if part is not None)
    return f"  {item.severity} [{item.cause}] {place + ': ' if place else ''}{item.message}"


def _curve(one: Series) -> tuple[str, ...]:
    values = _finite(one.values)
    odd = len(one) - len(values)
    span = f"steps {one.steps[0]}–{one.steps[-1]}"
    ends = f"{number(one.values[0])} → {number(one.values[-1])}"
    return one.name, span, ends, _extent(one.name, values), f"{odd} not finite" if odd else ""


def _extent(name: str, values: Sequence[float]) -> str:
    """Only a loss or a metric has a best value; a rate or a norm has a range."""
    if not values:
        return ""
    if name == "step/loss" or not name.startswith("step/"):
        return f"best {number(best(name, values))}"
    return f"{number(min(values))} to {number(max(values))}"


def _files(folder: Path) -> list[str]:
    return sorted(f"{path.name}/" if path.is_dir() else path.name for path in folder.iterdir())


def _pairs(pairs: Mapping[str, Pair]) -> Iterable[str]:
    return _table([(key, _side(one), "→", _side(other)) for key, (one, other) in pairs.items()])


def _side(value: Any) -> str:
    return "–" if value is None else str(value)


def _sides(sides: Sequence[str]) -> list[str]:
    return [click.style(f"  - {sides[0]}", fg="red"), click.style(f"  + {sides[1]}", fg="green")]


def _code(found: Difference) -> str:
    lines = [_head("Code")]
    if found.commits:
        lines += [f"  commit {' → '.join((_side(one))[:12] for one in found.commits)}"]
    if found.unseen:
        lines.append(f"  {found.unseen}")
    colours = {"+": "green", "-": "red", "@": "cyan"}
    lines += [click.style(line, fg=colours.get(line[:1])) for line in found.code.splitlines()]
    return "\n".join(lines if len(lines) > 1 else [*lines, "  the same"])


def _curves(found: Difference) -> Iterable[str]:
    if not found.partings:
        yield "  The runs share no series."
    elif found.first is None:
        yield f"  The same in all {len(found.partings)} shared series."
    else:
        one = found.first
        yield f"  They part at step {one.step}: {one.name} {one.left!r} against {one.right!r}."
        parted = [each for each in found.partings if each.step is not None]
        rows = [(each.name, f"from step {each.step}", *_apart(each)) for each in parted]
        yield from _table(sorted(rows, key=lambda row: int(row[1].split()[-1])))
    for label, names in (("only in a", found.only_left), ("only in b", found.only_right)):
        if names:
            yield f"  {label}: {', '.join(names)}"


def _apart(one: Parting) -> tuple[str, str]:
    far = "never by 1 %" if one.apart is None else f"by 1 % from step {one.apart}"
    return f"{number(one.left)} against {number(one.right)}", far


def _parting(one: Parting) -> dict[str, Any]:
    return {
        "name": one.name,
        "shared_steps": one.shared,
        "step": one.step,
        "values": None if one.step is None else [_json(one.left), _json(one.right)],
        "apart_by_1_percent_from": one.apart,
    }


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows)
    return [f"  {'  '.join(row)}".rstrip() for row in padded]


def _head(title: str) -> str:
    return click.style(title, bold=True)


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]


def _json(value: Any) -> Any:
    """JSON has no NaN and no infinity: they are written as words."""
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Mapping):
        return {key: _json(item) for key, item in value.items()}
    return [_json(item) for item in value] if isinstance(value, list | tuple) else value
