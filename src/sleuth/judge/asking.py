"""Asks every cause that has a technique what it sees in some facts, and weighs what they say."""

from typing import Any

from sleuth import catalog
from sleuth.finding import Finding
from sleuth.judge.observed import Observed
from sleuth.judge.weigh import weigh


class Unanswerable(Exception):
    """The facts have no answer for this cause."""


def findings_of(technique: str, facts: Any) -> tuple[Finding, ...]:
    """Roots before symptoms, the surest first."""
    seen, _ = catalog.examine(technique, facts, Unanswerable, catalog.mentioning(technique))
    found = weigh(Observed(evidence=tuple(seen))).ranked
    return tuple(sorted(found, key=lambda finding: -finding.credence))
