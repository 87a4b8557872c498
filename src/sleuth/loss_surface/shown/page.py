"""A surface or a comparison as one self-contained interactive page, with plotly."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sleuth.loss_surface.shown.panels import Panel, arrows, grid, levels, panels
from sleuth.markup import escape
from sleuth.needs import need
from sleuth.show.document import document

if TYPE_CHECKING:
    from sleuth.loss_surface import Comparison, Surface
    from sleuth.loss_surface.flaw import Flaw

COARSE = 100  # points an axis on the page: fine enough to look at, small enough to send
ARROW = 0.03  # the length of an arrow, as a share of each axis
SYMBOLS = {"saddle": "x", "minimum": "circle", "maximum": "triangle-up", "exit": "arrow-right"}


def page(shown: "Surface | Comparison") -> str:
    """Maps to hover and zoom, what was found, and the gradient-flow tables."""
    need("plotly", "plot", "An interactive page")
    from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

    sides = _sides(shown)
    title = " against ".join(side.name for side in sides)
    body = [f"<h1>{escape(title)}</h1>", f'<p class="dim">{escape(_facts(sides[0]))}</p>', *_changes(shown)]
    drawn = [_panel(panel) for panel in panels(shown)]
    body.append(f'<div class="panels of{grid(len(drawn))[1]}">{"".join(drawn)}</div>')
    for side in sides:
        body += _findings(side, len(sides) > 1)
    for side in sides:
        body += _flow(side, len(sides) > 1)
    return document(title, "".join(body), f"<script>{get_plotlyjs()}</script>")


def _sides(shown: "Surface | Comparison") -> list["Surface"]:
    from sleuth.loss_surface.compare import Comparison

    return [shown.left, shown.right] if isinstance(shown, Comparison) else [shown]


def _facts(surface: "Surface") -> str:
    parts = [", ".join(map(str, surface.axes)), f"{surface.n} points an axis"]
    parts += [f"wanted {surface.want}"] if surface.want else []
    parts += [f"start {surface.start}"] if surface.start else []
    return "; ".join(parts)


def _changes(shown: "Surface | Comparison") -> Iterator[str]:
    from sleuth.loss_surface.compare import Comparison

    if isinstance(shown, Comparison):
        items = "".join(f"<li>{escape(change)}</li>" for change in shown.changes)
        yield f"<h2>What changed</h2><ul>{items}</ul>"


def _panel(panel: Panel) -> str:
    figure = _map(panel) if len(panel.surface.axes) == 2 else _curve(panel)
    kinds = ", ".join(dict.fromkeys(flaw.kind for flaw in panel.analysis.flaws)) or "nothing found"
    arrives = f"descent arrives from {panel.analysis.basins.arrives:.0%} of the map"
    drawn = figure.to_html(
        full_html=False, include_plotlyjs=False, config={"displaylogo": False, "responsive": True}
    )
    return f'<div class="panel"><h3>{escape(panel.title)}</h3><p>{escape(kinds)}; {arrives}</p>{drawn}</div>'


def _map(panel: Panel) -> Any:
    from plotly import graph_objects as go  # type: ignore[import-untyped]

    across, up = panel.surface.axes
    figure = go.Figure([_contours(panel), *_masks(panel), _arrows(panel), *_spots(panel)])
    figure.update_layout(_layout())
    figure.update_xaxes(title=across.name, range=[across.lo, across.hi])
    figure.update_yaxes(title=up.name, range=[up.lo, up.hi])
    return figure


def _contours(panel: Panel) -> Any:
    import numpy as np
    from plotly import graph_objects as go

    sheet = panel.analysis.sheet
    low, high = levels(panel)
    x, y = (line[pick] for line, pick in zip(sheet.ticks, _picks(panel), strict=True))
    where = np.ix_(*_picks(panel))
    loss, broken = sheet.loss[where], panel.analysis.broken[where]
    names = [axis.name for axis in sheet.axes]
    hover = f"{names[0]} %{{x:.4g}}<br>{names[1]} %{{y:.4g}}<br>loss %{{z:.4g}}"
    for place, name in enumerate(names):
        hover += f"<br>d/d{name} %{{customdata[{place}]:.4g}}"
    return go.Contour(
        x=x.tolist(),
        y=y.tolist(),
        z=[
            [None if bad else value for value, bad in zip(row, gaps, strict=True)]
            for row, gaps in zip(loss.T.tolist(), broken.T.tolist(), strict=True)
        ],
        customdata=np.nan_to_num(np.stack([slope[where].T for slope in sheet.slopes], axis=-1)).tolist(),
        zmin=low,
        zmax=high,
        ncontours=24,
        colorscale="Viridis",
        line={"width": 0.5},
        colorbar={"title": "loss", "thickness": 12},
        hovertemplate=hover + "<extra></extra>",
    )


def _masks(panel: Panel) -> Iterator[Any]:
    """Dead zones as slanted strokes, poles as crosses: a stroke a point reads as a hatching."""
    import numpy as np
    from plotly import graph_objects as go

    signs = (
        (panel.analysis.flat, "line-ne", "white", "no gradient"),
        (panel.analysis.broken, "x-thin", "red", "not finite"),
    )
    picks = [
        np.unique(np.linspace(0, count - 1, min(count, 40)).round().astype(int))
        for count in panel.analysis.sheet.shape
    ]
    where = np.ix_(*picks)
    x, y = (one[where] for one in panel.analysis.sheet.places())
    for mask, symbol, ink, name in signs:
        if mask[where].any():
            yield go.Scatter(
                x=x[mask[where]].tolist(),
                y=y[mask[where]].tolist(),
                mode="markers",
                name=name,
                marker={"symbol": symbol, "size": 9, "color": ink, "line": {"width": 1.4, "color": ink}},
                hoverinfo="skip",
            )


def _arrows(panel: Panel) -> Any:
    """A short line each, with a head that looks along it."""
    import numpy as np
    from plotly import graph_objects as go

    way, (across, up) = arrows(panel), panel.surface.axes
    ends = (way.x + ARROW * across.width * way.across, way.y + ARROW * up.width * way.up)
    gap = np.full(len(way.x), np.nan)
    x, y = (
        np.stack([start, end, gap], axis=1).ravel() for start, end in zip((way.x, way.y), ends, strict=True)
    )
    return go.Scatter(
        x=[None if np.isnan(value) else value for value in x.tolist()],
        y=[None if np.isnan(value) else value for value in y.tolist()],
        mode="lines+markers",
        name="negative gradient",
        line={"color": "rgba(0,0,0,0.6)", "width": 1},
        marker={
            "symbol": "arrow",
            "angleref": "previous",
            "size": [0, 7, 0] * len(way.x),
            "color": "rgba(0,0,0,0.7)",
        },
        hoverinfo="skip",
    )


def _spots(panel: Panel) -> Iterator[Any]:
    from plotly import graph_objects as go

    groups: dict[str, list[tuple[float, ...]]] = {}
    for spot in panel.analysis.spots:
        groups.setdefault(spot.what, []).append((*spot.at, spot.loss))
    looks = {what: (symbol, "white") for what, symbol in SYMBOLS.items()}
    for region, word, symbol, ink in (
        (panel.surface.want, "wanted", "star", "gold"),
        (panel.surface.start, "start", "cross", "cyan"),
    ):
        if region is not None and region.spans:
            groups[word] = [(*region.center, levels(panel)[0])]
            looks[word] = (symbol, ink)
    for what, places in groups.items():
        symbol, ink = looks[what]
        yield go.Scatter(
            x=[place[0] for place in places],
            y=[place[1] for place in places],
            mode="markers",
            name=what,
            cliponaxis=False,
            marker={"symbol": symbol, "size": 12, "color": ink, "line": {"width": 1.5, "color": "black"}},
        )


def _curve(panel: Panel) -> Any:
    import numpy as np
    from plotly import graph_objects as go

    analysis, (axis,) = panel.analysis, panel.surface.axes
    (x,) = analysis.sheet.ticks
    lines = [
        go.Scatter(
            x=x.tolist(), y=_gaps(values, analysis.broken), name=name, yaxis=scale, line={"color": ink}
        )
        for name, values, scale, ink in (
            ("loss", analysis.sheet.loss, "y", "#1c2230"),
            ("slope", analysis.sheet.slopes[0], "y2", "#d98c00"),
        )
    ]
    figure = go.Figure([*lines, *_spots(panel)])
    for mask, ink in ((analysis.flat, "rgba(120,120,120,0.25)"), (analysis.broken, "rgba(200,0,0,0.25)")):
        for place in np.flatnonzero(mask):
            half = axis.width / (2 * (len(x) - 1))
            figure.add_vrect(
                x0=float(x[place]) - half, x1=float(x[place]) + half, fillcolor=ink, line_width=0
            )
    figure.update_layout(_layout(), yaxis2={"overlaying": "y", "side": "right", "title": "slope"})
    figure.update_xaxes(title=axis.name, range=[axis.lo, axis.hi])
    figure.update_layout(yaxis={"title": "loss"})
    return figure


def _gaps(values: Any, broken: Any) -> list[float | None]:
    return [None if bad else value for value, bad in zip(values.tolist(), broken.tolist(), strict=True)]


def _layout() -> dict[str, Any]:
    return {
        "height": 420,
        "margin": {"l": 50, "r": 10, "t": 34, "b": 70},
        "template": "plotly_white",
        "legend": {"orientation": "h", "y": -0.18},
    }


def _picks(panel: Panel) -> list[Any]:
    import numpy as np

    return [
        np.unique(np.linspace(0, count - 1, min(count, COARSE)).round().astype(int))
        for count in panel.analysis.sheet.shape
    ]


def _findings(surface: "Surface", named: bool) -> Iterator[str]:
    yield f"<h2>Findings{f' in {escape(surface.name)}' if named else ''}</h2>"
    if not surface.findings:
        yield "<p>Nothing found: no dead zone, saddle, cliff, pole or stray minimum on this map.</p>"
    for flaw in surface.findings:
        yield _card(flaw)


def _card(flaw: "Flaw") -> str:
    cut = "".join(f" at {name} = {value:g}" for name, value in flaw.slice.items())
    whose = escape(f"{'' if flaw.term == 'loss' else flaw.term}{cut}")
    return (
        f'<div class="card {flaw.severity}"><b>{flaw.kind}</b>{whose} {escape(flaw.message)}'
        f"<p><b>Fix.</b> {escape(flaw.fix)}</p></div>"
    )


def _flow(surface: "Surface", named: bool) -> Iterator[str]:
    yield f"<h2>Gradient flow{f' of {escape(surface.name)}' if named else ''}</h2>"
    rows = surface.flow.rows
    head = [
        "at",
        *(axis.name for axis in surface.axes),
        "term",
        "loss",
        *(f"d/d{name}" for name in rows[0].slopes),
        "flag",
    ]
    yield _table(
        head,
        (
            [row.place, *_numbers(row.point), row.term, *_numbers([row.loss, *row.slopes.values()]), row.flag]
            for row in rows
        ),
    )
    yield "".join(f"<p>{escape(note)}</p>" for note in surface.flow.notes)
    for analysis in surface.analyses:
        if analysis.log_form is not None and analysis.sheet.term == surface.main.term:
            names = [axis.name for axis in surface.axes]
            yield f"<h2>The product beside its log-space form {escape(analysis.log_form.formula)}</h2>"
            head = [*names, *(f"d/d{name}" for name in names), *(f"log d/d{name}" for name in names)]
            yield _table(
                head, (_numbers([*row.point, *row.product, *row.logarithm]) for row in analysis.log_form.rows)
            )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table class="numbers"><tr>{top}</tr>{lines}</table></div>'


def _numbers(values: Iterable[float]) -> list[str]:
    return [f"{value + 0.0:.3g}" for value in values]  # + 0.0: no "-0"
