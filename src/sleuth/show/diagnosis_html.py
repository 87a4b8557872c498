"""A diagnosis as one page that stands alone: verdict, causes with their excerpt, curves, board."""

import math
from collections.abc import Iterator, Mapping, Sequence

from sleuth.markup import escape
from sleuth.report import Ran, Report, Tried
from sleuth.show import diagnosis_words as words
from sleuth.show import document as page
from sleuth.show.charts import bar
from sleuth.show.finding_html import card

WIDTH, HEIGHT = 340, 140
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 8, 20  # around the curves, for the numbers of the axes
MOST_SIGNS = 6  # that have room beside an axis
CURVE_POINTS = 200  # that a report keeps of a curve


def document(report: Report, script: str) -> str:
    """The page."""
    title = f"{words.TITLES[report.verdict.status]}: {script}"
    return page.document(title, "".join(_parts(report, script)))


def _parts(report: Report, script: str) -> Iterator[str]:
    status = report.verdict.status
    serious = report.serious
    notes = [finding for finding in report.findings if finding.severity == "note"]
    yield f"<div class='verdict {status}'><h1>{words.TITLES[status]}</h1>"
    yield f"<div class='dim'>{escape(script)}</div>"
    # What was found is said once, by its card.
    yield "</div>" if status == "cause-found" else f"<p>{escape(report.verdict.summary)}</p></div>"
    yield from (card(finding, excerpt=True) for finding in serious)
    if notes:
        told = "".join(card(finding, excerpt=True) for finding in notes)
        yield f"<details class='box'><summary>Worth knowing</summary>{told}</details>"
    yield from _experiments(report)
    if spent := words.spent(report):
        yield f"<p>{escape(spent)}</p>"
    yield from _board(report)
    yield from _seen(report, script)


def _experiments(report: Report) -> Iterator[str]:
    if not report.experiments:
        return
    yield "<h2>Experiments</h2><p class='dim'>The same script run again with one change; loss by step: "
    yield f"{_swatch('base')} as it is, {_swatch('changed')} changed.</p><div class='charts'>"
    yield from (_plot(report, experiment) for experiment in report.experiments)
    yield "</div>"


def _swatch(name: str) -> str:
    return (
        "<svg width='26' height='8' aria-hidden='true'>"
        f"<line class='{name}' x1='0' x2='26' y1='4' y2='4' stroke-width='3'/></svg>"
    )


def _plot(report: Report, experiment: Tried) -> str:
    """The question and its answer in words: whether a yes is good news depends on what was asked."""
    name = experiment.name
    answer = {"yes": "Yes", "no": "No", "none": "No answer"}[experiment.answer]
    causes = ", ".join(words.confirms(report, name))
    curves = {"base": experiment.base_curve, "changed": experiment.curve}
    explained = words.of_no_weight(report, experiment)
    parts = [
        f"<div class='panel plot'><h3>{escape(name)}</h3>",
        f"<p>{escape(words.question(name))} <b>{answer}.</b>",
        f" <span class='confirmed'>Confirms {escape(causes)}.</span>" if causes else "",
        "</p>",
        _svg(curves, _steps(report, curves)),
        f"<p class='dim'>{escape(experiment.seen)}</p>",
        f"<p>{escape(explained)}</p>" if explained else "",
        "</div>",
    ]
    return "".join(parts)


def _steps(report: Report, curves: Mapping[str, Sequence[float | None]]) -> int:
    """The step at the right end: a report keeps every so many-th point of a long curve."""
    longest = max(map(len, curves.values()))
    steps = max((run.steps for run in words.of_kind(report, Ran)), default=longest)
    return longest * max(1, math.ceil(steps / CURVE_POINTS)) if steps > CURVE_POINTS else longest


def _svg(curves: Mapping[str, Sequence[float | None]], steps: int) -> str:
    """Two curves on one scale, with the numbers of both axes outside of them."""
    known = [value for curve in curves.values() for value in curve if value is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    longest = max(map(len, curves.values()))
    lines = "".join(_line(name, curve, longest, low, high) for name, curve in curves.items())
    right, floor = WIDTH - RIGHT, HEIGHT - BOTTOM
    axis = f"<path class='axis' d='M{LEFT} {TOP}V{floor}H{right}'/>"
    labels = [
        _label(LEFT - 5, TOP + 8, "end", _short(high)),
        _label(LEFT - 5, floor, "end", _short(low)) if high > low else "",
        _label(LEFT - 5, (TOP + floor) / 2 + 4, "end", "loss"),
        _label(LEFT, floor + 14, "start", "1"),
        _label((LEFT + right) / 2, floor + 14, "middle", "step"),
        _label(right, floor + 14, "end", str(steps)),
    ]
    size = f"viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}'"
    return f"<svg {size} role='img' aria-label='loss by step'>{axis}{lines}{''.join(labels)}</svg>"


def _short(value: float) -> str:
    text = f"{value:.3g}"
    return text if len(text) <= MOST_SIGNS else f"{value:.1e}"


def _label(x: float, y: float, anchor: str, text: str) -> str:
    return f"<text x='{x:g}' y='{y:g}' text-anchor='{anchor}'>{text}</text>"


def _line(name: str, curve: Sequence[float | None], longest: int, low: float, high: float) -> str:
    """One line a stretch of finite values."""
    spread, across = (high - low) or 1.0, (WIDTH - LEFT - RIGHT) / max(1, longest - 1)
    stretches: list[list[str]] = [[]]
    for index, value in enumerate(curve):
        if value is None:
            stretches.append([])
            continue
        y = HEIGHT - BOTTOM - (value - low) / spread * (HEIGHT - TOP - BOTTOM)
        stretches[-1].append(f"{LEFT + index * across:.1f},{y:.1f}")
    return "".join(
        f"<polyline class='{name}' stroke-linecap='round' points='{' '.join([*points, points[-1]])}'/>"
        for points in stretches
        if points
    )


def _board(report: Report) -> Iterator[str]:
    if not report.hypotheses:
        return
    yield "<h2>Hypotheses</h2><div class='scroll'><table>"
    yield "<tr><th></th><th></th><th>hypothesis</th><th>refuted by</th></tr>"
    for entry in words.ranked(report):
        out = words.ruled_out(entry)
        yield f"<tr><td class='number'>{escape(words.percent(entry.credence))}</td>"
        yield f"<td>{bar(entry.credence)}</td><td>{escape(entry.hypothesis)}</td>"
        yield f"<td class='dim'>{escape(out or entry.refuted_by)}</td></tr>"
    yield "</table></div>"


def _seen(report: Report, script: str) -> Iterator[str]:
    rows = words.observed(report, script)
    if rows:
        yield "<h2>What was seen</h2><table>"
        yield from (f"<tr><th>{escape(what)}</th><td>{escape(told)}</td></tr>" for what, told in rows)
        yield "</table>"
