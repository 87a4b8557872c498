"""Curves, bars and maps as SVG, drawn alike on every page; what a pixel hides, its band still shows."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sleuth.markup import escape

COLOURS = 10  # classes c0 to c9 of the style sheet
WORTH_A_LOG = 50.0  # largest over smallest, above which a logarithmic axis shows more
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 8, 18  # around a drawing, for the numbers of its axes
LONGEST_NUMBER = 6  # signs that have room beside an axis


@dataclass(frozen=True, slots=True)
class Level:
    """A curve as wide as a drawing: for each place the lowest, mean and highest of the values there."""

    steps: Sequence[float]
    low: Sequence[float]
    mean: Sequence[float]
    high: Sequence[float]
    missing: int = 0  # values that are not finite
    count: int = 0  # values behind it
    first_missing: float | None = None
    ends: tuple[float, float] | None = None  # first and last value, where places stand for several

    @property
    def exact(self) -> bool:
        """Every value stands for itself."""
        return self.count - self.missing == len(self.steps)


@dataclass(frozen=True, slots=True)
class Size:
    width: int = 380
    height: int = 150

    @property
    def right(self) -> float:
        return self.width - RIGHT

    @property
    def floor(self) -> float:
        return self.height - BOTTOM


@dataclass(frozen=True, slots=True)
class Pin:
    """A step worth a mark, and why."""

    step: float
    label: str
    serious: bool = True


@dataclass(frozen=True, slots=True)
class Scale:
    """From numbers to pixels."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        value = (math.log10(value) if value > 0 else low) if self.log else value
        share = 0.5 if high == low else (value - low) / (high - low)
        return self.start + min(1.0, max(0.0, share)) * (self.stop - self.start)


@dataclass(frozen=True, slots=True)
class Chart:
    """What stands in one drawing. `band`: the values that are usual; `span`: the steps shown."""

    title: str
    lines: Mapping[str, Level]
    band: tuple[float, float] | None = None
    span: tuple[float, float] | None = None
    pins: tuple[Pin, ...] = ()
    note: str = ""
    colours: Mapping[str, int] | None = None
    faint: frozenset[str] = frozenset()  # lines that stand behind the others
    key: str = ""  # names the chart to the script of the page
    unit: str = "step"
    shares: bool = False  # values from 0 to 1, on an even scale


def thinned(points: Sequence[tuple[int, float]], places: int) -> Level:
    """A level without any array library: as many neighbours to a place as it takes."""
    finite = [(step, value) for step, value in points if math.isfinite(value)]
    each = max(1, -(-len(finite) // places))
    parts = [finite[at : at + each] for at in range(0, len(finite), each)]
    values = [[value for _, value in part] for part in parts]
    broken = next((float(step) for step, value in points if not math.isfinite(value)), None)
    return Level(
        [part[-1][0] if part is parts[-1] else part[0][0] for part in parts],
        [min(part) for part in values],
        [sum(part) / len(part) for part in values],
        [max(part) for part in values],
        len(points) - len(finite),
        len(points),
        broken,
        (finite[0][1], finite[-1][1]) if finite else None,
    )


def figure(chart: Chart, size: Size = Size()) -> str:
    """A drawing with its words; where nothing can be drawn, the words alone."""
    extent = _extent(chart)
    if extent is None:
        told = "no finite value" if any(level.count for level in chart.lines.values()) else "no values yet"
        return f"<figure class='chart'><figcaption><b>{escape(chart.title)}</b> {told}</figcaption></figure>"
    across, up = _scales(chart, extent, size)
    drawn = "".join(_layers(chart, across, up, size))
    frame = f"data-x='{across.low:g} {across.high:g} {across.start:g} {across.stop:g}'"
    svg = (
        f"<svg viewBox='0 0 {size.width} {size.height}' role='img' aria-label='{escape(chart.title)}' "
        f"{frame}>{drawn}</svg>"
    )
    key = f" data-chart='{escape(chart.key)}'" if chart.key else ""
    caption = f"<figcaption>{_caption(chart, up.log)}</figcaption>"
    return f"<figure class='chart'{key}>{caption}{svg}</figure>"


def spark(level: Level, width: int = 96, height: int = 20) -> str:
    """A curve in a line of a table."""
    finite = [value for value in (*level.low, *level.high) if math.isfinite(value)]
    if len(level.steps) < 2 or not finite:
        return ""
    up = Scale(min(finite), max(finite), height - 2, 2, _logarithmic(min(finite), max(finite)))
    across = Scale(level.steps[0], level.steps[-1], 1, width - 1)
    area, line = _area(level, across, up), _path(level.steps, level.mean, across, up)
    broken = f"<circle class='broken' r='2.5' cx='{width - 4:g}' cy='{height / 2:g}'/>"
    lost = broken if level.missing else ""
    return (
        f"<svg class='spark c0' viewBox='0 0 {width} {height}' width='{width}' height='{height}' "
        f"aria-hidden='true'><path class='area' d='{area}'/><path class='line' d='{line}'/>{lost}</svg>"
    )


def bar(share: float, width: int = 160, height: int = 10) -> str:
    """A share between 0 and 1."""
    part = max(1.0, min(1.0, share) * width) if share > 0 else 0
    return (
        f"<svg class='bar' viewBox='0 0 {width} {height}' width='{width}' height='{height}' "
        "aria-hidden='true' preserveAspectRatio='none'>"
        f"<rect class='whole' width='{width}' height='{height}' rx='2'/>"
        f"<rect class='part' width='{part:.1f}' height='{height}' rx='2'/></svg>"
    )


def number(value: float | None) -> str:
    return "–" if value is None else "nan" if math.isnan(value) else f"{value:.4g}"


def _extent(chart: Chart) -> tuple[float, float, float, float] | None:
    """Steps and values from least to most, over all lines."""
    levels = [level for level in chart.lines.values() if len(level.steps)]
    ends = [value for level in levels for value in (*level.low, *level.high) if math.isfinite(value)]
    if not ends:
        return None
    first, last = chart.span or (
        min(level.steps[0] for level in levels),
        max(level.steps[-1] for level in levels),
    )
    return first, last, min(ends), max(ends)


def _scales(chart: Chart, extent: tuple[float, float, float, float], size: Size) -> tuple[Scale, Scale]:
    first, last, low, high = extent
    log = _logarithmic(low, high) and not chart.shares
    if chart.shares:
        low, high = 0.0, 1.0
    if chart.band is not None and log:  # what is usual shall be seen beside what is
        low, high = min(low, chart.band[0]), max(high, chart.band[1])
    return Scale(first, last, LEFT, size.right), Scale(low, high, size.floor, TOP, log)


def _logarithmic(low: float, high: float) -> bool:
    return low > 0 and high / low > WORTH_A_LOG


def _layers(chart: Chart, across: Scale, up: Scale, size: Size) -> Iterator[str]:
    if chart.band is not None:
        top, bottom = (up.at(value) for value in (chart.band[1], chart.band[0]))
        yield (
            f"<rect class='usual' x='{LEFT}' y='{top:.1f}' width='{size.right - LEFT:g}' "
            f"height='{max(0.0, bottom - top):.1f}'/>"
        )
    yield f"<path class='axis' d='M{LEFT} {TOP}V{size.floor:g}H{size.right:g}'/>"
    yield from _axes(across, up, size, chart.unit)
    for place, (name, level) in enumerate(chart.lines.items()):
        if len(level.steps):
            colour = (chart.colours or {}).get(name, place) % COLOURS
            yield _line(name, level, f"c{colour}{' faint' if name in chart.faint else ''}", across, up)
    for pin in chart.pins:
        if across.low <= pin.step <= across.high:
            yield _pin(pin, across, size)


def _line(name: str, level: Level, kind: str, across: Scale, up: Scale) -> str:
    area = "" if level.exact else f"<path class='area' d='{_area(level, across, up)}'/>"
    data = f"data-steps='{_numbers(level.steps)}' data-values='{_numbers(level.mean)}'"
    if not level.exact:
        data += f" data-lows='{_numbers(level.low)}' data-highs='{_numbers(level.high)}'"
    line = f"<path class='line' d='{_path(level.steps, level.mean, across, up)}'/>"
    dot = ""
    if len(level.steps) == 1:
        dot = f"<circle r='2.5' cx='{across.at(level.steps[0]):.1f}' cy='{up.at(level.mean[0]):.1f}'/>"
    return f"<g class='{kind}' data-name='{escape(name)}' {data}>{area}{line}{dot}</g>"


def _numbers(values: Iterable[float]) -> str:
    return " ".join(
        f"{value:.5g}" if abs(value) < 1e5 or value != int(value) else str(int(value)) for value in values
    )


def _pin(pin: Pin, across: Scale, size: Size) -> str:
    x = across.at(pin.step)
    kind = "pin serious" if pin.serious else "pin"
    return (
        f"<g class='{kind}'><title>{escape(pin.label)} (step {pin.step:g})</title>"
        f"<line x1='{x:.1f}' x2='{x:.1f}' y1='{TOP}' y2='{size.floor:g}'/>"
        f"<path d='M{x - 4:.1f} {TOP - 6}h8l-4 7z'/></g>"
    )


def _axes(across: Scale, up: Scale, size: Size, unit: str) -> Iterator[str]:
    yield _label(LEFT - 4, TOP + 8, "end", _short(up.high))
    if up.high > up.low:
        yield _label(LEFT - 4, size.floor, "end", _short(up.low))
        middle = math.sqrt(up.high * up.low) if up.log else (up.high + up.low) / 2
        yield _label(LEFT - 4, (TOP + size.floor) / 2 + 6, "end", _short(middle))
    yield _label(LEFT, size.height - 4, "start", f"{across.low:g}")
    yield _label(size.right, size.height - 4, "end", _whole(across.high))
    yield _label((LEFT + size.right) / 2, size.height - 4, "middle", unit)


def _whole(step: float) -> str:
    return f"{step:,.0f}".replace(",", " ") if step == int(step) else f"{step:g}"


def _short(value: float) -> str:
    text = f"{value:.3g}"
    return text if len(text) <= LONGEST_NUMBER else f"{value:.0e}"


def _label(x: float, y: float, anchor: str, text: str) -> str:
    return f"<text x='{x:g}' y='{y:g}' text-anchor='{anchor}'>{escape(text)}</text>"


def _path(steps: Sequence[float], values: Sequence[float], across: Scale, up: Scale) -> str:
    """One line a stretch of finite values."""
    parts, begin = [], True
    for step, value in zip(steps, values, strict=True):
        if not math.isfinite(value):
            begin = True
            continue
        parts.append(f"{'M' if begin else 'L'}{across.at(step):.1f} {up.at(value):.1f}")
        begin = False
    return "".join(parts)


def _area(level: Level, across: Scale, up: Scale) -> str:
    above = [
        f"{across.at(step):.1f} {up.at(high):.1f}" for step, high in zip(level.steps, level.high, strict=True)
    ]
    below = [
        f"{across.at(step):.1f} {up.at(low):.1f}" for step, low in zip(level.steps, level.low, strict=True)
    ]
    return f"M{'L'.join([*above, *reversed(below)])}Z" if above else ""


def _caption(chart: Chart, log: bool) -> str:
    one = next(iter(chart.lines.values())) if len(chart.lines) == 1 else None
    told = "" if one is None or not len(one.mean) else f"{number(first_of(one))} → {number(last_of(one))}"
    missing = sum(level.missing for level in chart.lines.values())
    broken = [level.first_missing for level in chart.lines.values() if level.first_missing is not None]
    first = min(broken, default=None)
    parts = [
        told,
        "log scale" if log else "",
        _not_finite(missing, first),
        escape(chart.note),
    ]
    words = "; ".join(filter(None, parts))
    legend = _legend(chart) if len(chart.lines) > 1 else ""
    return f"<b>{escape(chart.title)}</b> <span class='dim'>{words}</span>{legend}"


def _not_finite(missing: int, first: float | None) -> str:
    since = "" if first is None else f", from step {first:g}"
    return f"<b class='bad'>{missing} value{'s' * (missing != 1)} not finite{since}</b>" if missing else ""


def first_of(level: Level) -> float:
    return level.ends[0] if level.ends else level.mean[0]


def last_of(level: Level) -> float:
    return level.ends[1] if level.ends else level.mean[-1]


def _legend(chart: Chart) -> str:
    shown = list(chart.lines)[:COLOURS]
    keys = [
        f"<span class='key c{(chart.colours or {}).get(name, place) % COLOURS}'>{escape(name)}</span>"
        for place, name in enumerate(shown)
        if name not in chart.faint
    ]
    more = len(chart.lines) - len(shown)
    return f"<span class='keys'>{''.join(keys)}{f' and {more} more' if more > 0 else ''}</span>"
