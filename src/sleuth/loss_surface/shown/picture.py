"""A surface as a picture, PNG or SVG, with matplotlib."""

from io import BytesIO
from typing import TYPE_CHECKING, Any

from sleuth.loss_surface.shown.panels import Panel, arrows, grid, levels, panels
from sleuth.needs import need

if TYPE_CHECKING:
    from sleuth.loss_surface import Comparison, Surface

MARKERS = {
    "saddle": ("X", "saddle"),
    "minimum": ("o", "minimum"),
    "maximum": ("^", "maximum"),
    "exit": (">", "leaves the map"),
}
BANDS = 24


def picture(shown: "Surface | Comparison", form: str) -> bytes:
    """Filled contours, arrows of the negative gradient, dead zones hatched, critical points marked."""
    need("matplotlib", "plot", "A picture")
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    chosen = panels(shown)
    rows, columns = grid(len(chosen))
    with matplotlib.rc_context({"svg.hashsalt": "sleuth", "hatch.linewidth": 0.6}):
        figure = Figure(figsize=(5.2 * columns, 4.6 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        places = figure.subplots(rows, columns, squeeze=False).ravel()
        for place, panel in zip(places, chosen, strict=False):
            (_map if len(panel.surface.axes) == 2 else _curve)(figure, place, panel)
            place.set_title(f"{panel.title}\n{_kinds(panel)}", fontsize=10)
        for place in places[len(chosen) :]:
            place.set_visible(False)
        out = BytesIO()
        figure.savefig(out, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
    return out.getvalue()


def _map(figure: Any, place: Any, panel: Panel) -> None:
    import numpy as np

    analysis, (across, up) = panel.analysis, panel.surface.axes
    x, y = analysis.sheet.ticks
    low, high = levels(panel)
    loss = np.ma.masked_where(analysis.broken, np.clip(analysis.sheet.loss, low, high)).T
    drawn = place.contourf(x, y, loss, levels=np.linspace(low, high, BANDS), cmap="viridis")
    figure.colorbar(drawn, ax=place, label="loss")
    for mask, hatch, ink in ((analysis.flat, "////", "white"), (analysis.broken, "xxxx", "red")):
        if mask.any():
            shade = place.contourf(
                x, y, mask.T.astype(float), levels=[0.5, 1.5], colors="none", hatches=[hatch]
            )
            shade.set_edgecolor(ink)
    way = arrows(panel)
    place.quiver(
        way.x,
        way.y,
        way.across * across.width,
        way.up * up.width,
        angles="xy",
        color="black",
        alpha=0.55,
        width=0.003,
    )
    _marks(place, panel)
    place.set_xlabel(across.name)
    place.set_ylabel(up.name)
    place.set_xlim(across.lo, across.hi)
    place.set_ylim(up.lo, up.hi)


def _curve(figure: Any, place: Any, panel: Panel) -> None:
    import numpy as np

    analysis, (axis,) = panel.analysis, panel.surface.axes
    (x,) = analysis.sheet.ticks
    low, high = levels(panel)
    loss = np.where(analysis.broken, np.nan, np.clip(analysis.sheet.loss, None, high + (high - low)))
    place.plot(x, loss, color="black", label="loss")
    beside = place.twinx()
    slope = np.where(analysis.broken, np.nan, analysis.sheet.slopes[0])
    beside.plot(x, slope, color="tab:orange", linewidth=1, label="slope")
    beside.set_ylabel("slope", color="tab:orange")
    if np.nanmax(np.abs(slope), initial=0.0) > 100 * (high - low) / axis.width:
        beside.set_yscale("symlog", linthresh=(high - low) / axis.width)
    half = axis.width / (2 * (len(x) - 1))
    for mask, hatch, ink in ((analysis.flat, "////", "grey"), (analysis.broken, "xxxx", "red")):
        for start, stop in _runs(mask):
            place.axvspan(
                x[start] - half, x[stop] + half, facecolor="none", edgecolor=ink, hatch=hatch, linewidth=0
            )
    _marks(place, panel)
    place.set_xlabel(axis.name)
    place.set_ylabel("loss")
    place.set_xlim(axis.lo, axis.hi)


def _marks(place: Any, panel: Panel) -> None:
    """Critical points, the wanted place and the start, each kind once in the legend."""
    surface, shown = panel.surface, set()
    places = [(*MARKERS[spot.what], "white", (*spot.at, spot.loss)) for spot in panel.analysis.spots]
    for region, sign, word, ink in (
        (surface.want, "*", "wanted", "gold"),
        (surface.start, "P", "start", "cyan"),
    ):
        if region is not None and region.spans:
            places.append((sign, word, ink, (*region.center, levels(panel)[0])))
    for sign, word, ink, at in places:
        label = None if word in shown else word
        shown.add(word)
        place.scatter(
            *at[:2], marker=sign, s=70, c=ink, edgecolors="black", label=label, zorder=5, clip_on=False
        )
    if shown:
        place.legend(loc="best", fontsize=7)


def _runs(mask: Any) -> list[tuple[int, int]]:
    """First and last index of every stretch of a 1-D mask."""
    from itertools import groupby

    runs, at = [], 0
    for value, group in groupby(mask.tolist()):
        length = len(list(group))
        if value:
            runs.append((at, at + length - 1))
        at += length
    return runs


def _kinds(panel: Panel) -> str:
    return ", ".join(dict.fromkeys(flaw.kind for flaw in panel.analysis.flaws)) or "nothing found"
