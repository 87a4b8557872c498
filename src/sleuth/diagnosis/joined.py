"""What the source leaves open and the record settles: a suspicion of lint, held to the numbers of the run."""

from collections.abc import Iterable
from dataclasses import replace

from sleuth.causes.training.metric_accumulation_bug import LOADER_LINE
from sleuth.causes.training.scheduler_cadence import PLANNED_LINE
from sleuth.facts.rhythm import calls_of
from sleuth.facts.step import Loader, Record, Scheduler
from sleuth.finding import Finding

INFLATED = 1.05  # a mean that is off by a twentieth is read wrongly; less is lost among its digits


def settled(findings: Iterable[Finding], record: Record) -> list[Finding]:
    """Findings of the source, surer where the run shows that they bite."""
    return [_called_by_epochs(_with_full_batches(finding, record), record) for finding in findings]


def _with_full_batches(finding: Finding, record: Record) -> Finding:
    """`len(loader) * batch_size` taken for the number of rows, and the loader that was made there."""
    line = finding.numbers.get(LOADER_LINE)
    made = next((loader for loader in record.of(Loader) if line and loader.line == line), None)
    if made is None or not made.examples or not made.batch_size or made.drop_last:
        return finding
    batches = -(-made.examples // made.batch_size)
    taken = batches * made.batch_size
    if taken < INFLATED * made.examples:
        return finding
    return replace(
        finding,
        severity="error",
        credence=0.9,
        message=f"{finding.message} It is: {made.examples} rows in {batches} batches are taken for {taken}.",
        numbers={**finding.numbers, "rows": made.examples, "taken_for": taken},
    )


BY_EPOCHS = 0.34  # calls a step, at most: an epoch of three batches


def _called_by_epochs(finding: Finding, record: Record) -> Finding:
    """A schedule planned in steps, and how often the run called it."""
    line = finding.numbers.get(PLANNED_LINE)
    plan = next((made for made in record.of(Scheduler) if line and made.line == line), None)
    calls, taken, where = (0, 0, None) if plan is None else calls_of(record, plan)
    if not calls or calls > BY_EPOCHS * taken:
        return finding
    return replace(
        finding,
        severity="error",
        credence=0.9,
        where=where or finding.where,
        message=f"The schedule that line {line:g} makes is planned in optimizer steps, and it is called "
        f"here, {calls} times in {taken} of them: the rate hardly leaves its start.",
        numbers={**finding.numbers, "calls_a_step": calls / taken},
        fix="Step it after every optimizer step, or give its numbers in epochs.",
    )
