"""One finding on a terminal, for every verb: what, how sure, where, why, what to do."""

from collections.abc import Iterator

from sleuth.finding import Finding, Severity, Where
from sleuth.show.colour import Paint
from sleuth.show.wrapping import wrapped
from sleuth.terminal import one_line

MARKS: dict[Severity, str] = {"error": "✗", "warning": "!", "note": "·"}
COLOURS: dict[Severity, str] = {"error": "red", "warning": "yellow", "note": "cyan"}
SURE = ((0.9, "almost certain"), (0.7, "likely"), (0.4, "suspected"), (0.0, "possible"))


def block(finding: Finding, paint: Paint, width: int) -> Iterator[str]:
    """Its lines."""
    head = f"{MARKS[finding.severity]} {finding.cause}"
    yield f"{paint(head, fg=COLOURS[finding.severity], bold=True)}  {sure(finding)}"
    if finding.where is not None and (spot := place(finding.where)):
        yield f"  {paint(spot, bold=True)}"
    yield from wrapped(finding.message, width, 2)
    if finding.confirmed_by:
        told = wrapped(", ".join(finding.confirmed_by), width, 2, "confirmed by ")
        yield from _led(told, "confirmed by", paint("confirmed by", fg="green"))
    if finding.fix:
        yield from _led(wrapped(finding.fix, width, 2, "fix  "), "fix", paint("fix", bold=True))
    yield f"  {paint(f'sleuth explain {finding.cause}', dim=True)}"


def line(finding: Finding) -> str:
    """The same in one line."""
    spot = f"{place(finding.where)}: " if finding.where is not None and finding.where.line else ""
    return f"{spot}{finding.severity} {finding.cause} ({finding.credence:.0%}): {finding.message}"


def sure(finding: Finding) -> str:
    """`almost certain (93%)`; a note accuses nobody."""
    if finding.severity == "note":
        return "worth knowing"
    word = next(word for least, word in SURE if finding.credence >= least)
    return f"{word} ({finding.credence:.0%})"


def place(where: Where) -> str:
    """`train.py:5, module net.2`."""
    cell = None if where.cell is None else f"cell {where.cell}"
    spot = ":".join(str(part) for part in (where.path, cell, where.line) if part is not None)
    module = f"module {where.module}" if where.module else ""
    return one_line(", ".join(part for part in (spot, module) if part))


def _led(lines: list[str], head: str, painted: str) -> list[str]:
    """The same lines with the head in its colour."""
    return [lines[0].replace(head, painted, 1), *lines[1:]]
