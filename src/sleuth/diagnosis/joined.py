"""What the source or one step leaves open and the record settles: each cause knows how (`settle`)."""

from collections.abc import Iterable

from sleuth.finding import Finding
from sleuth.judge.relations import says
from sleuth.record.entries import Record


def settled(findings: Iterable[Finding], record: Record) -> list[Finding]:
    """Evidence, surer where the run shows that it bites."""
    return [_settled(finding, record) for finding in findings]


def _settled(finding: Finding, record: Record) -> Finding:
    settle = says(finding.cause, "settle")
    return finding if settle is None else settle(finding, record)
