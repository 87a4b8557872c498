"""An analysis of sweeps for the terminal, and as a paragraph for the journal."""

import math
from collections.abc import Iterator, Sequence

import click

from sleuth.sweeping.result import Analysis, Group, SweepFinding, Value
from sleuth.sweeping.verdicts import in_words, listed

COLOURS = {
    "reliable-better": "green",
    "reliable-worse": "red",
    "suggestive": "yellow",
    "no-evidence": None,
    "undefined": None,
}
MOST_GROUPS = 30  # in the text; the JSON holds all
MOST_SEEDS = 40  # columns of the map of cells
SIGNS = {"error": "✗", "warning": "!", "note": "·"}


def text(analysis: Analysis) -> str:
    """Every group as a table, then what was found, then the paragraph."""
    parts = [_group(analysis, group) for group in analysis.groups[:MOST_GROUPS]]
    if len(analysis.groups) > MOST_GROUPS:
        parts.append(f"... and {len(analysis.groups) - MOST_GROUPS} more groups (--json has them all).")
    if analysis.findings:
        parts.append("\n".join(_findings(analysis.findings)))
    parts.append(click.style("For the journal", bold=True) + "\n" + paragraph(analysis))
    return "\n\n".join(parts)


def brief(analysis: Analysis) -> str:
    """One line a value: group, value, verdict."""
    lines = [
        f"{group.group}\t{value.value}\t{in_words(value.verdict, value.add_seeds)}"
        for group in analysis.groups
        for value in group.values
    ]
    return "\n".join(lines)


def _group(analysis: Analysis, group: Group) -> str:
    best = "lower" if analysis.lower_is_better else "higher"
    size = f"{_count(len(group.values), 'value')} × {_count(len(group.seeds), 'seed')}"
    head = click.style(f"{group.param} → {analysis.metric}", bold=True)
    lines = [f"{head} ({best} is better) · group {group.group} · {size}", *_table(group)]
    lines += [_trend(group), *_folklore(group)]
    if group.missing or group.failed:
        lines += _map(group)
    lines += [f"  {click.style('!', fg='yellow')} {warning}" for warning in group.warnings]
    return "\n".join(line for line in lines if line)


def _table(group: Group) -> Iterator[str]:
    heads = [
        group.param,
        "seeds",
        "mean",
        "q10",
        "q90",
        "effect",
        "95% interval",
        "p",
        "verdict",
        "folklore t",
    ]
    rows = [_row(value) for value in group.values]
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    yield "  " + click.style(_line(heads, widths), dim=True)
    for value, row in zip(group.values, rows, strict=True):
        colour = COLOURS[value.verdict]
        cells = _line(row, widths)
        word = row[8].ljust(widths[8])
        yield "  " + (cells.replace(word, click.style(word, fg=colour), 1) if colour else cells)


def _row(value: Value) -> list[str]:
    interval = "" if value.interval is None else f"{value.interval[0]:+.3g} .. {value.interval[1]:+.3g}"
    return [
        str(value.value), str(value.n_seeds), number(value.mean), number(value.q10), number(value.q90),
        number(value.effect, "+.3g"), interval, number(value.p, ".2g"),
        in_words(value.verdict, value.add_seeds), number(value.t_folklore, "+.1f"),
    ]  # fmt: skip


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Names and words to the left, numbers to the right."""
    left = {0, 8}
    return "  ".join(
        cell.ljust(width) if place in left else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()


def _trend(group: Group) -> str:
    trend = group.trend
    if math.isnan(trend.slope) or len(group.values) < 2:
        return ""
    unit = "tenfold" if trend.scale == "log10" else "unit"
    verdict = in_words(trend.verdict, trend.add_seeds)
    p = "" if math.isnan(trend.p) else f", p = {trend.p:.2g}"
    return (
        f"  trend: {trend.slope:+.3g} per {unit} of {group.param}{p}: {verdict} (r = {number(trend.r)} on "
        "z-scores)"
    )


def _folklore(group: Group) -> Iterator[str]:
    rate = group.folklore_false_alarms
    if not math.isnan(rate):
        yield (
            f"  judged by: {group.method}. The folklore rule |t| > 2 on z-scores flags something in "
            f"{rate:.0%} of sweeps this size in which nothing differs."
        )


def _map(group: Group) -> Iterator[str]:
    """Which cells have a result (●), failed (✗), or are missing (·)."""
    seeds = group.seeds[:MOST_SEEDS]
    missing, failed = set(group.missing), set(group.failed)
    width = max(len(str(value.value)) for value in group.values)
    for value in group.values:
        marks = []
        for seed in seeds:
            pair = (value.value, seed)
            done = pair in group.cells
            marks.append("●" if done else "✗" if pair in failed else "·" if pair in missing else " ")
        yield f"  {str(value.value).ljust(width)}  {' '.join(marks)}"
    yield click.style("  ● result  ✗ failed  · missing, by seed", dim=True)


def _findings(findings: Sequence[SweepFinding]) -> Iterator[str]:
    yield click.style("Found", bold=True)
    several = len({finding.group for finding in findings}) > 1
    for finding in findings:
        where = f"[{finding.group}] " if several and finding.group is not None else ""
        yield f"  {SIGNS[finding.severity]} {where}{finding.message}"
        if finding.runs and finding.severity == "warning":
            yield click.style(f"    runs: {listed(finding.runs, 6)}", dim=True)
        if finding.fix:
            yield f"    fix: {finding.fix}"


def paragraph(analysis: Analysis) -> str:
    """What to write down: question, size, verdicts, doubts."""
    return " ".join(_sentences(analysis, group) for group in analysis.groups[:5])


def _sentences(analysis: Analysis, group: Group) -> str:
    named = "" if group.group == "all" else f" ({group.group})"
    size = f"{_count(len(group.values), 'value')}, {_count(len(group.seeds), 'seed')} each"
    parts = [f"Swept {group.param} for {analysis.metric}{named}: {size}."]
    reliable = [value for value in group.values if value.verdict.startswith("reliable")]
    for value in reliable:
        low, high = value.interval or (math.nan, math.nan)
        word = value.verdict.removeprefix("reliable-")
        parts.append(
            f"{group.param} = {value.value} is reliably {word} ({value.effect:+.3g}, 95% interval "
            f"{low:+.3g} to {high:+.3g}, corrected p = {value.p:.2g})."
        )
    if not reliable:
        parts.append(_nothing(group))
    if group.failed:
        parts.append(f"{_count(sum(value.failed for value in group.values), 'run')} failed.")
    if group.also_varies:
        parts.append(f"Beware: {', '.join(group.also_varies)} varied as well.")
    return " ".join(parts)


def _nothing(group: Group) -> str:
    hints = [value for value in group.values if value.verdict == "suggestive"]
    if hints:
        return (
            f"Suggestive only: {', '.join(f'{v.value} ({in_words(v.verdict, v.add_seeds)})' for v in hints)}."
        )
    if all(value.verdict == "undefined" for value in group.values):
        return "Nothing can be said: too few seeds or values."
    return "No evidence of a difference (which does not show that there is none)."


def number(value: float, form: str = ".4g") -> str:
    if math.isnan(value):
        return "–"
    return "∞" if value == math.inf else "-∞" if value == -math.inf else format(value, form)


def _count(many: int, thing: str) -> str:
    return f"{many} {thing}" + ("" if many == 1 else "s")
