"""Lint findings for people (with the line and a caret) and for programs (JSON)."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from sleuth.finding import Finding, Severity
from sleuth.lint import LINT_SCHEMA, LintResult
from sleuth.show.colour import Paint

if TYPE_CHECKING:
    from sleuth.lint.audit import Audit

COLOURS: dict[Severity, str] = {"error": "red", "warning": "yellow", "note": "cyan"}


def full(result: LintResult, colour: bool = False) -> str:
    """Every finding with the line it is about, and a closing count."""
    paint = Paint(colour)
    blocks = [_block(finding, result, paint) for finding in result.findings]
    return "\n\n".join([*blocks, _closing(result)])


def brief(result: LintResult, colour: bool = False) -> str:
    """One line a finding, nothing else."""
    paint = Paint(colour)
    return "\n".join(_headline(finding, paint) for finding in result.findings)


def as_json(result: LintResult) -> dict[str, Any]:
    return {
        "schema": LINT_SCHEMA,
        "findings": [_row(finding) for finding in result.findings],
        "unreadable": [
            {"path": trouble.path, "line": trouble.line, "message": trouble.reason, "partly": trouble.partly}
            for trouble in result.troubles
        ],
        "files": result.files,
    }


def audit(found: "Audit", colour: bool = False) -> str:
    """Places to look at, question by question."""
    paint = Paint(colour)
    blocks = [
        "\n".join(
            [f"{paint(question.title, bold=True)}: {question.why}"]
            + [f"  {place.where}  {paint(place.text, dim=True)}" for place in places]
        )
        for question, places in found.items()
    ]
    return "\n\n".join(blocks) or "Nothing to look at."


def audit_json(found: "Audit") -> dict[str, Any]:
    groups = [
        {
            "question": question.title,
            "why": question.why,
            "places": [place.where.to_dict() | {"text": place.text} for place in places],
        }
        for question, places in found.items()
    ]
    return {"schema": "sleuth.audit/1", "groups": groups}


def _row(finding: Finding) -> dict[str, Any]:
    where = finding.where
    return {
        "cause": finding.cause,
        "family": finding.family,
        "path": where.path if where else None,
        "cell": where.cell if where else None,
        "line": where.line if where else None,
        "column": where.column if where else None,
        "end_line": where.end_line if where else None,
        "end_column": where.end_column if where else None,
        "severity": finding.severity,
        "credence": finding.credence,
        "message": finding.message,
        "fix": finding.fix,
        "more": f"sleuth explain {finding.cause}",
        "sources": list(finding.sources),
        "claims": _claims(finding),
    }


def _claims(finding: Finding) -> list[str]:
    from sleuth.evidence.folklore import (
        citation,
        claims_for,
    )  # reads a map: only where a program asked for all

    return [citation(claim) for claim in claims_for(finding.cause, finding.family)]


def _headline(finding: Finding, paint: Paint) -> str:
    where = finding.where
    place = f"{where}:{where.column}" if where else "?"
    severity = paint(finding.severity, fg=COLOURS[finding.severity], bold=True)
    return f"{paint(place, bold=True)} {severity} [{finding.cause}] {finding.message}"


def _block(finding: Finding, result: LintResult, paint: Paint) -> str:
    lines = [_headline(finding, paint)]
    where = finding.where
    text = result.excerpts.get((where.path, where.cell, where.line), "") if where else ""
    if where and where.line and where.column and text:
        gutter = f"{where.line:>5} | "
        margin = len(text) - len(text.lstrip())
        start = max(where.column - 1, margin)
        stop = (where.end_column or start + 2) - 1 if where.end_line == where.line else len(text)
        carets = "^" * max(stop - start, 1)
        lines.append(paint(gutter, dim=True) + text)
        lines.append(" " * (len(gutter) + start) + paint(carets, fg=COLOURS[finding.severity]))
    if finding.fix:
        lines.append(f"      {paint('fix:', bold=True)} {finding.fix}")
    lines.append(paint(f"      more: sleuth explain {finding.cause}", dim=True))
    return "\n".join(lines)


def _closing(result: LintResult) -> str:
    files = f"{result.files} file{'s' if result.files != 1 else ''}"
    partly = len(result.troubles) - len(result.unreadable)
    unread = f", {len(result.unreadable)} unreadable" if result.unreadable else ""
    unread += f", {partly} read only in part" if partly else ""
    if not result.findings:
        return f"Nothing found in {files}{unread}."
    counts = Counter(finding.severity for finding in result.findings)
    parts = [f"{counts[name]} {name}{'s' if counts[name] != 1 else ''}" for name in COLOURS if counts[name]]
    return f"{', '.join(parts)} in {files}{unread}."
