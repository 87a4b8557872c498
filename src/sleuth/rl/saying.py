"""How findings of `sleuth rl check`, and the last words of a user's script, are told."""

from sleuth.finding import Finding, Severity
from sleuth.rl.naming import finding


def last_words(stderr: str) -> str:
    """The message at the end of a traceback, or the last line, as one line."""
    lines = stderr.strip().splitlines()
    frames = [place for place, line in enumerate(lines) if line.startswith("  ")]
    after = lines[frames[-1] + 1 :] if frames and "Traceback" in stderr else lines[-1:]
    return " ".join(" ".join(after or lines[-1:]).split())


def said(
    slug: str,
    message: str,
    fix: str,
    credence: float = 0.9,
    severity: Severity = "error",
    **numbers: float | int,
) -> Finding:
    return finding(slug, message, credence, numbers, fix, severity, "check")
