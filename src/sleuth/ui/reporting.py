"""Any report that Sleuth wrote as JSON, as blocks of a page: by the shape of what it holds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sleuth.archive.record import number
from sleuth.finding import Finding
from sleuth.show.charts import Chart, Level
from sleuth.ui import facts

DEEPEST = 5
MOST_ROWS, MOST_COLUMNS, MOST_BLOCKS = 400, 14, 200
FEWEST_POINTS = 8  # numbers in a row from which they are drawn as a curve
LONGEST_WORD = 2000

Kind = Literal["verdict", "finding", "facts", "table", "chart", "map", "text", "list"]


@dataclass(frozen=True)
class Block:
    kind: Kind
    title: str
    depth: int = 1
    verdict: tuple[str, str] = ("", "")
    finding: Finding | None = None
    rows: tuple[tuple[str, ...], ...] = ()
    heads: tuple[str, ...] = ()
    chart: Chart | None = None
    cells: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    text: str = ""


def blocks(report: Mapping[str, Any]) -> list[Block]:
    """Verdict and findings first, then everything else in its order."""
    found: list[Block] = []
    for block in _blocks(report):
        found.append(block)
        if len(found) >= MOST_BLOCKS:
            break
    return found


def _blocks(report: Mapping[str, Any]) -> Iterator[Block]:
    verdict = facts.mapping(report.get("verdict"))
    if verdict:
        yield Block(
            "verdict", "", verdict=(str(verdict.get("status") or ""), str(verdict.get("summary") or ""))
        )
    findings = facts.findings(report)
    for finding in findings:
        yield Block("finding", finding.cause, finding=finding)
    told = {"schema", *(["verdict"] if verdict else []), *(["findings"] if findings else [])}
    yield from _of_mapping("", {key: value for key, value in report.items() if key not in told}, 1)


def _of_mapping(title: str, told: Mapping[str, Any], depth: int) -> Iterator[Block]:
    """Plain values as one table, the others each as what they are."""
    plain = {key: value for key, value in told.items() if not isinstance(value, (Mapping, list))}
    rows = tuple((_name(key), _word(value)) for key, value in plain.items() if value not in (None, ""))
    if rows:
        yield Block("facts", title, depth, rows=rows)
    elif title and depth < DEEPEST:
        yield Block("text", title, depth)
    for key, value in told.items():
        if key not in plain and value:
            yield from _of(_name(key), value, depth + bool(title))


def _of(title: str, value: Any, depth: int) -> Iterator[Block]:
    if depth > DEEPEST:
        yield Block("text", title, depth, text=_word(value))
    elif isinstance(value, Mapping):
        yield from _of_mapping(title, value, depth)
    elif _numbers(value) is not None and len(value) >= FEWEST_POINTS:
        yield Block("chart", title, depth, chart=_curve(title, _numbers(value) or []))
    elif (grid := _grid(value)) is not None:
        yield Block("map", title, depth, cells=grid)
    elif all(isinstance(item, Mapping) for item in value):
        yield from _of_rows(title, value, depth)
    else:
        yield Block("list", title, depth, rows=tuple((_word(item),) for item in value[:MOST_ROWS]))


def _of_rows(title: str, rows: Sequence[Mapping[str, Any]], depth: int) -> Iterator[Block]:
    """Alike and flat: a table. With more inside: one after the other."""
    flat = all(not isinstance(item, Mapping) and not _long(item) for row in rows for item in row.values())
    if flat:
        heads = tuple(dict.fromkeys(key for row in rows for key in row))[:MOST_COLUMNS]
        cells = tuple(tuple(_word(row.get(key)) for key in heads) for row in rows[:MOST_ROWS])
        yield Block("table", title, depth, heads=tuple(map(_name, heads)), rows=cells)
        return
    for place, row in enumerate(rows[:MOST_ROWS], 1):
        named = next(
            (str(row[key]) for key in ("name", "title", "cause", "group", "question") if row.get(key)),
            str(place),
        )
        yield from _of_mapping(f"{title}: {named}", row, depth + 1)


def _long(value: object) -> bool:
    return isinstance(value, list) and (
        len(value) > FEWEST_POINTS or any(isinstance(item, (list, Mapping)) for item in value)
    )


def _numbers(value: object) -> list[float] | None:
    if not isinstance(value, list) or not value:
        return None
    found = [math.nan if item is None else number(item) for item in value]
    return [item for item in found if item is not None] if all(item is not None for item in found) else None


def _grid(value: object) -> dict[str, list[float | None]] | None:
    """Rows of equally many numbers."""
    if not isinstance(value, list) or len(value) < 3:
        return None
    rows = [_numbers(row) for row in value]
    if (
        any(row is None for row in rows)
        or len({len(row or ()) for row in rows}) != 1
        or len(rows[0] or ()) < 3
    ):
        return None
    return {str(place): list(row or ()) for place, row in enumerate(rows)}


def _curve(title: str, values: Sequence[float]) -> Chart:
    finite = [(place, value) for place, value in enumerate(values) if math.isfinite(value)]
    steps, told = [place for place, _ in finite], [value for _, value in finite]
    return Chart(title, {title: Level(steps, told, told, told, len(values) - len(told), len(values))})


def _name(key: object) -> str:
    return str(key).replace("_", " ")


def _word(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, list):
        return ", ".join(map(_word, value[:30]))
    return str(value)[:LONGEST_WORD]
