"""A surface as text: a map of arrows or a curve, what was found, and the gradient-flow table."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from sleuth.loss_surface.calls import TOTAL
from sleuth.loss_surface.descent import Fate
from sleuth.loss_surface.flaw import Flaw
from sleuth.loss_surface.flow import FlowRow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sleuth.loss_surface import Comparison, Surface
    from sleuth.loss_surface.analysis import Analysis
    from sleuth.loss_surface.examples import Pole

COLUMNS, ROWS, CURVE_ROWS = 48, 16, 10
ARROWS = "→↗↑↖←↙↓↘"
BLOCKS = " ▁▂▃▄▅▆▇█"
SHADES = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))  # low loss to high
SEVERITY_COLOUR = {"error": "red", "warning": "yellow", "note": "blue"}
LEGEND = {"W": "wanted", "@": "start", "S": "saddle", "m": "minimum", "·": "no gradient", "!": "not finite"}


def full(surface: "Surface", colour: bool = False) -> str:
    """Everything a terminal can show of a surface."""
    parts = [header(surface), *maps(surface, colour), found(surface, colour), flow(surface)]
    return "\n\n".join(part for part in parts if part)


def brief(surface: "Surface") -> str:
    """One line a finding; nothing when there is none."""
    return "\n".join(
        f"{flaw.severity} {flaw.kind}{_whose(flaw)}: {flaw.message}" for flaw in surface.findings
    )


def header(surface: "Surface") -> str:
    size = " × ".join(str(count) for count in surface.main.shape)
    call = surface.calls[0]
    how = f"{size} points, {call.style}, {_dtype(call.dtype)}"
    lines = [f"{surface.name}: {', '.join(map(str, surface.axes))} ({how})"]
    facts = [
        f"wanted {surface.want}" if surface.want else "",
        f"start {surface.start}" if surface.start else "",
    ]
    facts += [f"{key} = {value:g}" for key, value in surface.fixed.items() if isinstance(value, float)]
    return "\n".join([*lines, *([", ".join(fact for fact in facts if fact)] if any(facts) else [])])


def maps(surface: "Surface", colour: bool) -> Iterator[str]:
    """The loss itself, once a slice."""
    for analysis in surface.analyses:
        if analysis.sheet.term != surface.main.term:
            continue
        cut = ", ".join(f"{name} = {value:g}" for name, value in analysis.sheet.at.items())
        drawn = (
            _map(surface, analysis, colour) if len(surface.axes) == 2 else _curve(surface, analysis, colour)
        )
        yield "\n".join([*([f"[{cut}]"] if cut else []), *drawn, _arrivals(surface, analysis)])


def found(surface: "Surface", colour: bool) -> str:
    if not surface.findings:
        return "Nothing found: no dead zone, saddle, cliff, pole or stray minimum on this map."
    return "\n".join(line for flaw in surface.findings for line in _finding(flaw, colour))


def flow(surface: "Surface") -> str:
    rows = surface.flow.rows
    names = list(rows[0].slopes) if rows else []
    several = len({row.term for row in rows}) > 1
    head = ["at", *(axis.name for axis in surface.axes), *(["term"] if several else []), "loss"]
    head += [f"d/d{name}" for name in names] + ["flag"]
    table = [head, *(_cells(row, several) for row in rows)]
    lines = ["Gradient flow", *_aligned(table), *(f"note: {note}" for note in surface.flow.notes)]
    for analysis in surface.analyses:
        if analysis.log_form is not None and analysis.sheet.term == surface.main.term:
            lines += ["", f"The product beside its log-space form {analysis.log_form.formula}"]
            lines += _aligned(
                [
                    [*(axis.name for axis in surface.axes), *(f"d/d{a.name}" for a in surface.axes)]
                    + [f"log d/d{axis.name}" for axis in surface.axes],
                    *(
                        [f"{value:.3g}" for value in (*row.point, *row.product, *row.logarithm)]
                        for row in analysis.log_form.rows
                    ),
                ]
            )
            break
    return "\n".join(lines)


def side_by_side(comparison: "Comparison", colour: bool = False) -> str:
    """Both maps, one after the other where they do not fit beside each other, and what changed."""
    blocks = []
    for surface in (comparison.left, comparison.right):
        kinds = ", ".join(dict.fromkeys(flaw.kind for flaw in surface.findings)) or "nothing found"
        blocks.append("\n\n".join([header(surface), next(iter(maps(surface, colour))), f"found: {kinds}"]))
    changes = "\n".join(["What changed", *(f"- {change}" for change in comparison.changes)])
    return "\n\n".join([*blocks, changes])


def poles(examples: Sequence["Pole"]) -> str:
    """The built-in examples as a table."""
    rows = [["what", "formula", "at", "loss", "slope", "found", "instead"]]
    for pole in examples:
        kinds = ", ".join(pole.kinds) or "nothing"
        rows.append(
            [
                pole.name,
                pole.formula,
                f"{pole.at:g}",
                f"{pole.loss:.3g}",
                f"{pole.slope:.3g}",
                kinds,
                pole.instead,
            ]
        )
    return "\n".join(_aligned(rows))


def _finding(flaw: Flaw, colour: bool) -> Iterator[str]:
    mark = f"{flaw.severity}[{flaw.kind}]"
    if colour:
        mark = click.style(mark, fg=SEVERITY_COLOUR[flaw.severity], bold=True)
    cut = "".join(f" at {name} = {value:g}" for name, value in flaw.slice.items())
    yield f"{mark}{_whose(flaw)}{cut} {flaw.message}"
    yield f"    fix: {flaw.fix}"


def _whose(flaw: Flaw) -> str:
    return f" {flaw.term}:" if flaw.term not in (TOTAL, "loss") else ""


def _arrivals(surface: "Surface", analysis: "Analysis") -> str:
    fates = analysis.basins.fates
    aim = f"the wanted {surface.want}" if surface.want is not None else "the lowest point"
    text = f"Descent arrives at {aim}, or as low, from {fates['arrives']:.0%} of the map"
    others: dict[Fate, str] = {
        "minimum": "ends in another minimum",
        "exit": "leaves the map",
        "stuck": "finds no gradient",
    }
    rest = [f"{words} from {fates[fate]:.0%}" for fate, words in others.items() if fates[fate] >= 0.005]
    return "; ".join([text, *rest]) + "."


def _map(surface: "Surface", analysis: "Analysis", colour: bool) -> list[str]:
    """Arrows of the negative gradient, y upwards, with marks where something is."""
    sheet = analysis.sheet
    across, up = surface.axes
    columns, rows = (_picks(count, most) for count, most in zip(sheet.shape, (COLUMNS, ROWS), strict=True))
    marks = _marks(surface, analysis, columns, rows)
    label = max(len(f"{value:.3g}") for value in (up.lo, up.hi))
    lines = []
    for j in reversed(rows):
        cells = [marks.get((i, j)) or _arrow(analysis, i, j) for i in columns]
        if colour:
            cells = [_shaded(analysis, cell, i, j) for cell, i in zip(cells, columns, strict=True)]
        edge = up.hi if j == rows[-1] else up.lo if j == rows[0] else None
        lines.append(f"{'' if edge is None else f'{edge:.3g}':>{label}} │{''.join(cells)}│")
    width = len(columns)
    ends = f"{across.lo:.3g}".ljust(width - len(f"{across.hi:.3g}")) + f"{across.hi:.3g}"
    shown = {*marks.values(), *(_arrow(analysis, i, j) for i in columns for j in rows)}
    keys = ", ".join(f"{mark} {word}" for mark, word in LEGEND.items() if mark in shown)
    name = f"{across.name} →, {up.name} ↑; arrows: the negative gradient" + (f"; {keys}" if keys else "")
    return [*lines, f"{'':>{label}}  {ends}", f"{'':>{label}}  {name}"]


def _curve(surface: "Surface", analysis: "Analysis", colour: bool) -> list[str]:
    """One axis: the loss as columns, and below them which way descent goes."""
    import numpy as np

    sheet, axis = analysis.sheet, surface.axes[0]
    picks = _picks(sheet.shape[0], COLUMNS)
    values = np.where(analysis.broken[picks], np.nan, sheet.loss[picks])
    low, high = (
        (float(np.nanmin(values)), float(np.nanmax(values))) if np.isfinite(values).any() else (0.0, 0.0)
    )
    span = (high - low) or 1.0
    heights = [0.0 if math.isnan(value) else (value - low) / span * CURVE_ROWS for value in values.tolist()]
    label = max(len(f"{value:.3g}") for value in (low, high))
    lines = []
    for row in reversed(range(CURVE_ROWS)):
        cells = [BLOCKS[round(min(max(height - row, 0.0), 1.0) * 8)] for height in heights]
        if colour:
            cells = [_shaded(analysis, cell, pick) for cell, pick in zip(cells, picks, strict=True)]
        edge = f"{high + 0.0:.3g}" if row == CURVE_ROWS - 1 else f"{low + 0.0:.3g}" if row == 0 else ""
        lines.append(f"{edge:>{label}} │{''.join(cells)}│")
    marks = _marks(surface, analysis, picks, None)
    ways = [marks.get((pick, 0)) or _arrow(analysis, pick) for pick in picks]
    ends = f"{axis.lo:.3g}".ljust(len(picks) - len(f"{axis.hi:.3g}")) + f"{axis.hi:.3g}"
    keys = ", ".join(f"{mark} {word}" for mark, word in LEGEND.items() if mark in ways)
    under = f"{axis.name} →; arrows: where descent goes" + (f"; {keys}" if keys else "")
    return [*lines, f"{'':>{label}}  {''.join(ways)}", f"{'':>{label}}  {ends}", f"{'':>{label}}  {under}"]


def _marks(
    surface: "Surface", analysis: "Analysis", columns: list[int], rows: list[int] | None
) -> dict[tuple[int, int], str]:
    """Grid cell → the letter that stands there; what matters most is written last."""
    lines = [columns] if rows is None else [columns, rows]
    letters = {"minimum": "m", "saddle": "S"}
    places = [(spot.at, letters[spot.what]) for spot in analysis.spots if spot.what in letters]
    places += [
        (region.center, mark)
        for region, mark in ((surface.want, "W"), (surface.start, "@"))
        if region and region.spans
    ]
    found: dict[tuple[int, int], str] = {}
    for at, mark in places:
        nearest = [
            _nearest(line, ticks, value)
            for line, ticks, value in zip(lines, analysis.sheet.ticks, at, strict=True)
        ]
        found[nearest[0], nearest[1] if rows is not None else 0] = mark
    return found


def _nearest(picks: list[int], ticks: "NDArray[Any]", value: float) -> int:
    return min(picks, key=lambda pick: abs(float(ticks[pick]) - value))


def _arrow(analysis: "Analysis", *index: int) -> str:
    if analysis.broken[index]:
        return "!"
    if analysis.flat[index]:
        return "·"
    sheet = analysis.sheet
    # On the map a step goes slope / width of each axis.
    step = [-float(slope[index]) / axis.width for slope, axis in zip(sheet.slopes, sheet.axes, strict=True)]
    angle = math.atan2(step[1] if len(step) > 1 else 0.0, step[0])
    return ARROWS[round(angle / (math.pi / 4)) % 8]


def _shaded(analysis: "Analysis", cell: str, *index: int) -> str:
    """Coloured by how much of the map has a lower loss."""
    loss = analysis.sheet.loss
    if analysis.broken[index]:
        return click.style(cell, fg="red")
    finite = loss[~analysis.broken]
    rank = float((finite < loss[index]).mean())
    return click.style(cell, fg=SHADES[min(int(rank * len(SHADES)), len(SHADES) - 1)])


def _picks(count: int, most: int) -> list[int]:
    """Grid lines to show, spread evenly, the ends kept."""
    if count <= most:
        return list(range(count))
    return [round(place * (count - 1) / (most - 1)) for place in range(most)]


def _cells(row: FlowRow, several: bool) -> list[str]:
    point = [f"{value:.3g}" for value in row.point]
    return [
        row.place,
        *point,
        *([row.term] if several else []),
        f"{row.loss + 0.0:.3g}",
        *(f"{slope + 0.0:.3g}" for slope in row.slopes.values()),  # + 0.0: no "-0"
        row.flag,
    ]


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _dtype(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")
