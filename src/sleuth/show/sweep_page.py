"""An analysis of sweeps as a page that stands alone: verdicts first, then pictures, then the fine print."""

import math
from collections.abc import Iterator
from html import escape

from sleuth.show.sweep import number, paragraph
from sleuth.show.sweep_pictures import COLOURS, dose_response, effects, paired_lines
from sleuth.sweeping.result import Analysis, Group, SweepFinding, Value
from sleuth.sweeping.verdicts import in_words, listed

MOST_GROUPS = 40  # on one page

STYLE = """
body{margin:2rem;background:#fff}
.sleuth{font:14px/1.45 system-ui,sans-serif;max-width:66rem;color:#1c2430;margin:auto}
.sleuth h1{font-size:1.35em;margin:0 0 .2em}.sleuth h2{font-size:1.1em;margin:1.8em 0 .4em}
.sleuth table{border-collapse:collapse;font-size:12.5px;margin:.5em 0}
.sleuth td,.sleuth th{padding:.2em .8em .2em 0;text-align:right;white-space:nowrap}
.sleuth td:first-child,.sleuth th:first-child,.sleuth .word{text-align:left}
.sleuth td{font-variant-numeric:tabular-nums;border-top:1px solid #eef0f3}
.sleuth th{color:#667085;font-weight:500}
.sleuth .journal{padding:.6em .9em;border-radius:6px;background:#f3f6fa}
.sleuth .finding{border-left:4px solid #b0b8c4;padding:.1em .8em;margin:.5em 0}
.sleuth .error{border-color:#c6382c}.sleuth .warning{border-color:#d49213}
.sleuth .finding p{margin:.15em 0}.sleuth small,.sleuth .quiet{color:#667085}
.sleuth ul{margin:.4em 0;padding-left:1.2em}
.sleuth .pictures{display:flex;flex-wrap:wrap;gap:6px 18px;align-items:flex-start}
.sleuth figure{margin:0}.sleuth figcaption{font-size:12px;color:#667085}
.sleuth svg{font:11px system-ui,sans-serif}.sleuth svg text{fill:#475067}
.sleuth svg .name{fill:#1c2430;font-weight:500}.sleuth svg .grid{stroke:#e8ebf0}
.sleuth svg .zero{stroke:#1c2430;stroke-dasharray:3 3}.sleuth svg .mark{fill:#c6382c}
@media (prefers-color-scheme:dark){body{background:#14181f}.sleuth{color:#e4e7ec}
.sleuth .journal{background:#1f2733}
.sleuth td{border-color:#2a323f}.sleuth svg text{fill:#aab3c2}.sleuth svg .name{fill:#e4e7ec}
.sleuth svg .grid{stroke:#2a323f}.sleuth svg .zero{stroke:#e4e7ec}}
"""


def page(analysis: Analysis) -> str:
    title = f"{analysis.param} → {analysis.metric}"
    head = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>sleuth sweep: {escape(title)}</title>"
    )
    return f"{head}<style>{STYLE}</style><body><div class='sleuth'>{body(analysis)}</div></body></html>\n"


def body(analysis: Analysis) -> str:
    """All that the page says, to stand in any page."""
    return "".join(_body(analysis, f"{analysis.param} → {analysis.metric}"))


def _body(analysis: Analysis, title: str) -> Iterator[str]:
    better = "lower" if analysis.lower_is_better else "higher"
    yield (
        f"<h1>{escape(title)}</h1><p class='quiet'>{escape(analysis.source)} · {analysis.runs} runs · "
        f"{better} is better</p>"
    )
    yield f"<p class='journal'>{escape(paragraph(analysis))}</p>"
    yield from (_finding(finding) for finding in analysis.findings)
    for group in analysis.groups[:MOST_GROUPS]:
        yield from _group(group, analysis.metric)
    if len(analysis.groups) > MOST_GROUPS:
        yield f"<p>… and {len(analysis.groups) - MOST_GROUPS} more groups; the JSON holds them all.</p>"


def _finding(finding: SweepFinding) -> str:
    group = "" if finding.group is None else f" <small>{escape(str(finding.group))}</small>"
    runs = f"<p><small>runs: {escape(listed(finding.runs, 12))}</small></p>" if finding.runs else ""
    fix = f"<p><b>fix:</b> {escape(finding.fix)}</p>" if finding.fix else ""
    title = f"<p><b>{escape(finding.kind)}</b>{group}</p><p>{escape(finding.message)}</p>"
    return f"<div class='finding {finding.severity}'>{title}{runs}{fix}</div>"


def _group(group: Group, metric: str) -> Iterator[str]:
    yield f"<h2>{escape(str(group.group))}: {len(group.values)} values × {len(group.seeds)} seeds</h2>"
    yield _table(group)
    yield f"<p>{_trend(group)}</p>"
    pictures = [
        (paired_lines(group, metric), "one line a seed; black: the mean; ✗: failed"),
        (effects(group), "a value against the mean of the others; colour: the verdict"),
        (dose_response(group, metric), "mean and 10–90% band; dashed: the tested line"),
    ]
    figures = "".join(
        f"<figure>{svg}<figcaption>{escape(words)}</figcaption></figure>" for svg, words in pictures if svg
    )
    yield f"<div class='pictures'>{figures}</div>"
    yield f"<p class='quiet'>Judged by: {escape(group.method)}. {_folklore(group)}</p>"
    if group.warnings:
        yield "<ul>" + "".join(f"<li>{escape(warning)}</li>" for warning in group.warnings) + "</ul>"


def _table(group: Group) -> str:
    heads = [
        group.param,
        "seeds",
        "failed",
        "mean",
        "q10",
        "q90",
        "effect",
        "95% interval",
        "p",
        "verdict",
        "folklore t",
    ]
    head = "".join(f"<th{' class=word' if name == 'verdict' else ''}>{escape(name)}</th>" for name in heads)
    return f"<table><tr>{head}</tr>{''.join(map(_row, group.values))}</table>"


def _row(value: Value) -> str:
    interval = "" if value.interval is None else f"{value.interval[0]:+.3g} … {value.interval[1]:+.3g}"
    cells = [
        str(value.value), str(value.n_seeds), str(value.failed or ""), number(value.mean), number(value.q10),
        number(value.q90), number(value.effect, "+.3g"), interval, number(value.p, ".2g"),
    ]  # fmt: skip
    word = in_words(value.verdict, value.add_seeds)
    shown = f"<td class='word' style='color:{COLOURS[value.verdict]};font-weight:600'>{escape(word)}</td>"
    plain = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f"<tr>{plain}{shown}<td>{number(value.t_folklore, '+.1f')}</td></tr>"


def _trend(group: Group) -> str:
    trend = group.trend
    if math.isnan(trend.slope):
        return "Trend: none (the values are no numbers, or there is one)."
    unit = "tenfold" if trend.scale == "log10" else "unit"
    p = "" if math.isnan(trend.p) else f", p = {trend.p:.2g}"
    word = in_words(trend.verdict, trend.add_seeds)
    return f"Trend: {trend.slope:+.3g} per {unit} of {escape(group.param)}{p}: <b>{word}</b>."


def _folklore(group: Group) -> str:
    if math.isnan(group.folklore_false_alarms):
        return ""
    return (
        f"The folklore rule |t| &gt; 2 on z-scores flags something in {group.folklore_false_alarms:.0%} "
        "of sweeps "
        "this size in which nothing differs."
    )
