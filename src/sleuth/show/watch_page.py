"""A watched run as a page: verdict, findings, and the curves behind them; nothing is loaded from outside."""

import math
from collections.abc import Iterable, Iterator, Sequence

from sleuth.markup import escape
from sleuth.record.entries import Evaluation, Layers, Metric, Record
from sleuth.report import Report
from sleuth.show import document as page
from sleuth.show.charts import Chart, figure, thinned
from sleuth.show.diagnosis_words import TITLES
from sleuth.show.finding_html import card
from sleuth.show.watch_text import PAGE

__all__ = ["PAGE", "curve", "document", "fragment"]

PLACES = 320  # of a curve; a place is about a pixel
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


def document(report: Report, record: Record) -> str:
    """A page that stands alone."""
    return page.document("sleuth watch", "".join(_parts(report, record)))


def fragment(report: Report, record: Record) -> str:
    """For a notebook."""
    return page.fragment("".join(_parts(report, record)))


def _parts(report: Report, record: Record) -> Iterator[str]:
    verdict = report.verdict
    script = escape(" ".join([record.run.script, *record.run.arguments]))
    yield f"<div class='verdict {verdict.status}'><h1>{TITLES[verdict.status]}</h1>"
    yield f"<p class='mono'>{script}</p><p>{escape(verdict.summary)}</p></div>"
    yield from map(card, report.findings)
    yield "<h2>Curves</h2><div class='charts'>" + "".join(curves(record)) + "</div>"
    yield _layers(record)


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
    """A line over the steps; where many values share a place, from the lowest to the highest of them."""
    if sum(math.isfinite(value) for _, value in points) < 2:
        return ""
    return figure(Chart(title, {title: thinned(points, PLACES)}))


def _layers(record: Record) -> str:
    """The last sampled step, parameter by parameter."""
    sampled = [item for item in record.of(Layers) if item.weights]
    if not sampled:
        return ""
    last = sampled[-1]
    rows = "".join(_row(name, last) for name in [*last.weights][:60])
    head = "<tr><th>parameter</th><th>gradient</th><th>weight</th><th>update ÷ weight</th></tr>"
    return f"<h2>Layer by layer, at step {last.n}</h2><div class='scroll'><table>{head}{rows}</table></div>"


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
