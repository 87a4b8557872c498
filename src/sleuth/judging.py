"""`judge`: ask every cause that can be seen in a run about its record, now or years later."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sleuth import catalog
from sleuth.facts.seen import SEVERAL, NotRecorded
from sleuth.facts.step import Record
from sleuth.finding import Finding, Report, Verdict
from sleuth.roots import roots_first
from sleuth.symptoms import symptoms


def judge(record: Record) -> Report:
    """What the record of a run shows: findings with roots first, symptoms, and what could not be examined."""
    started = time.perf_counter()
    found, examined = catalog.examine("watch", record, NotRecorded)
    findings = tuple(roots_first(found))
    return Report(
        verdict=_verdict(record, findings),
        findings=findings,
        observations=(_run(record), *(symptom.to_dict() for symptom in symptoms(record))),
        examined=tuple(asdict(entry) for entry in examined),
        timing={"judge": time.perf_counter() - started},
    )


def _verdict(record: Record, findings: tuple[Finding, ...]) -> Verdict:
    serious = sorted((f for f in findings if f.severity != "note"), key=lambda f: -f.credence)
    if serious:
        more = f" ({len(serious) - 1} more)" if len(serious) > 1 else ""
        return Verdict("cause-found", f"{serious[0].cause}: {serious[0].message}{more}")
    end = record.end
    if end is not None and end.status == "raised":
        return Verdict("crashed", f"The script stopped with {end.exception}: {end.message[:200]}")
    if len(record.steps) < SEVERAL:
        return Verdict(
            "inconclusive", f"The record holds {len(record.steps)} optimizer steps, too few to judge."
        )
    return Verdict("nothing-found", f"Nothing wrong was seen in {len(record.steps)} steps.")


def _run(record: Record) -> Mapping[str, Any]:
    end = record.end
    losses = record.losses
    return {
        "name": "run",
        "values": {
            "script": record.run.script,
            "steps": len(record.steps),
            "status": end.status if end else "unfinished",
            "first_loss": _word(losses[0]) if losses else None,
            "last_loss": _word(losses[-1]) if losses else None,
        },
    }


def _word(value: float) -> float | str:
    """JSON knows no NaN and no infinity: those become words."""
    return value if value - value == 0 else str(value)
