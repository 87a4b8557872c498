"""A diagnosis on a terminal: what it is, where, how sure, what to do; then the evidence."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.report import Report, Tried
from sleuth.show import diagnosis_words as words
from sleuth.show import finding_text
from sleuth.show.colour import Paint
from sleuth.show.wrapping import page_width, wrapped

if TYPE_CHECKING:
    from sleuth.diagnosis.mending import Mended

BARS = "▁▂▃▄▅▆▇█"
CURVE = 40  # columns
HYPOTHESES = 6
_COLOURS = {"cause-found": "red", "nothing-found": "green", "inconclusive": "yellow", "crashed": "red"}


def brief(report: Report) -> str:
    """One line a serious finding, or the verdict."""
    return (
        "\n".join(map(finding_text.line, report.serious))
        or f"{report.verdict.status}: {report.verdict.summary}"
    )


def page(report: Report, script: str, colour: bool = False, width: int | None = None) -> str:
    """The page, as text with or without colour, as wide as the terminal."""
    columns, paint = page_width(width), Paint(colour)
    blocks = [_head(report, script, paint, columns)]
    blocks += [finding_text.block(finding, paint, columns) for finding in report.serious[:3]]
    blocks += [_evidence(report, script, paint, columns), _board(report, paint, columns)]
    return "\n\n".join("\n".join(block) for lines in blocks if (block := list(lines)))


def _head(report: Report, script: str, paint: Paint, width: int) -> Iterator[str]:
    status = report.verdict.status
    yield f"{paint(words.TITLES[status], fg=_COLOURS[status], bold=True)}  {script}"
    if status != "cause-found":
        yield from wrapped(report.verdict.summary, width, 2)


def _evidence(report: Report, script: str, paint: Paint, width: int) -> Iterator[str]:
    told = [words.watched(report, script), *words.bisected(report), *words.notes(report)]
    for sentence in filter(None, told):
        yield from (paint(line, dim=True) for line in wrapped(sentence, width, 0))
    for experiment in report.experiments:
        yield from _experiment(report, experiment, paint, width)
    if spent := words.spent(report):
        yield from (paint(line, fg="yellow") for line in wrapped(spent, width, 0))


def _experiment(report: Report, experiment: Tried, paint: Paint, width: int) -> Iterator[str]:
    """The answer and what was seen. Green is what confirmed a cause, and nothing else."""
    name, answer = experiment.name, {"yes": "yes", "no": "no ", "none": "–  "}[experiment.answer]
    first, *rest = wrapped(f"{name}: {experiment.seen}", width - 7, 0)
    mark = paint(answer, fg="green" if words.confirms(report, name) else None, dim=answer == "–  " or None)
    yield f"  {mark}  {first.replace(name, paint(name, bold=True), 1)}"
    yield from (f"       {line}" for line in rest)
    if explained := words.of_no_weight(report, experiment):
        yield from (paint(line, dim=True) for line in wrapped(explained, width, 7))
    if experiment.answer == "yes" and experiment.curve:
        yield f"       as it is  {_spark(experiment.base_curve, experiment)}"
        yield f"       changed   {_spark(experiment.curve, experiment)}"


def _spark(values: Sequence[float | None], experiment: Tried) -> str:
    """Both curves on one scale."""
    known = [v for curve in (experiment.base_curve, experiment.curve) for v in curve if v is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    stride = max(1, len(values) / CURVE)
    picked = [values[min(len(values) - 1, int(i * stride))] for i in range(min(CURVE, len(values)))]
    top = len(BARS) - 1
    return "".join(
        "×" if v is None else BARS[round((v - low) / (high - low) * top) if high > low else 0] for v in picked
    )


def _board(report: Report, paint: Paint, width: int) -> Iterator[str]:
    """Hypotheses by falling credence, each with the one line that would refute it."""
    if report.hypotheses:
        yield paint("Hypotheses", bold=True)
    for entry in words.ranked(report)[:HYPOTHESES]:
        out = words.ruled_out(entry)
        told = f"{entry.hypothesis}{', ' + out if out else ''}"
        yield from (
            paint(line, dim=bool(out) or None)
            for line in wrapped(told, width, 1, f"{words.percent(entry.credence):>6}  ")
        )
        if entry.refuted_by and not out:
            line = f"refuted by {entry.refuted_by}"
            yield paint(" " * 9 + textwrap.shorten(line, width - 9, placeholder=" …"), dim=True)


def mended(tried: "Mended") -> str:
    """The diff, and both runs side by side; or why there is none."""
    if tried.reason:
        return f"No fix was applied. {tried.reason}"
    told = {True: "clearly better", False: "not clearly better", None: "not comparable"}[tried.better]
    return (
        f"{tried.diff}\nbefore  {tried.before}\nafter   {tried.after}  ({told})\n"
        f"written to {', '.join(tried.written)}"
    )
