"""Detection on the zoo: what each verb finds in broken scripts, and what it wrongly says of the others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.zoo import LINE_SLACK, Case, cases, healthy
from sleuth.finding import Finding

Verb = Callable[[Path], Iterable[Finding]]


@dataclass(frozen=True)
class Score:
    """Counts over the zoo. `reachable`: broken scripts whose cause this verb has a detector for."""

    broken: int
    reachable: int
    found: int
    first: int
    line: int
    quiet: int
    false_alarms: tuple[str, ...]
    missed: tuple[str, ...]


def score(verb: Verb, reachable: Callable[[str], bool]) -> Score:
    """Ask a verb about every script of the zoo."""
    pairs = list(cases())
    answers = {case.name: _ranked(verb(case.broken)) for case in pairs}
    alarms = [
        f"{path.parent.name}/{path.name}: {finding.cause} at {finding.where}"
        for path in quiet_scripts()
        for finding in _ranked(verb(path))
    ]
    found = [case for case in pairs if any(f.cause == case.slug for f in answers[case.name])]
    return Score(
        broken=len(pairs),
        reachable=sum(reachable(case.slug) for case in pairs),
        found=len(found),
        first=sum(answers[case.name][0].cause in (case.slug, *case.also) for case in found),
        line=sum(_hits_line(case, answers[case.name]) for case in found),
        quiet=len(quiet_scripts()),
        false_alarms=tuple(alarms),
        missed=tuple(case.name for case in pairs if reachable(case.slug) and case not in found),
    )


def quiet_scripts() -> list[Path]:
    """The scripts that deserve no error and no warning."""
    return [*(case.fixed for case in cases()), *(entry.path for entry in healthy())]


def _ranked(findings: Iterable[Finding]) -> list[Finding]:
    loud = [finding for finding in findings if finding.severity != "note"]
    return sorted(loud, key=lambda finding: -finding.credence)


def _hits_line(case: Case, findings: list[Finding]) -> bool:
    return any(
        finding.cause == case.slug
        and finding.where is not None
        and finding.where.line is not None
        and any(abs(finding.where.line - line) <= LINE_SLACK for line in (case.line, *case.or_lines))
        for finding in findings
    )
