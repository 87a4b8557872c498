"""An analysis of sweeps as a page that stands alone: verdicts first, then pictures, then the fine print."""

import math
from collections.abc import Iterator

from sleuth.markup import escape
from sleuth.show.document import document
from sleuth.show.sweep import number, paragraph
from sleuth.show.sweep_pictures import dose_response, effects, paired_lines
from sleuth.sweeping.result import Analysis, Group, SweepFinding, Value
from sleuth.sweeping.verdicts import in_words, listed

MOST_GROUPS = 40  # on one page


def page(analysis: Analysis) -> str:
    return document(f"sleuth sweep: {analysis.param} → {analysis.metric}", body(analysis))


def body(analysis: Analysis) -> str:
    """All that the page says, to stand in any page."""
    return "".join(_body(analysis, f"{analysis.param} → {analysis.metric}"))


def _body(analysis: Analysis, title: str) -> Iterator[str]:
    better = "lower" if analysis.lower_is_better else "higher"
    yield (
        f"<h1>{escape(title)}</h1><p class='quiet'>{escape(analysis.source)} · {analysis.runs} runs · "
        f"{better} is better</p>"
    )
    yield f"<div class='verdict'><p>{escape(paragraph(analysis))}</p></div>"
    yield from (_finding(finding) for finding in analysis.findings)
    for group in analysis.groups[:MOST_GROUPS]:
        yield from _group(group, analysis.metric)
    if len(analysis.groups) > MOST_GROUPS:
        yield f"<p>… and {len(analysis.groups) - MOST_GROUPS} more groups; the JSON holds them all.</p>"


def _finding(finding: SweepFinding) -> str:
    group = "" if finding.group is None else f" <small>{escape(str(finding.group))}</small>"
    runs = f"<p><small>runs: {escape(listed(finding.runs, 12))}</small></p>" if finding.runs else ""
    fix = f"<p><b>Fix.</b> {escape(finding.fix)}</p>" if finding.fix else ""
    title = f"<h3>{escape(finding.kind)}{group}</h3><p>{escape(finding.message)}</p>"
    return f"<div class='card {finding.severity}'>{title}{runs}{fix}</div>"


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
        f"<figure class='panel'>{svg}<figcaption>{escape(words)}</figcaption></figure>"
        for svg, words in pictures
        if svg
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
    rows = "".join(map(_row, group.values))
    return f"<div class='scroll'><table class='numbers'><tr>{head}</tr>{rows}</table></div>"


def _row(value: Value) -> str:
    interval = "" if value.interval is None else f"{value.interval[0]:+.3g} … {value.interval[1]:+.3g}"
    cells = [
        str(value.value), str(value.n_seeds), str(value.failed or ""), number(value.mean), number(value.q10),
        number(value.q90), number(value.effect, "+.3g"), interval, number(value.p, ".2g"),
    ]  # fmt: skip
    word = in_words(value.verdict, value.add_seeds)
    shown = f"<td class='word {value.verdict}'>{escape(word)}</td>"
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
        "of sweeps this size in which nothing differs."
    )
