"""A diagnosis on a terminal: what it is, where, how sure, what to do; then the evidence."""

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from sleuth.finding import Finding, Report

if TYPE_CHECKING:
    from sleuth.diagnosis.mending import Mended

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 40  # of a curve


def brief(report: Report) -> str:
    """One line a serious finding, or the verdict."""
    serious = [finding for finding in report.findings if finding.severity != "note"]
    lines = [f"{_place(f)}{f.severity} {f.cause} ({f.credence:.0%})" for f in serious]
    return "\n".join(lines) or f"{report.verdict.status}: {report.verdict.summary}"


def page(report: Report, script: str, colour: bool = False) -> str:
    """The page, as text with or without colour."""
    from rich.console import Console

    out = StringIO()
    console = Console(file=out, force_terminal=colour, width=100, highlight=False, no_color=not colour)
    _head(console, report, script)
    for finding in [f for f in report.findings if f.severity != "note"][:3]:
        _finding(console, finding)
    _evidence(console, report)
    _board(console, report)
    return out.getvalue().rstrip("\n")


def _head(console: Any, report: Report, script: str) -> None:
    colours = {"cause-found": "red", "nothing-found": "green", "inconclusive": "yellow", "crashed": "red"}
    titles = {
        "cause-found": "Cause found",
        "nothing-found": "Nothing wrong found",
        "inconclusive": "No cause found",
        "crashed": "The script crashed",
    }
    status = report.verdict.status
    console.print(f"[bold {colours[status]}]{titles[status]}[/]  {_safe(script)}")
    if status != "cause-found":
        console.print(f"  {_safe(report.verdict.summary)}")
    console.print()


def _finding(console: Any, finding: Finding) -> None:
    colour = {"error": "red", "warning": "yellow"}[finding.severity]
    console.print(f"[bold {colour}]{finding.cause}[/]  {_words(finding.credence)} ({finding.credence:.0%})")
    if finding.where is not None:
        console.print(f"  [bold]{_safe(str(finding.where))}[/]")
    console.print(f"  {_safe(finding.message)}")
    if finding.confirmed_by:
        console.print(f"  [green]confirmed by[/] {', '.join(finding.confirmed_by)}")
    if finding.fix:
        console.print(f"  [bold]fix[/]  {_safe(finding.fix)}")
    console.print(f"  [dim]sleuth explain {finding.cause}[/]")
    console.print()


def _words(credence: float) -> str:
    for least, word in ((0.9, "almost certain"), (0.7, "likely"), (0.4, "suspected")):
        if credence >= least:
            return word
    return "possible"


def _evidence(console: Any, report: Report) -> None:
    run = next((seen for seen in report.observations if seen["name"] == "run"), None)
    if run is not None:
        cut = f", cut short at {len(run['shortened'])} loops" if run["shortened"] else ""
        console.print(f"[dim]Watched {run['steps']} steps in {run['seconds']:.1f} s{cut}.[/]")
    for experiment in report.experiments:
        mark = {"yes": "[green]yes[/]", "no": "no ", "none": "[dim]–  [/]"}[experiment["answer"]]
        console.print(f"  {mark}  [bold]{_safe(experiment['name'])}[/]: {_safe(experiment['seen'])}")
        if experiment["answer"] == "yes" and experiment["curve"]:
            console.print(f"       as it is  {_spark(experiment['base_curve'], experiment)}")
            console.print(f"       changed   {_spark(experiment['curve'], experiment)}")


def _spark(values: Sequence[float | None], experiment: Mapping[str, Any]) -> str:
    """Both curves on one scale."""
    known = [v for name in ("base_curve", "curve") for v in experiment[name] if v is not None]
    low, high = min(known), max(known)
    stride = max(1, len(values) / WIDTH)
    picked = [values[min(len(values) - 1, int(i * stride))] for i in range(min(WIDTH, len(values)))]
    top = len(BARS) - 1
    return "".join(
        "×" if v is None else BARS[round((v - low) / (high - low) * top) if high > low else 0] for v in picked
    )


def _board(console: Any, report: Report) -> None:
    if report.hypotheses:
        console.print("[dim]Hypotheses:[/]")
    for entry in report.hypotheses[:6]:
        closed = " (ruled out)" if entry["closed"] else ""
        console.print(f"  [dim]{entry['credence']:>6.1%}  {entry['hypothesis']}{closed}[/]")


def mended(tried: "Mended") -> str:
    """The diff, and both runs side by side."""
    words = {True: "clearly better", False: "not clearly better", None: "not comparable"}[tried.better]
    return (
        f"{tried.diff}\nbefore  {tried.before}\nafter   {tried.after}  ({words})\n"
        f"written to {', '.join(tried.written)}"
    )


def _place(finding: Finding) -> str:
    return f"{finding.where}: " if finding.where is not None and finding.where.line else ""


def _safe(text: str) -> str:
    from rich.markup import escape

    return escape(text)
