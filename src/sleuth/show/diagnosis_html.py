"""A diagnosis as one page that stands alone: verdict, causes with their excerpt, curves, board."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sleuth.finding import Finding
from sleuth.markup import escape
from sleuth.report import Ran, Report, Tried
from sleuth.show import diagnosis_words as words
from sleuth.show import finding_text

WIDTH, HEIGHT = 340, 140
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 8, 20  # around the curves, for the numbers of the axes
MOST_SIGNS = 6  # that have room beside an axis
AROUND = 2  # lines shown before and after the guilty one
CURVE_POINTS = 200  # that a report keeps of a curve

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--paper:#fff;--dim:#5d6778;--soft:#f3f5f8;--line:#d5dae2;
--good:#eaf5ec;--bad:#fdeeeb;--open:#fdf6e3;--guilty:#fbd5cf;--red:#c6382c;--amber:#c98a10;--green:#1a7f37;
--base:#8a94a6;--changed:#2f6feb;--bar:#7a8bb0}
@media(prefers-color-scheme:dark){:root{--ink:#e4e7ec;--paper:#14181f;--dim:#a3acba;--soft:#1e242e;
--line:#39424f;--good:#17301f;--bad:#3d211d;--open:#372f17;--guilty:#5a2a22;--red:#f0776b;--amber:#e0ac45;
--green:#57c17a;--base:#98a2b3;--changed:#6ea2ff;--bar:#6f82ad}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:68rem}
body{margin:2rem auto;padding:0 1.2rem}
h1{font-size:1.35rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:2rem 0 .5rem}
.verdict{padding:.9rem 1.1rem;border-radius:8px;background:var(--good);margin-bottom:1.2rem}
.verdict p{margin:.5rem 0 0}.cause-found,.crashed{background:var(--bad)}.inconclusive{background:var(--open)}
.card{border-left:5px solid var(--line);padding:.3rem 1rem;margin:1rem 0}.error{border-color:var(--red)}
.warning{border-color:var(--amber)}.card h3{margin:0 0 .2rem;font-size:1.05rem}.card p{margin:.25rem 0}
pre{background:var(--soft);padding:.5rem .8rem;border-radius:6px;overflow:auto;font-size:13px}
pre .guilty{background:var(--guilty);display:block}
.confirmed{color:var(--green)}small,.dim{color:var(--dim)}
.row{display:flex;flex-wrap:wrap;gap:1.2rem}.plot{width:340px}.plot h3{margin:.2rem 0;font-size:.95rem}
.plot p{margin:.1rem 0;font-size:13px}svg text{font-size:11px;fill:var(--dim)}
svg .axis{stroke:var(--line);fill:none}svg .base,svg .changed{fill:none;stroke-width:1.6}
.base{stroke:var(--base)}.changed{stroke:var(--changed)}
table{border-collapse:collapse;font-size:14px}td,th{padding:.2rem 1.1rem .2rem 0;vertical-align:top}
th{text-align:left;font-weight:600;color:var(--dim)}td.number{text-align:right;white-space:nowrap}
.bar{background:var(--bar);height:.7rem;border-radius:2px;min-width:1px;margin-top:.35rem}
"""


def document(report: Report, script: str) -> str:
    """The page."""
    title = f"{words.TITLES[report.verdict.status]}: {script}"
    head = f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title>"
    head += "<meta name='viewport' content='width=device-width'>"
    return f"{head}<style>{_STYLE}</style><body>{''.join(_parts(report, script))}</body></html>\n"


def _parts(report: Report, script: str) -> Iterator[str]:
    status = report.verdict.status
    serious = report.serious
    notes = [finding for finding in report.findings if finding.severity == "note"]
    yield f"<div class='verdict {status}'><h1>{words.TITLES[status]}</h1>"
    yield f"<div class='dim'>{escape(script)}</div>"
    # What was found is said once, by its card.
    yield "</div>" if status == "cause-found" else f"<p>{escape(report.verdict.summary)}</p></div>"
    yield from map(_card, serious)
    if notes:
        yield "<details><summary>Worth knowing</summary>" + "".join(map(_card, notes)) + "</details>"
    yield from _experiments(report)
    if spent := words.spent(report):
        yield f"<p>{escape(spent)}</p>"
    yield from _board(report)
    yield from _seen(report, script)


def _card(finding: Finding) -> str:
    place = f"<p><b>{escape(finding_text.place(finding.where))}</b></p>" if finding.where is not None else ""
    confirmed = ", ".join(finding.confirmed_by)
    parts = [
        f"<div class='card {finding.severity}'>",
        f"<h3>{finding.cause} <small>{finding.credence:.0%}</small></h3>",
        place,
        f"<p>{escape(finding.message)}</p>",
        _excerpt(finding),
        f"<p class='confirmed'>confirmed by {escape(confirmed)}</p>" if confirmed else "",
        f"<p><b>Fix.</b> {escape(finding.fix)}</p>" if finding.fix else "",
        f"<p><small>{escape('; '.join(finding.sources))}</small></p></div>",
    ]
    return "".join(parts)


def _excerpt(finding: Finding) -> str:
    where = finding.where
    if where is None or not where.path or not where.line or not Path(where.path).is_file():
        return ""
    lines = Path(where.path).read_text("utf-8", errors="replace").splitlines()
    first = max(1, where.line - AROUND)
    shown = []
    for number in range(first, min(len(lines), where.line + AROUND) + 1):
        text = f"{number:>4}  {escape(lines[number - 1])}"
        shown.append(f"<span class='guilty'>{text}</span>" if number == where.line else text + "\n")
    return f"<pre>{''.join(shown)}</pre>"


def _experiments(report: Report) -> Iterator[str]:
    if not report.experiments:
        return
    yield "<h2>Experiments</h2><p class='dim'>The same script run again with one change; loss by step: "
    yield f"{_swatch('base')} as it is, {_swatch('changed')} changed.</p><div class='row'>"
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
        f"<div class='plot'><h3>{escape(name)}</h3>",
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
    yield "<h2>Hypotheses</h2><table><tr><th></th><th></th><th>hypothesis</th><th>refuted by</th></tr>"
    for entry in words.ranked(report):
        bar = f"<div class='bar' style='width:{entry.credence * 100:.0f}%'></div>"
        out = words.ruled_out(entry)
        yield f"<tr><td class='number'>{escape(words.percent(entry.credence))}</td>"
        yield f"<td style='width:8rem'>{bar}</td><td>{escape(entry.hypothesis)}</td>"
        yield f"<td class='dim'>{escape(out or entry.refuted_by)}</td></tr>"
    yield "</table>"


def _seen(report: Report, script: str) -> Iterator[str]:
    rows = words.observed(report, script)
    if rows:
        yield "<h2>What was seen</h2><table>"
        yield from (f"<tr><th>{escape(what)}</th><td>{escape(told)}</td></tr>" for what, told in rows)
        yield "</table>"
