"""Which charts a run's page shows, and in which order: what tells most comes first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sleuth.archive.index import Extent
from sleuth.finding import Finding
from sleuth.show.charts import Chart, Level, Pin
from sleuth.ui import facts, inside, levels, series
from sleuth.ui.lines import Line
from sleuth.ui.series import EVERYTHING, Span
from sleuth.ui.shelf import Shelf

PLACES = 320  # of a chart in a row of three; a place is about a pixel
# Karpathy, "A Recipe for Training Neural Networks" and its lectures: updates of about 1e-3 of the weights.
USUAL_RATIO = (1e-4, 1e-2)
RATIO = "update ÷ weight"
# Which line, loop or object a number belongs to: nothing that would be looked at as a curve.
BOOKKEEPING = frozenset(
    "step/t step/line step/loss_line step/optimizer step/pattern step/backwards step/training step/rows "
    "step/cpu".split()
)


@dataclass(frozen=True)
class Panel:
    """One chart: series by the names they have in its legend."""

    title: str
    series: Mapping[str, str]
    band: tuple[float, float] | None = None
    note: str = ""
    scale: float = 1.0


KNOWN = (
    Panel("Loss handed to backward", {"training": "step/loss"}),
    Panel(
        "Gradient norm",
        {"before clipping": "step/grad_norm", "as the optimizer found it": "step/grad_norm_at_step"},
    ),
    Panel("Update ÷ weight", {RATIO: RATIO}, USUAL_RATIO, "shaded: usual"),
    Panel("Learning rate", {"rate": "step/lr"}),
    Panel(
        "Seconds a step",
        {
            "all": "step/total_s",
            "data": "step/data_s",
            "forward": "step/forward_s",
            "backward": "step/backward_s",
            "optimizer": "step/optimizer_s",
        },
    ),
    Panel("Memory (MB)", {"resident": "step/rss"}, scale=1e-6),
)
OF_THE_SCRIPT = 24  # charts of what the script itself told; the others are folded away


@dataclass(frozen=True)
class Charts:
    """Those shown at once, and those folded away, by name."""

    first: tuple[Chart, ...]
    more: tuple[str, ...]


def panels(names: Iterable[str], evaluated: Iterable[str] = ()) -> tuple[list[Panel], list[str]]:
    """The panels of a run that has these series, and the names that stand in none of them."""
    known = dict.fromkeys(names)
    own = [name for name in known if not name.startswith("step/")]
    shown = [_present(panel, known) for panel in KNOWN]
    loss, rest = shown[:1], shown[1:]
    passes = [Panel(f"Evaluation passes: {name.removeprefix('eval/')}", {name: name}) for name in evaluated]
    told = [Panel(f"Told by the script: {name}", {name: name}) for name in own[:OF_THE_SCRIPT]]
    kept = [panel for panel in (*loss, *told, *passes, *rest) if panel.series]
    used = {name for panel in kept for name in panel.series.values()} | BOOKKEEPING
    used |= {"step/update_norm", "step/weight_norm"} if RATIO in used else set()
    return kept, [name for name in known if name not in used]


def charts(
    shelf: Shelf, found: Line, span: Span = EVERYTHING, places: int = PLACES, only: str = ""
) -> Charts:
    """`only`: one chart by its title, as wide as the page."""
    extents = series.extents(shelf, found)
    seen = inside.inside(shelf, found).curves if inside.at_once(shelf, found) else {}
    counting = [name for name, extent in extents.items() if counts_on(name, extent)]
    shown, more = panels([name for name in extents if name not in counting], seen)
    if only:
        shown = [panel for panel in (*shown, *map(single, more)) if panel.title == only]
    pins = pinned(facts.findings(found.run.meta))
    drawn = (_chart(shelf, found, panel, seen, span, places, pins) for panel in shown)
    return Charts(tuple(drawn), (*more, *counting))


def counts_on(name: str, extent: Extent) -> bool:
    """A number that only counts on, one more each time, is no curve worth a look (an epoch, an iteration)."""
    if name.startswith("step/") or extent.lowest is None or extent.highest is None or extent.count < 2:
        return False
    return extent.last == extent.highest and extent.highest - extent.lowest == extent.count - 1


def single(name: str) -> Panel:
    return Panel(name, {name: name})


def one(shelf: Shelf, found: Line, name: str, span: Span = EVERYTHING, places: int = PLACES) -> Chart:
    return _chart(shelf, found, single(name), {}, span, places, ())


def pinned(findings: Sequence[Finding]) -> tuple[Pin, ...]:
    """Findings that name a step are marked there."""
    steps = ((finding, finding.numbers.get("step")) for finding in findings)
    return tuple(
        Pin(float(step), f"{finding.cause}: {finding.message}", finding.severity == "error")
        for finding, step in steps
        if isinstance(step, (int, float))
    )


def _present(panel: Panel, known: Mapping[str, None]) -> Panel:
    there = {
        legend: name
        for legend, name in panel.series.items()
        if name in known or (name == RATIO and {"step/update_norm", "step/weight_norm"} <= known.keys())
    }
    return replace(panel, series=there)


def _chart(
    shelf: Shelf,
    found: Line,
    panel: Panel,
    seen: Mapping[str, Level],
    span: Span,
    places: int,
    pins: tuple[Pin, ...],
) -> Chart:
    lines = dict(_lines(shelf, found, panel, seen, span, places))
    ends = None if span[0] is None or span[1] is None else (span[0], span[1])
    return Chart(panel.title, lines, panel.band, ends, pins, panel.note, key=panel.title)


def _lines(
    shelf: Shelf, found: Line, panel: Panel, seen: Mapping[str, Level], span: Span, places: int
) -> Iterator[tuple[str, Level]]:
    for legend, name in panel.series.items():
        if name in seen:
            drawn: Level | None = seen[name]
        elif name == RATIO:
            drawn = _ratio(shelf, found, span, places)
        else:
            drawn = series.level(shelf, found, name, places, span)
        if drawn is not None and drawn.count:
            yield legend, drawn if panel.scale == 1 else _scaled(drawn, panel.scale)


def _ratio(shelf: Shelf, found: Line, span: Span, places: int) -> Level | None:
    if span == EVERYTHING and not found.live:
        wide = shelf.cache.level(
            found.id, f"level {RATIO}", found.stamp, lambda: _whole_ratio(shelf, found, span)
        )
        return levels.coarser(wide, places)
    return levels.coarser(_whole_ratio(shelf, found, span), places)


def _whole_ratio(shelf: Shelf, found: Line, span: Span) -> Level:
    above, below = (series.whole(shelf, found, f"step/{name}_norm") for name in ("update", "weight"))
    if above is None or below is None:
        return Level((), (), (), ())
    return levels.level(levels.part(levels.ratio(above, below), *span))


def _scaled(level: Level, factor: float) -> Level:
    low, mean, high = ([value * factor for value in column] for column in (level.low, level.mean, level.high))
    ends = None if level.ends is None else (level.ends[0] * factor, level.ends[1] * factor)
    return replace(level, low=low, mean=mean, high=high, ends=ends)
