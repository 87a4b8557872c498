"""A diagnosis as one page that stands alone: verdict, causes with their excerpt, curves, board."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from sleuth.finding import Finding, Report

WIDTH, HEIGHT, MARGIN = 320, 120, 6
AROUND = 2  # lines shown before and after the guilty one

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1c2430;background:#fff;max-width:64rem;margin:2rem auto}
body{padding:0 1.2rem}
h1{font-size:1.35rem;margin:0 0 .2rem}h2{font-size:1rem;margin:1.8rem 0 .5rem}
.verdict{padding:.9rem 1.1rem;border-radius:8px;background:#eef6ee;margin-bottom:1.2rem}
.cause-found,.crashed{background:#fdeeeb}.inconclusive{background:#fdf6e3}
.card{border-left:5px solid #b0b8c4;padding:.3rem 1rem;margin:1rem 0}.error{border-color:#c6382c}
.warning{border-color:#d49213}.card h3{margin:0 0 .2rem;font-size:1.05rem}.card p{margin:.25rem 0}
pre{background:#f5f6f8;padding:.5rem .8rem;border-radius:6px;overflow:auto;font-size:13px}
pre .guilty{background:#fbd5cf;display:block}
.confirmed{color:#1a7f37}small,.dim{color:#667085}
.row{display:flex;flex-wrap:wrap;gap:1rem}.plot{width:20rem}.plot p{margin:.1rem 0;font-size:13px}
table{border-collapse:collapse;font-size:14px}td{padding:.15rem .9rem .15rem 0;vertical-align:top}
.bar{background:#7a8bb0;height:.7rem;border-radius:2px;min-width:1px}
@media(prefers-color-scheme:dark){body{color:#e4e7ec;background:#14181f}.verdict{background:#1d3324}
.cause-found,.crashed{background:#3d211d}.inconclusive{background:#3a3218}pre{background:#1e242e}
pre .guilty{background:#5a2a22}}
"""


def document(report: Report, script: str) -> str:
    """The page."""
    head = f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Sleuth: {escape(script)}</title>"
    return f"{head}<style>{_STYLE}</style><body>{''.join(_parts(report, script))}</body></html>\n"


def _parts(report: Report, script: str) -> Iterator[str]:
    status = report.verdict.status
    yield f"<div class='verdict {status}'><h1>{status.replace('-', ' ').capitalize()}</h1>"
    yield f"<div class='dim'>{escape(script)}</div><p>{escape(report.verdict.summary)}</p></div>"
    yield from (_card(finding) for finding in report.findings if finding.severity != "note")
    notes = [finding for finding in report.findings if finding.severity == "note"]
    if notes:
        yield "<details><summary>Worth knowing</summary>" + "".join(map(_card, notes)) + "</details>"
    if report.experiments:
        yield "<h2>Experiments</h2><p class='dim'>Loss by step: grey as it is, blue in the changed world.</p>"
        yield "<div class='row'>" + "".join(map(_plot, report.experiments)) + "</div>"
    yield _board(report.hypotheses)
    yield _seen(report.observations)


def _card(finding: Finding) -> str:
    place = f"<p><b>{escape(str(finding.where))}</b></p>" if finding.where is not None else ""
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


def _plot(experiment: Mapping[str, Any]) -> str:
    answer = {"yes": "✔", "no": "✘", "none": "–"}[experiment["answer"]]
    title = f"<p><b>{answer} {escape(experiment['name'])}</b></p>"
    curves = [(experiment["base_curve"], "#98a2b3"), (experiment["curve"], "#2f6feb")]
    known = [value for curve, _ in curves for value in curve if value is not None]
    drawn = _svg(curves, min(known), max(known)) if known else ""
    return f"<div class='plot'>{title}{drawn}<p class='dim'>{escape(experiment['seen'])}</p></div>"


def _svg(curves: Sequence[tuple[Sequence[float | None], str]], low: float, high: float) -> str:
    """Two curves on one scale: grey as it is, blue in the changed world."""
    longest = max(len(curve) for curve, _ in curves)
    lines = "".join(
        f"<polyline fill='none' stroke='{colour}' stroke-width='1.6' "
        f"points='{_points(curve, longest, low, high)}'/>"
        for curve, colour in curves
    )
    labels = f"<text x='{MARGIN}' y='12' font-size='10' fill='#667085'>{high:.3g}</text>"
    labels += f"<text x='{MARGIN}' y='{HEIGHT - 2}' font-size='10' fill='#667085'>{low:.3g}</text>"
    return f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' role='img'>{lines}{labels}</svg>"


def _points(curve: Sequence[float | None], longest: int, low: float, high: float) -> str:
    spread = (high - low) or 1.0
    return " ".join(
        f"{MARGIN + index / max(1, longest - 1) * (WIDTH - 2 * MARGIN):.1f},"
        f"{HEIGHT - MARGIN - (value - low) / spread * (HEIGHT - 2 * MARGIN):.1f}"
        for index, value in enumerate(curve)
        if value is not None
    )


def _board(hypotheses: Sequence[Mapping[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td>{entry['credence']:.1%}</td><td style='width:8rem'>"
        f"<div class='bar' style='width:{entry['credence'] * 100:.0f}%'></div></td>"
        f"<td>{escape(entry['hypothesis'])}{' <small>ruled out</small>' if entry['closed'] else ''}</td>"
        f"<td class='dim'>{escape(entry['refuted_by'])}</td></tr>"
        for entry in hypotheses
    )
    return f"<h2>Hypotheses, and what would refute each</h2><table>{rows}</table>"


def _seen(observations: Sequence[Mapping[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td>{escape(str(entry['name']))}</td><td>"
        + escape(", ".join(f"{key} {value}" for key, value in entry.items() if key != "name"))
        + "</td></tr>"
        for entry in observations
    )
    return f"<h2>What was seen</h2><table>{rows}</table>"
