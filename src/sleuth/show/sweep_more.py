"""Many-task comparisons and sensitivity: for the terminal, and one picture a parameter."""

from collections.abc import Iterator

from sleuth.markup import escape
from sleuth.show.document import document
from sleuth.show.sweep_pictures import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    frame,
    line_colour,
    nice,
    profiles,
    ticks,
)
from sleuth.sweeping.sensitivity import Report, Sensitivity
from sleuth.sweeping.tasks import Tasks


def tasks_text(found: Tasks) -> str:
    return "\n".join(_tasks_lines(found))


def _tasks_lines(found: Tasks) -> Iterator[str]:
    better = "lower" if found.lower_is_better else "higher"
    yield f"{_metric(found)} on {len(found.tasks)} tasks, {better} is better"
    width = max(len("algorithm"), *(len(str(one.name)) for one in found.algorithms))
    yield f"  {'algorithm'.ljust(width)}  runs      IQM  95% interval          median     mean"
    for one in found.algorithms:
        span = f"{one.iqm_interval[0]:.4g} .. {one.iqm_interval[1]:.4g}"
        numbers = f"{one.runs:4d}  {one.iqm:7.4g}  {span:20s}  {one.median:7.4g}  {one.mean:7.4g}"
        yield f"  {str(one.name).ljust(width)}  {numbers}"
    for pair in found.improvements:
        low, high = pair.interval
        yield f"  P({pair.better} beats {pair.other}) = {pair.probability:.2f} ({low:.2f} to {high:.2f})"
    yield (
        f"  a bootstrap interval that says 95% holds the truth in {found.coverage:.0%} of simulations "
        "this size"
    )
    yield from (f"  ! {line}" for line in found.warnings)


def _metric(found: Tasks) -> str:
    return f"{found.metric} (a task's worst run 0, its best 1)" if found.scaled else found.metric


def tasks_page(found: Tasks) -> str:
    legend = " ".join(
        f"<b style='color:{line_colour(at)}'>{escape(str(one.name))}</b>"
        for at, one in enumerate(found.algorithms)
    )
    side = "below" if found.lower_is_better else "above"
    words = (
        f"performance profiles: the share of runs {side} a score, over all tasks; the highest line is best"
    )
    figure = f"<figure class='panel'>{profiles(found)}<figcaption>{legend}<br>{words}</figcaption></figure>"
    title = f"{found.metric} on {len(found.tasks)} tasks"
    return _page(
        "tasks", title, f"<div class='pictures'>{figure}</div><pre>{escape(tasks_text(found))}</pre>"
    )


def sensitivity_text(report: Report) -> str:
    return "\n".join(_sensitivity_lines(report))


def _sensitivity_lines(report: Report) -> Iterator[str]:
    yield f"{report.metric}: {report.runs} runs, {len(report.params)} parameters"
    width = max(len("parameter"), *(len(one.param) for one in report.params))
    yield f"  {'parameter'.ljust(width)}  explains      p  one step costs  best            verdict"
    for one in report.params:
        numbers = f"{one.share:8.0%}  {one.p:5.3f}  {one.drop:14.0%}  {one.best:14s}"
        yield f"  {one.param.ljust(width)}  {numbers}  {one.verdict}"
    if report.luck is not None:
        luck = report.luck
        yield (
            f"  best run: {luck.best:.4g}; its {luck.neighbours} nearest: {luck.mean:.4g} ± {luck.sd:.2g} "
            f"({luck.excess:.1f} sd above): {luck.verdict}"
        )
    yield "  A search explores: confirm the best values with a paired sweep (sleuth sweep plan)."


def sensitivity_page(report: Report) -> str:
    figures = "".join(
        f"<figure class='panel'>{scatter(one, report.metric)}<figcaption>{escape(one.param)}: "
        f"explains {one.share:.0%}, p = {one.p:.3f}: <b>{one.verdict}</b></figcaption></figure>"
        for one in report.params
    )
    words = escape(sensitivity_text(report))
    body = f"<div class='pictures'>{figures}</div><pre>{words}</pre>"
    return _page("sensitivity", f"{report.metric}: sensitivity", body)


def _page(verb: str, title: str, body: str) -> str:
    return document(f"sleuth sweep {verb}", f"<h1>{escape(title)}</h1>{body}")


def scatter(one: Sensitivity, metric: str) -> str:
    """Every run as a dot over the parameter, the bins' means as bars."""
    places, log = _places(one)
    numbers = [number for _, number in one.points]
    room = (max(numbers) - min(numbers)) * 0.06 or 1.0
    up = Axis(min(numbers) - room, max(numbers) + room, HEIGHT - BOTTOM, TOP)
    across = Axis(min(places.values()), max(places.values()), LEFT + 14, WIDTH - RIGHT - 14, log)
    label = one.param + (" (log)" if log else "")
    binned = any(part.low != part.high for part in one.bins)
    marks = ticks(_round(across), across, label) if binned else ticks((), across, label)
    dots = "".join(
        f"<circle cx='{across.at(places[value]):.1f}' cy='{up.at(number):.1f}' r='2.4' fill='#2f6fb0' "
        "opacity='.45'/>"
        for value, number in one.points
    )
    bars = "".join(_bar(across, up, one, at, places, not binned) for at in range(len(one.bins)))
    title = escape(f"{metric} over {one.param}", quote=True)
    return (
        f"<svg width='{WIDTH}' height='{HEIGHT}' role='img' "
        f"aria-label='{title}'>{frame(up, metric)}{dots}{bars}{marks}</svg>"
    )


def _round(across: Axis) -> list[float]:
    """Round numbers along an axis: powers of ten where it is logarithmic and holds two of them."""
    decades = [10.0**power for power in range(-30, 31) if across.low <= 10.0**power <= across.high]
    return decades if across.log and len(decades) > 1 else nice(across.low, across.high, 4)


def _places(one: Sensitivity) -> tuple[dict[object, float], bool]:
    values = list(dict.fromkeys(value for value, _ in one.points))
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        places: dict[object, float] = {value: float(value) for value in values}
        low, high = min(places.values()), max(places.values())
        return places, low > 0 and high >= 20 * low
    return {value: float(at) for at, value in enumerate(sorted(values, key=str))}, False


def _bar(across: Axis, up: Axis, one: Sensitivity, at: int, places: dict[object, float], named: bool) -> str:
    """The mean of a bin; a bin of one value bears its name, a range says it when pointed at."""
    part = one.bins[at]
    low, high = part.low, part.high
    if not all(isinstance(value, (int, float)) for value in places):
        low = high = next((spot for value, spot in places.items() if str(value) == part.label), 0.0)
    left, right, y = across.at(low) - 7, across.at(high) + 7, up.at(part.mean)
    text = (
        f"<text x='{(left + right) / 2:.1f}' y='{HEIGHT - BOTTOM + 16}' "
        f"text-anchor='middle'>{escape(part.label)}</text>"
        if named
        else ""
    )
    return (
        f"<line x1='{left:.1f}' x2='{right:.1f}' y1='{y:.1f}' y2='{y:.1f}' stroke='#c6382c' "
        f"stroke-width='2.4'><title>{escape(part.label)}: {part.mean:.4g}</title></line>{text}"
    )
