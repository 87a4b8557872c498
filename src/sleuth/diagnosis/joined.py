"""What the source or one step leaves open and the record settles: each cause knows how (`settle`)."""

from collections.abc import Iterable

from sleuth.finding import Evidence
from sleuth.judge.relations import says
from sleuth.record.entries import Record


def settled(findings: Iterable[Evidence], record: Record) -> list[Evidence]:
    """Evidence, surer where the run shows that it bites."""
    return [_settled(finding, record) for finding in findings]


def _settled(finding: Evidence, record: Record) -> Evidence:
    settle = says(finding.cause, "settle")
    return finding if settle is None else settle(finding, record)
