"""Pictures of a sweep as inline SVG: a line a seed, effects with intervals, dose responses, profiles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sleuth.markup import escape
from sleuth.show.sweep import number
from sleuth.sweeping.result import Group
from sleuth.sweeping.tasks import Tasks

WIDTH, HEIGHT = 460, 270
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 14, 44
COLOURS = {
    "reliable-better": "#1a7f4b",
    "reliable-worse": "#c6382c",
    "suggestive": "#b7791f",
    "no-evidence": "#667085",
    "undefined": "#a0a7b4",
}
SEEDS = ("#2f6fb0", "#d1741f", "#4c9a52", "#9b59b6", "#c2405b", "#5f7d8c", "#8a6d3b", "#3aa6a0")
MANY_SEEDS = 60  # lines; more is a smear
DECADES = 20.0  # largest over smallest value from which a logarithmic axis reads better


@dataclass(frozen=True)
class Axis:
    """From numbers to pixels."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = (
            (math.log10(self.low), math.log10(self.high), math.log10(value))
            if self.log
            else (self.low, self.high, value)
        )
        share = 0.5 if high == low else (value - low) / (high - low)
        return self.start + share * (self.stop - self.start)


def paired_lines(group: Group, metric: str) -> str:
    """One line a seed over the values: parallel lines mean that the seed moves all values alike."""
    numbers = list(group.cells.values())
    if not numbers:
        return ""
    up = _axis(numbers, HEIGHT - BOTTOM, TOP)
    names = [value.value for value in group.values]
    across = Axis(-0.3, len(names) - 0.7, LEFT, WIDTH - RIGHT)
    parts = [frame(up, metric), _names(names, across, group.param)]
    for place, seed in enumerate(group.seeds[:MANY_SEEDS]):
        colour = line_colour(place)
        dots = [
            (across.at(at), up.at(group.cells[name, seed]))
            for at, name in enumerate(names)
            if (name, seed) in group.cells
        ]
        parts.append(_line(dots, colour, 1.2, 0.75))
        parts += [_dot(x, y, colour, 2.6, f"seed {seed}") for x, y in dots]
    means = [
        (across.at(at), up.at(value.mean))
        for at, value in enumerate(group.values)
        if not math.isnan(value.mean)
    ]
    parts.append(_line(means, "currentColor", 2.4, 1))
    parts += [
        f"<text class='mark' x='{across.at(names.index(name)):.1f}' y='{HEIGHT - BOTTOM - 4}' "
        f"text-anchor='middle' fill='#c6382c'>✗<title>seed {escape(str(seed))} failed</title></text>"
        for name, seed in group.failed
        if (name, seed) not in group.cells
    ]
    return _svg(parts, f"{metric} of each seed over {group.param}; the black line is the mean")


def effects(group: Group) -> str:
    """Each value against the mean of the others, with its interval; colour is the verdict."""
    shown = [value for value in group.values if not math.isnan(value.effect)]
    if not shown:
        return ""
    ends = [end for value in shown for end in (value.interval or (value.effect,)) if math.isfinite(end)]
    across = _axis([*ends, 0.0], LEFT + 30, WIDTH - RIGHT)
    height = TOP + BOTTOM + 30 * len(shown)
    parts = [_base(across, height, "effect: difference from the mean of the other values")]
    zero = across.at(0)
    parts.append(f"<line x1='{zero:.1f}' x2='{zero:.1f}' y1='{TOP}' y2='{height - BOTTOM}' class='zero'/>")
    for at, value in enumerate(shown):
        y, colour = TOP + 15 + 30 * at, COLOURS[value.verdict]
        tip = f"{value.value}: {number(value.effect, '+.4g')}, p = {number(value.p, '.2g')}, {value.verdict}"
        if value.interval is not None:
            low, high = (across.at(end) for end in value.interval)
            parts.append(
                f"<line x1='{low:.1f}' x2='{high:.1f}' y1='{y}' y2='{y}' stroke='{colour}' "
                "stroke-width='2.4'/>"
            )
        parts.append(_dot(across.at(value.effect), y, colour, 4.5, tip))
        parts.append(
            f"<text x='{LEFT + 20}' y='{y + 4}' text-anchor='end'>{escape(_short(value.value))}</text>"
        )
    return _svg(parts, "effect of each value with its 95% interval", height)


def dose_response(group: Group, metric: str) -> str:
    """Means with the 10-90% band over numeric values, and the straight line that was tested."""
    points = [
        (float(value.value), value)
        for value in group.values
        if isinstance(value.value, (int, float))
        and not isinstance(value.value, bool)
        and not math.isnan(value.mean)
    ]
    if len(points) < 2 or len(points) < len([v for v in group.values if not math.isnan(v.mean)]):
        return ""
    places = [place for place, _ in points]
    log = min(places) > 0 and max(places) >= DECADES * min(places)
    across = Axis(min(places), max(places), LEFT + 12, WIDTH - RIGHT - 12, log)
    up = _axis([n for _, v in points for n in (v.q10, v.q90)], HEIGHT - BOTTOM, TOP)
    band = [(across.at(x), up.at(v.q90)) for x, v in points] + [
        (across.at(x), up.at(v.q10)) for x, v in reversed(points)
    ]
    shape = " ".join(f"{x:.1f},{y:.1f}" for x, y in band)
    parts = [frame(up, metric), ticks(places, across, group.param + (" (log)" if log else ""))]
    parts.append(f"<polygon points='{shape}' fill='#2f6fb0' opacity='.16'/>")
    parts.append(_trend(group, places, across, up))
    parts.append(_line([(across.at(x), up.at(v.mean)) for x, v in points], "#2f6fb0", 2, 1))
    parts += [
        _dot(across.at(x), up.at(v.mean), COLOURS[v.verdict], 4, f"{v.value}: {number(v.mean)}, {v.verdict}")
        for x, v in points
    ]
    return _svg(parts, f"mean {metric} with the 10-90% band over {group.param}")


def profiles(found: Tasks) -> str:
    """A line an algorithm: the share of its runs that are better than each score."""
    up = Axis(-0.03, 1.03, HEIGHT - BOTTOM, TOP)
    across = Axis(found.thresholds[0], found.thresholds[-1], LEFT, WIDTH - RIGHT)
    side = "<" if found.lower_is_better else ">"
    parts = [frame(up, f"share of runs {side} score")]
    parts.append(ticks(nice(across.low, across.high, 7), across, found.metric + " (scaled)" * found.scaled))
    for at, one in enumerate(found.algorithms):
        dots = [(across.at(x), up.at(share)) for x, share in zip(found.thresholds, one.profile, strict=True)]
        dash = "" if at < len(SEEDS) else "5 4"
        parts.append(_line(dots, line_colour(at), 2, 0.9, dash))
        parts += [
            _dot(x, y, line_colour(at), 2.2, f"{one.name}: {share:.0%} {side} {number(score)}")
            for (x, y), share, score in zip(dots, one.profile, found.thresholds, strict=True)
        ]
    return _svg(parts, f"performance profiles: share of runs {side} each {found.metric}")


def line_colour(at: int) -> str:
    return SEEDS[at % len(SEEDS)]


def _trend(group: Group, places: Sequence[float], across: Axis, up: Axis) -> str:
    """The fitted line through the middle of the means."""
    if math.isnan(group.trend.slope):
        return ""
    scaled = [math.log10(place) if group.trend.scale == "log10" else place for place in places]
    means = [value.mean for value in group.values if not math.isnan(value.mean)]
    middle = sum(means) / len(means) - group.trend.slope * sum(scaled) / len(scaled)
    low, high = min(places), max(places)
    steps = [
        low * (high / low) ** (at / 24) if across.log else low + (high - low) * at / 24 for at in range(25)
    ]
    dots = []
    for place in steps:
        x = math.log10(place) if group.trend.scale == "log10" else place
        y = up.at(middle + group.trend.slope * x)
        if TOP <= y <= HEIGHT - BOTTOM:
            dots.append((across.at(place), y))
    return _line(dots, COLOURS[group.trend.verdict], 1.4, 0.9, "5 4")


def _axis(numbers: Sequence[float], start: float, stop: float) -> Axis:
    low, high = min(numbers), max(numbers)
    room = (high - low) * 0.06 or abs(high) * 0.06 or 1.0
    return Axis(low - room, high + room, start, stop)


def nice(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers within a range."""
    if high <= low:
        return [low]
    raw = (high - low) / count
    size = 10 ** math.floor(math.log10(raw))
    step = next(factor * size for factor in (1, 2, 5, 10) if factor * size >= raw)
    first = math.ceil(low / step)
    return [place * step for place in range(first, math.floor(high / step) + 1)]


def frame(up: Axis, label: str) -> str:
    lines = "".join(
        f"<line x1='{LEFT}' x2='{WIDTH - RIGHT}' y1='{up.at(n):.1f}' y2='{up.at(n):.1f}' class='grid'/>"
        f"<text x='{LEFT - 6}' y='{up.at(n) + 4:.1f}' text-anchor='end'>{n:.4g}</text>"
        for n in nice(up.low, up.high)
    )
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return (
        f"{lines}<text class='name' transform='translate(12,{middle}) rotate(-90)' "
        f"text-anchor='middle'>{escape(label)}</text>"
    )


def _base(across: Axis, height: float, label: str) -> str:
    ticks = "".join(
        f"<line x1='{across.at(n):.1f}' x2='{across.at(n):.1f}' y1='{TOP}' y2='{height - BOTTOM}' "
        "class='grid'/>"
        f"<text x='{across.at(n):.1f}' y='{height - BOTTOM + 16}' text-anchor='middle'>{n:.3g}</text>"
        for n in nice(across.low, across.high)
    )
    return (
        f"{ticks}<text class='name' x='{WIDTH / 2}' y='{height - 8}' "
        f"text-anchor='middle'>{escape(label)}</text>"
    )


def _names(names: Sequence[object], across: Axis, label: str) -> str:
    every = max(1, len(names) // 10)
    texts = "".join(
        f"<text x='{across.at(at):.1f}' y='{HEIGHT - BOTTOM + 16}' "
        f"text-anchor='middle'>{escape(_short(name))}</text>"
        for at, name in enumerate(names)
        if at % every == 0
    )
    return (
        f"{texts}<text class='name' x='{WIDTH / 2}' y='{HEIGHT - 8}' "
        f"text-anchor='middle'>{escape(label)}</text>"
    )


def ticks(places: Sequence[float], across: Axis, label: str) -> str:
    every = max(1, len(places) // 8)
    texts = "".join(
        f"<text x='{across.at(n):.1f}' y='{HEIGHT - BOTTOM + 16}' text-anchor='middle'>{n:g}</text>"
        for n in places[::every]
    )
    return (
        f"{texts}<text class='name' x='{WIDTH / 2}' y='{HEIGHT - 8}' "
        f"text-anchor='middle'>{escape(label)}</text>"
    )


def _short(name: object, most: int = 12) -> str:
    text = str(name)
    return text if len(text) <= most else text[: most - 1] + "…"


def _line(
    dots: Sequence[tuple[float, float]], colour: str, width: float, opacity: float, dash: str = ""
) -> str:
    if len(dots) < 2:
        return ""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
    dashed = f" stroke-dasharray='{dash}'" if dash else ""
    return (
        f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='{width}' "
        f"opacity='{opacity}'{dashed}/>"
    )


def _dot(x: float, y: float, colour: str, size: float, tip: str) -> str:
    return (
        f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{size}' fill='{colour}'><title>{escape(tip)}</title></circle>"
    )


def _svg(parts: Sequence[str], label: str, height: float = HEIGHT) -> str:
    return (
        f"<svg width='{WIDTH}' height='{height}' viewBox='0 0 {WIDTH} {height}' role='img' "
        f"aria-label='{escape(label, quote=True)}'>{''.join(parts)}</svg>"
    )
