"""Findings of `sleuth rl check`, in the order in which they are told: what was seen, why, what to do."""

from sleuth.finding import Finding, Severity
from sleuth.rl.naming import finding


def said(
    slug: str,
    message: str,
    fix: str,
    credence: float = 0.9,
    severity: Severity = "error",
    **numbers: float | int,
) -> Finding:
    return finding(slug, message, credence, numbers, fix, severity, "check")
