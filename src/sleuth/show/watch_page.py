"""A watched run as a page: verdict, findings, and the curves behind them; nothing is loaded from outside."""

import math
from collections.abc import Iterable, Iterator, Sequence

from sleuth.finding import Finding
from sleuth.markup import escape
from sleuth.record.entries import Evaluation, Layers, Metric, Record
from sleuth.report import Report
from sleuth.show.watch_text import PAGE

__all__ = ["PAGE", "curve", "document", "fragment"]

_STYLE = """
.sleuth{font:14px/1.45 system-ui,sans-serif;max-width:66rem;color:#1c2430}
.sleuth .verdict{padding:.6em .9em;border-radius:6px;background:#eef6ee;margin-bottom:.8em}
.sleuth .cause-found,.sleuth .crashed{background:#fdf0ee}.sleuth .inconclusive{background:#fbf6e6}
.sleuth .finding{border-left:4px solid #b0b8c4;padding:.2em .8em;margin:.6em 0}
.sleuth .error{border-color:#c6382c}.sleuth .warning{border-color:#d49213}
.sleuth .finding p{margin:.15em 0}.sleuth small{color:#667085}
.sleuth .curves{display:grid;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr));gap:1rem}
.sleuth figure{margin:0}.sleuth figcaption{font-size:12.5px;color:#475467}
.sleuth svg{width:100%;height:8rem;background:#f7f8fa;border-radius:4px}
.sleuth path{fill:none;stroke:#2f6fb5;stroke-width:1.4;vector-effect:non-scaling-stroke}
.sleuth table{border-collapse:collapse;font-size:12.5px;margin-top:1rem}
.sleuth caption{text-align:left;padding-bottom:.3em}
.sleuth td,.sleuth th{padding:.15em .9em .15em 0;text-align:left}
.sleuth td{font-variant-numeric:tabular-nums}.sleuth th{color:#667085;font-weight:500}
@media (prefers-color-scheme:dark){body{background:#14181f}.sleuth{color:#e4e7ec}
.sleuth svg{background:#1d232d}.sleuth .verdict{background:#1d3324}
.sleuth .cause-found,.sleuth .crashed{background:#3d211d}.sleuth .inconclusive{background:#39321a}
.sleuth figcaption{color:#aab4c3}}
"""
MOST_POINTS = 600
MOST_METRICS = 12
COUNTERS = frozenset("epoch step iter iteration batch it global_step".split())  # no curve worth a look
SIGNS = (
    ("loss", "Loss handed to backward"),
    ("grad_norm", "Gradient norm, before clipping"),
    ("lr", "Learning rate"),
    ("ratio", "Update ÷ weight"),
    ("total_s", "Seconds a step"),
    ("rss", "Memory (MB)"),
)
WORTH_A_LOG = 50.0  # largest over smallest, above which a logarithmic axis shows more


def document(report: Report, record: Record) -> str:
    """A page that stands alone."""
    head = "<!doctype html><html lang='en'><meta charset='utf-8'><title>sleuth watch</title>"
    return f"{head}<body style='margin:2rem'>{fragment(report, record)}</body></html>"


def fragment(report: Report, record: Record) -> str:
    return "".join(["<div class='sleuth'><style>", _STYLE, "</style>", *_parts(report, record), "</div>"])


def _parts(report: Report, record: Record) -> Iterator[str]:
    verdict = report.verdict
    script = escape(" ".join([record.run.script, *record.run.arguments]))
    yield f"<div class='verdict {verdict.status}'><b>{verdict.status.replace('-', ' ')}</b>"
    yield f" · <code>{script}</code><br>{escape(verdict.summary)}</div>"
    yield from (_finding(finding) for finding in report.findings)
    yield "<div class='curves'>" + "".join(curves(record)) + "</div>"
    yield _layers(record)


def _finding(finding: Finding) -> str:
    place = f"<p><small>{escape(str(finding.where))}</small></p>" if finding.where else ""
    fix = f"<p>Fix: {escape(finding.fix)}</p>" if finding.fix else ""
    return (
        f"<div class='finding {finding.severity}'><p><b>{finding.cause}</b> <small>{finding.severity}, "
        f"{finding.credence:.0%} sure</small></p><p>{escape(finding.message)}</p>{place}{fix}</div>"
    )


def curves(record: Record) -> Iterator[str]:
    for key, title in SIGNS:
        yield curve(title, _sign(record, key))
    yield curve(
        "Loss of evaluation passes", [(e.n, e.loss) for e in record.of(Evaluation) if e.loss is not None]
    )
    yield from _metrics(record)


def _metrics(record: Record) -> Iterator[str]:
    """What the script itself printed or logged."""
    found: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for metric in record.of(Metric):
        if not COUNTERS.intersection(metric.name.lower().split()):
            found.setdefault((metric.source, metric.name), []).append((metric.n, metric.value))
    told = {key: points for key, points in found.items() if len({value for _, value in points}) > 2}
    for (source, name), points in [*told.items()][:MOST_METRICS]:
        yield curve(f"{'Printed' if source == 'stdout' else source.capitalize()}: {name}", points)


def _sign(record: Record, key: str) -> list[tuple[int, float]]:
    if key == "ratio":
        return [
            (step.n, step.update_norm / step.weight_norm)
            for step in record.steps
            if step.update_norm is not None and step.weight_norm
        ]
    steps = record.steps[1:] if key == "total_s" else record.steps  # the first holds all that came before
    scale = 1e-6 if key == "rss" else 1.0
    return [(step.n, value * scale) for step in steps if (value := getattr(step, key)) is not None]


def curve(title: str, points: Sequence[tuple[int, float]]) -> str:
    """A line over the steps; its axis is logarithmic where values span orders of magnitude."""
    finite = [(at, value) for at, value in points if math.isfinite(value)]
    if len(finite) < 2:
        return ""
    kept = finite[:: max(1, len(finite) // MOST_POINTS)]
    values = [value for _, value in kept]
    low, high = min(values), max(values)
    logarithmic = low > 0 and high / low > WORTH_A_LOG
    lost = len(points) - len(finite)
    note = (", log" if logarithmic else "") + (f"; {lost} not finite" if lost else "")
    about = f"{low:.4g} to {high:.4g}{note}; steps {kept[0][0]} to {kept[-1][0]}"
    return (
        "<figure><svg viewBox='0 0 300 100' preserveAspectRatio='none'><path "
        f"d='M{_path(kept, logarithmic)}'/></svg><figcaption>{escape(title)}: {values[0]:.4g} → "
        f"{values[-1]:.4g}<br><small>{about}</small></figcaption></figure>"
    )


def _path(points: Sequence[tuple[int, float]], logarithmic: bool) -> str:
    scaled = [math.log10(value) if logarithmic else value for _, value in points]
    low, span = min(scaled), (max(scaled) - min(scaled)) or 1.0
    first, width = points[0][0], (points[-1][0] - points[0][0]) or 1
    return "L".join(
        f"{(at - first) / width * 300:.1f} {95 - (value - low) / span * 90:.1f}"
        for (at, _), value in zip(points, scaled, strict=True)
    )


def _layers(record: Record) -> str:
    """The last sampled step, parameter by parameter."""
    sampled = [item for item in record.of(Layers) if item.weights]
    if not sampled:
        return ""
    last = sampled[-1]
    rows = "".join(_row(name, last) for name in [*last.weights][:60])
    head = "<tr><th>parameter</th><th>gradient</th><th>weight</th><th>update ÷ weight</th></tr>"
    return f"<table><caption>Step {last.n}</caption>{head}{rows}</table>"


def _row(name: str, layers: Layers) -> str:
    gradient, weight = layers.gradients.get(name), layers.weights[name]
    update = layers.updates.get(name)
    cells: Iterable[str] = (
        escape(name),
        "none" if gradient is None else f"{gradient:.3g}",
        f"{weight:.3g}",
        f"{update / weight:.1e}" if update is not None and weight else "",
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
